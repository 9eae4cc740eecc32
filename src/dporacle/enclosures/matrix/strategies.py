"""Strategy matrices C: their columns and the products of these, exactly.

What is released is Cx + noise: column j holds what the contribution of step j adds to each row.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Protocol

from flint import arb, fmpq, fmpz_mat

from dporacle.enclosures.arithmetic.balls import precision
from dporacle.enclosures.arithmetic.toeplitz import leftmost_square, sqrt_entries

WORK_BITS = 320  # of balls, here and in the semidefinite bounds
_BLOCK = 512  # columns that are multiplied at once
_KEPT_BITS = 52  # of entries, where bounds of their products will do
_MOST_TERMS = 512  # of a Toeplitz matrix that is written out exactly


class Strategy(Protocol):
    """A matrix of which all products of columns are integers over `unit`²."""

    @property
    def size(self) -> int:
        """How many columns it has."""

    @property
    def unit(self) -> int:
        """What its integers are divided by."""

    @property
    def nonnegative(self) -> bool:
        """Whether no entry is negative."""

    @property
    def bandwidth(self) -> int:
        """Some w with Gᵢⱼ = CᵢᵀCⱼ = 0 wherever |i − j| ≥ w."""

    def square(self, pattern: Sequence[int]) -> int:
        """Return ‖Σ Cⱼ‖² over the columns of a pattern, times `unit`²."""

    def gram(self, pattern: Sequence[int]) -> list[list[int]]:
        """Return the products of the columns of a pattern, times `unit`²."""

    def band(self, width: int) -> Iterator[list[int]]:
        """Yield G_{i,i+d} for d < width, row by row, times `unit`²."""

    def magnitudes(self, width: int) -> tuple[int, Iterator[list[int]]]:
        """Return some s, and upper bounds of |G_{i,i+d}| row by row, times `unit`²/2^s."""


@dataclass(frozen=True)
class Dense:
    """Any matrix, given by its columns.

    Attributes:
        columns: the row of a column's first entry, and its integers from there on.
        unit: what these are divided by.
    """

    columns: Sequence[tuple[int, list[int]]]
    unit: int

    @property
    def size(self) -> int:
        """How many columns it has."""
        return len(self.columns)

    @cached_property
    def nonnegative(self) -> bool:
        """Whether no entry is negative."""
        return all(min(entries) >= 0 for _, entries in self.columns)

    @cached_property
    def bandwidth(self) -> int:
        """What the columns' first and last rows alone say of it."""
        starts = [first for first, _ in self.columns]  # in ascending order
        return max(
            bisect_left(starts, first + len(entries)) - index
            for index, (first, entries) in enumerate(self.columns)
        )

    def square(self, pattern: Sequence[int]) -> int:
        """Return ‖Σ Cⱼ‖² over the columns of a pattern, times `unit`²."""
        columns = [self.columns[index] for index in pattern]
        first = min(start for start, _ in columns)
        last = max(start + len(entries) for start, entries in columns)
        total = [0] * (last - first)
        for start, entries in columns:
            here = slice(start - first, start - first + len(entries))
            total[here] = map(int.__add__, total[here], entries)
        return sum(map(int.__mul__, total, total))

    def gram(self, pattern: Sequence[int]) -> list[list[int]]:
        """Return the products of the columns of a pattern, times `unit`²."""
        last = max(
            len(entries) + start for start, entries in map(self.columns.__getitem__, pattern)
        )
        rows = self._block(pattern, min(self.columns[index][0] for index in pattern), last)
        return [[int(each) for each in row] for row in (rows * rows.transpose()).tolist()]

    def _block(self, pattern: Sequence[int], low: int, high: int) -> fmpz_mat:
        """Return the columns of a pattern, as rows, from one row of C to before another."""
        flat: list[int] = []
        for index in pattern:
            start, entries = self.columns[index]
            part = entries[max(low - start, 0) : max(high - start, 0)]
            before = min(max(start - low, 0), high - low)
            flat += [0] * before + part + [0] * (high - low - before - len(part))
        return fmpz_mat(len(pattern), high - low, flat)

    def band(self, width: int) -> Iterator[list[int]]:
        """Yield G_{i,i+d} for d < width, row by row, times `unit`²."""
        n = self.size
        rows = max(start + len(entries) for start, entries in self.columns)
        blocks: dict[tuple[int, int], fmpz_mat] = {}
        groups = [range(low, min(low + _BLOCK, n)) for low in range(0, n, _BLOCK)]
        spans = [
            (
                self.columns[group[0]][0] // _BLOCK,
                -(-max(self.columns[i][0] + len(self.columns[i][1]) for i in group) // _BLOCK),
            )
            for group in groups
        ]
        for place, (low, high) in enumerate(spans):
            for level in range(low, high):
                bottom = min((level + 1) * _BLOCK, rows)
                blocks[place, level] = self._block(groups[place], level * _BLOCK, bottom)
        for i, group in enumerate(groups):
            found = [[0] * min(width, n - row) for row in group]
            for j in range(i, len(groups)):
                levels = range(spans[j][0], min(spans[i][1], spans[j][1]))
                if groups[j][0] - group[-1] >= width or not levels:
                    continue
                total = blocks[i, levels[0]] * blocks[j, levels[0]].transpose()
                for level in levels[1:]:
                    total += blocks[i, level] * blocks[j, level].transpose()
                for row, here, products in zip(group, found, total.tolist(), strict=True):
                    shift = groups[j][0] - row
                    low, high = max(0, -shift), min(len(products), width - shift)
                    here[low + shift : high + shift] = map(int, products[low:high])
            yield from found

    def magnitudes(self, width: int) -> tuple[int, Iterator[list[int]]]:
        """Return some s, and upper bounds of |G_{i,i+d}| row by row, times `unit`²/2^s.

        Entries are cut to what is multiplied fast: less than 1 is lost of each.
        """
        tops = (max(max(entries), -min(entries)) for _, entries in self.columns)
        cut = max(0, max(tops).bit_length() - _KEPT_BITS)
        rough = Dense([(start, [e >> cut for e in each]) for start, each in self.columns], 1)
        lost = [sum(map(abs, entries)) + len(entries) if cut else 0 for _, entries in rough.columns]
        return 2 * cut, (
            [abs(each) + lost[i] + lost[i + d] for d, each in enumerate(row)]
            for i, row in enumerate(rough.band(width))
        )


@dataclass(frozen=True)
class Tree:
    """The sums over all complete nodes of a binary tree on n leaves, its leaves among them."""

    size: int
    unit: int = field(default=1, init=False)

    @property
    def bandwidth(self) -> int:
        """The largest complete node holds so many leaves."""
        return 1 << (self.size.bit_length() - 1)

    def _depth(self, leaf: int) -> int:
        """Return how many complete nodes hold a leaf: those of the lowest levels, without a gap."""
        return (leaf ^ self.size).bit_length()

    def square(self, pattern: Sequence[int]) -> int:
        """Return ‖Σ Cⱼ‖² over the columns of a pattern."""
        if len(pattern) == 1:
            return self._depth(pattern[0])
        counts = Counter(
            (level, leaf >> level) for leaf in pattern for level in range(self._depth(leaf))
        )
        return sum(each * each for each in counts.values())


@dataclass(frozen=True)
class Toeplitz:
    """A lower triangular Toeplitz matrix of numbers c₀ ≥ c₁ ≥ … ≥ 0, exact or in balls."""

    coefficients: Sequence[Fraction] | Sequence[arb]
    size: int

    def square(self, *, most: int, separation: int) -> Fraction | arb:
        """Return ‖Σ Cⱼ‖² over the columns 0, b, 2b, …, at most so many."""
        first = self.coefficients[0]
        if isinstance(first, arb):
            with precision(WORK_BITS):
                return leftmost_square(self.coefficients, self.size, arb(0), most, separation)
        return leftmost_square(self.coefficients, self.size, Fraction(0), most, separation)


def sqrt_toeplitz(size: int, bands: int) -> Toeplitz:
    """Return the square root of the prefix sums, cut to so many bands."""
    with precision(WORK_BITS):
        return Toeplitz(sqrt_entries(min(bands, size)), size)


def blt(decays: Sequence[Fraction], scales: Sequence[Fraction], size: int) -> Strategy | Toeplitz:
    """Return the Toeplitz matrix of buffers: c_0 = 1 and c_t = Σ ωᵢ θᵢ^(t−1).

    Raises:
        ValueError: if it is large and not seen to be decreasing.
    """
    # c_{t+1} ≤ c_t term by term, and c_1 = Σωᵢ ≤ 1 = c_0.
    if all(0 <= each <= 1 for each in decays) and min(scales) >= 0 and sum(scales) <= 1:
        with precision(WORK_BITS):
            rates = [arb(fmpq(each.numerator, each.denominator)) for each in decays]
            terms = [arb(fmpq(each.numerator, each.denominator)) for each in scales]
            found = [arb(1)]
            for _ in range(1, size):
                found.append(sum(terms, arb(0)))
                terms = [term * rate for term, rate in zip(terms, rates, strict=True)]
        return Toeplitz(found, size)
    if size > _MOST_TERMS:
        raise ValueError(
            f"size must be at most {_MOST_TERMS} for buffers whose matrix need not decrease, got "
            f"{size}: it decreases if all decays are in [0, 1], no scale is negative and their sum "
            "is at most 1"
        )
    powers = list(scales)
    exact = [Fraction(1)]
    for _ in range(1, size):
        exact.append(sum(powers, Fraction(0)))
        powers = [power * decay for power, decay in zip(powers, decays, strict=True)]
    return dense_toeplitz(exact)


def dense_toeplitz(coefficients: Sequence[Fraction]) -> Dense:
    """Return the square lower triangular Toeplitz matrix of these, written out."""
    unit = math.lcm(*(each.denominator for each in coefficients))
    whole = [int(each * unit) for each in coefficients]
    return Dense([(start, whole[: len(whole) - start]) for start in range(len(whole))], unit)
