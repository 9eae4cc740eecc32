"""Batches of B records drawn with replacement from n, anew at each step (X.BAT.REPLACED).

A record is in a batch J ~ Bin(B, 1/n) times. Under add/remove one pair has the value, which is
enclosed. Under replace-one and zero-out there are bounds: from below Poisson sampling at rate
P(J ≥ 1) and noise σ/2 or σ, and half lines, from above the product of one step's bound.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches import poisson_ends
from dporacle.enclosures.batches.curves import BITS
from dporacle.enclosures.batches.repeated_step import Product, deviations, product, reached
from dporacle.enclosures.batches.scheme import Interval, designed, from_ball
from dporacle.enclosures.subsampled_gaussian import subsampled_delta

ADJACENCIES = ("zero-out", "add", "remove", "both", "replace")

_OF_ONE_PAIR = ("add", "remove", "both")
_LEAST_GOAL = Fraction(1, 10**12)  # δ, about which is looked where the lower end is less
_SMALL = 2.0**-24  # of δ: the probability of more copies than are listed
_DIGITS = 7  # of the lower end: the upper one is far above
_RATE_BITS = 200  # a rate rounded down so far costs the lower end nothing that shows in its digits
_ROOT_BITS = 150  # less than half of what the curves carry: both signs beside a root are clear
_MOST_STEPS = 200  # of a Newton search, whose steps double the digits: more never end


@dataclass(frozen=True)
class BatchesWithReplacement:
    """Batches that are drawn record by record.

    Attributes:
        sigma: noise multiplier, in units of the clipping norm.
        size: B, at least 1.
        records: n, at least 2; under add/remove the larger of the two sizes.
        times: how many batches.
    """

    sigma: Fraction
    size: int
    records: int
    times: int


def delta(draws: BatchesWithReplacement, epsilon: Fraction, adjacency: str) -> Interval:
    """Enclose the δ at an ε.

    Raises:
        ArithmeticError: if it would need too much work.
    """
    assert adjacency in ADJACENCIES
    designed(draws.sigma)
    ways = _ways(adjacency)
    below = _below(draws, adjacency)
    low = from_ball(subsampled_delta(epsilon=epsilon, direction=_direction(ways), **below)).low
    goal = float(max(low, _LEAST_GOAL))
    with precision(BITS):
        point = ball(epsilon)
        with contextlib.suppress(ArithmeticError):
            made = _Laws(draws, adjacency, goal).reached(ways)
            low = max(low, *(bounds(each.delta(point))[0] for each in made))
        laws = _Laws(draws, adjacency, float(low) or goal).above(ways)
        high = max(bounds(each.delta(point))[1] for each in laws)
        return Interval(low, min(high, Fraction(1)), exact=adjacency in _OF_ONE_PAIR)


def epsilon(draws: BatchesWithReplacement, delta: Fraction, adjacency: str) -> Interval:
    """Enclose the ε at a δ.

    Raises:
        ArithmeticError: if it would need too much work.
    """
    assert adjacency in ADJACENCIES
    designed(draws.sigma)
    if Fraction(draws.size * draws.times, draws.records) <= delta:  # the record is never drawn
        return Interval(Fraction(0), Fraction(0), exact=True)
    ways = _ways(adjacency)
    below = _below(draws, adjacency)
    noise, rate = below["sigma"], below["rate"]
    low = poisson_ends.near(noise, rate, draws.times, delta, _direction(ways), _DIGITS).low
    laws = _Laws(draws, adjacency, float(delta))
    with contextlib.suppress(ArithmeticError):
        low = max(low, *(each.epsilon(delta) for each in laws.reached(ways)))
    high = max(each.epsilon(delta) for each in laws.above(ways))
    return Interval(low, high, exact=adjacency in _OF_ONE_PAIR)


def lower_epsilon(
    sigma: Fraction, share: Fraction, times: int, delta: Fraction, adjacency: str
) -> Fraction:
    """Bound the ε at a δ from below where only B/n is known: P(J ≥ 1) is above 1 − e^{−B/n}.

    Args:
        sigma: noise multiplier.
        share: B/n.
        times: how many batches.
        delta: in (0, 1).
        adjacency: of `ADJACENCIES`.

    Raises:
        ArithmeticError: if it would need too much work.
    """
    designed(sigma)
    with precision(BITS):
        rate = _rounded(bounds(-(-ball(share)).expm1())[0])
    noise = sigma if adjacency == "zero-out" else sigma / 2
    return poisson_ends.near(noise, rate, times, delta, _direction(_ways(adjacency)), _DIGITS).low


def _rounded(rate: Fraction) -> Fraction:
    """Return a rate of few bits that is no larger.

    Raises:
        ArithmeticError: if there is none.
    """
    rounded = Fraction(math.floor(rate * (1 << _RATE_BITS)), 1 << _RATE_BITS)
    if rounded <= 0:
        raise ArithmeticError("so small a probability to be drawn is not enclosed")
    return rounded


def _ways(adjacency: str) -> tuple[str, ...]:
    return (adjacency,) if adjacency in ("add", "remove") else ("remove", "add")


def _direction(ways: tuple[str, ...]) -> str:
    return ways[0] if len(ways) == 1 else "both"


def _below(draws: BatchesWithReplacement, adjacency: str) -> dict[str, Any]:
    """Return the Poisson sampling that is no worse: J ≥ 1 copies are counted as one."""
    with precision(BITS):
        rate = bounds(1 - (1 - 1 / arb(draws.records)) ** draws.size)[0]
    noise = draws.sigma if adjacency == "zero-out" else draws.sigma / 2
    return {"sigma": noise, "rate": _rounded(rate), "steps": draws.times}


def _softplus(value: float) -> float:
    return max(value, 0.0) + math.log1p(math.exp(-abs(value)))


class _Laws:
    """What bounds one step, and the products of such for δ about a target."""

    def __init__(self, draws: BatchesWithReplacement, adjacency: str, target: float) -> None:
        self._draws, self._target, self._adjacency = draws, target, adjacency
        with precision(BITS):
            self._gap = 2 / ball(draws.sigma)
            n, size = draws.records, draws.size
            weight = (1 - 1 / arb(n)) ** size
            self._some = 1 - weight  # P(J ≥ 1)
            self._weights: list[arb] = []  # of j = 1, 2, … copies, given one at least
            rest = self._some
            for j in range(1, size + 1):
                weight = weight * (size - j + 1) / (j * (n - 1))
                self._weights.append(weight / self._some)
                rest -= weight
                if rest < target * _SMALL / draws.times:
                    break
            self._rest = arb(rest.abs_upper())

    def reached(self, ways: Sequence[str]) -> list[Product]:
        """Return what is reached where the others contribute −1 and the record 1."""
        with precision(BITS):
            none = (1 - self._some, 0)
            first = [none, *((self._some * w, 2 * j) for j, w in enumerate(self._weights, 1))]
            second = [(arb(1), 0)]
            if self._adjacency == "zero-out":
                second = [none, *((w, j // 2) for w, j in first[1:])]
        draws = self._draws
        found = reached(first, second, self._rest, draws.sigma, draws.times, self._target)
        return [found[int(way == "add")] for way in ways]

    def above(self, ways: Sequence[str]) -> list[Product]:
        """Return the products; on a longer lattice where a short one leaves much at its end."""
        if self._adjacency not in _OF_ONE_PAIR:  # the bound of one step is of both orders
            return [self._settled(swapped=False)]
        return [self._settled(swapped=way == "add") for way in ways]

    def _settled(self, *, swapped: bool) -> Product:
        short = self._on_lattice(apart=False, swapped=swapped)
        if short.infinite_mass() <= Fraction(self._target) / 1000:
            return short
        return self._on_lattice(apart=True, swapped=swapped)

    def _on_lattice(self, *, apart: bool, swapped: bool) -> Product:
        some, gap = float(self._some.mid()), float(self._gap.mid())
        copies = [(some * float(w.mid()), j * gap) for j, w in enumerate(self._weights, 1)]

        def farthest(mass: float) -> float:
            ends = [g + deviations(min(1.0, mass / w)) for w, g in copies]
            t = max(ends)
            logs = [math.log(w) + g * t - g * g / 2 for w, g in copies]
            if apart:  # each number of copies reaches as far as without its weight
                pairs = zip(ends, copies, strict=True)
                logs += [math.log(some) + g * end - g * g / 2 for end, (_, g) in pairs]
            return max(_softplus(each) for each in logs) + 1.0

        paired = self._adjacency in _OF_ONE_PAIR
        height = self._of_pair if paired else self._height
        below = self._of_pair if paired else None
        times, target = self._draws.times, self._target
        return product(height, times, target, farthest, below=below, swapped=swapped)

    def _of_pair(self, a: arb) -> arb:
        """Bound H_a(Σb_jN(2j) ‖ N(0)), at any a > 0: what one step of add/remove is."""
        shifted = 1 + (a - 1) / self._some
        if shifted > 0:
            return self._some * self._mixture(shifted) + self._rest
        # The line 1 − a, and a little more, so that its slope is provably no less than −1.
        return 1 - a * (1 - arb(2) ** -_ROOT_BITS) if shifted < 0 else arb(1)

    def _height(self, a: arb) -> arb:
        """Bound H_a of one step for a ≥ 1, by advanced joint convexity given J = 0 or not."""
        shifted = 1 + (a - 1) / self._some
        share = a / shifted
        terms = enumerate(self._weights, 1)
        apart = sum((w * self._one(j, shifted) for j, w in terms), arb(0))
        bound = self._some * ((1 - share) * self._mixture(shifted) + share * apart)
        return bound + self._rest  # with more copies than are listed the test is always right

    def _one(self, copies: int, a: arb) -> arb:
        """Enclose H_a(N(2j) ‖ N(0)), or of N(j) where the other copies contribute 0."""
        gap = copies * self._gap / (2 if self._adjacency == "zero-out" else 1)
        z = a.log() / gap + gap / 2
        return normal_tail(z - gap) - a * normal_tail(z)

    def _mixture(self, a: arb) -> arb:
        """Enclose H_a(Σ b_j N(2j) ‖ N(0)), of which the likelihood ratio rises."""
        z = self._root(a)
        terms = enumerate(self._weights, 1)
        above = sum((w * normal_tail(z - j * self._gap) for j, w in terms), arb(0))
        return above - a * normal_tail(z)

    def _root(self, a: arb) -> arb:
        """Enclose where the likelihood ratio is a, between two proved signs."""

        def excess(t: arb) -> tuple[arb, arb]:
            """The logarithm of the ratio over a, and its slope."""
            total, slope = arb(0), arb(0)
            for j, weight in enumerate(self._weights, 1):
                gap = j * self._gap
                term = weight * (gap * t - gap * gap / 2).exp()
                total, slope = total + term, slope + gap * term
            return (total / a).log(), slope / total

        # One copy alone makes the ratio a here; the logarithm is convex: Newton's steps fall.
        t = ((a / self._weights[0]).log() / self._gap + self._gap / 2).mid()
        allowed = arb(2) ** -_ROOT_BITS
        for _ in range(_MOST_STEPS):
            value, slope = excess(t)
            move = value / slope
            t = (t - move).mid()
            if abs(move) < allowed / 4:
                break
        low, high = (t - allowed).mid(), (t + allowed).mid()
        if not (excess(low)[0] < 0 < excess(high)[0]):
            raise ArithmeticError("the likelihood ratio is not bracketed by its two signs")
        return low.union(high)
