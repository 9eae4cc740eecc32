"""Denoising over ℓp balls and sparse signals in float64 (BW18.E7, BW18.E8).

Scalars or arrays that broadcast. Relative errors are at most 2^-44.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dporacle.fast._broadcast import Array, Number, integers, quiet, reals
from dporacle.fast._scaled import product, scaled
from dporacle.fast.denoising import soft_threshold_coordinate_risk

__all__ = [
    "lp_ball_linear_risk",
    "lp_ball_rate",
    "lp_ball_threshold_bound",
    "sparse_threshold_risk",
]


@quiet
def lp_ball_linear_risk(
    *, dimension: Number, power: Number, radius: Number, sigma: Number = 1
) -> Any:
    """Return the least worst-case risk of a linear estimator, dσ²τ²/(σ²+τ²) (BW18.E7).

    Args:
        dimension: d, integers from 1.
        power: p, in (0, ∞); τ = B·d^{−1/max(p,2)}.
        radius: B, in (0, ∞).
        sigma: standard deviation of the noise per coordinate, in (0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    d, p = integers("dimension", dimension), reals("power", power)
    b, s = reals("radius", radius), reals("sigma", sigma)
    spread = d ** (1 / np.maximum(p, 2.0))
    # σ²τ²/(σ²+τ²) is the smaller of the two over 1 + the square of their quotient.
    ratio = b / s / spread
    large = ratio > 1
    low = product(b, b, d, over=(spread, spread, 1 + np.where(large, 0.0, ratio) ** 2))
    high = product(s, s, d, over=(1 + np.where(large, 1 / ratio, 0.0) ** 2,))
    return scaled((np.where(large, high[0], low[0]), np.where(large, high[1], low[1])))


@quiet
def lp_ball_rate(*, dimension: Number, power: Number, strength: Number, sigma: Number = 1) -> Any:
    """Return σ²s(1 + ln(d/s))^{1−p/2}, s = (B/σ)^p: the rate of the minimax risk (BW18.E7).

    Args:
        dimension: d, integers from 1.
        power: p, in (0, 2).
        strength: s = (B/σ)^p, in [1, d].
        sigma: standard deviation of the noise per coordinate, in (0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    d, many = _strength(dimension, strength)
    p, s = reals("power", power, high=2.0), reals("sigma", sigma)
    return scaled(product(many, s, s, (1 + np.log(d / many)) ** (1 - p / 2)))


def _strength(dimension: Any, strength: Any) -> tuple[Array, Array]:
    d, many = integers("dimension", dimension), reals("strength", strength)
    good = (many >= 1) & (many <= d)
    if not np.all(good):
        raise ValueError(f"strength must be from 1 to dimension, got {strength!r:.80}")
    return d, many


@quiet
def lp_ball_threshold_bound(*, dimension: Number, strength: Number, sigma: Number = 1) -> Any:
    """Return (2 ln d + 1)(1 + s)σ², above the soft threshold's risk on the whole ball (BW18.E7).

    Args:
        dimension: d, integers from 1.
        strength: s = (B/σ)^p, in [1, d].
        sigma: standard deviation of the noise per coordinate, in (0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    d, many = _strength(dimension, strength)
    s = reals("sigma", sigma)
    return scaled(product(2 * np.log(d) + 1, 1 + many, s, s))


@quiet
def sparse_threshold_risk(*, dimension: Number, nonzero: Number, sigma: Number = 1) -> Any:
    """Return the soft threshold's largest risk over signals with k coordinates not 0 (BW18.E8).

    Args:
        dimension: d, integers from 1.
        nonzero: k, integers from 1 to d.
        sigma: standard deviation of the noise per coordinate, in (0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    d, k = integers("dimension", dimension), integers("nonzero", nonzero)
    s = reals("sigma", sigma)
    if not np.all(k <= d):
        raise ValueError(f"nonzero must be at most dimension, got {nonzero!r:.80}")
    level = 2 * np.log(d)
    idle = soft_threshold_coordinate_risk(mean=0.0, threshold=np.sqrt(level))
    return scaled(product(k * (1 + level) + (d - k) * idle, s, s))
