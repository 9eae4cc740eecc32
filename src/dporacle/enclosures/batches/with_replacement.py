"""Batches of B records drawn with replacement from n, anew at each step (X.BAT.REPLACED).

A record is in a batch J ~ Bin(B, 1/n) times. Bounds only, under replace-one: from below Poisson
sampling at noise σ/2 and rate P(J ≥ 1), from above the product of one step's bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches.curves import BITS
from dporacle.enclosures.batches.repeated_step import Product, deviations, product
from dporacle.enclosures.batches.scheme import Interval, designed, from_ball
from dporacle.enclosures.subsampled_gaussian import subsampled_delta, subsampled_epsilon

ADJACENCIES = ("replace",)

_SMALL = 2.0**-24  # of δ: the probability of more copies than are listed
_DIGITS = 7  # of the lower end: the upper one is far above
_RATE_BITS = 200
_ROOT_BITS = 150
_MOST_STEPS = 200


@dataclass(frozen=True)
class Draws:
    """Batches that are drawn record by record.

    Attributes:
        sigma: noise multiplier, in units of the clipping norm.
        size: B, at least 1.
        records: n, at least 2.
        times: how many batches.
    """

    sigma: Fraction
    size: int
    records: int
    times: int


def delta(draws: Draws, epsilon: Fraction, adjacency: str) -> Interval:
    """Enclose the δ at an ε.

    Raises:
        ArithmeticError: if it would need too much work.
    """
    assert adjacency in ADJACENCIES
    designed(draws.sigma)
    low = from_ball(subsampled_delta(epsilon=epsilon, direction="both", **_below(draws))).low
    with precision(BITS):
        high = _Above(draws, float(low)).law().delta(ball(epsilon))
        return Interval(low, min(bounds(high)[1], Fraction(1)), exact=False)


def epsilon(draws: Draws, delta: Fraction, adjacency: str) -> Interval:
    """Enclose the ε at a δ.

    Raises:
        ArithmeticError: if it would need too much work.
    """
    assert adjacency in ADJACENCIES
    designed(draws.sigma)
    if Fraction(draws.size * draws.times, draws.records) <= delta:  # the record is never drawn
        return Interval(Fraction(0), Fraction(0), exact=True)
    below = subsampled_epsilon(delta=delta, direction="both", digits=_DIGITS, **_below(draws))
    low = from_ball(below).low
    return Interval(low, _Above(draws, float(delta)).law().epsilon(delta), exact=False)


def _below(draws: Draws) -> dict[str, Any]:
    """Return the Poisson sampling that is no worse: J ≥ 1 copies are counted as one."""
    with precision(BITS):
        rate = bounds(1 - (1 - 1 / arb(draws.records)) ** draws.size)[0]
    unit = 1 << _RATE_BITS
    rounded = Fraction(math.floor(rate * unit), unit)
    if rounded <= 0:
        raise ArithmeticError("so small a probability to be drawn is not enclosed")
    return {"sigma": draws.sigma / 2, "rate": rounded, "steps": draws.times}


def _softplus(value: float) -> float:
    return max(value, 0.0) + math.log1p(math.exp(-abs(value)))


class _Above:
    """One step's bound, and its product for δ about a target."""

    def __init__(self, draws: Draws, target: float) -> None:
        self._draws, self._target = draws, target
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

    def law(self) -> Product:
        """Return the product; on a longer lattice where a short one leaves much at its end."""
        short = self._on_lattice(apart=False)
        spare = Fraction(self._target) / 1000
        return short if short.infinite_mass() <= spare else self._on_lattice(apart=True)

    def _on_lattice(self, *, apart: bool) -> Product:
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

        return product(self._height, self._draws.times, self._target, farthest)

    def _height(self, a: arb) -> arb:
        """Bound H_a of one step for a ≥ 1, by advanced joint convexity given J = 0 or not."""
        shifted = 1 + (a - 1) / self._some
        share = a / shifted
        terms = enumerate(self._weights, 1)
        apart = sum((w * self._one(j, shifted) for j, w in terms), arb(0))
        bound = self._some * ((1 - share) * self._mixture(shifted) + share * apart)
        return bound + self._rest  # with more copies than are listed the test is always right

    def _one(self, copies: int, a: arb) -> arb:
        """Enclose H_a(N(2j) ‖ N(0))."""
        gap = copies * self._gap
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
