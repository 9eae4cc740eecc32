"""The angle of the published sketch, and the loss that it bounds, in float64 (JL24.R2, JL24.R3).

Scalars or arrays that broadcast. Relative errors: tails 1e-9 where they are above 1e-290 (their
logarithm is up to 10^9 times one that is rounded), losses 2^-44 of the larger of their two terms,
the bound 2^-40 where the triangle is not within 1e-6 of a line.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from dporacle.fast._broadcast import Array, give, witness
from dporacle.fast._scaled import product, scaled


@witness
def rank_one_cotangent_tail(*, dimension: Array, threshold: Array) -> Any:
    """Return Pr[cot²θ > t], θ the angle of a uniform direction with an axis (JL24.R2)."""
    return _tail(dimension, threshold)


def _tail(dimension: Array, t: Array) -> Any:
    half = (dimension - 1) / 2
    # cos²θ = t/(1+t) exactly: its complement would lose a small t, and it a large one.
    near, far = special.betaincc(0.5, half, t / (1 + t)), special.betainc(half, 0.5, 1 / (1 + t))
    return give(np.where(t > 1, far, near))


@witness
def rank_one_cosecant_tail(*, dimension: Array, threshold: Array) -> Any:
    """Return Pr[1/sin²θ > t], which is 1 for t < 1 (JL24.R2)."""
    return _tail(dimension, np.maximum(threshold - 1, 0))


@witness
def rank_one_loss(*, radius: Array, distance: Array, sigma_star: Array, dimension: Array) -> Any:
    """Return L = (M−1)ln(ρ/r) + (ρ² − r²)/2σ*, the privacy loss of an output (JL24.R3)."""
    gap = (distance - radius) / radius
    ratio = np.where(
        (np.abs(gap) < 0.5) & (radius > 1e-300), np.log1p(gap), np.log(distance) - np.log(radius)
    )
    rest = scaled(product(distance - radius, distance / 2 + radius / 2, over=(sigma_star,)))
    return give((dimension - 1) * ratio + rest)


@witness
def rank_one_loss_bound(
    *, radius: Array, distance: Array, sigma_star: Array, sensitivity: Array
) -> Any:
    """Return (2/σ*)(D/sin θ)², θ the angle under which the output sees the answers (JL24.R3)."""
    # sides sorted as Kahan does, so that no difference of rounded sums is left
    c, b, a = np.sort(np.stack(np.broadcast_arrays(radius, distance, sensitivity)), axis=0)
    # a − b is exact, or above a/2 and then above c: no rounding decides.
    if not np.all(a - b < c):
        raise ValueError(f"distance is not a side of such a triangle: {distance!r:.80}")
    sides = product(a + (b + c), c - (a - b), c + (a - b), a + (b - c))
    lengths = (sensitivity, sensitivity, radius, radius, distance, distance)
    head, power = product(8.0, *lengths, over=(sigma_star, sides[0]))
    return scaled((head, power - sides[1]))
