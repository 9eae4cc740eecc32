"""Shuffled batches: a new random permutation for each epoch (X.BAT.SHUFFLED).

Lower bounds: pairs that data sets and queries reach. Others contribute −1, the record +1 or 0 (S1),
tested by the maximum and by sums of exponentials; others contribute 0, balls-and-bins; for
replace-one, others −1 and the record +1 or −1 (S2), balls-and-bins at half the noise, tested by the
maximum too. Upper bounds: deterministic batches, and `clones`.
"""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches import balls_and_bins, clones, deterministic
from dporacle.enclosures.batches.curves import BITS, Product, loss_spread, path
from dporacle.enclosures.batches.inversion import Mean
from dporacle.enclosures.batches.scheme import Interval, Run, affordable

ADJACENCIES = ("zero-out", "replace")

_Masses = tuple[arb, arb]
"""Of {S ≤ K} under the two laws, or bounds of a test's."""

Tests = tuple[list[tuple[arb, arb]], list[tuple[arb, arb]]]
"""(upper bound under one law, lower bound under the other) of tests, for remove and for add."""

_POINTS = 600
_MIDDLING, _LARGE = Fraction(3, 2), 8  # σ, for which sums are taken
_STEEPEST = 4.5  # of the exponents of the sums
_COARSE = 1.0  # widest gap of the first of three grids for one test, in ln K
_FINE = 240  # cells of the lattice in a standard deviation of the loss
_FLOOR = 1e-13
_QUIET = Fraction(7, 10)  # σ below which no clones are tried: they prove next to nothing
_LOUD = 32  # σ above which theorem V takes minutes
_FIRST = Fraction(7, 8)  # of δ, for the first of two zero-outs


_CENTRES = {"zero-out": (1, 2), "replace": (0, 2)}
"""Where one coordinate is centred under the two laws; the others are centred at 0."""


def _by_maximum(variance: Fraction, batches: int, tiny: float, adjacency: str) -> Tests:
    """Return the tests max x_t > C; variance is σ²."""
    more, less = [], []
    s = math.sqrt(float(variance))
    reach = math.sqrt(-2 * math.log(tiny))
    low = s * math.sqrt(max(0.0, 2 * math.log(max(1.0, batches / -math.log(tiny) / 4)))) - 3 * s
    low = min(low, 1.0 - 3 * s) if batches < 100 else max(low, -3 * s)
    high = max(2.0, s * math.sqrt(2 * math.log(batches))) + s * reach
    with precision(BITS):
        sigma = ball(variance).sqrt()
        for k in range(_POINTS):
            c = arb(low + (high - low) * k / (_POINTS - 1))
            # ln P(max ≤ C) = ln Φ((C−m)/σ) + (T−1) ln Φ(C/σ)
            others = (batches - 1) * (-normal_tail(c / sigma)).log1p()
            logs = [(-normal_tail((c - m) / sigma)).log1p() + others for m in _CENTRES[adjacency]]
            q, p = (-(each.expm1()) for each in logs)
            if q.upper() > 0 and p > 0:
                more.append((q.upper(), p.lower()))
            alt, null = logs[0].exp(), logs[1].exp()
            if alt > 0:
                less.append((null.upper(), alt.lower()))
    return more, less


def _powers(variance: Fraction) -> tuple[Fraction, ...]:
    """Return the exponents k of the sums: 2 suits a rare large loss, 3 many small ones.

    For small x_t/σ² the pair's ratio is about 1 plus the mean of x_t/σ² + (3/2)(x_t/σ²)².
    """
    if variance < _MIDDLING**2:
        return (Fraction(2),)
    return (Fraction(3),) if variance > _LARGE**2 else (Fraction(2), Fraction(3))


