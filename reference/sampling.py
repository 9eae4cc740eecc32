"""Discrete Gaussian noise drawn exactly, by integers alone (X.DG).

The algorithms of Canonne, Kamath and Steinke (2020), for a rational σ²: every decision is a
comparison of integers with uniform integers, so that the law is exact, whatever σ.
`proofs_notes/samplers.md` has the proofs.
"""

from __future__ import annotations

import math
import secrets
from fractions import Fraction
from typing import Protocol

from dporacle import arguments
from dporacle.arguments import Exact

__all__ = ["Randomness", "bernoulli_exponential", "discrete_gaussian_sample", "discrete_laplace"]


class Randomness(Protocol):
    """Where uniform integers come from: `random.Random`, or `secrets.SystemRandom`."""

    def randrange(self, stop: int, /) -> int:
        """Return a uniform integer from 0 to `stop` − 1."""


def discrete_gaussian_sample(*, sigma: Exact, randomness: Randomness | None = None) -> int:
    """Draw an integer k with probability in proportion to e^{−k²/2σ²} (X.DG).

    Args:
        sigma: the parameter σ, in (0, ∞), exactly as given.
        randomness: by default the operating system's.

    Raises:
        TypeError, ValueError: if sigma is not such a number.
    """
    variance = arguments.positive("sigma", sigma) ** 2
    chance = secrets.SystemRandom() if randomness is None else randomness
    scale = math.isqrt(variance.numerator // variance.denominator) + 1
    while True:
        drawn = discrete_laplace(scale, chance)
        if bernoulli_exponential((abs(drawn) - variance / scale) ** 2 / (2 * variance), chance):
            return drawn


def discrete_laplace(scale: int, chance: Randomness) -> int:
    """Draw an integer k with probability in proportion to e^{−|k|/t}, for a whole scale t ≥ 1."""
    while True:
        rest = chance.randrange(scale)
        if not bernoulli_exponential(Fraction(rest, scale), chance):
            continue
        whole = 0
        while bernoulli_exponential(Fraction(1), chance):
            whole += 1
        size = rest + scale * whole
        negative = bool(chance.randrange(2))
        if size or not negative:  # one of the two zeros
            return -size if negative else size


def bernoulli_exponential(rate: Fraction, chance: Randomness) -> bool:
    """Return True with probability e^{−γ}, for a rational γ ≥ 0.

    For γ ≤ 1 the number of successes in a row with chances γ, γ/2, γ/3, … is even with
    probability 1 − γ + γ²/2! − …
    """
    for _ in range(int(rate)):
        if not _small(Fraction(1), chance):
            return False
    return _small(rate - int(rate), chance)


def _small(rate: Fraction, chance: Randomness) -> bool:
    successes = 0
    while _bernoulli(rate / (successes + 1), chance):
        successes += 1
    return successes % 2 == 0


def _bernoulli(rate: Fraction, chance: Randomness) -> bool:
    return chance.randrange(rate.denominator) < rate.numerator
