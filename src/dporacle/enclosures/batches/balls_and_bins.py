"""Balls-and-bins batches: each record in one uniformly random batch of each epoch (X.BAT.BINS).

The pair is that of the mean W of T lognormals, dP/dQ: δ of one epoch is E(W − e^ε)₊ when the
record is removed and E(1 − e^εW)₊ when it is added. Several epochs are composed by the two sums of
`composed`; where that would need too much work, by the two lattice pairs of `curves`. A record that
is replaced has the pair of `antipodal`.
"""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches import deterministic, half_spaces, scheme
from dporacle.enclosures.batches.antipodal import Antipodal
from dporacle.enclosures.batches.composed import (
    EpochProduct,
    PricedEpoch,
    composed_delta,
    composed_epsilon,
)
from dporacle.enclosures.batches.curves import BITS, Product, chords, path
from dporacle.enclosures.batches.inversion import Mean, Price
from dporacle.enclosures.batches.scheme import Epochs, Interval, affordable, from_ball, larger

__all__ = [
    "ADJACENCIES",
    "Thrown",
    "composition",
    "delta",
    "epsilon",
    "march",
    "mean",
    "one_epoch_delta",
    "one_epoch_deltas",
    "pair_delta",
    "pair_epsilon",
    "spread",
    "with_slope",
]

_DIGITS = 12  # of an end: as many as commands show
_DEEPEST = 200.0  # nats that a δ may lack
_SMALL = 10.0  # the same, at first
_FLOOR = 1e-13  # the smallest δ of several epochs that is told well

Point = TypeVar("Point")

_LOUDEST = Fraction(50)  # σ above which no mean of lognormals is inverted
_MOST_WORK = 4e5  # √T/s² of several epochs: nodes, and bits of each, that take half a minute
_NOTHING = Fraction(1, 10**39)  # δ, as small as several epochs are only bounded
_REPLACED_DIGITS = (9, 4)  # of a replaced record: with little noise more of them cost minutes
_CELLS = 90  # of the lattice, in a standard deviation of the loss
_WIDEST = 0.01  # gap between points
_GROWTH = 1.1  # of gaps outside the bulk


def spread(law: Mean) -> float:
    """Estimate the standard deviation of ln W."""
    square = min(float(law.variance), 700.0)
    return math.sqrt(math.log1p(math.expm1(square) / min(m for _, m in law.parts)))


@dataclass(frozen=True)
class Thrown:
    """One epoch of balls-and-bins, zeroed out or removed, as `composed` takes it.

    Attributes:
        law: of W, one mean of m ≥ 2 variables that are not turned.
    """

    law: Mean
    even = False

    @property
    def batches(self) -> int:
        """The number of variables."""
        return self.law.parts[0][1]

    @property
    def decay(self) -> Fraction:
        """s²/T: the mean of the normal variables is independent of what is left of ln W."""
        return self.law.variance / self.batches

    @property
    def spread(self) -> float:
        """About the standard deviation of ln W."""
        return spread(self.law)

    def reach(self, nats: float, direction: int) -> float:
        """Estimate how far from 0 the prices are above e^−nats."""
        z, s = math.sqrt(2 * nats), math.sqrt(self.law.variance)
        bulk, one = self.spread * z, s * z + s * s / 2
        if direction > 0:
            return 1.1 * max(bulk, one - math.log(self.batches)) + 1e-3
        return 1.1 * min(bulk, one) + 1e-3

    def prices(self, step: Fraction, indices: range, nats: float) -> list[arb]:
        """Enclose e^{−v/2}·E(W − e^v)₊, v = jΔ ≥ 0, and e^{−v/2}·E(e^v − W)₊, v < 0.

        Raises:
            ArithmeticError: if that would need too much work.
        """
        if not indices:
            return []
        if math.sqrt(self.batches) / self.law.variance > _MOST_WORK:
            raise ArithmeticError("so many variables of so small a variance are not inverted")
        left = float(step) * max(0, -indices[0]) / 2  # e^{−v/2} is large there
        exact = [(ball(step) * j).exp() for j in indices]
        points = [a.mid() for a in exact]
        found = []
        prices = self.law.prices(points, nats + left + 2)
        for j, a, point, price in zip(indices, exact, points, prices, strict=True):
            # What the rounding of e^v changes: prices are 1-Lipschitz.
            value = price.put + (1 - point if j >= 0 else 0) + arb(0, abs(a - point).upper())
            found.append(value * (-ball(step) * j / 2).exp())
        return found


