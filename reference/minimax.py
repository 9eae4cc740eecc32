"""Denoising over ℓp balls and sparse signals: what BW18 says of eq. (7), and its example.

The ball is Σ|θᵢ|^p ≤ B^p in dimension d; y = θ + N(0, σ²I); the risk is E‖θ̂ − θ‖².
"""

from __future__ import annotations

from fractions import Fraction

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.reference.numerics.functions import exp, log
from dporacle.reference.numerics.precision import Context, Real, real, settle

__all__ = [
    "lp_ball_linear_risk",
    "lp_ball_rate",
    "lp_ball_threshold_bound",
    "sparse_threshold_risk",
]


def lp_ball_linear_risk(
    *, dimension: int, power: Exact, radius: Exact, sigma: Exact = 1, digits: int = 50
) -> Real:
    """Return the least worst-case risk of a linear estimator, dσ²τ²/(σ²+τ²) (BW18.E7).

    τ = B·d^{−1/max(p,2)}: the hardest signal has equal coordinates, of the ℓ2 ball if p < 2.

    Args:
        dimension: d, at least 1.
        power: p, in (0, ∞).
        radius: B, in (0, ∞).
        sigma: standard deviation of the noise per coordinate, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    d, p = arguments.count("dimension", dimension), arguments.positive("power", power)
    b, s = arguments.positive("radius", radius), arguments.positive("sigma", sigma)

    def formula(ctx: Context) -> Real:
        square = real(ctx, b * b) * exp(
            ctx, lambda c: (-2 * c.log(d) / real(c, max(p, Fraction(2))),)
        )
        return d * real(ctx, s * s) * square / (real(ctx, s * s) + square)

    return settle(formula, arguments.digits(digits))


def lp_ball_rate(
    *, dimension: int, power: Exact, strength: Exact, sigma: Exact = 1, digits: int = 50
) -> Real:
    """Return σ²s(1 + ln(d/s))^{1−p/2}, s = (B/σ)^p: the rate of the minimax risk (BW18.E7).

    For 0 < p < 2; as p → 0 the strength s is the number of coordinates that are not 0.

    Args:
        dimension: d, at least 1.
        power: p, in (0, 2).
        strength: s = (B/σ)^p, in [1, d].
        sigma: standard deviation of the noise per coordinate, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    d, many = _strength(dimension, strength)
    p, s = arguments.positive("power", power), arguments.positive("sigma", sigma)
    if p >= 2:
        raise ValueError(f"power must be less than 2, got {arguments.show(power)}")

    def formula(ctx: Context) -> Real:
        level = 1 + (log(ctx, d / many) if many != d else 0)
        return real(ctx, s * s * many) * exp(ctx, lambda c: (real(c, 1 - p / 2) * c.log(level),))

    return settle(formula, arguments.digits(digits))


def _strength(dimension: int, strength: Exact) -> tuple[int, Fraction]:
    d, many = arguments.count("dimension", dimension), arguments.positive("strength", strength)
    if not 1 <= many <= d:
        raise ValueError(f"strength must be from 1 to dimension, got {arguments.show(strength)}")
    return d, many


def lp_ball_threshold_bound(
    *, dimension: int, strength: Exact, sigma: Exact = 1, digits: int = 50
) -> Real:
    """Return (2 ln d + 1)(1 + s)σ², above the soft threshold's risk on the whole ball (BW18.E7).

    s = (B/σ)^p for any 0 < p ≤ 2: the estimator needs to know neither p nor B.

    Args:
        dimension: d, at least 1.
        strength: s = (B/σ)^p, in [1, d].
        sigma: standard deviation of the noise per coordinate, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    d, many = _strength(dimension, strength)
    s = arguments.positive("sigma", sigma)
    return settle(
        lambda ctx: (2 * ctx.log(d) + 1) * real(ctx, (1 + many) * s * s), arguments.digits(digits)
    )


def sparse_threshold_risk(
    *, dimension: int, nonzero: int, sigma: Exact = 1, digits: int = 50
) -> Real:
    """Return the soft threshold's largest risk over signals with k coordinates not 0 (BW18.E8).

    It is k(σ² + λ²) + (d − k)·r(0), λ = σ√(2 ln d) and r(0) the risk of a coordinate that is 0:
    the limit as the others grow, which no signal reaches.

    Args:
        dimension: d, at least 1.
        nonzero: k, from 1 to d.
        sigma: standard deviation of the noise per coordinate, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    d = arguments.count("dimension", dimension)
    k = arguments.count("nonzero", nonzero, most=d)
    s, asked = arguments.positive("sigma", sigma), arguments.digits(digits)

    def formula(ctx: Context) -> Real:
        level = 2 * ctx.log(d)
        # r(0) = 2(1 + λ²)Φ(−λ) − 2λφ(λ), with σ = 1
        root = ctx.sqrt(level)
        tail = (1 + level) * ctx.erfc(root / ctx.sqrt(2)) - 2 * root * ctx.npdf(root)
        return real(ctx, s * s) * (k * (1 + level) + (d - k) * tail)

    return settle(formula, asked)