class _Sum:
    """The tests Σ e^{kx_t/σ²} > K, at K in units of the mean without the record."""

    def __init__(self, variance: Fraction, batches: int, power: Fraction, tiny: float) -> None:
        parts, square = ((Fraction(1), batches),), power * power / variance
        self.first = Mean(square, parts, 2 * power / variance)
        self.second = Mean(square, parts, power / variance)
        if float(self.first.tilt) > _STEEPEST:
            raise ArithmeticError("the exponents of the sum are too large")
        self.tiny, self.nats = tiny, 14 - math.log(tiny)
        self.scale = balls_and_bins.spread(self.second)

    def _prices(self, points: Sequence[arb]) -> list[tuple[arb, arb]]:
        both = (law.prices(points, self.nats) for law in (self.first, self.second))
        return [(one.below, other.below) for one, other in zip(*both, strict=True)]

    def _march(self, step: float, way: int, **gaps: float) -> list[tuple[int, arb, _Masses]]:
        def ended(_: arb, found: _Masses) -> bool:
            rest = 1 - found[0] if way > 0 else found[1]
            return float(rest.mid()) < self.tiny

        unit = Fraction(step).limit_denominator(1 << 40)
        return balls_and_bins.march(unit, self.scale, way, self._prices, ended, **gaps)

    def all(self) -> Tests:
        """Return the tests on a grid, out to where they have no mass."""
        step = min(self.scale / 10, 0.04)
        points = [each for way in (1, -1) for _, _, each in self._march(step, way)]
        return _more(points), _less(points)

    def best(self, value: Callable[[Sequence[_Masses]], Fraction]) -> Fraction:
        """Return the largest value of single tests: a coarse grid, and finer ones at its best."""
        found = Fraction(0)
        for way, kind in ((1, _more), (-1, _less)):
            marched = self._march(self.scale / 2, way, widest=_COARSE, ahead=1.0)
            points = sorted((float(a.log().mid()), value(kind([each]))) for _, a, each in marched)
            for _ in range(2):
                best = max(range(len(points)), key=lambda k: points[k][1])
                if points[best][1] <= found:
                    break
                found = points[best][1]
                low, high = points[max(best - 1, 0)][0], points[min(best + 1, len(points) - 1)][0]
                with precision(BITS):
                    near = [arb(low + (high - low) * k / 8).exp().mid() for k in range(1, 8)]
                prices = self._prices(near)
                points = [
                    (float(a.log().mid()), value(kind([each])))
                    for a, each in zip(near, prices, strict=True)
                ]
            found = max(found, *(most for _, most in points))
        return found


def _more(points: Sequence[tuple[arb, arb]]) -> list[tuple[arb, arb]]:
    with precision(BITS):
        return [((1 - other).upper(), (1 - one).lower()) for one, other in points]


def _less(points: Sequence[tuple[arb, arb]]) -> list[tuple[arb, arb]]:
    with precision(BITS):
        return [(one.upper(), other.lower()) for one, other in points]


@functools.lru_cache(maxsize=16)
def tests(variance: Fraction, batches: int, tiny: float, adjacency: str) -> Tests:
    """Return tests of S1's pair, or of S2's for replace-one, at σ² = variance."""
    more, less = _by_maximum(variance, batches, tiny, adjacency)
    for power in _powers(variance) if adjacency == "zero-out" else ():
        with contextlib.suppress(ArithmeticError):
            found = _Sum(variance, batches, power, tiny).all()
            more, less = more + found[0], less + found[1]
    return more, less


def one_epoch(
    variance: Fraction,
    batches: int,
    adjacency: str,
    *,
    delta: Fraction | None,
    epsilon: Fraction | None,
) -> Fraction:
    """Return the largest ε at a δ, or δ at an ε, of a single test of one epoch at σ² = variance."""

    def value(found: Sequence[tuple[arb, arb]]) -> Fraction:
        if delta is not None:
            return at_delta(found, delta)
        assert epsilon is not None
        return at_epsilon(found, epsilon)

    affordable(batches, 1, delta)
    tiny = (_FLOOR if delta is None else float(delta)) * 1e-4
    best = max(value(each) for each in _by_maximum(variance, batches, tiny, adjacency))
    for power in _powers(variance) if adjacency == "zero-out" else ():
        with contextlib.suppress(ArithmeticError):
            best = max(best, _Sum(variance, batches, power, tiny).best(value))
    return best


def at_delta(found: Sequence[tuple[arb, arb]], target: Fraction) -> Fraction:
    """Return an ε ≥ 0 at which some test has P(A) − e^εQ(A) ≥ target, or 0."""
    best = Fraction(0)
    with precision(BITS):
        for q, p in found:
            gap = p - ball(target)
            if q > 0 and gap > q:
                best = max(best, bounds((gap / q).log())[0])
    return best


