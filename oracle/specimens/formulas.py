"""What the faulty specimens are made of: exact answers to spoil, and the naive formulas."""

from __future__ import annotations

import functools
import math
from statistics import NormalDist

import dporacle

__all__ = ["LARGEST", "NORMAL", "exact_sigma", "naive_delta", "phi"]

NORMAL = NormalDist()
LARGEST = 1.7976931348623157e308


def phi(t: float) -> float:
    """Return Φ(t) by erfc, good to a few ulp."""
    return math.erfc(-t / math.sqrt(2)) / 2


def naive_delta(epsilon: float, mu: float) -> float:
    """Return δ(ε) by the textbook difference, which cancels, and overflows above ε = 709.78."""
    return phi(mu / 2 - epsilon / mu) - math.exp(epsilon) * phi(-mu / 2 - epsilon / mu)


@functools.lru_cache(maxsize=4096)
def exact_sigma(epsilon: float, delta: float, sensitivity: float) -> float:
    """Return the right σ, on the safe side; a specimen is this with one fault added.

    Raises:
        ValueError: if an argument is not in its domain.
        OverflowError: if σ is above the largest float64.
    """
    sigma = dporacle.calibrate_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    return float(sigma)
