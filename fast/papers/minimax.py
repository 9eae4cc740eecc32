"""Denoising over ℓp balls and sparse signals in float64 (BW18.E7, BW18.E8).

Scalars or arrays that broadcast. The rows of the functions say how near they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dporacle.fast._broadcast import Array, witness
from dporacle.fast._scaled import product, scaled
from dporacle.fast.papers.denoising import soft_threshold_coordinate_risk


@witness
def lp_ball_linear_risk(*, dimension: Array, power: Array, radius: Array, sigma: Array) -> Any:
    """Return the least worst-case risk of a linear estimator, dσ²τ²/(σ²+τ²) (BW18.E7)."""
    spread = np.power(dimension, 1 / np.maximum(power, 2.0))
    # σ²τ²/(σ²+τ²) is the smaller of the two over 1 + the square of their quotient.
    ratio = radius / sigma / spread
    large = ratio > 1
    low = product(
        radius, radius, dimension, over=(spread, spread, 1 + np.where(large, 0.0, ratio) ** 2)
    )
    high = product(sigma, sigma, dimension, over=(1 + np.where(large, 1 / ratio, 0.0) ** 2,))
    return scaled((np.where(large, high[0], low[0]), np.where(large, high[1], low[1])))


@witness
def lp_ball_rate(*, dimension: Array, power: Array, strength: Array, sigma: Array) -> Any:
    """Return σ²s(1 + ln(d/s))^{1−p/2}, s = (B/σ)^p: the rate of the minimax risk (BW18.E7)."""
    _at_most(dimension, "strength", strength)
    level = 1 + np.log(dimension / strength)
    return scaled(product(strength, sigma, sigma, np.power(level, 1 - power / 2)))


def _at_most(dimension: Array, name: str, value: Array) -> None:
    if not np.all(value <= dimension):
        raise ValueError(f"{name} must be at most dimension, {dimension!r:.80}, got {value!r:.80}")


@witness
def lp_ball_threshold_bound(*, dimension: Array, strength: Array, sigma: Array) -> Any:
    """Return (2 ln d + 1)(1 + s)σ², above the soft threshold's risk on the whole ball (BW18.E7)."""
    _at_most(dimension, "strength", strength)
    return scaled(product(2 * np.log(dimension) + 1, 1 + strength, sigma, sigma))


@witness
def sparse_threshold_risk(*, dimension: Array, nonzero: Array, sigma: Array) -> Any:
    """Return the soft threshold's largest risk over signals with k coordinates not 0 (BW18.E8)."""
    _at_most(dimension, "nonzero", nonzero)
    level = 2 * np.log(dimension)
    idle = soft_threshold_coordinate_risk(mean=0.0, threshold=np.sqrt(level))
    return scaled(product(nonzero * (1 + level) + (dimension - nonzero) * idle, sigma, sigma))
