"""Laws and their privacy profiles as the textbook has them."""

import math
from typing import Any

import mpmath
import numpy as np


def normal(x: Any, mean: Any = 0.0, sigma: float = 1.0) -> Any:
    """The density of N(mean, σ²) at floats."""
    return np.exp(-(((x - mean) / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi))


def binomial(n: int, p: Any) -> list[Any]:
    """Pr[W = k] of k = 0…n, W ~ Bin(n, p), in the type of p."""
    return [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


def gaussian_profile(epsilon: Any, mu: Any, mp: Any = mpmath.mp) -> Any:
    """δ(ε) of Gaussian noise at any real ε: Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ), BW18.T8."""
    if not mu:
        return max(mp.mpf(0), 1 - mp.exp(epsilon))
    half, place = mp.mpf(mu) / 2, mp.mpf(epsilon) / mu
    return mp.ncdf(half - place) - mp.exp(epsilon) * mp.ncdf(-half - place)


def laplace_profile(epsilon: Any, m: Any, mp: Any = mpmath.mp) -> Any:
    """δ(ε) of Laplace noise at any real ε, m the distance in units of its scale."""
    return max(mp.mpf(0), 1 - mp.exp((epsilon - m) / 2), 1 - mp.exp(epsilon))
