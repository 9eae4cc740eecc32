"""What is kept of a sample: sums and counts in bounded memory, which add up over shards.

A sketch of n draws holds the same numbers as the sum of the sketches of its parts, whatever the
parts (but for what compares rows with one another, which each part counts for itself), so that
draws may be made anywhere, in any number of processes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dporacle.common import randomness
from dporacle.wings.samplers.alternatives import EDGES, SPANS
from dporacle.wings.samplers.events import trailing_bits
from dporacle.wings.samplers.law import ALIKE, FARTHEST, ROUGH, reduced
from dporacle.wings.samplers.laws import Law
from dporacle.wings.samplers.repeats import BLIND, ROUGHLY, Repeats, repeats, watched

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
ECHOES, HEAD = 8, 2048
"""A batch's first numbers are compared with those of so many batches before it."""
_PHASES = _SIGNS = 2
COORDINATES = 64
"""So many of them are looked at one by one."""
JOINT = DIRECTIONS + (LAGS + ECHOES) * _PHASES * _SIGNS
"""Projections on a unit vector: of a row, of two rows, and of the heads of two batches."""
DECIMALS: Rows = 10.0 ** np.arange(10, dtype=np.float64)
"""Inverse steps, in tens, of which all releases may be whole multiples."""
_FEW = 64
"""If these first ones of a batch are no multiples of a step, no others are tried."""
_SAME = 2.0**-43
"""Releases nearer to each other than this, in `spread`, count as one: roundings of one number."""
NO_STEP = 1e300
"""The gap where all releases are the same."""
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
        rough: the same for noise of large cells, of laws with a density.
        blind: the same for the sizes that are compared whatever the law.
        couples, alike: pairs of draws one after the other, each draw in one pair, and in how many
            of them the noise is the same.
        above, below: the same of the first coordinates of two rows one after the other.
        batches, requests: how many batches there were, and requests for these.
        heads, lengths: the first numbers of the last batches, the last one at the end, and how
            many these are.
        echoes, echoed: Σ xᵢyᵢ and Σ yᵢ² over the heads x of batches and those y of the batch k
            before, for each k up to `ECHOES`.
        each: of each of the first coordinates, how often it lay within each of `SPANS`, and how
            often in all.
        joint: of each projection, how often it lay within each of `SPANS`, and how often in all;
            no number is in two projections of one kind.
        spread: of the law.
        linear: whether the law is, so that projections were counted.
        gap: the least difference of two releases that are not the same; no smaller than the step
            of a grid that has them all.
        anchor: a release.
        finest: the lowest bit that is set in any release.
        releases: numbers that were released, and are finite.
        decimal: how many of them are in batches of which all are whole multiples of the inverse
            of each of `DECIMALS`.
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
    rough: tuple[Repeats, ...]
    blind: tuple[Repeats, ...]
    couples: int
    alike: int
    above: int
    below: int
    batches: int
    requests: int
    heads: Rows
    lengths: Counts
    echoes: Rows
    echoed: Rows
    each: Counts
    joint: Counts
    spread: float
    linear: bool
    gap: float
    anchor: float
    finest: float
    decimal: Counts
    releases: int

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
            if each.name not in _NO_SUMS
        }
        for name in ("repeats", "rough", "blind"):
            pairs = zip(getattr(self, name), getattr(other, name), strict=True)
            merged[name] = tuple(a + b for a, b in pairs)
        kept = max(ECHOES - other.batches, 0)
        for name in ("heads", "lengths"):
            both = [getattr(each, name)[-ECHOES:] for each in (self, other)]
            merged[name] = np.concatenate((both[0][ECHOES - kept :], both[1][kept:]))
        apart = abs(self.anchor - other.anchor)
        gaps = [self.gap, other.gap, *([apart] if apart > _SAME * self.spread else [])]
        whole = Sketch(
            largest=max(self.largest, other.largest),
            finest=min(self.finest, other.finest),
            gap=min(gaps),
            spread=self.spread,
            linear=self.linear,
            anchor=self.anchor,
            **merged,
        )
        if other.batches == 1:
            _add_echoes(whole, self, other)
        return whole


_NO_SUMS = {
    *("largest", "finest", "gap", "spread", "linear", "anchor"),
    *("repeats", "rough", "blind", "heads", "lengths"),
}


