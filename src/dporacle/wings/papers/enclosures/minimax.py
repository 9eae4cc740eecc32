"""Enclosures for denoising over ℓp balls and sparse signals (BW18.E7, BW18.E8)."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from dporacle import arguments
from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.enclosures.arithmetic.normal import normal_density, normal_tail
from dporacle.interface import witness


@witness
def lp_ball_linear_risk(
    *, dimension: int, power: Fraction, radius: Fraction, sigma: Fraction, digits: int
) -> arb:
    """Enclose the least worst-case risk of a linear estimator, dσ²τ²/(σ²+τ²) (BW18.E7)."""

    def formula() -> arb:
        # 1/(1/σ² + 1/τ²), the precisions added.
        spread = (2 * arb(dimension).log() / ball(max(power, Fraction(2)))).exp()
        return dimension / (1 / ball(sigma * sigma) + spread / ball(radius * radius))

    return tighten(formula, digits)


@witness
def lp_ball_rate(
    *, dimension: int, power: Fraction, strength: Fraction, sigma: Fraction, digits: int
) -> arb:
    """Enclose σ²s(1 + ln(d/s))^{1−p/2}, s = (B/σ)^p: the rate of the minimax risk (BW18.E7)."""
    arguments.at_most("dimension", dimension, "strength", strength)

    def formula() -> arb:
        level = 1 + ball(dimension / strength).log() if strength != dimension else arb(1)
        return ball(sigma * sigma * strength) * level ** ball(1 - power / 2)

    return tighten(formula, digits)


@witness
def lp_ball_threshold_bound(
    *, dimension: int, strength: Fraction, sigma: Fraction, digits: int
) -> arb:
    """Enclose (2 ln d + 1)(1 + s)σ², above the soft threshold's risk on the ball (BW18.E7)."""
    arguments.at_most("dimension", dimension, "strength", strength)
    return tighten(
        lambda: (arb(dimension * dimension).log() + 1) * ball((1 + strength) * sigma * sigma),
        digits,
    )


@witness
def sparse_threshold_risk(*, dimension: int, nonzero: int, sigma: Fraction, digits: int) -> arb:
    """Enclose the soft threshold's largest risk over signals with k coordinates not 0 (BW18.E8)."""
    arguments.at_most("dimension", dimension, "nonzero", nonzero)

    def formula() -> arb:
        level = 2 * arb(dimension).log() if dimension > 1 else arb(0)
        cut = level.sqrt() if dimension > 1 else arb(0)
        # r(0) = 2·E(Z − λ)₊²
        idle = 2 * ((1 + level) * normal_tail(cut) - cut * normal_density(cut))
        return ball(sigma * sigma) * (nonzero * (1 + level) + (dimension - nonzero) * idle)

    return tighten(formula, digits)
