"""The angle of the published sketch, and the loss that it bounds, in float64 (JL24.R2, JL24.R3).

Scalars or arrays that broadcast. Relative errors: tails 1e-9 where they are above 1e-290 (their
logarithm is up to 10^9 times one that is rounded), losses 2^-44 of the larger of their two terms,
the bound 2^-40 where the triangle is not within 1e-6 of a line.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from dporacle.fast._broadcast import Array, Number, give, integers, quiet, reals
from dporacle.fast._scaled import product, scaled

__all__ = [
    "rank_one_cosecant_tail",
    "rank_one_cotangent_tail",
    "rank_one_loss",
    "rank_one_loss_bound",
    "read_dimension",
]

_MAX_DIMENSION = 10**9


def read_dimension(value: Any, least: int) -> Array:
    """Return M, whole numbers from `least` on, as float64; errors as `integers` raises them."""
    return integers("dimension", value, least=least, most=_MAX_DIMENSION)


@quiet
def rank_one_cotangent_tail(*, dimension: Number, threshold: Number) -> Any:
    """Return Pr[cot²θ > t], θ the angle of a uniform direction with an axis (JL24.R2).

    Args:
        dimension: M, integers from 2 to 10^9.
        threshold: t, in [0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return _tail(dimension, reals("threshold", threshold, low_allowed=True))


def _tail(dimension: Any, t: Any) -> Any:
    half = (read_dimension(dimension, 2) - 1) / 2
    # cos²θ = t/(1+t) exactly: its complement would lose a small t, and it a large one.
    near, far = special.betaincc(0.5, half, t / (1 + t)), special.betainc(half, 0.5, 1 / (1 + t))
    return give(np.where(t > 1, far, near))


@quiet
def rank_one_cosecant_tail(*, dimension: Number, threshold: Number) -> Any:
    """Return Pr[1/sin²θ > t], which is 1 for t < 1 (JL24.R2).

    Arguments and errors as for `rank_one_cotangent_tail`.
    """
    t = reals("threshold", threshold, low_allowed=True)
    return _tail(dimension, np.maximum(t - 1, 0))


@quiet
def rank_one_loss(
    *, radius: Number, distance: Number, sigma_star: Number, dimension: Number
) -> Any:
    """Return L = (M−1)ln(ρ/r) + (ρ² − r²)/2σ*, the privacy loss of an output (JL24.R3).

    Args:
        radius: r, the output's distance from the answer that was made noisy, in (0, ∞).
        distance: ρ, its distance from the neighbour's answer, in (0, ∞).
        sigma_star: variance of the signed length of the noise, in (0, ∞).
        dimension: M, integers from 2 to 10^9.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    near, far = reals("radius", radius), reals("distance", distance)
    s = reals("sigma_star", sigma_star)
    power = read_dimension(dimension, 2) - 1
    gap = (far - near) / near
    ratio = np.where(
        (np.abs(gap) < 0.5) & (near > 1e-300), np.log1p(gap), np.log(far) - np.log(near)
    )
    rest = scaled(product(far - near, far / 2 + near / 2, over=(s,)))
    return give(power * ratio + rest)


@quiet
def rank_one_loss_bound(
    *, radius: Number, distance: Number, sigma_star: Number, sensitivity: Number = 1
) -> Any:
    """Return (2/σ*)(D/sin θ)², θ the angle under which the output sees the answers (JL24.R3).

    Args:
        radius: r, the output's distance from the answer that was made noisy, in (0, ∞).
        distance: ρ, its distance from the neighbour's answer; r, ρ and D are a proper triangle.
        sigma_star: variance of the signed length of the noise, in (0, ∞).
        sensitivity: D, the distance of the two answers, in (0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    r, p = reals("radius", radius), reals("distance", distance)
    s, d = reals("sigma_star", sigma_star), reals("sensitivity", sensitivity)
    # sides sorted as Kahan does, so that no difference of rounded sums is left
    c, b, a = np.sort(np.stack(np.broadcast_arrays(r, p, d)), axis=0)
    # a − b is exact, or above a/2 and then above c: no rounding decides.
    if not np.all(a - b < c):
        raise ValueError(f"distance is not a side of such a triangle: {distance!r:.80}")
    sides = product(a + (b + c), c - (a - b), c + (a - b), a + (b - c))
    head, power = product(8.0, d, d, r, r, p, p, over=(s, sides[0]))
    return scaled((head, power - sides[1]))
