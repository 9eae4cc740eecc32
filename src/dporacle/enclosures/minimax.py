"""Enclosures for denoising over ℓp balls and sparse signals (BW18.E7, BW18.E8)."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.enclosures.arithmetic.normal import normal_density, normal_tail

__all__ = [
    "lp_ball_linear_risk",
    "lp_ball_rate",
    "lp_ball_threshold_bound",
    "sparse_threshold_risk",
]


def lp_ball_linear_risk(
    *, dimension: int, power: Exact, radius: Exact, sigma: Exact = 1, digits: int = 50
) -> arb:
    """Enclose the least worst-case risk of a linear estimator, dσ²τ²/(σ²+τ²) (BW18.E7).

    Args:
        dimension: d, at least 1.
        power: p, in (0, ∞); τ = B·d^{−1/max(p,2)}.
        radius: B, in (0, ∞).
        sigma: standard deviation of the noise per coordinate, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    d, p = arguments.count("dimension", dimension), arguments.positive("power", power)
    b, s = arguments.positive("radius", radius), arguments.positive("sigma", sigma)

    def formula() -> arb:
        # 1/(1/σ² + 1/τ²), the precisions added.
        spread = (2 * arb(d).log() / ball(max(p, Fraction(2)))).exp()
        return d / (1 / ball(s * s) + spread / ball(b * b))

    return tighten(formula, arguments.digits(digits))


def lp_ball_rate(
    *, dimension: int, power: Exact, strength: Exact, sigma: Exact = 1, digits: int = 50
) -> arb:
    """Enclose σ²s(1 + ln(d/s))^{1−p/2}, s = (B/σ)^p: the rate of the minimax risk (BW18.E7).

    Args:
        dimension: d, at least 1.
        power: p, in (0, 2).
        strength: s = (B/σ)^p, in [1, d].
        sigma: standard deviation of the noise per coordinate, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    d, many = _strength(dimension, strength)
    p, s = arguments.positive("power", power), arguments.positive("sigma", sigma)
    if p >= 2:
        raise ValueError(f"power must be less than 2, got {arguments.show(power)}")

    def formula() -> arb:
        level = 1 + ball(d / many).log() if many != d else arb(1)
        return ball(s * s * many) * level ** ball(1 - p / 2)

    return tighten(formula, arguments.digits(digits))


def _strength(dimension: int, strength: Exact) -> tuple[int, Fraction]:
    d, many = arguments.count("dimension", dimension), arguments.positive("strength", strength)
    if not 1 <= many <= d:
        raise ValueError(f"strength must be from 1 to dimension, got {arguments.show(strength)}")
    return d, many


def lp_ball_threshold_bound(
    *, dimension: int, strength: Exact, sigma: Exact = 1, digits: int = 50
) -> arb:
    """Enclose (2 ln d + 1)(1 + s)σ², above the soft threshold's risk on the whole ball (BW18.E7).

    Args:
        dimension: d, at least 1.
        strength: s = (B/σ)^p, in [1, d].
        sigma: standard deviation of the noise per coordinate, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    d, many = _strength(dimension, strength)
    s = arguments.positive("sigma", sigma)
    return tighten(
        lambda: (arb(d * d).log() + 1) * ball((1 + many) * s * s), arguments.digits(digits)
    )


def sparse_threshold_risk(
    *, dimension: int, nonzero: int, sigma: Exact = 1, digits: int = 50
) -> arb:
    """Enclose the soft threshold's largest risk over signals with k coordinates not 0 (BW18.E8).

    Args:
        dimension: d, at least 1.
        nonzero: k, from 1 to d.
        sigma: standard deviation of the noise per coordinate, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    d = arguments.count("dimension", dimension)
    k = arguments.count("nonzero", nonzero, most=d)
    s = arguments.positive("sigma", sigma)

    def formula() -> arb:
        level = 2 * arb(d).log() if d > 1 else arb(0)
        cut = level.sqrt() if d > 1 else arb(0)
        # r(0) = 2·E(Z − λ)₊²
        idle = 2 * ((1 + level) * normal_tail(cut) - cut * normal_density(cut))
        return ball(s * s) * (k * (1 + level) + (d - k) * idle)

    return tighten(formula, arguments.digits(digits))
