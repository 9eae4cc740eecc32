"""What is released for two inputs, what a law of noise is, and what its parameters may be."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dporacle import arguments
from dporacle.wings.samplers.exact_tails import Limits

Rows = NDArray[np.float64]
Members = NDArray[np.bool_]
Keys = NDArray[np.int64]

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
ALIKE = 2.0**-42
"""No cell of `Law.keys` is likelier than so, if noise has a density of at most 1/(2·spread)."""
NEAR, ROUGH = 43, 4
"""The width of these cells is 2 to the power of minus so much, in `spread`; or of large ones.

A factor below 2 makes it a power of two. One rounding of a sum with a value of `FAR` times the
spread moves noise by 2⁻⁴⁶ of it at most; what is moved or scaled a little stays in a large cell.
"""
_MOST_KEY = 2.0**62


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
        linear: whether every sum of its numbers has a law of the same kind, but for its scale.
    """

    continuous: ClassVar[bool] = True
    peaked: ClassVar[bool] = False
    linear: ClassVar[bool] = False

    @property
    def parameters(self) -> dict[str, float]:
        """Its numbers by their names, without the dimension and what is not claimed."""
        names = (each.name for each in fields(self) if each.name != "dimension")
        return {name: value for name in names if (value := getattr(self, name)) is not None}

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

    @property
    def folded(self) -> bool:
        """Whether the noise is a remainder, or clamped: then its rate near 0 proves no loss."""
        return False

    @property
    def sized(self) -> str:
        """What the power is told for that it is too small."""
        return "a σ" if self.linear else "a scale of the noise"

    def released(self, noise: Rows, value: float) -> Rows:
        """Return what is released of a value with such noise."""
        return value + noise

    def noise_of(self, rows: Rows, value: float) -> Rows:
        """Return the noise of releases of a value."""
        return rows - value if value else rows

    def keys(self, rows: Rows, value: float, *, bits: int = NEAR) -> Keys:
        """Return a whole number for the noise of each release, the same for the same noise.

        Two releases of different values share their noise up to the rounding of their sums: the
        number is that of a cell, wide enough that few sums are rounded across its end.

        Args:
            rows: releases, of shape (n, dimension).
            value: the exact answer, in each coordinate.
            bits: how narrow the cells are.

        Returns:
            An array of shape (n, dimension): row by row what tells the noise.
        """
        return cells_of(rows - value, self.spread, bits)

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

    def square_moments(self, share: float, tilts: Rows) -> Rows | None:
        """Return ln E e^{tZ²} of each number Z that `normal` makes of noise that is too small.

        Args:
            share: the share by which the noise is smaller than claimed, before modulus or bound.
            tilts: each t, between 0 and ½.

        Returns:
            An array like `tilts`; None if Z counts as N(0, (1 − share)²).
        """
        return None

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


def cells_of(noise: Rows, spread: float, bits: int) -> Keys:
    """Return the number of the cell around each size: a power of two wide, 2^−bits·spread or less.

    More than half of that, at least.
    """
    width = 2.0 ** (math.floor(math.log2(spread)) - bits)
    return whole(noise / width)


def whole(numbers: Rows) -> Keys:
    """Return the nearest whole numbers; what is no number of 63 bits becomes the largest one."""
    with np.errstate(invalid="ignore"):
        near = np.rint(np.clip(numbers, -_MOST_KEY, _MOST_KEY))
    return np.where(np.isnan(near), _MOST_KEY, near).astype(np.int64)


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
        noise = law.noise_of(rows, value)
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
