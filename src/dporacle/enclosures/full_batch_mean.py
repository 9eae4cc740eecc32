"""Enclosures of DP-SGD with all records in each batch, whose noisy sum is divided by their number.

One step is (S + g + σZ)/n against (S + σZ)/(n − 1). Both means and scales differ: with u = 2√T/σ
and r = n/(n − 1) the value is that of N(u·e, I) against N(0, r²I) in D = Td coordinates
(X.AVG.MEAN). The transform of that pair is an elementary function, whose inverse is a sum over a
line.
"""

from __future__ import annotations

import math
from fractions import Fraction

from flint import acb, arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures.arithmetic.balls import ball, bits_for, precision
from dporacle.enclosures.batches.densities import LineSum

_POWERS = [0.02 * 1.25**k for k in range(60)]  # real parts of contours
_MOST_NODES = 30_000
_MOST_STEPS = 60  # of a Newton search, whose steps double the digits
_SPARE = 3  # digits of δ beyond those of ε
_WAYS = ("remove", "add")


class _MeanPair:
    """The pair, in one order.

    ln K is ±s·D ln r − (D/2)·ln A + (u²/2)·((1 + s)²/A − (1 + s)), A = 1 + βs, with the
    record first, and the same at −1 − s with the record second.
    """

    def __init__(
        self, sigma: Fraction, records: int, steps: int, dimension: int, direction: str
    ) -> None:
        self.ratio = Fraction(records, records - 1)
        self.beta = 1 - 1 / self.ratio**2
        self.coordinates = steps * dimension
        self.square = 4 * steps / sigma**2
        self.swapped = direction == "add"
        # Where the wide law is first the transform ends.
        self.most = float(1 / (self.ratio**2 - 1)) if self.swapped else math.inf

    def log_size(self, c: float) -> float:
        """Estimate ln K(c)."""
        s = -1 - c if self.swapped else c
        a = 1 + float(self.beta) * s
        rise = math.log1p(float(self.ratio - 1))
        level = self.coordinates * (s * rise - math.log(a) / 2)
        return level + float(self.square) / 2 * ((1 + s) ** 2 / a - (1 + s))

    def log_fall(self, c: float, v: float) -> float:
        """Estimate ln |K(c + iv)|."""
        s = complex(-1 - c if self.swapped else c, v)
        a = 1 + float(self.beta) * s
        turned = ((1 + s) ** 2 / a - (1 + s)).real * float(self.square) / 2
        level = s.real * math.log1p(float(self.ratio - 1)) - math.log(abs(a)) / 2
        return self.coordinates * level + turned

    def transform(self, s: acb) -> acb:
        """Enclose K(s)."""
        if self.swapped:
            s = -1 - s
        a = 1 + ball(self.beta) * s
        level = self.coordinates * (s * ball(self.ratio).log() - a.log() / 2)
        return (level + ball(self.square) / 2 * ((1 + s) ** 2 / a - (1 + s))).exp()


class _Line:
    """A line, chosen by floats for δ about a size at an ε, and the sum over it."""

    def __init__(self, pair: _MeanPair, y: float, log_delta: float, digits: int) -> None:
        goal = log_delta - (digits + _SPARE) * math.log(10)
        best: tuple[int, float, float, float] | None = None
        powers = [c for c in _POWERS if c < pair.most * 0.999]
        powers += [pair.most * (1 - 0.4**k) for k in range(1, 8)] if pair.swapped else []
        powers.sort()
        sizes = {c: pair.log_size(c) for c in powers}
        for c in powers:
            period, right = math.inf, 0.0
            for r in powers:
                if r > c * 1.0001:
                    need = (sizes[r] - r * y + _log_kappa(r) - goal + 2) / (r - c)
                    if 0 < need < period:
                        period, right = need, r
            if not math.isfinite(period):
                continue
            period = max(period, (y - goal + 2) / (c + 1), (2 - goal) / (40 + c), 1e-9)

            def excess(v: float, c: float = c) -> float:
                return pair.log_fall(c, v) - math.log(math.pi * v) - c * y - goal + 2

            high = 1e-3
            while excess(high) > 0 and high < 1e9:
                high *= 1.3
            nodes = max(16, math.ceil(high * period / (2 * math.pi)))
            if best is None or nodes < best[0]:
                best = nodes, c, right, period
        if best is None or best[0] > _MOST_NODES:
            raise ArithmeticError("the inversion needs too much work")
        nodes, c, right, period = best
        lost = max(sizes[c] - c * y, 0.0, y) - goal
        # ln K is a difference of terms of the size of D.
        self._bits = int(lost / math.log(2)) + 64 + 2 * (pair.coordinates * 16).bit_length()
        self._bits += 2 * pair.ratio.denominator.bit_length() + int(math.log2(1 + c)) * 2
        with precision(self._bits):
            spacing = 2 * arb.pi() / arb(period)
            values = [pair.transform(acb(arb(c), spacing * n)) for n in range(nodes + 1)]
            above = pair.transform(acb(arb(right))).real
            # |K| falls with the frequency: |A| rises, and Re 1/A falls.
            beyond = abs(values[-1])
            self._sum = LineSum(arb(c), arb(right), arb(period), values, above, beyond)

    def delta(self, epsilon: Fraction) -> arb:
        with precision(self._bits):
            return self._sum.delta(ball(epsilon))


