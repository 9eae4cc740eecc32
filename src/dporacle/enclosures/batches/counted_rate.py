"""Poisson batches whose rate is computed from the number of records (X.AVG.RATE): a lower end.

If every record contributes the same, a noisy sum is the number of drawn records and noise. A rate
that a record changes changes the law of that number at once, for all records: no noise multiplier
of everyday size hides it. `proofs_notes/averaging.md` has the proof.
"""

from __future__ import annotations

import functools
import math
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.batches.curves import BITS
from dporacle.enclosures.batches.repeated_step import reached_by_half_lines
from dporacle.enclosures.batches.scheme import designed

_LEFT_OUT = 2.0**-40  # of δ: the numbers of records that are left out, over all steps
_NEAR = 10.0  # standard deviations of noise, beyond which a tail is 0 or 1 but for a small ball
_LINES = 500  # thresholds of a test of one step; each of them gives a bound
_FINE = 6000  # cells of the lattice in a standard deviation of the loss
_MOST = 20_000  # numbers of records
_MOST_TAILS = 2_000_000  # normal tails, over all thresholds and both laws


@functools.lru_cache(maxsize=8)
def counted_epsilons(
    *,
    sigma: Fraction,
    often: tuple[int, Fraction],
    seldom: tuple[int, Fraction],
    times: int,
    delta: Fraction,
) -> tuple[Fraction, Fraction]:
    """Return ε that are reached at a δ in (0, 1): the data set drawn often first, or second.

    Args:
        sigma: noise multiplier.
        often: number of records, and rate, of the data set of which more are drawn on average.
        seldom: of the other one.
        times: how many steps.
        delta: in (0, 1).

    Raises:
        ArithmeticError: if it would need too much work.
    """
    designed(sigma)
    spare = float(delta) * _LEFT_OUT / times
    with precision(BITS):
        laws = [_Drawn(n, rate, spare) for n, rate in (often, seldom)]
        noise = float(sigma)
        low = min(each.least for each in laws) - 8 * noise
        high = max(each.least + len(each.weights) for each in laws) + 8 * noise
        lines = [low + (high - low) * j / _LINES for j in range(_LINES + 1)]
        each_line = min(2 * _NEAR * noise + 2, max(len(each.weights) for each in laws))
        if each_line * 2 * _LINES > _MOST_TAILS:
            raise ArithmeticError("the numbers of drawn records are too many")
        tests = [(laws[1].beyond(at, sigma), laws[0].beyond(at, sigma)) for at in lines]
        made = reached_by_half_lines(tests, times, float(delta), _FINE)
    return made[0].epsilon(delta), made[1].epsilon(delta)


class _Drawn:
    """The number of records that are drawn.

    Attributes:
        least: the least one that counts.
        weights: the probabilities from it on.
    """

    def __init__(self, records: int, rate: Fraction, spare: float) -> None:
        self.least, self.weights = records, [arb(1)]
        if rate < 1:
            self._add_up(records, rate, spare)
        self._beyond = [arb(0)]  # sums from the end
        for each in reversed(self.weights):
            self._beyond.append(self._beyond[-1] + each)
        self._beyond.reverse()
        self._rest = (1 - self._beyond[0]).abs_upper() + 2 * normal_tail(arb(_NEAR)).abs_upper()

    def _add_up(self, n: int, rate: Fraction, spare: float) -> None:
        odds = ball(rate) / (1 - ball(rate))
        middle = math.floor(n * rate)
        with precision(BITS + 128):
            q = ball(rate)
            ways = arb(n + 1).lgamma() - arb(middle + 1).lgamma() - arb(n - middle + 1).lgamma()
            start = (ways + middle * q.log() + (n - middle) * (1 - q).log()).exp()
        up, down, k = [start], [start], middle
        while k < n and not up[-1] < spare and len(up) < _MOST:
            up.append(up[-1] * (n - k) / (k + 1) * odds)
            k += 1
        k = middle
        while k > 0 and not down[-1] < spare and len(down) < _MOST:
            down.append(down[-1] * k / (n - k + 1) / odds)
            k -= 1
        if max(len(up), len(down)) >= _MOST:
            raise ArithmeticError("the numbers of drawn records are too many")
        self.least, self.weights = k, [*down[:0:-1], *up]

    def beyond(self, at: float, sigma: Fraction) -> arb:
        """Enclose the chance that the number and noise together are above a place.

        Numbers without a weight, and noise of more than `_NEAR` deviations, count as anything.
        """
        noise, last = float(sigma), len(self.weights)
        low = min(max(math.floor(at - _NEAR * noise) - self.least, 0), last)
        high = min(max(math.ceil(at + _NEAR * noise) + 1 - self.least, 0), last)
        width = ball(sigma)
        total = self._beyond[high]
        for k in range(low, high):
            total += self.weights[k] * normal_tail((arb(at) - self.least - k) / width)
        found: arb = total + arb(0, self._rest)
        return found
