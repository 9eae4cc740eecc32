"""Truncated moments of the normal distribution in float64.

With Z standard normal and n = 0, 1, 2: Iₙ(x) = E[(Z−x)₊ⁿ]/n!, so that I₀ = Φ(−x), and the ratios
r₀ = I₀/φ = m (Mills), rₙ = Iₙ/Iₙ₋₁. For x > 0 they come from n·Iₙ + x·Iₙ₋₁ = Iₙ₋₂ run downwards,
rₙ₋₁ = 1/(x + n·rₙ), where every term is positive and an error shrinks.
"""

import numpy as np
from scipy import special

from dporacle.fast._broadcast import Array

_ROOT_HALF = np.sqrt(0.5)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)


def density(x: Array) -> Array:
    """Return φ(x)."""
    return np.exp(-x * x / 2) / np.sqrt(2 * np.pi)


def mills(x: Array) -> Array:
    """Return m(x) = Φ(−x)/φ(x)."""
    return np.sqrt(np.pi / 2) * special.erfcx(x * _ROOT_HALF)


def ratios(x: Array) -> tuple[Array, Array, Array]:
    """Return r₀, r₁, r₂ for x ≥ 1, to a few ulp."""
    r = 1 / (x + np.sqrt(x * x + 240))
    third, second = r, r
    for n in range(240, 0, -1):
        third, second = second, r
        r = 1 / (x + n * r)
    return r, second, third


def mills_gap(middle: Array, half: Array) -> Array:
    """Return m(x−h) − m(x+h), h > 0; for a short interval as the integral of 1 − t·m(t) = r₀r₁."""
    direct = mills(middle - half) - mills(middle + half)
    close = (middle - half > 1) & (half < 0.5)
    if not np.any(close):
        return direct
    x, h = np.where(close, middle, 2.0), np.where(close, half, 0.1)
    first, second, _ = ratios(x[..., None] + h[..., None] * _NODES)
    return np.where(close, h * np.sum(_WEIGHTS * first * second, axis=-1), direct)


def partial_moments(x: Array) -> tuple[Array, Array, Array]:
    """Return Φ(−x), E[(Z−x)₊] and E[(Z−x)₊²]."""
    tail, spike = special.ndtr(-x), density(x)
    first, second, third = ratios(np.maximum(x, 1.0))
    far = x >= 1
    return (
        tail,
        np.where(far, spike * first * second, spike - x * tail),
        np.where(far, 2 * spike * first * second * third, (1 + x * x) * tail - x * spike),
    )
