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
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches import balls_and_bins, clones, deterministic, half_spaces
from dporacle.enclosures.batches.curves import BITS, Product
from dporacle.enclosures.batches.half_spaces import FLOOR, Tests
from dporacle.enclosures.batches.inversion import Mean
from dporacle.enclosures.batches.scheme import MOST_BATCHES, Epochs, Interval, affordable

ADJACENCIES = ("zero-out", "replace")

_Masses = tuple[arb, arb]
"""Of {S ≤ K} under the two laws, or bounds of a test's."""

_MIDDLING, _LARGE = Fraction(3, 2), 8  # σ, for which sums are taken
_STEEPEST = 4.5  # of the exponents of the sums
_COARSE = 1.0  # widest gap of the first of three grids for one test, in ln K
_QUIET = Fraction(7, 10)  # σ below which no clones are tried: they prove next to nothing
_LOUD = Fraction(32)  # σ above which theorem V takes minutes
_LOUD_AT = Fraction(16)  # the same, where δ is asked: it takes more rounds, down to 10⁻⁴⁰
_FIRST = Fraction(7, 8)  # of δ, for the first of two zero-outs


_CENTRES = {"zero-out": (1, 2), "replace": (0, 2)}
"""Where one coordinate is centred under the two laws; the others are centred at 0."""


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
    more, less = half_spaces.by_maximum(variance, batches, tiny, _CENTRES[adjacency])
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
            return half_spaces.at_delta(found, delta)
        assert epsilon is not None
        return half_spaces.at_epsilon(found, epsilon)

    affordable(batches, 1, delta)
    tiny = (FLOOR if delta is None else float(delta)) * 1e-4
    best = max(
        value(each) for each in half_spaces.by_maximum(variance, batches, tiny, _CENTRES[adjacency])
    )
    for power in _powers(variance) if adjacency == "zero-out" else ():
        with contextlib.suppress(ArithmeticError):
            best = max(best, _Sum(variance, batches, power, tiny).best(value))
    return best


@functools.lru_cache(maxsize=8)
def _products(
    sigma: Fraction, batches: int, epochs: int, floor: float, adjacency: str
) -> list[Product]:
    tiny = floor * 1e-6 / epochs

    def made(sigma: Fraction) -> list[Product]:
        return half_spaces.products(tests(sigma**2, batches, tiny, adjacency), epochs, tiny)

    return half_spaces.noisier(sigma, made)


def by_sum(
    run: Epochs, distance: int, delta: Fraction | None, epsilon: Fraction | None
) -> Fraction:
    """Bound ε at a δ, or δ at an ε, from below by sums of outputs."""
    if delta is not None:
        return half_spaces.least_epsilon(run, delta, distance)
    assert epsilon is not None
    return half_spaces.least_delta(run, epsilon, distance)


@functools.lru_cache(maxsize=64)
def lower(
    run: Epochs, adjacency: str, *, delta: Fraction | None, epsilon: Fraction | None
) -> Fraction:
    """Bound ε at a δ, or δ at an ε, from below."""
    law = balls_and_bins.mean(run, 2 if adjacency == "replace" else 1)
    # A record that contributes 0 is one of those that may stand in another's place.
    replaced = adjacency == "replace"
    if replaced:
        best = max(
            lower(run, "zero-out", delta=delta, epsilon=epsilon), by_sum(run, 2, delta, epsilon)
        )
    else:
        best = by_sum(run, 1, delta, epsilon)
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
    floor = float(delta) if delta is not None else FLOOR
    with contextlib.suppress(ArithmeticError):
        affordable(run.batches, run.epochs, delta)
        if run.epochs == 1:
            best = max(
                best, one_epoch(variance, run.batches, adjacency, delta=delta, epsilon=epsilon)
            )
        else:
            for product in _products(run.sigma, run.batches, run.epochs, floor, adjacency):
                if delta is not None:
                    best = max(best, product.epsilon(delta))
                else:
                    assert epsilon is not None
                    with precision(BITS):
                        best = max(best, bounds(product.delta(ball(epsilon)))[0])
    return best


