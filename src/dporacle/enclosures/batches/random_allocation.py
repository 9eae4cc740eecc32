"""Random allocation: each record in k uniformly random batches of the T of an epoch (X.BAT.ALLOC).

From above k epochs of balls-and-bins with T/k bins each: a random partition of the batches into k
blocks is revealed. From below tests of the exact pair: the sum of scores of the outputs, which
lie on a lattice, so that its law is a product of such ("k of T" in `proofs_notes/batches.md`).
"""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.normal import normal_tail, profile
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches import (
    balls_and_bins,
    deterministic,
    half_spaces,
    scheme,
    scheme_of,
)
from dporacle.enclosures.batches.antipodal import Antipodal
from dporacle.enclosures.batches.composed import PricedEpoch, composed_delta, composed_epsilon
from dporacle.enclosures.batches.curves import BITS, Lattice, Product
from dporacle.enclosures.batches.scheme import Epochs, Interval, affordable, designed, larger

__all__ = ["ADJACENCIES", "Allocation", "Certain", "blocks", "delta", "epsilon"]

ADJACENCIES = scheme.ADJACENCIES

_DIGITS = (9, 4)  # of the upper end
_LOUDEST = Fraction(50)  # σ above which less noise stands in
_CELLS = 40  # of a score, in its standard deviation at one step
_DENSE = 20.0  # standard deviations beyond which the cells grow
_GROWTH = 1.03  # of a cell to the next one, farther out
_TESTS = 800  # thresholds of one epoch, where there are several
_SHARES = (Fraction(1), Fraction(1, 2))  # of k/T, for the rate of a score
_FLOOR = 1e-13  # the smallest δ of several epochs that is told well


@dataclass(frozen=True)
class Allocation:
    """Epochs of random allocation.

    Attributes:
        sigma: noise multiplier, in units of the clipping norm.
        batches: T, of an epoch.
        participations: k ≤ T, in how many of them a record is.
        epochs: E.
    """

    sigma: Fraction
    batches: int
    participations: int
    epochs: int


@dataclass(frozen=True)
class Certain:
    """One Gaussian release, as `composed` takes it.

    Attributes:
        mu: distance over standard deviation.
    """

    mu: Fraction
    even = True

    @property
    def decay(self) -> Fraction:
        """μ²: E_Q R^{1/2 − iτ} = e^{−μ²(1/4 + τ²)/2}."""
        return self.mu**2

    @property
    def spread(self) -> float:
        """The standard deviation of ln R."""
        return float(self.mu)

    def reach(self, nats: float, direction: int) -> float:
        """Estimate how far from 0 the prices are above e^−nats."""
        mu = float(self.mu)
        return mu * math.sqrt(2 * nats) + mu * mu / 2

    def prices(self, step: Fraction, indices: range, nats: float) -> list[arb]:
        """Enclose e^{−v/2}δ(v) at v = jΔ ≥ 0."""
        mu, found = ball(self.mu), []
        for j in indices:
            v = ball(step) * j
            found.append(profile(v / mu - mu / 2, v / mu + mu / 2)[0] * (-v / 2).exp())
        return found


def delta(run: Allocation, epsilon: Fraction, adjacency: str) -> Interval:
    """Enclose the δ at an ε.

    Raises:
        ArithmeticError: if there are too many batches or epochs.
    """
    same = _same(run)
    if same is not None:
        return same[0].delta(same[1], epsilon, adjacency)
    return _either(lambda name: _delta(run, epsilon, name), adjacency)


def epsilon(run: Allocation, delta: Fraction, adjacency: str) -> Interval:
    """Enclose the ε at a δ.

    Raises:
        ArithmeticError: if there are too many batches or epochs, or δ is too small.
    """
    same = _same(run)
    if same is not None:
        return same[0].epsilon(same[1], delta, adjacency)
    return _either(lambda name: _epsilon(run, delta, name), adjacency)


def _same(run: Allocation) -> tuple[scheme.Scheme, Epochs] | None:
    """Return the scheme that this is, where a record is in one batch or in all."""
    if run.participations == run.batches:
        return scheme_of("cyclic"), Epochs(run.sigma, 1, run.epochs * run.batches)
    if run.participations == 1:
        return scheme_of("balls-and-bins"), Epochs(run.sigma, run.batches, run.epochs)
    return None


def _either(one: Callable[[str], Interval], adjacency: str) -> Interval:
    if adjacency in ("add", "remove", "replace"):
        return one(adjacency)
    return larger(one("remove"), one("add"))