def at_epsilon(found: Sequence[tuple[arb, arb]], epsilon: Fraction) -> Fraction:
    """Return the largest P(A) − e^εQ(A) of the tests."""
    with precision(BITS):
        factor = ball(epsilon).exp()
        return max((bounds(p - factor * q)[0] for q, p in found), default=Fraction(0))


@functools.lru_cache(maxsize=8)
def _products(
    variance: Fraction, batches: int, epochs: int, floor: float, adjacency: str
) -> list[Product]:
    tiny = floor * 1e-6 / epochs
    made = []
    for found in tests(variance, batches, tiny, adjacency):
        step = Fraction(max(1e-9, loss_spread(found) / _FINE)).limit_denominator(1 << 40)
        made.append(Product.of(path(step, found)).power(epochs, tiny))
    return made


@functools.lru_cache(maxsize=64)
def lower(
    run: Run, adjacency: str, *, delta: Fraction | None, epsilon: Fraction | None
) -> Fraction:
    """Bound ε at a δ, or δ at an ε, from below."""
    law = balls_and_bins.mean(run, 2 if adjacency == "replace" else 1)
    # A record that contributes 0 is one of those that may stand in another's place.
    replaced = adjacency == "replace"
    best = lower(run, "zero-out", delta=delta, epsilon=epsilon) if replaced else Fraction(0)
    inverted = 0
    for way in ("remove", "add"):
        with contextlib.suppress(ArithmeticError):
            if delta is not None:
                found = balls_and_bins.pair_epsilon(law, run.epochs, delta, way)
            else:
                assert epsilon is not None
                found = balls_and_bins.pair_delta(law, run.epochs, epsilon, way)
            best = max(best, found.low)
            inverted += 1
    if replaced and inverted == 2:
        return best  # of S2's pair itself
    variance = run.sigma**2
    floor = float(delta) if delta is not None else _FLOOR
    with contextlib.suppress(ArithmeticError):
        affordable(run.batches, run.epochs, delta)
        if run.epochs == 1:
            best = max(
                best, one_epoch(variance, run.batches, adjacency, delta=delta, epsilon=epsilon)
            )
        else:
            for product in _products(variance, run.batches, run.epochs, floor, adjacency):
                if delta is not None:
                    best = max(best, product.epsilon(delta))
                else:
                    assert epsilon is not None
                    with precision(BITS):
                        best = max(best, bounds(product.delta(ball(epsilon)))[0])
    return best


def upper_epsilon(run: Run, delta: Fraction, adjacency: str) -> Fraction:
    """Bound ε at a δ from above."""
    best = deterministic.epsilon(run, delta, adjacency).high
    if run.sigma < _QUIET:
        return best
    with contextlib.suppress(ArithmeticError):
        best = min(best, clones.labelled_epsilon(run, delta, 2 if adjacency == "replace" else 1))
    if run.sigma > _LOUD:
        return best
    with contextlib.suppress(ArithmeticError):
        if adjacency == "zero-out":
            best = min(best, clones.hidden_epsilon(run, delta))
        else:
            best = min(best, _twice(run, delta, best))
    return best


def _twice(run: Run, delta: Fraction, known: Fraction) -> Fraction:
    """Bound the ε of replace-one by two zero-outs, δ(ε₁) + e^{ε₁}δ(ε₂); or return a known one."""
    first = clones.hidden_epsilon(run, delta * _FIRST)
    if 2 * first >= known:
        return known
    with precision(BITS):
        rest = bounds(ball(delta * (1 - _FIRST)) * (-ball(first)).exp())[0]
    return first + clones.hidden_epsilon(run, rest, start=1.2 * float(first))


def delta(run: Run, epsilon: Fraction, adjacency: str) -> Interval:
    """Enclose the δ at an ε; from above by deterministic batches alone."""
    if run.batches == 1:
        return deterministic.delta(run, epsilon, adjacency)
    high = deterministic.delta(run, epsilon, adjacency).high
    return Interval(lower(run, adjacency, delta=None, epsilon=epsilon), high, exact=False)


def epsilon(run: Run, delta: Fraction, adjacency: str) -> Interval:
    """Enclose the ε at a δ."""
    if run.batches == 1:
        return deterministic.epsilon(run, delta, adjacency)
    low = lower(run, adjacency, delta=delta, epsilon=None)
    return Interval(low, upper_epsilon(run, delta, adjacency), exact=False)