def _log_kappa(p: float) -> float:
    return p * math.log(p) - (1 + p) * math.log1p(p)


def _read(
    sigma: Exact, records: int, steps: int, dimension: int, direction: str
) -> tuple[_MeanPair, ...]:
    ways = _WAYS if direction == "both" else (direction,)
    if not set(ways) <= {*_WAYS}:
        raise ValueError(f"direction must be one of add, remove, both, got {direction!r}")
    n = arguments.count("records", records)
    if n < 2:
        raise ValueError(f"records must be at least 2, got {records}")
    noise = arguments.positive("sigma", sigma)
    times, d = arguments.count("steps", steps), arguments.count("dimension", dimension)
    return tuple(_MeanPair(noise, n, times, d, way) for way in ways)


def full_batch_mean_delta(
    *,
    epsilon: Exact,
    sigma: Exact,
    records: int,
    steps: int,
    dimension: int,
    direction: str,
    digits: int = 12,
) -> arb:
    """Enclose δ(ε) of T noisy sums over all records, each divided by their number (X.AVG.MEAN).

    Args:
        epsilon: in [0, ∞).
        sigma: noise multiplier, in (0, ∞).
        records: n of the larger data set, at least 2; the other has one less.
        steps: T.
        dimension: d, of a sum.
        direction: "remove", the larger data set first, "add" or "both".
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is outside its domain.
        ArithmeticError: if it would need too much work.
    """
    target = arguments.epsilon(epsilon)
    found = [
        _delta(pair, target, digits) for pair in _read(sigma, records, steps, dimension, direction)
    ]
    return found[0] if len(found) == 1 else found[0].max(found[1])


def _delta(pair: _MeanPair, epsilon: Fraction, digits: int) -> arb:
    y = float(epsilon)
    powers = [c for c in _POWERS if c < pair.most * 0.99] or [pair.most / 2]
    guess = min(0.0, *(pair.log_size(c) - c * y + _log_kappa(c) for c in powers))
    for _ in range(4):
        value = _Line(pair, y, guess, digits).delta(epsilon)
        if value > 0 and value.rel_accuracy_bits() >= bits_for(digits) + 1:
            return value
        guess -= 8.0
    raise ArithmeticError("the inversion needs too much work")


def full_batch_mean_epsilon(
    *,
    delta: Exact,
    sigma: Exact,
    records: int,
    steps: int,
    dimension: int,
    direction: str,
    digits: int = 12,
) -> arb:
    """Enclose the smallest ε ≥ 0 that holds at a δ, for the same noisy sums (X.AVG.MEAN).

    Args:
        delta: in (0, 1).
        sigma: noise multiplier, in (0, ∞).
        records: as for `full_batch_mean_delta`.
        steps: T.
        dimension: d, of a sum.
        direction: as there.
        digits: as there.

    Raises:
        TypeError, ValueError: naming the argument that is outside its domain.
        ArithmeticError: if it would need too much work.
    """
    target = arguments.delta(delta)
    found = [
        _epsilon(pair, target, digits)
        for pair in _read(sigma, records, steps, dimension, direction)
    ]
    with precision(bits_for(digits) + 64):
        return found[0] if len(found) == 1 else found[0].max(found[1])


def _epsilon(pair: _MeanPair, target: Fraction, digits: int) -> arb:
    goal = math.log(target.numerator) - math.log(target.denominator)
    with precision(128):
        if _delta(pair, Fraction(0), 6) < ball(target):
            return arb(0)
    powers = [c for c in _POWERS if c < pair.most * 0.99] or [pair.most / 2]

    def bound(y: float) -> float:
        return min(pair.log_size(c) - c * y + _log_kappa(c) for c in powers)

    low, high = 0.0, 1.0
    while bound(high) > goal:
        low, high = high, 2 * high
        if high > 1e12:
            raise ArithmeticError("epsilon is too large to be enclosed")
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if bound(middle) > goal else (low, middle)
    at = Fraction(high)
    fine = digits + 2
    line = _Line(pair, high, goal, fine)
    last: tuple[Fraction, float] | None = None
    slope = -1.0
    unit = Fraction(1, 10 ** (digits + 1))
    for _ in range(_MOST_STEPS):
        value = line.delta(at)
        if not (value > 0 and value.rel_accuracy_bits() >= bits_for(digits)):
            line = _Line(pair, float(at), goal - 2.0, fine)
            value = line.delta(at)
            if not value > 0:
                raise ArithmeticError("the inversion needs too much work")
        with precision(bits_for(digits) + 128):
            miss = (value / ball(target)).log()
            gap = Fraction(float(miss.mid()))
        if last is not None and at != last[0]:
            turned = float((gap - Fraction(last[1])) / (at - last[0]))
            slope = turned if turned < 0 else slope
        last = at, float(gap)
        step = -gap / Fraction(slope)
        step = max(step, -at / 2)
        if abs(step) < unit * at / 8:
            break
        at += Fraction(float(step)) if abs(step) > at * Fraction(1, 10**8) else step
        at = Fraction(round(at * 10 ** (digits + 8)), 10 ** (digits + 8))
    for k in range(8):
        width = unit * at * 4**k / 2
        with precision(bits_for(digits) + 128):
            if line.delta(at - width) > ball(target) and line.delta(at + width) < ball(target):
                return ball(at - width).union(ball(at + width))
    raise ArithmeticError("the signs beside an epsilon are not proved")
