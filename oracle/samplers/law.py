"""What a law of noise is, and what its parameters may be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dporacle.samplers.exact_tails import Limits

__all__ = ["Law", "Rows", "counted", "exactly", "positive"]

Rows = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Law:
    """What noise is claimed to be: rows of `dimension` numbers, independent from row to row.

    Attributes:
        name: what the command and adapters call it.
        dimension: numbers in a row.
        continuous: whether two draws coincide with probability 0, but for the grid of the floats.
    """

    dimension: int = 1
    name: ClassVar[str]
    continuous: ClassVar[bool] = True

    def __post_init__(self) -> None:
        counted("dimension", self.dimension, 1)

    @property
    def parameters(self) -> dict[str, float]:
        """Its numbers by their names, without the dimension."""
        names = (each.name for each in fields(self) if each.name != "dimension")
        return {name: getattr(self, name) for name in names}

    @property
    def width(self) -> int:
        """How many normal numbers a row gives."""
        return self.dimension

    @property
    def collision(self) -> float:
        """A bound on the probability that two draws of one coordinate coincide."""
        return 2.0**-40

    def normal(self, rows: Rows, generator: np.random.Generator) -> Rows:
        """Return numbers that are independent and N(0, 1) if the rows have this law.

        Args:
            rows: noise, of shape (n, dimension).
            generator: the fresh randomness of laws that need some.
        """
        raise NotImplementedError

    def draw(self, count: int, generator: np.random.Generator) -> Rows:
        """Return rows of this law, of shape (count, dimension), for tests and plans."""
        raise NotImplementedError

    def loss(self, noise: Rows, shift: Rows) -> Rows:
        """Return ln p(x)/p(x − shift) at each row x: the privacy loss of a release.

        Raises:
            ValueError: if this law's loss is not known here.
        """
        raise ValueError(f"the privacy loss of {type(self).__name__} is not known")

    def loss_tails(self, shift: Rows, epsilons: Sequence[float]) -> list[tuple[Limits, Limits]]:
        """Return limits of Pr[L ≥ ε] under this law, for releases of either input.

        Raises:
            ValueError: if they are not known here.
        """
        raise ValueError(f"the tails of {type(self).__name__}'s loss are not known")


def positive(name: str, value: float) -> None:
    """Require a parameter to be positive and finite."""
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be positive and finite, got {value!r}")


def counted(name: str, value: int, least: int) -> None:
    """Require a parameter to be an integer from `least` on."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name} must be an integer from {least}, got {value!r}")


def exactly(first: float, second: float) -> tuple[Limits, Limits]:
    """Return two tails that are known exactly, as limits."""
    return (float(first), float(first)), (float(second), float(second))