Parts = tuple[tuple[PricedEpoch, int], ...]


@functools.lru_cache(maxsize=32)
def composition(parts: Parts, nats: float) -> EpochProduct:
    """Return the product of epochs, to about e^−nats."""
    return EpochProduct(parts, nats)


def _composed_epsilon(
    parts: Parts, target: Fraction, direction: str, digits: int = _DIGITS
) -> Interval:
    return composed_epsilon(target, direction, lambda nats: composition(parts, nats), digits)


def _composed_delta(
    parts: Parts, epsilon: Fraction, direction: str, digits: int = _DIGITS
) -> Interval:
    return composed_delta(epsilon, direction, lambda nats: composition(parts, nats), digits)


def one_epoch_delta(
    law: Mean, epsilon: arb, direction: str, digits: int = _DIGITS, *, deepest: float = _DEEPEST
) -> arb:
    """Enclose δ(ε) of one epoch, direction "add" or "remove", to about so many digits.

    Raises:
        ArithmeticError: if so tight a ball would need too much work, as where δ is below 10^-60.
    """
    size, asked = max(0.0, float(epsilon)), digits * math.log(10) + 3
    small = _SMALL
    for _ in range(6):
        value = _heights(law, [epsilon], direction, asked + small, size)[0]
        if _tight(value, digits):
            return value
        if value > 0:
            small = max(small + asked / 4, 2 - float(value.lower().log()))
        else:
            small += 40.0
        if small > deepest:
            return value
    return value


def one_epoch_deltas(
    law: Mean, epsilons: Sequence[arb], direction: str, digits: int, *, deepest: float = _DEEPEST
) -> list[arb]:
    """Enclose δ at many ε that rise, in one inversion; where that is not tight enough, one by one.

    Raises:
        ArithmeticError: if so tight a ball would need too much work.
    """
    nats, size = digits * math.log(10) + 3 + _SMALL, max(0.0, float(epsilons[-1]))
    found = _heights(law, epsilons, direction, nats, size)
    return [
        value
        if _tight(value, digits)
        else one_epoch_delta(law, epsilon, direction, digits, deepest=deepest)
        for epsilon, value in zip(epsilons, found, strict=True)
    ]


def _tight(value: arb, digits: int) -> bool:
    return bool(value > 0 and value.rad() < value.mid() * arb(10) ** -digits)


def _heights(
    law: Mean, epsilons: Sequence[arb], direction: str, nats: float, size: float
) -> list[arb]:
    """Enclose δ at ε that rise, the largest of which is about `size`."""
    remove = direction == "remove"
    with precision(max(BITS, math.ceil((2 * nats + size) / math.log(2)))):
        exact = [(each if remove else -each).exp() for each in epsilons]
        points = [a.mid() for a in exact]
        rising = points if remove else points[::-1]
        prices = law.prices(rising, nats if remove else nats + size)
        found = []
        for a, point, price in zip(exact, points, prices if remove else prices[::-1], strict=True):
            # What the rounding of e^ε changes: the prices are 1-Lipschitz.
            rounded = arb(0, abs(a - point).upper())
            value = price.put + 1 - point + rounded if remove else (price.put + rounded) / a
            found.append(value)
        return found


def with_slope(law: Mean, point: arb, direction: str, nats: float) -> tuple[arb, arb]:
    """Enclose δ(ε) and −dδ/dε of one epoch where e^ε, or e^−ε for "add", is an exact point."""
    # E(W − a)₊ is a difference of numbers as large as a.
    size = max(0.0, float(point.log()))
    with precision(max(BITS, math.ceil((2 * nats + size) / math.log(2)))):
        price = law.prices([point], nats)[0]
        if direction == "remove":
            return price.put + 1 - point, point * (1 - price.below)
        return price.put / point, price.below - price.put / point


def guess(law: Mean, target: float, *, alone: bool = False) -> float:
    """Estimate the ε of one epoch, as if ln W were normal.

    Args:
        law: of W.
        target: δ.
        alone: whether one large Y may be all of W, as where the record is removed and the noise is
            little: then E(W − a)₊ is about E(Y − Ta)₊.
    """
    found = _gaussian_epsilon(spread(law), target)
    if alone and _is_plain(law):
        one = _gaussian_epsilon(math.sqrt(float(law.variance)), target)
        found = max(found, one - math.log(law.parts[0][1]))
    return found


