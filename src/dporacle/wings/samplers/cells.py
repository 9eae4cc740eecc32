"""The tails of sums of independent losses, each of which is known by cells of what is released.

The mass of each cell is put on the two points of a lattice that are next to its mean loss, so that
the mean stays; the sum's law is a power of a finite Fourier transform. What that moves is bounded
by Hoeffding's inequality, and what lies outside of the lattice by Chernoff's.
`proofs_notes/samplers.md` has the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from dporacle.wings.samplers.exact_tails import FAR, Limits, Values, clipped

_LATTICE, _WORK = 1 << 20, 1 << 25
"""Points of the lattice, and how many are transformed at most."""
_MARGIN = 0.05
"""Of the lattice, kept free at either end."""
_OUTSIDE = -37.0
"""ln of the probability of what may lie beyond either end."""
_TILTS = np.geomspace(0.1, 100, 31)
"""Of the losses, in inverse standard deviations, among which Chernoff's is chosen."""


@dataclass(frozen=True)
class Cells:
    """The loss of one coordinate.

    Attributes:
        losses: its mean in each cell.
        chances: each cell's probability.
        count: how many coordinates there are like it.
        spread: how wide the losses of one cell are at most.
    """

    losses: Values
    chances: Values
    count: int
    spread: float = 0.0

    def __neg__(self) -> Cells:
        """Return the loss with the other sign."""
        return Cells(-self.losses, self.chances, self.count, self.spread)


def cell_tails(parts: Sequence[Cells], epsilons: Sequence[float]) -> list[Limits]:
    """Return limits of Pr[L ≥ ε], L the sum of all coordinates' losses.

    Raises:
        ValueError: if there are too many different coordinates.
    """
    low, high = -_end([-part for part in parts]), _end(parts)
    size = max(_LATTICE >> (len(parts) * _LATTICE // _WORK).bit_length(), 4)
    width = max((high - low) / (1 - 2 * _MARGIN), 1e-9 * max(abs(low), abs(high), 1.0))
    step = width / size
    variance = sum(part.count * (step**2 + part.spread**2) / 4 for part in parts)
    apart = FAR * math.sqrt(variance) + 1e-12 * max(abs(low), abs(high))
    if FAR * math.sqrt(sum(part.count for part in parts)) / 2 > _MARGIN * size:
        raise ValueError(f"shift must have fewer sizes: there are {len(parts)}")
    first = math.floor((low - _MARGIN * width) / step)
    transform = np.ones(size // 2 + 1, dtype=np.complex128)
    for part in parts:
        transform *= np.fft.rfft(_on_lattice(part, step, size)) ** part.count
    chances = np.roll(np.fft.irfft(transform, size), -(first % size))
    tails = np.minimum(np.cumsum(np.maximum(chances, 0.0)[::-1])[::-1], 1.0)

    def tail(end: float) -> float:
        place = end / step - first
        return 1.0 if place <= 0 else 0.0 if place > size - 1 else float(tails[math.ceil(place)])

    return [clipped(tail(epsilon + apart), tail(epsilon - apart)) for epsilon in epsilons]


def shift_tails(
    losses: Callable[[float], Values], chances: Values, moved: Values, epsilons: Sequence[float]
) -> list[tuple[Limits, Limits]]:
    """Return limits of the tails of the loss for either input, of noise with a symmetric law.

    Args:
        losses: a coordinate's losses in the cells, where it moves by so many of them.
        chances: each cell's probability.
        moved: by how many cells each coordinate moves.
        epsilons: where the tails begin.

    Raises:
        ValueError: if there are too many different sizes.
    """
    sizes, counts = np.unique(np.abs(moved[moved != 0]), return_counts=True)
    parts = [
        Cells(losses(float(size)), chances, int(count))
        for size, count in zip(sizes, counts, strict=True)
    ]
    first = cell_tails(parts, epsilons)
    # At the second input's releases the loss has the law of −L.
    second = cell_tails([-part for part in parts], epsilons)
    return list(zip(first, second, strict=True))


def _on_lattice(part: Cells, step: float, size: int) -> Values:
    """Return the chances of the lattice's points, each counted round the lattice."""
    places = part.losses / step
    below = np.floor(places)
    upper = part.chances * (places - below)
    index = np.remainder(below, size).astype(np.int64)
    chances = np.zeros(size)
    np.add.at(chances, index, part.chances - upper)
    np.add.at(chances, (index + 1) % size, upper)
    return chances


def _end(parts: Sequence[Cells]) -> float:
    """Return what the sum is above with a probability below 10⁻¹⁶."""
    most = sum(part.count * float(part.losses[part.chances > 0].max()) for part in parts)
    means = [float(part.chances @ part.losses) for part in parts]
    variance = sum(
        part.count * float(part.chances @ (part.losses - mean) ** 2)
        for part, mean in zip(parts, means, strict=True)
    )
    if variance == 0:
        return most
    ends: list[float] = []
    for tilt in _TILTS / math.sqrt(variance):
        logs = sum(
            part.count * float(special.logsumexp(tilt * part.losses, b=part.chances))
            for part in parts
        )
        ends.append(float((logs - _OUTSIDE) / tilt))
    return min(most, *ends)
