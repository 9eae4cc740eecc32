"""The hockey-stick divergence by its definition: of masses, and of privacy losses."""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def divergence(first: Any, second: Any, a: Any, cell: float = 1.0) -> Any:
    """H_a(P‖Q) = Σ max(p − a·q, 0), which for a = e^ε is the least δ of the ordered pair.

    The masses are two arrays, two sequences in one order, or two mappings from outcomes; the sum
    has their type, exact of Fractions. Densities on a grid are masses with the grid's `cell`.
    """
    if isinstance(first, np.ndarray):
        return float(np.maximum(first - a * second, 0).sum() * cell)
    if isinstance(first, Mapping):
        outcomes = {**first, **second}
        first, second = ([law.get(each, 0) for each in outcomes] for law in (first, second))
    gains = [p - a * q for p, q in zip(first, second, strict=True)]
    return sum(gain for gain in gains if not gain <= 0)  # what is no number is told


def product(*pairs: tuple[Sequence[Any], Sequence[Any]]) -> tuple[list[Any], list[Any]]:
    """The pair of the laws of independent outcomes: the masses of each combination."""
    first, second = (
        [math.prod(each) for each in itertools.product(*laws)] for laws in zip(*pairs, strict=True)
    )
    return first, second


def mean_excess(losses: Any, epsilon: Any, masses: Any = 1.0) -> float:
    """E(1 − e^{ε−L})₊ over the privacy loss: the same divergence, from the losses under P."""
    return float(np.sum(masses * excess(losses, epsilon)))


def excess(losses: Any, epsilon: Any) -> Any:
    """(1 − e^{ε−L})₊ of each loss: what it adds to δ(ε)."""
    return np.maximum(-np.expm1(np.minimum(epsilon - losses, 0)), 0)