def _gaussian_epsilon(mu: float, target: float) -> float:
    """Estimate the ε of N(μ, 1) against N(0, 1)."""
    low, high = 0.0, 1.0
    while gaussian_profile(mu, high) > target:
        low, high = high, 2 * high
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_profile(mu, middle) > target else (low, middle)
    return high


def gaussian_profile(mu: float, epsilon: float) -> float:
    """Estimate δ(ε) of N(μ, 1) against N(0, 1), in float64."""
    y, w = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    tail = 0.5 * math.erfc(w / math.sqrt(2))
    return 0.5 * math.erfc(y / math.sqrt(2)) - (math.exp(min(epsilon, 700.0)) * tail)


@functools.lru_cache(maxsize=64)
def one_epoch_epsilon(law: Mean, target: Fraction, direction: str, digits: int = 8) -> arb:
    """Enclose the smallest ε ≥ 0 with δ(ε) ≤ target of one epoch, to about so many digits.

    δ is convex in e^ε: where it is at most the target, the tangent bounds the root from below.

    Raises:
        ArithmeticError: if so tight a ball would need too much work.
    """
    sign = 1 if direction == "remove" else -1
    log_target = math.log(target.numerator) - math.log(target.denominator)
    rough, nats, fine = 1e-3, 8 - log_target, 5 - log_target + digits * math.log(10)
    with precision(max(BITS, math.ceil(3 * fine))):
        wanted, narrow = ball(target), arb(10) ** -digits
        if one_epoch_delta(law, arb(0), direction) <= wanted:
            return arb(0)
        low, high = arb(0), None
        epsilon = arb(guess(law, math.exp(log_target), alone=direction == "remove"))
        for _ in range(100):
            point = (sign * epsilon).exp().mid()
            # The slope is e^ε times a tail, which is as small: "add" divides by e^ε as well.
            value, slope = with_slope(law, point, direction, nats + float(epsilon))
            height, fall = value.mid(), slope.mid()
            if value > wanted:
                low = epsilon
            else:
                high = epsilon
            if not (height > wanted / 1000 and fall > 0):
                following = epsilon / 2
            else:  # Newton's, of ln δ, which is about concave
                gap = (height / wanted).log()
                if nats == fine and slope > 0 and value <= wanted:
                    last = sign * point.log()
                    first = last + (1 - (wanted - value) / slope).log()
                    if last - first < narrow * last or not first > 0:
                        return (first if first > 0 else arb(0)).union(last)
                if nats < fine and abs(gap) < rough:
                    flat = float((height / (fall * epsilon)).mid())
                    fine += max(0.0, math.log(max(flat, 1e-9)))
                    nats, low, high = fine, arb(0), None
                following = epsilon + gap * height / fall
                following += narrow * epsilon / 8 if nats == fine else 0
            if not following > low:
                following = (low + epsilon) / 2
            elif high is not None and following > high:
                following = (epsilon + high) / 2 if epsilon < high else (low + high) / 2
            epsilon = following.mid()
    raise ArithmeticError("delta is not told from its target near the root")


@dataclass(frozen=True)
class EpochCurve:
    """Points of one epoch's curve.

    Attributes:
        step: Δ, of the lattice.
        indices: j of the points e^{jΔ}.
        points: exact numbers next to them.
        prices: at the points.
    """

    step: Fraction
    indices: Sequence[int]
    points: Sequence[arb]
    prices: Sequence[Price]

    def heights(self) -> dict[int, arb]:
        """Return upper bounds of E(W − e^{jΔ})₊."""
        with precision(BITS):
            step = ball(self.step)
            found = {}
            for j, point, price in zip(self.indices, self.points, self.prices, strict=True):
                a = (step * j).exp()
                found[j] = (price.put + 1 - a + abs(a - point)).upper()
        return found

    def tests(self) -> tuple[list[tuple[arb, arb]], list[tuple[arb, arb]]]:
        """Return the tests W > a of P against Q, and W ≤ a of Q against P."""
        more, less = [], []
        with precision(BITS):
            for a, price in zip(self.points, self.prices, strict=True):
                tail = 1 - price.below
                first = price.put + 1 - a + a * tail  # P(W > a)
                if first > 0 and tail.upper() > 0:
                    more.append((tail.upper(), first.lower()))
                other = a * price.below - price.put  # P(W ≤ a)
                if price.below > 0 and other.upper() > 0:
                    less.append((other.upper(), price.below.lower()))
        return more, less


