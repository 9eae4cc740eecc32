"""Discrete Gaussian noise in arrays: rejection from discrete Laplace noise, as the reference.

Decisions compare float64 numbers with uniform ones of 53 bits: each accepts with the right
probability to 2^−52, relatively. For noise that protects people use the exact sampler.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST = 2.0**50  # so that noise is an exact float64 where it is weighed: 2^53 is 8σ


def discrete_gaussian_sample(
    *, sigma: float, size: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Draw integers k with probability in proportion to e^{−k²/2σ²} (X.DG).

    Args:
        sigma: the parameter σ, in (0, 2^50].
        size: how many.
        generator: numpy's, which is not made for secrets.

    Raises:
        ValueError: if sigma or size is out of range.
    """
    if not 0 < sigma <= _MOST:
        raise ValueError(f"sigma must be positive and at most 2^50, got {sigma!r}")
    if size < 0:
        raise ValueError(f"size must be at least 0, got {size!r}")
    scale = math.floor(sigma) + 1
    found: list[Any] = []
    wanted = size
    while wanted > 0:
        drawn = _laplace(scale, 2 * wanted + 16, generator)
        exponent = (np.abs(drawn) - sigma * (sigma / scale)) / sigma
        kept = drawn[generator.random(drawn.size) < np.exp(-(exponent**2) / 2)][:wanted]
        found.append(kept)
        wanted -= kept.size
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)


def _laplace(scale: int, count: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """Draw k with probability in proportion to e^{−|k|/t}: the difference of two geometric ones."""
    rate = -math.expm1(-1 / scale)
    first, second = (generator.geometric(rate, count) for _ in range(2))
    return np.asarray(first - second, dtype=np.int64)
