"""What is released for two inputs, what a law of noise is, and what its parameters may be."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dporacle import arguments
from dporacle.samplers.exact_tails import Limits

Rows = NDArray[np.float64]
Members = NDArray[np.bool_]

REACH = 40.0
"""A normal number beyond it counts as impossible: its probability is below 2e^−800."""
FARTHEST = 1e60
"""Normal numbers are cut here, so that no sum of their squares or products overflows."""

COINCIDENCE = 2.0**-46
"""No float64 is likelier than so, if noise has a density that is no higher than 1/(2·spread).

128 times what rounding alone gives, and what is left of releases of a value `FAR` times as large.
"""
FAR = 100.0
"""Values that are released are at most so many times as large as the noise."""


@dataclass(frozen=True, kw_only=True)
class Releases:
    """What is released for two neighbouring inputs: rows of `dimension` numbers.

    What the inputs add is a `shift` of as many numbers; what it and a row are, each kind says.

    Attributes:
        name: what the rows of mechanisms call it.
        dimension: numbers in a row.
    """

    dimension: int = 1
    name: ClassVar[str]

    def __post_init__(self) -> None:
        counted("dimension", self.dimension, 1)
        for each in fields(self):
            if each.type in (float, "float"):  # any exact number; laws compute with floats
                number = float(arguments.exact(each.name, getattr(self, each.name)))
                object.__setattr__(self, each.name, number)

    def possible(self, rows: Rows) -> Members:
        """Return which numbers can have been released at all."""
        return np.isfinite(rows)

    def simulate(
        self, count: int, shift: Rows, generator: np.random.Generator
    ) -> tuple[Rows, Rows]:
        """Return rows for the first input and for the second, as `losses` takes them."""
        raise NotImplementedError

    def losses(self, first: Rows, second: Rows, shift: Rows) -> tuple[Rows, Rows]:
        """Return the privacy loss ln p(y)/p'(y) at rows for the first input and for the second.

        Raises:
            ValueError: if a row or the shift cannot be.
        """
        raise NotImplementedError

    def loss_tails(self, shift: Rows, epsilons: Sequence[float]) -> list[tuple[Limits, Limits]]:
        """Return limits of Pr[L ≥ ε], for rows for the first input and for the second.

        Raises:
            ValueError: if the shift cannot be, or has too many different sizes.
        """
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Law(Releases):
    """What noise is claimed to be: rows of `dimension` numbers, independent from row to row.

    A release is the exact answer and noise; the second input's answer is the first's and the shift.

    Attributes:
        name: what the command and adapters call it.
        dimension: numbers in a row.
        continuous: whether two draws coincide with probability 0, but for the grid of the floats.
        peaked: whether the density has no bound near 0, so that the sum with a value repeats.
    """

    continuous: ClassVar[bool] = True
    peaked: ClassVar[bool] = False

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
    def grid(self) -> float:
        """What every number is a multiple of; 0 if there is no such grid."""
        return 0.0

    @property
    def spread(self) -> float:
        """About how large a number is."""
        return min(value for name, value in self.parameters.items() if name != "step")

    @property
    def collision(self) -> float:
        """A bound on the probability of each value, whatever came before."""
        return COINCIDENCE

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
        """Return ln p(x)/p(x − shift) at each row x: the privacy loss of a release."""
        raise NotImplementedError

    def simulate(
        self, count: int, shift: Rows, generator: np.random.Generator
    ) -> tuple[Rows, Rows]:
        """Return noise for either input."""
        return self.draw(count, generator), self.draw(count, generator)

    def losses(self, first: Rows, second: Rows, shift: Rows) -> tuple[Rows, Rows]:
        """Return the losses at noise that was drawn for either input."""
        return self.loss(first, shift), self.loss(second + shift, shift)


def reduced(
    law: Law, rows: Rows, generator: np.random.Generator, *, value: float = 0.0
) -> tuple[Rows, int]:
    """Return the normal numbers of any releases of a value, and how many no sampler gives.

    Impossible are what the law says is, and normal numbers beyond `REACH`. A row with the first
    becomes fresh normal numbers, against which nothing else is evidence; none is cut but beyond
    `FARTHEST`.
    """
    possible = law.possible(rows)
    count = rows.size - int(np.count_nonzero(possible))
    with np.errstate(over="ignore"):
        noise = rows - value if value else rows
        normal = law.normal(np.where(possible, noise, 0.0) if count else noise, generator)
    if count:
        strange = ~possible.all(axis=1)
        normal[strange] = generator.standard_normal((int(strange.sum()), law.width))
    count += int(np.count_nonzero(np.abs(normal) > REACH))
    return (np.clip(normal, -FARTHEST, FARTHEST), count) if count else (normal, 0)


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