def blocks(run: Allocation, adjacency: str) -> balls_and_bins.Parts:
    """Return the epochs of bins that a random partition into k blocks makes."""
    size, larger_ones = divmod(run.batches, run.participations)
    # More noise is post-processing; the mean of lognormals is inverted with less alone.
    sigma = run.sigma if adjacency == "replace" else min(run.sigma, _LOUDEST)
    found: list[tuple[PricedEpoch, int]] = []
    for bins, count in ((size, run.participations - larger_ones), (size + 1, larger_ones)):
        if not count:
            continue
        each: PricedEpoch
        if bins == 1:
            each = Certain((2 if adjacency == "replace" else 1) / sigma)
        elif adjacency == "replace":
            each = Antipodal(sigma, bins)
        else:
            each = balls_and_bins.Thrown(balls_and_bins.mean(Epochs(sigma, bins, 1)))
        found.append((each, count * run.epochs))
    return tuple(found)


def _fixed(run: Allocation) -> Epochs:
    """Return the run of a fixed order: given its batches a record is in Ek of them (D')."""
    return Epochs(run.sigma, 1, run.epochs * run.participations)


def _by_blocks(
    composed: Callable[[Fraction, str, Any, int], Interval],
    at: Fraction,
    run: Allocation,
    adjacency: str,
) -> Interval | None:
    """Return what the epochs of bins enclose that bound it, to as many digits as can be had."""
    parts = blocks(run, adjacency)
    for digits in _DIGITS:
        with contextlib.suppress(ArithmeticError):
            return composed(
                at,
                "remove" if adjacency == "replace" else adjacency,
                lambda nats: balls_and_bins.composition(parts, nats),
                digits,
            )
    return None


def _delta(run: Allocation, epsilon: Fraction, adjacency: str) -> Interval:
    affordable(run.batches, run.epochs * run.participations, None)
    designed(run.sigma)
    high = deterministic.delta(_fixed(run), epsilon, _named(adjacency)).high
    if (found := _by_blocks(composed_delta, epsilon, run, adjacency)) is not None:
        high = min(high, found.high)
    distance = run.participations * (2 if adjacency == "replace" else 1)
    low = half_spaces.least_delta(_summed(run), epsilon, distance, alone=True)
    with contextlib.suppress(ArithmeticError):
        tests, product = _tested(run, _FLOOR, adjacency)
        if product is None:
            low = max(low, half_spaces.at_epsilon(tests, epsilon))
        else:
            with precision(BITS):
                low = max(low, bounds(product.delta(ball(epsilon)))[0])
    return Interval(low, high, exact=False)


def _epsilon(run: Allocation, target: Fraction, adjacency: str) -> Interval:
    affordable(run.batches, run.epochs * run.participations, target)
    designed(run.sigma)
    high = deterministic.epsilon(_fixed(run), target, _named(adjacency)).high
    if (found := _by_blocks(composed_epsilon, target, run, adjacency)) is not None:
        high = min(high, found.high)
    distance = run.participations * (2 if adjacency == "replace" else 1)
    low = half_spaces.least_epsilon(_summed(run), target, distance, alone=True)
    with contextlib.suppress(ArithmeticError):
        tests, product = _tested(run, float(target), adjacency)
        found_low = (
            half_spaces.at_delta(tests, target) if product is None else product.epsilon(target)
        )
        low = max(low, found_low)
    return Interval(low, high, exact=False)


def _named(adjacency: str) -> str:
    return "replace" if adjacency == "replace" else "zero-out"


def _summed(run: Allocation) -> Epochs:
    """Return the run whose outputs are added up: they move by Ek, or 2Ek."""
    return Epochs(run.sigma, run.batches, run.epochs)


def _tested(
    run: Allocation, floor: float, adjacency: str
) -> tuple[list[tuple[arb, arb]], Product | None]:
    """Return the tests of one epoch in a direction, and of several what their product dominates."""
    tests, products = _all_tests(run, floor, adjacency == "replace")
    which = int(adjacency == "add")
    return tests[which], products[which] if products else None


@functools.lru_cache(maxsize=16)
def _all_tests(
    run: Allocation, floor: float, replaced: bool
) -> tuple[half_spaces.Tests, list[Product]]:
    tiny = floor * 1e-6 / run.epochs
    more: list[tuple[arb, arb]] = []
    less: list[tuple[arb, arb]] = []
    for share in _SHARES:
        found = _by_scores(run, share * Fraction(run.participations, run.batches), tiny, replaced)
        more += found[0]
        less += found[1]
    if run.epochs == 1:
        return (more, less), []
    return (more, less), half_spaces.products((more, less), run.epochs, tiny)


