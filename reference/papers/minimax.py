"""Denoising over ℓp balls and sparse signals: what BW18 says of eq. (7), and its example.

The ball is Σ|θᵢ|^p ≤ B^p in dimension d; y = θ + N(0, σ²I); the risk is E‖θ̂ − θ‖².
"""

from __future__ import annotations

from fractions import Fraction

from dporacle import arguments
from dporacle.interface import witness
from dporacle.reference.numerics.functions import exp, log
from dporacle.reference.numerics.precision import Context, Real, real, settle


@witness
def lp_ball_linear_risk(
    *, dimension: int, power: Fraction, radius: Fraction, sigma: Fraction, digits: int
) -> Real:
    """Return the least worst-case risk of a linear estimator, dσ²τ²/(σ²+τ²) (BW18.E7).

    τ = B·d^{−1/max(p,2)}: the hardest signal has equal coordinates, of the ℓ2 ball if p < 2.
    """

    def formula(ctx: Context) -> Real:
        square = real(ctx, radius * radius) * exp(
            ctx, lambda c: (-2 * c.log(dimension) / real(c, max(power, Fraction(2))),)
        )
        return dimension * real(ctx, sigma * sigma) * square / (real(ctx, sigma * sigma) + square)

    return settle(formula, digits)


@witness
def lp_ball_rate(
    *, dimension: int, power: Fraction, strength: Fraction, sigma: Fraction, digits: int
) -> Real:
    """Return σ²s(1 + ln(d/s))^{1−p/2}, s = (B/σ)^p: the rate of the minimax risk (BW18.E7).

    For 0 < p < 2; as p → 0 the strength s is the number of coordinates that are not 0.
    """
    arguments.at_most("dimension", dimension, "strength", strength)

    def formula(ctx: Context) -> Real:
        level = 1 + (log(ctx, dimension / strength) if strength != dimension else 0)
        return real(ctx, sigma * sigma * strength) * exp(
            ctx, lambda c: (real(c, 1 - power / 2) * c.log(level),)
        )

    return settle(formula, digits)


@witness
def lp_ball_threshold_bound(
    *, dimension: int, strength: Fraction, sigma: Fraction, digits: int
) -> Real:
    """Return (2 ln d + 1)(1 + s)σ², above the soft threshold's risk on the whole ball (BW18.E7).

    s = (B/σ)^p for any 0 < p ≤ 2: the estimator needs to know neither p nor B.
    """
    arguments.at_most("dimension", dimension, "strength", strength)
    return settle(
        lambda ctx: (2 * ctx.log(dimension) + 1) * real(ctx, (1 + strength) * sigma * sigma), digits
    )


@witness
def sparse_threshold_risk(*, dimension: int, nonzero: int, sigma: Fraction, digits: int) -> Real:
    """Return the soft threshold's largest risk over signals with k coordinates not 0 (BW18.E8).

    It is k(σ² + λ²) + (d − k)·r(0), λ = σ√(2 ln d) and r(0) the risk of a coordinate that is 0:
    the limit as the others grow, which no signal reaches.
    """
    arguments.at_most("dimension", dimension, "nonzero", nonzero)

    def formula(ctx: Context) -> Real:
        level = 2 * ctx.log(dimension)
        # r(0) = 2(1 + λ²)Φ(−λ) − 2λφ(λ), with σ = 1
        root = ctx.sqrt(level)
        tail = (1 + level) * ctx.erfc(root / ctx.sqrt(2)) - 2 * root * ctx.npdf(root)
        return real(ctx, sigma * sigma) * (nonzero * (1 + level) + (dimension - nonzero) * tail)

    return settle(formula, digits)