def march(
    step: Fraction,
    scale: float,
    direction: int,
    prices: Callable[[Sequence[arb]], Sequence[Point]],
    ended: Callable[[arb, Point], bool],
    dense: float = 4.0,
    widest: float = _WIDEST,
    ahead: float = 0.25,
) -> list[tuple[int, arb, Point]]:
    """Return (j, a number next to e^{jΔ}, what is known there), from 1 outwards to an end.

    Args:
        step: Δ.
        scale: width of the bulk of ln a; outside it the gaps grow.
        direction: 1 to the right, −1 to the left.
        prices: at rising points.
        ended: whether nothing is wanted further out.
        dense: how many widths the bulk reaches to each side.
        widest: gap between points, in ln a.
        ahead: how far the next points go that are asked at once, as a share of the way so far.
    """
    size = float(step)
    most = max(1, math.floor(widest / size))
    found: list[tuple[int, arb, Point]] = []
    j, gap = (0, 1.0) if direction > 0 else (-1, 1.0)
    while abs(j) * size < 600:
        block = []
        reach = abs(j) * size + min(max(2 * scale, 0.02, abs(j) * size * ahead), 2.0)
        while abs(j) * size <= reach:
            block.append(j)
            j += direction * max(1, min(most, int(gap)))
            if abs(j) * size > dense * scale:
                gap *= _GROWTH
        with precision(BITS):
            exact = [(ball(step) * each).exp().mid() for each in block]
        order = slice(None, None, direction)
        for each, a, price in zip(block, exact, prices(exact[order])[order], strict=True):
            found.append((each, a, price))
            with precision(BITS):
                if ended(a, price):
                    return found
    raise ArithmeticError("the loss reaches too far")


def survey(
    law: Mean,
    tiny: float,
    *,
    cells: int = _CELLS,
    more: Callable[[arb], arb] | None = None,
    dense: float = 4.0,
    step: Fraction | None = None,
) -> EpochCurve:
    """Return points of the curve, out to where the prices on either side are below a mass.

    Args:
        law: of W.
        tiny: the mass.
        cells: of the lattice in a standard deviation of the loss.
        more: what else has to be below it on the right.
        dense: within so many standard deviations every point of the lattice is taken.
        step: Δ of the lattice, in place of so many cells.
    """
    nats = 16 - math.log(tiny)
    scale = spread(law)
    if step is None:
        step = Fraction(min(scale / cells, _WIDEST)).limit_denominator(1 << 40)

    def prices(points: Sequence[arb]) -> Sequence[Price]:
        return law.prices(points, nats)

    def last(a: arb, price: Price) -> bool:
        rest = price.put + 1 - a
        return float((rest if more is None else rest + more(a)).mid()) < tiny

    right = march(step, scale, 1, prices, last, dense)
    left = march(step, scale, -1, prices, lambda a, p: float(p.below.mid()) < tiny, dense)
    return EpochCurve(step, *zip(*left[::-1], *right, strict=True))


@functools.lru_cache(maxsize=16)
def _curve(law: Mean, tiny: float, dense: float) -> EpochCurve:
    return survey(law, tiny, dense=dense)


@functools.lru_cache(maxsize=64)
def _product(law: Mean, epochs: int, floor: float, direction: str, upper: bool) -> Product:
    """Return what bounds several epochs from one side, well down to a δ, the floor."""
    tiny = floor * 1e-7 / epochs
    # δ of few epochs comes from losses of one that are about as far out.
    dense = max(4.0, 1.5 + math.sqrt(-2 * math.log(floor) / epochs))
    curve, which = _curve(law, tiny, dense), direction == "add"
    if upper:
        one = chords(curve.step, curve.heights())[which]
    else:
        one = path(curve.step, curve.tests()[which])
    return Product.of(one).power(epochs, tiny)


ADJACENCIES = scheme.ADJACENCIES


