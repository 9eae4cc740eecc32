"""Poisson batches whose divisor is computed from the number of records (X.AVG.CHAIN): an upper end.

From one data set to its neighbour both the mean and the scale of a noisy sum change. One after the
other they are two steps of a chain: a change of the mean with the same noise, which is dominated
told how many others are drawn, and a change of the scale, whose δ is exact. Loose, and finite.
`proofs_notes/averaging.md` has the proof.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.averaging import divisor_delta
from dporacle.enclosures.batches.curves import BITS
from dporacle.enclosures.batches.drawn_divisor import DrawnDivisor, drawn_sizes
from dporacle.enclosures.batches.drawn_mean import grouped
from dporacle.enclosures.batches.labelled import LabelledCurve, OneCurve, PoissonCurve
from dporacle.enclosures.batches.repeated_step import Product, deviations
from dporacle.enclosures.batches.scheme import designed

_LEFT_OUT = 2.0**-44  # of δ: the numbers of others that no label has, over all steps
_LABELS = 3  # groups of numbers that are told apart
_DIGITS = 3  # of the δ of the scale
_AHEAD = 0.5  # of the μ of the scale, that ε₁ is beyond its ε at first;
_LEAST = 0.01  # it is at least so much
_MOST = Fraction(4, 5)  # of δ, which the scale leaves to the mean
_TRIES = 12
_FARTHEST = 250  # the ε of the scale, beyond which what is left of δ is out of reach
_GOAL_BITS = 700  # of a δ
_ROOT_STEPS = 4


@dataclass(frozen=True)
class CountedDivisor:
    """Steps of two data sets that divide by different numbers.

    Attributes:
        sigma: noise multiplier, in units of the clipping norm.
        rate: q, in (0, 1), of both.
        records: n, of the data set with the record.
        divisor: b, with the record.
        other_divisor: b', without it.
        dimension: how many coordinates a sum has.
        times: how many steps.
    """

    sigma: Fraction
    rate: Fraction
    records: int
    divisor: int
    other_divisor: int
    dimension: int
    times: int

    @property
    def ratio(self) -> Fraction:
        """The scale without the record over that with it."""
        return Fraction(self.divisor, self.other_divisor)


@dataclass(frozen=True)
class MovedCurve:
    """H_a((1−q)N(u) + qN(v) ‖ N(0)), at every a > 0.

    Attributes:
        noise: σ.
        rate: q, in (0, 1).
        still: u > 0.
        moved: v > u.
    """

    noise: Fraction
    rate: Fraction
    still: Fraction
    moved: Fraction

    def height(self, a: arb) -> arb:
        """Enclose H_a: the ratio rises, and is a at one place."""
        u, v = ball(self.still / self.noise), ball(self.moved / self.noise)
        q, level = ball(self.rate), a.log()
        t = arb(self._place(float(level.mid())))
        for _ in range(_ROOT_STEPS):
            near = (1 - q) * (u * t - u * u / 2).exp()
            far = q * (v * t - v * v / 2).exp()
            miss = (near + far).log() - level
            t -= (miss * (near + far) / (u * near + v * far)).mid()
            t = t.mid()
        near, far = (1 - q) * (u * t - u * u / 2).exp(), q * (v * t - v * v / 2).exp()
        # The slope of ln of the ratio is at least u.
        t += arb(0, 1) * (((near + far).log() - level) / u).abs_upper()
        return (1 - q) * normal_tail(t - u) + q * normal_tail(t - v) - a * normal_tail(t)

    below = height

    def _place(self, level: float) -> float:
        """Estimate where the logarithm of the ratio has a value."""
        u, v = float(self.still / self.noise), float(self.moved / self.noise)
        q = float(self.rate)
        t = min((level - math.log1p(-q)) / u + u / 2, (level - math.log(q)) / v + v / 2)
        for _ in range(8):
            near, far = math.log1p(-q) + u * t - u * u / 2, math.log(q) + v * t - v * v / 2
            top = max(near, far)
            one, other = math.exp(near - top), math.exp(far - top)
            miss = top + math.log(one + other) - level
            t -= miss * (one + other) / (u * one + v * other)
        return t

    def farthest(self, mass: float) -> float:
        """Estimate the loss beyond which there is so much."""
        v = float(self.moved / self.noise)
        return v * (v + deviations(min(1.0, mass))) + v * v


def epsilon_above(
    steps: CountedDivisor, delta: Fraction, direction: str, near: Fraction
) -> Fraction:
    """Return an ε that holds at a δ in (0, 1).

    It is ε₁ + ε₂ with δ₁(ε₁) + e^ε₁·δ₂(ε₂) ≤ δ, δ₁ of the scale and δ₂ of the mean.

    Args:
        steps: the steps.
        delta: δ.
        direction: "remove" or "add".
        near: about the ε of the scale alone.

    Raises:
        ArithmeticError: if the scales tell so much that nothing is left of δ, or if an enclosure
            would need too much work.
    """
    designed(steps.sigma)
    tail = deviations(float(delta))
    begun = float(near)
    # In parts of the μ of a Gaussian with about this ε.
    more = max(math.sqrt(tail * tail + 2 * begun) - tail, _LEAST) * _AHEAD
    for _ in range(_TRIES):
        begun, more = begun + more, 2 * more
        if begun > _FARTHEST:
            raise ArithmeticError("the scales tell too much for an upper end")
        left = delta - _of_scale(steps, Fraction(begun), direction)
        if left >= delta * _MOST:
            break
    else:
        raise ArithmeticError("the scales tell too much for an upper end")
    with precision(BITS):
        rest = bounds(ball(left) * (-ball(Fraction(begun))).exp())[0]
    goal = Fraction(math.floor(rest * 2**_GOAL_BITS), 2**_GOAL_BITS)
    if not goal:
        raise ArithmeticError("delta is below the range of floats")
    means = _of_means(steps, 10.0 ** math.floor(math.log10(goal)))
    return Fraction(begun) + means[0 if direction == "remove" else 1].epsilon(goal)


def _of_scale(steps: CountedDivisor, epsilon: Fraction, direction: str) -> Fraction:
    pair = steps.divisor, steps.other_divisor
    first, second = pair if direction == "remove" else pair[::-1]
    found = divisor_delta(
        epsilon=epsilon,
        divisor=first,
        other_divisor=second,
        coordinates=steps.dimension * steps.times,
        digits=_DIGITS,
    )
    return bounds(found)[1]


@functools.lru_cache(maxsize=8)
def _of_means(steps: CountedDivisor, target: float) -> tuple[Product, Product]:
    """Return the products of what dominates a step whose noise does not change.

    The scale is first, so that the noise of the second law stands beside the mean: the smaller one
    counts in both orders.
    """
    noise = steps.sigma * min(steps.ratio, Fraction(1))
    like = DrawnDivisor(steps.sigma, steps.rate, steps.records, steps.times)
    sizes = drawn_sizes(like, target * _LEFT_OUT / steps.times)
    gap = abs(steps.ratio - 1)
    parts: list[tuple[arb, OneCurve]] = []
    with precision(BITS):
        left = (1 - sizes.kept_without).abs_upper()
        rows = [(m, mass) for m, _, mass in sizes.labels()]
        for _, m, mass in grouped(rows, _LABELS):
            one: OneCurve = PoissonCurve(noise, steps.rate)
            if m:
                one = MovedCurve(noise, steps.rate, gap * m, 1 + gap * m)
            parts.append((mass, one))
    return LabelledCurve(parts, left, steps.times, target).products()
