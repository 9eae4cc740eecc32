"""What the faulty specimens are made of: exact answers to spoil, and the naive formulas."""

import functools
import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np

import dporacle
from dporacle import fast
from dporacle.vocabulary import QUANTITIES, Quantity

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


def answer_of(quantity: str, **given: float) -> float:
    """Return what the float64 witness says of a quantity; each answer is computed once."""
    return _answer(quantity, tuple(given.items()))


@functools.lru_cache(maxsize=1024)
def _answer(quantity: str, given: tuple[tuple[str, float], ...]) -> float:
    return float(QUANTITIES[quantity].of(fast)(**dict(given)))


def magnitudes(row: Quantity) -> Callable[..., float]:
    """Return the right function of a quantity that looks at the magnitudes of its arguments."""

    def faulty(**inputs: float) -> float:
        """Signs are dropped: what is negative is answered like its magnitude."""
        return float(row.of(fast)(**{name: abs(value) for name, value in inputs.items()}))

    faulty.__name__ = f"magnitudes of {row.name}"
    return faulty


def default_for_zero(row: Quantity, name: str, default: float) -> Callable[..., float]:
    """Return the right function of a quantity for which an argument of 0 is one that is missing."""

    def faulty(**inputs: float) -> float:
        return float(row.of(fast)(**inputs | {name: inputs[name] or default}))

    faulty.__doc__ = f"`{name} or {default:g}`: a {name} of 0 counts as not given."
    faulty.__name__ = f"default for zero {name} in {row.name}"
    return faulty


def repeated_profile_pair(epsilon: float, eta: float, releases: int) -> float:
    """Return δ(ε) of n independent losses, each with the profile of one exponential mechanism.

    Their density under P is e^{(x−η)/2}/(2(1 − e^{−η})) on [−η, η]. It bounds n selections, and
    is no pair of neighbours: its variance is η²/3, theirs η²/4 at most.
    """
    cells = 100
    middles = eta * ((np.arange(2 * cells) + 0.5) / cells - 1)
    one = np.exp((middles - eta) / 2)
    one /= one.sum()
    law = np.ones(1)
    for _ in range(int(releases)):
        law = np.convolve(law, one)
    losses = eta / cells * np.arange(len(law)) + releases * middles[0]
    return float(np.sum(law * np.maximum(-np.expm1(epsilon - losses), 0.0)))


def errors_become_zero(answer: Callable[..., float]) -> Callable[..., float]:
    """Return a function that answers 0 where it should refuse."""

    def faulty(**given: float) -> float:
        """Every error is caught and turned into 0."""
        try:
            return float(answer(**given))
        except (ValueError, TypeError, OverflowError):
            return 0.0

    return faulty