def mean(run: Epochs, sensitivity: int = 1) -> Mean:
    """Return the law of W: of the pair, or of the pair of which a step's centres are 2 apart."""
    return Mean(Fraction(sensitivity**2) / run.sigma**2, ((Fraction(1), run.batches),))


def _is_plain(law: Mean) -> bool:
    return len(law.parts) == 1 and not law.tilt


def pair_epsilon(law: Mean, epochs: int, target: Fraction, direction: str) -> Interval:
    """Enclose the ε at a δ of one direction of the pair.

    Raises:
        ArithmeticError: if it would need too much work.
    """
    affordable(max(m for _, m in law.parts), epochs, target)
    if epochs == 1:
        return from_ball(one_epoch_epsilon(law, target, direction))
    if _is_plain(law):
        with contextlib.suppress(ArithmeticError):
            return _composed_epsilon(((Thrown(law), epochs),), target, direction)
    least = float(target)
    below, above = (_product(law, epochs, least, direction, up) for up in (False, True))
    return Interval(below.epsilon(target), above.epsilon(target), exact=True)


def pair_delta(law: Mean, epochs: int, epsilon: Fraction, direction: str) -> Interval:
    """Enclose the δ at an ε of one direction of the pair.

    Raises:
        ArithmeticError: if it would need too much work.
    """
    affordable(max(m for _, m in law.parts), epochs, None)
    with precision(BITS):
        point = ball(epsilon)
        if epochs == 1:
            return from_ball(one_epoch_delta(law, point, direction))
        if _is_plain(law):
            with contextlib.suppress(ArithmeticError):
                return _composed_delta(((Thrown(law), epochs),), epsilon, direction)
        below, above = (_product(law, epochs, _FLOOR, direction, up) for up in (False, True))
        low, high = bounds(below.delta(point))[0], bounds(above.delta(point))[1]
        return Interval(max(low, Fraction(0)), min(high, Fraction(1)), exact=True)


def replaced(run: Epochs) -> Parts:
    """Return the antipodal pair and its number of epochs, for T ≥ 2 (theorem R)."""
    return ((Antipodal(run.sigma, run.batches), run.epochs),)


def _either(one: Callable[[str], Interval], adjacency: str) -> Interval:
    if adjacency in ("add", "remove"):
        return one(adjacency)
    return larger(one("remove"), one("add"))


def _delta_of(run: Epochs, epsilon: Fraction, direction: str) -> Interval:
    """Enclose the δ at an ε of one direction; where the pair is not inverted, less tightly."""
    with contextlib.suppress(ArithmeticError):
        return pair_delta(mean(run), run.epochs, epsilon, direction)
    high = deterministic.delta(run, epsilon, "zero-out").high
    low = half_spaces.least_delta(run, epsilon, 1, alone=direction == "add")
    with contextlib.suppress(ArithmeticError):
        tests, product = _by_maximum(run, half_spaces.FLOOR, direction)
        if product is None:
            low = max(low, half_spaces.at_epsilon(tests, epsilon))
        else:
            with precision(BITS):
                low = max(low, bounds(product.delta(ball(epsilon)))[0])
    if run.sigma > _LOUDEST:
        near = Epochs(_LOUDEST, run.batches, run.epochs)
        with contextlib.suppress(ArithmeticError):
            if half_spaces.least_delta(near, epsilon, 1) < high:
                high = min(high, pair_delta(mean(near), run.epochs, epsilon, direction).high)
    return Interval(low, high, exact=not high)


def _epsilon_of(run: Epochs, delta: Fraction, direction: str) -> Interval:
    """Enclose the ε at a δ of one direction; where the pair is not inverted, less tightly."""
    with contextlib.suppress(ArithmeticError):
        return pair_epsilon(mean(run), run.epochs, delta, direction)
    high = deterministic.epsilon(run, delta, "zero-out").high
    low = half_spaces.least_epsilon(run, delta, 1, alone=direction == "add")
    with contextlib.suppress(ArithmeticError):
        tests, product = _by_maximum(run, float(delta), direction)
        found = half_spaces.at_delta(tests, delta) if product is None else product.epsilon(delta)
        low = max(low, found)
    if run.sigma > _LOUDEST:
        near = Epochs(_LOUDEST, run.batches, run.epochs)
        with contextlib.suppress(ArithmeticError):
            if half_spaces.least_epsilon(near, delta, 1) < high:
                high = min(high, pair_epsilon(mean(near), run.epochs, delta, direction).high)
    return Interval(low, high, exact=not high)