def _alike(run: Epochs, loud: Fraction) -> Epochs:
    """Return a run whose upper ends hold for this one too, and which theorem V reaches.

    Noise that is added is post-processing. A batch of each epoch that the record is not in may be
    revealed: then it is in one of the others, uniformly, and they are a run of so many batches.
    """
    return Epochs(min(run.sigma, loud), min(run.batches, MOST_BATCHES), run.epochs)


def upper_epsilon(run: Epochs, delta: Fraction, adjacency: str) -> Fraction:
    """Bound ε at a δ from above."""
    best = deterministic.epsilon(run, delta, adjacency).high
    if run.sigma < _QUIET:
        return best
    near, zeroed = _alike(run, _LOUD), adjacency == "zero-out"
    with contextlib.suppress(ArithmeticError):
        fewer = Epochs(run.sigma, near.batches, run.epochs)
        best = min(best, clones.labelled_epsilon(fewer, delta, 1 if zeroed else 2))
    if _is_below(near, best, 1 if zeroed else 2, delta):
        return best
    with contextlib.suppress(ArithmeticError):
        found = _hidden(near, delta) if zeroed else _twice(near, delta, best)
        best = min(best, found)
    return best


def _is_below(run: Epochs, known: Fraction, distance: int, delta: Fraction) -> bool:
    """Whether nothing that is proved of a run can be below a known upper end."""
    return half_spaces.least_epsilon(run, delta, distance) >= known


@functools.lru_cache(maxsize=64)
def _hidden(run: Epochs, delta: Fraction, start: float = 0.0) -> Fraction:
    return clones.hidden_epsilon(run, delta, start=start)


def _twice(run: Epochs, delta: Fraction, known: Fraction) -> Fraction:
    """Bound the ε of replace-one by two zero-outs, δ(ε₁) + e^{ε₁}δ(ε₂); or return a known one."""
    first = _hidden(run, delta * _FIRST)
    if 2 * first >= known:
        return known
    with precision(BITS):
        rest = bounds(ball(delta * (1 - _FIRST)) * (-ball(first)).exp())[0]
    return first + _hidden(run, rest, start=1.2 * float(first))


def upper_delta(run: Epochs, epsilon: Fraction, adjacency: str) -> Fraction:
    """Bound δ at an ε from above."""
    best = deterministic.delta(run, epsilon, adjacency).high
    if run.sigma < _QUIET or not best:
        return best
    near, zeroed = _alike(run, _LOUD_AT), adjacency == "zero-out"
    with contextlib.suppress(ArithmeticError):
        fewer = Epochs(run.sigma, near.batches, run.epochs)
        best = min(best, clones.labelled_delta(fewer, epsilon, 1 if zeroed else 2, float(best)))
    if half_spaces.least_delta(near, epsilon, 1 if zeroed else 2) >= best:
        return best
    with contextlib.suppress(ArithmeticError):
        if zeroed:
            best = min(best, clones.hidden_delta(near, epsilon, float(best)))
        else:
            best = min(best, _twice_at(near, epsilon, best))
    return best


def _twice_at(run: Epochs, epsilon: Fraction, known: Fraction) -> Fraction:
    """Bound the δ of replace-one by two zero-outs at half of the ε."""
    once = clones.hidden_delta(run, epsilon / 2, float(known))
    with precision(BITS):
        return bounds((1 + ball(epsilon / 2).exp()) * ball(once))[1]


def delta(run: Epochs, epsilon: Fraction, adjacency: str) -> Interval:
    """Enclose the δ at an ε."""
    if run.batches == 1:
        return deterministic.delta(run, epsilon, adjacency)
    low = lower(run, adjacency, delta=None, epsilon=epsilon)
    return Interval(low, upper_delta(run, epsilon, adjacency), exact=False)


def epsilon(run: Epochs, delta: Fraction, adjacency: str) -> Interval:
    """Enclose the ε at a δ."""
    if run.batches == 1:
        return deterministic.epsilon(run, delta, adjacency)
    low = lower(run, adjacency, delta=delta, epsilon=None)
    return Interval(low, upper_epsilon(run, delta, adjacency), exact=False)
