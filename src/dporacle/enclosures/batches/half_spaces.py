"""Tests of a pair of batches that are decided by normal integrals: its maximum and its sum (X.BAT).

They bound δ from below with little noise and with much, where no mean of lognormals is inverted.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeVar

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches.curves import BITS, Product, loss_spread, path
from dporacle.enclosures.batches.scheme import Epochs, from_ball
from dporacle.enclosures.composition import repeated_delta, repeated_epsilon

Tests = tuple[list[tuple[arb, arb]], list[tuple[arb, arb]]]
"""(upper bound under one law, lower bound under the other) of tests, for remove and for add."""

FLOOR = 1e-13
"""The smallest δ of several epochs that is told well."""

_POINTS = 600  # largest outputs that are tried as thresholds; each gives a bound
_FINE = 240  # cells of the lattice in a standard deviation of the loss
_DIGITS = 25  # as of a fixed order, beside which these ends stand
_SUM_BITS = 200  # of one root, which is rounded up
_LITTLE_ENOUGH = Fraction(2)  # of σ over the distance: with more noise T^E counts for more
_LITTLE, _MORE = Fraction(1, 4), Fraction(3, 2)

Made = TypeVar("Made")


def by_maximum(
    variance: Fraction,
    batches: int,
    tiny: float,
    centres: tuple[int, int],
    kept: Fraction = Fraction(1),
) -> Tests:
    """Return the tests max x_t > C.

    Args:
        variance: σ².
        batches: T; all coordinates but one are centred at 0.
        tiny: a mass beyond which no test is wanted.
        centres: where that one is centred under the two laws.
        kept: with which probability it is; else it is centred at 0.
    """
    more, less = [], []
    s = math.sqrt(float(variance))
    reach = math.sqrt(-2 * math.log(tiny))
    low = s * math.sqrt(max(0.0, 2 * math.log(max(1.0, batches / -math.log(tiny) / 4)))) - 3 * s
    low = min(low, 1.0 - 3 * s) if batches < 100 else max(low, -3 * s)
    high = max(2.0, s * math.sqrt(2 * math.log(batches))) + s * reach
    with precision(BITS):
        sigma, least = ball(variance).sqrt(), arb(tiny)
        share = ball(kept)
        most = 1 - least * least  # nearer to 1 a path has no bits left
        for k in range(_POINTS):
            c = arb(low + (high - low) * k / (_POINTS - 1))
            # ln P(max ≤ C) = ln Φ((C−m)/σ) + (T−1) ln Φ(C/σ)
            still = (-normal_tail(c / sigma)).log1p()
            none, others = -(batches * still).expm1(), (batches - 1) * still
            q, p = (-((-normal_tail((c - m) / sigma)).log1p() + others).expm1() for m in centres)
            q, p = share * q + (1 - share) * none, share * p + (1 - share) * none
            alt, null = 1 - q, 1 - p
            if q.upper() > 0 and least < p < most:
                more.append((q.upper(), p.lower()))
            if least < alt < most:
                less.append((null.upper(), alt.lower()))
    return more, less


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


def products(found: Tests, epochs: int, tiny: float) -> list[Product]:
    """Return pairs that the product of so many epochs dominates, in both orders."""
    made = []
    for tests in found:
        step = Fraction(max(1e-9, loss_spread(tests) / _FINE)).limit_denominator(1 << 40)
        made.append(Product.of(path(step, tests)).power(epochs, tiny))
    return made


@functools.lru_cache(maxsize=16)
def bins_by_maximum(run: Epochs, floor: float) -> tuple[Tests, list[Product]]:
    """Return what the maximum says of balls-and-bins: of one epoch tests, of several products."""
    tiny = floor * 1e-6 / run.epochs

    def made(sigma: Fraction) -> tuple[Tests, list[Product]]:
        tests = by_maximum(sigma**2, run.batches, tiny, (0, 1))
        return tests, products(tests, run.epochs, tiny) if run.epochs > 1 else []

    return noisier(run.sigma, made)


def noisier(sigma: Fraction, made: Callable[[Fraction], Made]) -> Made:
    """Return what is made of so much noise; or of more, a lower bound too, where that fails.

    With very little noise the losses reach too far for a lattice.

    Raises:
        ArithmeticError: if it fails where there is more noise than `_LITTLE`.
    """
    while True:
        try:
            return made(sigma)
        except ArithmeticError:
            if sigma > _LITTLE:
                raise
        sigma *= _MORE


def least_epsilon(run: Epochs, delta: Fraction, distance: int, *, alone: bool = False) -> Fraction:
    """Bound ε at a δ from below by two tests that every order of the record's batches allows.

    The sum of all outputs is N(·, ETσ²) and moves by E·distance. The largest of the T^E sums of one
    output of each epoch is at least that of the record's own, N(E·distance, Eσ²), where all outputs
    are centred at 0 or less without the record.

    Args:
        run: the epochs.
        delta: in (0, 1).
        distance: by which an output moves.
        alone: whether the sum of all alone is a test, as where the record is added.
    """
    value = repeated_epsilon(
        delta=delta, sigma=_of_sum(run), releases=1, sensitivity=distance, digits=_DIGITS
    )
    best = from_ball(value).low
    with precision(BITS):
        goal = ball(delta)
        for first, second in _largest_sums(run, distance) if not alone else ():
            if first > goal and second > 0:
                best = max(best, bounds(((first - goal) / second).log().lower())[0])
    return best


def least_delta(run: Epochs, epsilon: Fraction, distance: int, *, alone: bool = False) -> Fraction:
    """Bound δ at an ε from below, as `least_epsilon`."""
    value = repeated_delta(
        epsilon=epsilon, sigma=_of_sum(run), releases=1, sensitivity=distance, digits=_DIGITS
    )
    best = from_ball(value).low
    with precision(BITS):
        factor = ball(epsilon).exp()
        for first, second in _largest_sums(run, distance) if not alone else ():
            best = max(best, bounds((first - factor * second).lower())[0])
    return best


def _largest_sums(run: Epochs, distance: int) -> list[tuple[arb, arb]]:
    """Return masses under both laws, from below and from above, of large sums of E outputs."""
    if run.sigma > _LITTLE_ENOUGH * distance:  # T^E counts for more than the distance
        return []
    gap = distance * arb(run.epochs).sqrt() / ball(run.sigma)
    ways = run.epochs * arb(run.batches).log()
    found = []
    for k in range(-28, 29):
        z = arb(k) / 4
        tail = normal_tail(gap - z)
        if tail > 0:
            found.append((normal_tail(-z), (tail.log() + ways).exp()))
    return found


def _of_sum(run: Epochs) -> Fraction:
    """Return σ√(T/E), rounded up: more noise has less ε."""
    with precision(_SUM_BITS):
        return bounds(ball(run.sigma**2 * run.batches / run.epochs).sqrt())[1]