def _by_maximum(
    run: Epochs, floor: float, direction: str
) -> tuple[list[tuple[arb, arb]], Product | None]:
    """Return the tests of one epoch's maximum in a direction, and what several epochs dominate."""
    tests, products = half_spaces.bins_by_maximum(run, floor)
    which = int(direction == "add")
    return tests[which], products[which] if products else None


def delta(run: Epochs, epsilon: Fraction, adjacency: str) -> Interval:
    """Enclose the δ at an ε.

    Raises:
        ArithmeticError: if there are too many batches or epochs.
    """
    if run.batches == 1:
        return deterministic.delta(run, epsilon, adjacency)
    affordable(run.batches, run.epochs, None)
    if adjacency == "replace":
        most = deterministic.delta(run, epsilon, adjacency).high
        if most < _NOTHING:
            return Interval(Fraction(0), most, exact=True)
        for digits in _REPLACED_DIGITS:
            with contextlib.suppress(ArithmeticError):
                return _composed_delta(replaced(run), epsilon, "remove", digits)
    found = _either(lambda way: _delta_of(run, epsilon, way), adjacency)
    if adjacency != "replace":
        return found
    high = deterministic.delta(run, epsilon, adjacency).high
    # The record is 1 or −1, and the other outputs are at 0: only their sum moves by 2.
    low = max(found.low, half_spaces.least_delta(run, epsilon, 2, alone=True))
    with contextlib.suppress(ArithmeticError):
        high = min(high, _twice(run, epsilon))
    return Interval(low, high, exact=False)


def epsilon(run: Epochs, delta: Fraction, adjacency: str) -> Interval:
    """Enclose the ε at a δ.

    Raises:
        ArithmeticError: if there are too many batches or epochs, or δ is too small.
    """
    if run.batches == 1:
        return deterministic.epsilon(run, delta, adjacency)
    affordable(run.batches, run.epochs, delta)
    if adjacency == "replace":
        for digits in _REPLACED_DIGITS:
            with contextlib.suppress(ArithmeticError):
                return _composed_epsilon(replaced(run), delta, "remove", digits)
    found = _either(lambda way: _epsilon_of(run, delta, way), adjacency)
    if adjacency != "replace":
        return found
    high = deterministic.epsilon(run, delta, adjacency).high
    low = max(found.low, half_spaces.least_epsilon(run, delta, 2, alone=True))
    with contextlib.suppress(ArithmeticError):
        high = min(high, _twice_epsilon(run, delta, high))
    return Interval(low, high, exact=False)


def _twice(run: Epochs, epsilon: Fraction) -> Fraction:
    """Bound δ of replace-one by zeroing out twice: δ_rem(ε₁) + e^{ε₁}δ_add(ε₂)."""
    found = Fraction(1)
    for part in (Fraction(1, 2), Fraction(9, 16), Fraction(7, 16)):
        first = _delta_of(run, epsilon * part, "remove").high
        second = _delta_of(run, epsilon * (1 - part), "add").high
        with precision(BITS):
            factor = bounds(ball(epsilon * part).exp())[1]
        found = min(found, first + factor * second)
    return found


def _twice_epsilon(run: Epochs, target: Fraction, known: Fraction) -> Fraction:
    """Bound ε of replace-one by zeroing out twice, or return a known bound."""
    near, share = Epochs(min(run.sigma, _LOUDEST), run.batches, run.epochs), Fraction(1, 8)
    law = mean(near)

    def upper(goal: Fraction, direction: str, floor: Fraction) -> Fraction:
        if run.epochs == 1:
            return pair_epsilon(law, 1, goal, direction).high
        return _product(law, run.epochs, float(floor), direction, True).epsilon(goal)

    if half_spaces.least_epsilon(near, target, 2, alone=True) >= known:
        return known
    first = upper(target * (1 - share), "remove", target)
    with precision(BITS):
        rest = bounds(ball(target * share) * (-ball(first)).exp())[0]
    if rest <= Fraction(1, 10**40):
        raise ArithmeticError("zeroing out twice bounds nothing")
    return first + upper(rest, "add", rest)
