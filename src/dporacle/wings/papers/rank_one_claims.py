"""Decisions on the privacy of rank-one noise, by the cheapest proof that is enough (X.R1.*).

In this order: the inner-ball lemma with λ = 2, and with a better λ; the Apollonius ball; the bound
by total variation; the exact profile. A lower bound proves a violation only if it is clearly
above the claim, so that a program with cruder bounds can confirm it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import arb

from dporacle.claims.decision import (
    FIRST_DIGITS,
    INNER_BALL,
    Decided,
    decide_probability,
    out_of_reach,
)
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import ball, precision, tighten
from dporacle.verdicts import Verdict

if TYPE_CHECKING:
    from dporacle.wings.papers.enclosures.rank_one.work_limit import Work

APOLLONIUS = "Apollonius ball"
TOTAL_VARIATION = "total variation"
LARGE_LOSS = "probability of a large loss"
BOUNDS = (INNER_BALL, APOLLONIUS, TOTAL_VARIATION, LARGE_LOSS)
"""The proofs that bound δ(ε) from one side."""

_FAR = 600  # in units of K: e^{ε/K} is about to leave float64
_LOOSE = 128  # bits
_CLEARLY = 1 + Fraction(1, 10**6)
_MOST_SERIES = 10**4  # beyond, the series is slower than the exact profile
_MOST_GAP = 64  # quarters of a binary order, for ε′ − ε

Variance = Callable[[], arb]
"""σ*/Δ² at the working precision."""


def published(epsilon: Fraction, delta: Fraction, dimension: int) -> Variance:
    """Return the σ*/Δ² = 2/(εψ) of the published theorem at its (ε,δ)."""
    from dporacle.wings.papers.enclosures.rank_one.published import published_variance

    return lambda: published_variance(epsilon, delta, dimension)


def exact_delta(
    *, epsilon: Fraction, dimension: int, variance: Variance, digits: int, work: Work | None = None
) -> arb:
    """Enclose δ(ε).

    Args:
        epsilon: in [0, ∞).
        dimension: M, at least 2.
        variance: σ*/Δ².
        digits: of the ball.
        work: what it may take, which is used up; what one claim may, if None.

    Raises:
        ArithmeticError: if it is out of reach.
    """
    from dporacle.wings.papers.enclosures.rank_one.tight import ProfileInputs, tight_profile
    from dporacle.wings.papers.enclosures.rank_one.work_limit import AUDITED, Work

    allowed = Work(AUDITED) if work is None else work
    return tight_profile(
        ProfileInputs(dimension - 1, lambda: ball(epsilon), variance, allowed), digits
    )


def decide_rank_one(
    *,
    epsilon: Fraction,
    delta: Fraction,
    dimension: int,
    variance: Variance,
    doubled: bool = False,
    exact: bool = False,
    work: Work | None = None,
) -> Decided:
    """Decide whether rank-one noise is (ε,δ)-DP.

    Args:
        epsilon: in [0, ∞).
        delta: from 0 to 1.
        dimension: M, at least 2.
        variance: σ*/Δ².
        doubled: whether that is for twice the sensitivity that was stated.
        exact: whether to go to the exact profile at once.
        work: what the exact profile may take, which is used up; what one claim may, if None.
    """
    from dporacle.wings.papers.enclosures.rank_one import bounds
    from dporacle.wings.papers.enclosures.rank_one.work_limit import AUDITED, Work

    power = dimension - 1
    if 0 < delta < 1 and not exact:
        for proof, ratio, formula in _lower_bounds(power, epsilon, variance):
            bound = _enclose(formula)
            if bound is not None and rounding.side(bound, delta * _CLEARLY) > 0:
                return _one_sided(Verdict.VIOLATED, delta, bound, doubled, proof, ratio)
        if power > 1:
            bound = _enclose(lambda: bounds.total_variation_bound(power, variance()))
            if bound is not None and rounding.side(bound, delta) < 0:
                return _one_sided(Verdict.HOLDS, delta, bound, doubled, TOTAL_VARIATION, None)
        if epsilon >= _FAR * power:
            with precision(_LOOSE + epsilon.numerator.bit_length()):
                # Its upper end is enough, however small it is.
                bound = bounds.large_loss_bound(power, ball(epsilon), variance())
            if rounding.side(bound, delta) < 0:
                return _one_sided(Verdict.HOLDS, delta, bound, doubled, LARGE_LOSS, None)
    allowed = Work(AUDITED) if work is None else work
    try:
        return decide_probability(
            lambda digits: exact_delta(
                epsilon=epsilon, dimension=dimension, variance=variance, digits=digits, work=allowed
            ),
            "delta",
            delta,
            doubled=doubled,
        )
    except ArithmeticError as error:
        return out_of_reach("delta", delta, error, doubled=doubled)


def _one_sided(
    verdict: Verdict, delta: Fraction, bound: arb, doubled: bool, proof: str, ratio: Fraction | None
) -> Decided:
    ends = (bound, arb(1)) if verdict is Verdict.VIOLATED else (arb(0), bound)
    return Decided(verdict, "delta", delta, *ends, FIRST_DIGITS, doubled, proof, ratio)


def _enclose(formula: Callable[[], arb]) -> arb | None:
    try:
        return tighten(formula, FIRST_DIGITS)
    except ArithmeticError:
        return None


def _lower_bounds(
    power: int, epsilon: Fraction, variance: Variance
) -> Iterator[tuple[str, Fraction, Callable[[], arb]]]:
    """Yield the names, the λ and the formulas of the lower bounds, the cheapest first."""
    from dporacle.wings.papers.enclosures.rank_one import bounds

    if epsilon >= _FAR * power:
        return  # e^{ε/K} is out of the reach of float64, and the exact profile has a formula
    found = []
    if epsilon < power * Fraction(2, 3):  # below ln 2
        found.append(Fraction(2))
        yield INNER_BALL, found[0], _inner_ball(power, epsilon, variance, found[0])
    best = _best_ratio(power, epsilon, variance)
    if best is not None:
        if best not in found:
            yield INNER_BALL, best, _inner_ball(power, epsilon, variance, best)
        if power < _MOST_SERIES:
            yield (
                APOLLONIUS,
                best,
                lambda: bounds.apollonius_bound(power, ball(epsilon), variance(), ball(best)),
            )


def _inner_ball(
    power: int, epsilon: Fraction, variance: Variance, ratio: Fraction
) -> Callable[[], arb]:
    from dporacle.wings.papers.enclosures.rank_one import bounds

    return lambda: bounds.inner_ball_bound(power, ball(epsilon), variance(), ball(ratio))


def _best_ratio(power: int, epsilon: Fraction, variance: Variance) -> Fraction | None:
    """Return the λ, of 10 bits, at which the lemma is strongest; float64 will do for a proposal."""
    with precision(64):
        s = variance()
        if not (arb(2) ** -900 < s < arb(2) ** 900):
            return None
        width = math.sqrt(2 * float(s.mid()))
    best, value = None, 0.0
    for step in range(-_MOST_GAP, _MOST_GAP + 1):
        gap = 2.0 ** (step / 4)  # ε′ − ε
        exponent = (float(epsilon) + gap) / power
        if not 2.0**-20 < exponent < 600:
            continue
        ratio = math.exp(exponent)
        bound = -math.expm1(-gap) * math.erf(1 / (width * (1 + ratio)))
        if bound > value:
            best, value = ratio, bound
    if best is None:
        return None
    scale = Fraction(2) ** (10 - math.floor(math.log2(best)))
    return math.ceil(Fraction(best) * scale) / scale