def _add_echoes(whole: Sketch, before: Sketch, batch: Sketch) -> None:
    """Count what a batch's head has in common with those of the batches before it."""
    for lag in range(1, min(ECHOES, before.batches) + 1):
        length = int(min(batch.lengths[-1], before.lengths[-lag]))
        head, earlier = batch.heads[-1][:length], before.heads[-lag][:length]
        whole.echoes[lag - 1] += np.einsum("i,i->", head, earlier)
        whole.echoed[lag - 1] += np.einsum("i,i->", earlier, earlier)
        if not whole.linear:
            continue
        phase = (before.batches // lag + 1) % 2  # of blocks of so many batches every other one
        place = DIRECTIONS + LAGS * _PHASES * _SIGNS + ((lag - 1) * _PHASES + phase) * _SIGNS
        for sign in range(_SIGNS):
            _count(whole.joint[place + sign], _paired(head, earlier, sign))


def _paired(first: Rows, second: Rows, sign: int) -> Rows:
    """Return the projections of pairs on (1, −1)/√2 or (1, 1)/√2."""
    return (first + second if sign else first - second) / math.sqrt(2)


def _count(counts: Counts, projected: Rows) -> None:
    sizes = np.abs(projected)
    for place, span in enumerate(SPANS):
        counts[place] += np.count_nonzero(sizes <= span)
    counts[-1] += sizes.size


def _each(normal: Rows) -> Counts:
    counts = np.zeros((COORDINATES, len(SPANS) + 1), dtype=np.int64)
    for place, numbers in enumerate(normal.T[:COORDINATES]):
        _count(counts[place], numbers)
    return counts


def _joint(normal: Rows) -> Counts:
    """Count projections of rows, and of pairs of rows: blocks of k rows with the k after them."""
    counts = np.zeros((JOINT, len(SPANS) + 1), dtype=np.int64)
    if normal.shape[1] > 1:
        for place, projected in enumerate((normal @ directions(normal.shape[1]).T).T):
            _count(counts[place], projected)
    for lag in range(1, LAGS + 1):
        for phase in range(_PHASES):
            start = phase * lag
            blocks = max(len(normal) - start, 0) // (2 * lag)
            pairs = normal[start : start + 2 * lag * blocks].reshape(
                blocks, 2, lag * normal.shape[1]
            )
            place = DIRECTIONS + ((lag - 1) * _PHASES + phase) * _SIGNS
            for sign in range(_SIGNS):
                _count(counts[place + sign], _paired(pairs[:, 1], pairs[:, 0], sign))
    return counts


def take(
    rows: Rows, law: Law, *, generator: np.random.Generator, value: float = 0.0, requests: int = 1
) -> Sketch:
    """Return the sketch of some releases, whose noise is claimed to have a law.

    Args:
        rows: releases, of shape (n, dimension), in order.
        law: what the noise is claimed to be.
        generator: the fresh randomness of laws with atoms.
        value: the exact answer, in each coordinate: what of the releases is not noise.
        requests: in how many parts they were drawn.

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
    with np.errstate(over="ignore", invalid="ignore"):
        keys = law.keys(rows, value)
        rough = law.keys(rows, value, bits=ROUGH)
    finite = np.logical_and.reduce(np.isfinite(rows), axis=1)
    drawn = keys[finite].ravel()
    smooth = law.collision <= ALIKE
    first = keys[:, 0] if law.dimension > 1 and keys.shape[1] > 1 else keys[:0, 0]
    length = min(normal.size, HEAD)
    heads = np.zeros((ECHOES, HEAD))
    heads[-1, :length] = normal.ravel()[:length]
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
        repeats=repeats(drawn, watched(law)),
        rough=repeats(rough[finite].ravel(), (ROUGHLY,) if smooth else ()),
        blind=repeats(drawn, BLIND),
        couples=drawn.size // 2,
        alike=int(np.count_nonzero(drawn[1::2] == drawn[: drawn.size // 2 * 2 : 2])),
        above=len(first) // 2,
        below=int(np.count_nonzero(first[1::2] == first[: len(first) // 2 * 2 : 2])),
        batches=1,
        requests=requests,
        heads=heads,
        lengths=np.array([0] * (ECHOES - 1) + [length], dtype=np.int64),
        echoes=np.zeros(ECHOES),
        echoed=np.zeros(ECHOES),
        each=_each(normal),
        joint=_joint(normal) if law.linear else np.zeros((JOINT, len(SPANS) + 1), dtype=np.int64),
        **_grid(rows, law),
    )


def _whole_tens(numbers: Rows, inverses: Rows) -> NDArray[np.bool_]:
    """Return which numbers are whole multiples of which steps, as near as rounding explains."""
    tens = numbers[:, None] * inverses
    found: NDArray[np.bool_] = np.abs(tens - np.rint(tens)) <= np.abs(tens) * 2.0**-51
    return found


def _grid(rows: Rows, law: Law) -> dict[str, Any]:
    """Return what tells a grid that has all of the releases."""
    finite = rows[np.isfinite(rows)]
    same = _SAME * law.spread
    with np.errstate(over="ignore", invalid="ignore"):
        gaps = np.diff(np.sort(finite))
        few = np.logical_and.reduce(_whole_tens(finite[:_FEW], DECIMALS), axis=0)
        few[few] = np.logical_and.reduce(_whole_tens(finite, DECIMALS[few]), axis=0)
    bits = trailing_bits(finite[finite != 0])
    return {
        "gap": float(np.min(gaps, initial=NO_STEP, where=gaps > same)),
        "spread": law.spread,
        "linear": law.linear,
        "anchor": float(np.clip(finite[0], -NO_STEP, NO_STEP)) if finite.size else 0.0,
        "finest": math.ldexp(1.0, min(int(bits.min(initial=996)), 996)),
        "decimal": few * finite.size,
        "releases": finite.size,
    }


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
