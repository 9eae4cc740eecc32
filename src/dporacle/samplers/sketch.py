"""What is kept of a sample: sums and counts in bounded memory, which add up over shards.

A sketch of n draws holds the same numbers as the sum of the sketches of its parts, whatever the
parts (but for products of rows and for drift, which each part counts for itself), so that draws
may be made anywhere, in any number of processes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dporacle import randomness
from dporacle.samplers.alternatives import EDGES
from dporacle.samplers.law import FARTHEST, reduced
from dporacle.samplers.laws import Law
from dporacle.samplers.repeats import Repeats, repeats

Rows = NDArray[np.float64]
Counts = NDArray[np.int64]

LAGS = 8
"""A row is compared with so many of those before it."""
DRIFTS = np.array([0.3, 0.1, 0.03, 0.01, 0.003])
"""By how much the scale, and the mean in its unit, may differ from batch to batch."""
STEPS = 10.0 ** -(0.5 + np.arange(13) / 6)
"""By how much either may go up or down with each batch."""
GRIDS = (16, 24, 32)
"""Bits of the uniform numbers that a Box-Muller sampler may have been fed with."""
GRID_SLACK = 1e-4
"""How near to a multiple of 2^−B counts as one: rounding moves a number of 32 bits by 1e-5."""
BITS = 20
"""A double whose last so many bits are 0 is rare: once in 2^20."""
DIRECTIONS = 16
_NOTHING = np.array(-1).view(np.float64)
"""NaN, all of whose bits are set: it is not 0, equals nothing, and has no short end."""


@cache
def directions(width: int) -> Rows:
    """Return unit vectors that look for dependence between coordinates, the same in every run.

    The first is the mean of all coordinates, the second the alternating mean, the others random.
    """
    if width == 1:
        return np.empty((0, 1))
    generator = randomness.generator("directions", width)
    vectors = generator.standard_normal((DIRECTIONS, width))
    vectors[0] = 1.0
    vectors[1] = np.where(np.arange(width) % 2 == 0, 1.0, -1.0)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


@dataclass(kw_only=True)
class Sketch:
    """Sums and counts of rows of a sample, reduced to standard normal numbers.

    Attributes:
        rows: how many rows there were.
        sums, squares: of each coordinate and of its square.
        projected: of the squares of the projections on `directions`.
        cells: how many coordinates lay between each two of `EDGES`.
        products, previous: Σ xᵢxᵢ₋ₖ and Σ xᵢ₋ₖ² over the rows, for each k up to `LAGS`.
        drift: ln of the likelihood ratios of a scale, and of a mean, that each batch has of its
            own, in the order of `batch_drift`.
        largest: the largest size of a coordinate.
        impossible: numbers that no sampler of the law gives.
        zeros: draws that are exactly 0.
        pairs, equal: neighbouring coordinates of a row, and how many of these coincide.
        short: draws whose last `BITS` bits are 0.
        gridded: for each of `GRIDS`, pairs of draws that a Box-Muller sampler makes.
        grid_pairs: how many pairs were tried for that.
        repeats: of groups of draws, for each size that the law has compared.
    """

    rows: int
    sums: Rows
    squares: Rows
    projected: Rows
    cells: Counts
    products: Rows
    previous: Rows
    drift: Rows
    largest: float
    impossible: int
    zeros: int
    pairs: int
    equal: int
    short: int
    gridded: Counts
    grid_pairs: int
    repeats: tuple[Repeats, ...]

    @property
    def width(self) -> int:
        """Normal numbers in a row."""
        return len(self.sums)

    @property
    def numbers(self) -> int:
        """How many normal numbers were seen."""
        return self.rows * self.width

    def __add__(self, other: Sketch) -> Sketch:
        """Return the sketch of both samples together."""
        if self.width != other.width:
            raise ValueError(f"sketches of widths {self.width} and {other.width} do not add up")
        merged: dict[str, Any] = {
            each.name: getattr(self, each.name) + getattr(other, each.name)
            for each in fields(self)
            if each.name not in ("largest", "repeats")
        }
        again = tuple(a + b for a, b in zip(self.repeats, other.repeats, strict=True))
        return Sketch(largest=max(self.largest, other.largest), repeats=again, **merged)


def take(rows: Rows, law: Law, *, generator: np.random.Generator, value: float = 0.0) -> Sketch:
    """Return the sketch of some releases, whose noise is claimed to have a law.

    Args:
        rows: releases, of shape (n, dimension), in order.
        law: what the noise is claimed to be.
        generator: the fresh randomness of laws with atoms.
        value: the exact answer, in each coordinate: what of the releases is not noise.

    Raises:
        ValueError: if the rows are of another shape or no real numbers.
    """
    rows = _floats(rows)
    if rows.ndim != 2 or rows.shape[1] != law.dimension or not len(rows):
        raise ValueError(f"rows must be of shape (n, {law.dimension}), got {rows.shape}")
    normal, impossible = reduced(law, rows, generator, value=value)
    order = np.sort(normal, axis=None)
    held = np.where(np.isfinite(rows), rows, _NOTHING) if impossible else rows
    if value and law.peaked:
        held = np.full_like(rows, _NOTHING)
    pairs = held[:, 1:] == held[:, :-1]
    gridded, tried = _box_muller(normal)
    sums, squares = normal.sum(axis=0), np.einsum("ij,ij->j", normal, normal)
    products, previous = _lagged(normal, float(squares.sum()))
    return Sketch(
        rows=len(rows),
        sums=sums,
        squares=squares,
        projected=np.sum((normal @ directions(law.width).T) ** 2, axis=0),
        cells=np.diff(np.searchsorted(order, EDGES), prepend=0, append=order.size),
        products=products,
        previous=previous,
        drift=batch_drift(float(sums.sum()), float(squares.sum()), normal.size),
        largest=float(max(-order[0], order[-1])) if np.isfinite(rows).all() else FARTHEST,
        impossible=impossible,
        zeros=int(np.count_nonzero(held == value)),
        pairs=pairs.size,
        equal=int(np.count_nonzero(pairs)),
        short=int(np.count_nonzero(held.view(np.int64) & ((1 << BITS) - 1) == 0)),
        gridded=gridded,
        grid_pairs=tried,
        repeats=repeats(held, law),
    )


def _lagged(normal: Rows, squares: float) -> tuple[Rows, Rows]:
    products, previous = np.zeros(LAGS), np.zeros(LAGS)
    flat, width = normal.ravel(), normal.shape[1]
    for lag in range(1, min(LAGS + 1, len(normal))):
        last = flat[flat.size - lag * width :]
        # Not BLAS, whose threads take longer to start than the sum itself.
        products[lag - 1] = np.einsum("i,i->", flat[lag * width :], flat[: -lag * width])
        previous[lag - 1] = max(squares - float(np.einsum("i,i->", last, last)), 0.0)
    return products, previous


def batch_drift(total: float, squares: float, count: int) -> Rows:
    """Return ln of likelihood ratios of a batch with a scale, or a mean, of its own.

    First of all `DRIFTS` of the scale, whose inverse square has a gamma law of mean 1, and of the
    mean, which has a normal law; then of all `STEPS` of either, up or down with even chances.
    """
    shape = 1 / (4 * DRIFTS**2)
    after = shape + count / 2
    scales = shape * np.log(shape) - after * np.log(shape + squares / 2) + squares / 2
    scales += special.gammaln(after) - special.gammaln(shape)
    either = [-count * np.log1p(s) + squares / 2 * (1 - (1 + s) ** -2.0) for s in (STEPS, -STEPS)]
    moved = [s * total - count * s**2 / 2 for s in (STEPS, -STEPS)]
    steps = [np.logaddexp(*each) - math.log(2) for each in (either, moved)]
    return np.concatenate((scales, normal_mixture(total, count, DRIFTS**2), *steps))


def normal_mixture(score: Any, information: Any, variances: Rows) -> Rows:
    """Return ln of the mean of e^{mS − m²V/2}, m ~ N(0, w), for each variance w."""
    grown = 1 + variances * information
    found: Rows = variances * score**2 / (2 * grown) - np.log(grown) / 2
    return found


def _floats(rows: Any) -> Rows:
    """Return rows as float64; what is too large for it is infinite."""
    rows = np.asarray(rows)
    if rows.dtype.kind == "O":
        try:
            rows = np.vectorize(_float, otypes=[np.float64])(rows) if rows.size else rows
        except (TypeError, ValueError) as error:
            raise ValueError(f"rows must be real numbers: {error}") from None
    if rows.dtype.kind not in "fiub":
        raise ValueError(f"rows must be real numbers, got {rows.dtype}")
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(rows, dtype=np.float64)


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _box_muller(normal: Rows) -> tuple[Counts, int]:
    """Count pairs for which e^{−(x²+y²)/2} is a multiple of 2^−B: a uniform number of B bits."""
    flat = normal.ravel()[: normal.size // 2 * 2]
    uniform = np.exp(-(flat[::2] ** 2 + flat[1::2] ** 2) / 2)
    found = [_near_integers(np.ldexp(uniform, bits), 1 << bits) for bits in GRIDS]
    return np.array(found, dtype=np.int64), uniform.size


def _near_integers(values: Rows, most: int) -> int:
    """Count what is near a whole number between 0 and `most`.

    Far too large noise is near 0 all the time, and far too small noise near `most`.
    """
    near = np.abs(values - np.rint(values)) < GRID_SLACK
    return int(np.count_nonzero(near & (values > 0.5) & (values < most - 0.5)))