def _by_scores(run: Allocation, rate: Fraction, tiny: float, replaced: bool) -> half_spaces.Tests:
    """Return the tests that the sum of scores exceeds a threshold.

    The score of an output z (over σ) is about ln(1 − p + pe^{sz − s²/2}), the same at −z subtracted
    if the record is replaced: which score is taken decides how much is proved, and not its truth.

    Args:
        run: of which one epoch is tested.
        rate: p.
        tiny: a mass beyond which no test is wanted.
        replaced: whether the record is replaced; else it is zeroed out.
    """
    edges, places = _cells(float(1 / run.sigma), float(rate), tiny / run.batches, replaced)
    with precision(BITS):
        s = 1 / ball(run.sigma)
        laws = {}
        for name, centre in (("still", arb(0)), ("up", s), ("down", -s)):
            tails = [arb(1), *(normal_tail(arb(z) - centre) for z in edges), arb(0)]
            masses: dict[int, arb] = {}
            for k, j in enumerate(places):
                masses[j] = masses.get(j, arb(0)) + tails[k] - tails[k + 1]
            laws[name] = masses
        spare = tiny / (4 * run.batches)

        def law(moved: str, *, upper: bool) -> Product:
            def power(name: str, times: int) -> Product:
                one = Lattice(Fraction(1), laws[name], arb(0), upper)
                return Product.of(one, tiny).power(times, spare)

            rest = run.batches - run.participations
            return power("still", rest).times(power(moved, run.participations), spare)

        first = law("up", upper=False)
        second = law("down" if replaced else "still", upper=True)
        return _thresholds(first, second, tiny, run.epochs > 1)


def _thresholds(first: Product, second: Product, tiny: float, few: bool) -> half_spaces.Tests:
    """Return the tests of two laws, the first bounded from below and the second from above."""
    more, less = [], []
    tails = []
    for law in (first, second):
        sums = list(accumulate(reversed([int(c) for c in law.cells]), initial=law.infinite))
        tails.append((law.offset + len(law.cells), sums))

    def above(which: int, j: int) -> int:
        """Return the units of mass at j and above."""
        end, sums = tails[which]
        return sums[min(max(end - j, 0), len(sums) - 1)]

    lowest = min(law.offset for law in (first, second))
    highest = max(end for end, _ in tails)
    stride = max(1, (highest - lowest) // _TESTS) if few else 1
    least = arb(tiny)
    most = 1 - least * least  # nearer to 1 a path has no bits left
    scale = arb(2) ** -first.units
    for j in range(lowest, highest, stride):
        p, q = above(0, j) * scale, above(1, j) * scale
        if q > 0 and least < p < most:
            more.append((q.upper(), p.lower()))
        if least < 1 - q < most:
            less.append(((1 - p).upper(), (1 - q).lower()))
    return more, less


def _cells(s: float, rate: float, tiny: float, replaced: bool) -> tuple[list[float], list[int]]:
    """Choose edges of z, and the multiple of a unit that is the score of each cell."""

    def score(z: float) -> float:
        up = math.log1p(rate * math.expm1(min(s * z - s * s / 2, 700.0)))
        if replaced:
            up -= math.log1p(rate * math.expm1(min(-s * z - s * s / 2, 700.0)))
        return up

    grid = [k / 32 for k in range(-320, 321)]
    weights = [math.exp(-z * z / 2) for z in grid]
    total = math.fsum(weights)
    values = [score(z) for z in grid]
    mean = math.fsum(w * x for w, x in zip(weights, values, strict=True)) / total
    square = math.fsum(w * (x - mean) ** 2 for w, x in zip(weights, values, strict=True)) / total
    unit = math.sqrt(square) / _CELLS
    reach = math.sqrt(-2 * math.log(tiny))
    ends = -reach - (s if replaced else 0.0), reach + s
    first, last = (round(score(z) / unit) for z in ends)
    middle = round(mean / unit)

    def inverse(x: float) -> float:
        low, high = ends
        for _ in range(60):
            between = (low + high) / 2
            low, high = (between, high) if score(between) < x else (low, between)
        return high

    places = {middle}
    for direction, end in ((1, last), (-1, first)):
        j, gap = middle, 1.0
        while (end - j) * direction > 0:
            j += direction * int(gap)
            places.add(min(max(j, first), last))
            if abs(j - middle) > _DENSE * _CELLS:
                gap *= _GROWTH
    ordered = sorted(places)
    edges = [inverse((a + b) / 2 * unit) for a, b in pairwise(ordered)]
    return edges, ordered
