"""Poisson batches whose rate is computed from the number of records (X.AVG.RATE): a lower end.

If every record contributes the same, a noisy sum is the number of drawn records and noise. A rate
that a record changes changes the law of that number at once, for all records: no noise multiplier
of everyday size hides it. `proofs_notes/averaging.md` has the proof.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from fractions import Fraction

from flint import arb, arb_poly

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.batches.curves import BITS
from dporacle.enclosures.batches.repeated_step import reached_by_tests
from dporacle.enclosures.batches.scheme import designed

_LEFT_OUT = 2.0**-40  # of δ: the numbers of records that are left out, over all steps
_NEAR = 10.0  # standard deviations of noise, beyond which a tail is 0 or 1 but for a small ball
_LINES = (
    1000  # thresholds of a test of one step in a standard deviation; each of them gives a bound
)
_SPARSER = (3.5, 5.0, 7.0)  # deviations from the middle, beyond which they are each twice as far
_MOST = 20_000  # numbers of records
_MOST_PLACES = 400_000  # of which the tails are computed


@functools.lru_cache(maxsize=8)
def counted_epsilon(
    *,
    sigma: Fraction,
    often: tuple[int, Fraction],
    seldom: tuple[int, Fraction],
    times: int,
    delta: Fraction,
    swapped: bool,
) -> Fraction:
    """Return an ε that is reached at a δ in (0, 1).

    Args:
        sigma: noise multiplier.
        often: number of records, and rate, of the data set of which more are drawn on average.
        seldom: of the other one.
        times: how many steps.
        delta: in (0, 1).
        swapped: whether the data set drawn often comes second.

    Raises:
        ArithmeticError: if it would need too much work.
    """
    designed(sigma)
    spare = float(delta) * _LEFT_OUT / times
    with precision(BITS):
        laws = [_Drawn(n, rate, spare) for n, rate in (often, seldom)]
        grain, places = _places(laws, float(sigma), (often, seldom))
        rows = [each.beyond(places, grain, sigma) for each in laws]
        tests = [*zip(rows[1], rows[0], strict=True)]
    return reached_by_tests(tests, times, float(delta), swapped=swapped).epsilon(delta)


def _places(
    laws: Sequence[_Drawn], noise: float, drawn: Sequence[tuple[int, Fraction]]
) -> tuple[int, list[int]]:
    """Return how many places there are between two numbers, and those of the tests.

    Raises:
        ArithmeticError: if they would be too many.
    """
    wide = max(math.sqrt(float(n * q * (1 - q)) + noise * noise) for n, q in drawn)
    power = max(0, math.ceil(math.log2(_LINES / wide)))
    grain, step = 1 << power, max(1, 1 << max(0, math.floor(math.log2(wide / _LINES))))
    low = min(each.least for each in laws) - _NEAR * noise
    high = max(each.least + len(each.weights) for each in laws) + _NEAR * noise
    if (high - low + 2 * _NEAR * noise) * grain > _MOST_PLACES:
        raise ArithmeticError("the numbers of drawn records are too many")
    middle = float(sum(n * q for n, q in drawn)) / 2
    ways: list[list[int]] = []
    for side, end in ((1, high), (-1, low)):
        at, found = round(middle * grain / step) * step, []
        while side * (end * grain - at) > 0:
            far = abs(at / grain - middle) / wide
            at += side * step * 2 ** sum(far > each for each in _SPARSER)
            found.append(at)
        ways.append(found)
    return grain, [*reversed(ways[1]), *ways[0]]


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

    def beyond(self, places: Sequence[int], grain: int, sigma: Fraction) -> list[arb]:
        """Enclose the chances that the number and noise together are above some places.

        Numbers without a weight, and noise of more than `_NEAR` deviations, count as anything.

        Args:
            places: times the grain.
            grain: into how many parts the unit is divided.
            sigma: noise multiplier.
        """
        noise, last = ball(sigma), len(self.weights)
        far = math.ceil(_NEAR * float(sigma)) + 1
        weights, found = arb_poly(self.weights), {}
        for part in sorted({at % grain for at in places}):
            # Above at, of the numbers at − far to at + far; of those above them all.
            tails = [normal_tail((j + arb(part) / grain) / noise) for j in range(-far, far + 1)]
            sums = (weights * arb_poly(tails)).coeffs()
            for at in places:
                if at % grain == part:
                    k = at // grain - self.least
                    near = sums[k + far] if 0 <= k + far < len(sums) else arb(0)
                    above = self._beyond[min(max(k + far + 1, 0), last)]
                    found[at] = near + above + arb(0, self._rest)
        return [found[at] for at in places]
