"""The squared sensitivity of a matrix mechanism: exact where it is known how, else two ends.

It is the largest ‖Σ Cⱼ ⊗ uⱼ‖² over patterns of participation and |uⱼ| ≤ 1 (X.COMP).
"""

from __future__ import annotations

import itertools
import math
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.matrix import semidefinite
from dporacle.enclosures.matrix.patterns import (
    Participation,
    heaviest,
    heaviest_pairs,
    maximal,
    reach,
)
from dporacle.enclosures.matrix.strategies import Strategy, Toeplitz, Tree
from dporacle.enclosures.matrix.trees import tree_square

__all__ = ["Participation", "Sensitivity", "sensitivity"]

_MOST_EXACT = 2_500_000  # products of columns that are kept exactly
_MOST_WORK = 3_000_000  # values that an exact search may form
_MOST_PATTERNS = 4000  # of 12 steps there are never so many
_MOST_COUNTED = 20_000_000  # sums that count how often: each step fills a table of both
_FLOAT_BITS = 900  # integers are cut to what float64 holds
_SLACK = 1 + 2.0**-38  # float64 sums of up to 2¹³ nonnegative terms, each rounded up to three times
_TRIES = 200  # moves to a worse pattern: each pattern has a sensitivity that is proved


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """A squared sensitivity.

    Attributes:
        low: it is at least this: a pattern attains it.
        high: and at most this.
        method: how both were found.
        pattern: one that attains the lower end.
    """

    low: Fraction
    high: Fraction
    method: str
    pattern: Sequence[int]
    exact: bool


def sensitivity(strategy: Strategy | Toeplitz | Tree, asked: Participation) -> Sensitivity:
    """Enclose the squared sensitivity of a strategy under patterns of participation."""
    size = strategy.size
    if isinstance(strategy, Toeplitz):
        value = strategy.square(most=asked.count(size), separation=asked.separation)
        low, high = bounds(value) if isinstance(value, arb) else (value, value)
        return Sensitivity(
            low, high, "decreasing Toeplitz: the leftmost pattern", asked.leftmost(size), True
        )
    if isinstance(strategy, Tree):
        below, above, pattern = tree_square(size, asked)
        method = "tree: the counts of its nodes"
        return Sensitivity(Fraction(below), Fraction(above), method, pattern, below == above)
    square = strategy.unit**2
    if asked.count(size) == 1:
        diagonal = _diagonal(strategy)
        top = max(diagonal)
        return _exactly(
            top, square, "single participation: the longest column", diagonal.index(top)
        )
    if asked.fixed:
        return _over(strategy, asked.shifts(size), "fixed period: all patterns")
    if strategy.bandwidth <= asked.separation:
        top, steps = heaviest(_diagonal(strategy), asked)
        return Sensitivity(
            *(Fraction(top, square),) * 2, "orthogonal columns: dynamic programme", steps, True
        )
    return _Searched(strategy, asked).answer()


def _exactly(value: int, square: int, method: str, *pattern: int) -> Sensitivity:
    found = Fraction(value, square)
    return Sensitivity(found, found, method, pattern, True)


def _diagonal(strategy: Strategy) -> list[int]:
    return [strategy.square((index,)) for index in range(strategy.size)]


def _over(strategy: Strategy, patterns: Iterable[tuple[int, ...]], method: str) -> Sensitivity:
    """Return the largest over patterns that are listed."""
    square = strategy.unit**2
    low, high = Fraction(-1), Fraction(0)
    best: tuple[int, ...] = ()
    for pattern in patterns:
        if strategy.nonnegative:
            below = above = Fraction(strategy.square(pattern))
        else:
            gram = strategy.gram(pattern)
            most = sum(abs(each) for row in gram for each in row)
            if most <= low:
                continue
            below, above = semidefinite.largest(gram)
        high = max(high, above)
        if below > low:
            low, best = below, pattern
    exact = low == high
    if not exact:
        method += ", vectors from below and a diagonal from above"
    return Sensitivity(low / square, high / square, method, best, exact)


class _Searched:
    """A search over all patterns of a least separation, where columns meet."""

    def __init__(self, strategy: Strategy, asked: Participation) -> None:
        self.strategy, self.asked = strategy, asked
        self.size = strategy.size
        self.width = min(strategy.bandwidth, self.size)

    def answer(self) -> Sensitivity:
        if self.size * self.width <= _MOST_EXACT:
            rows = list(self.strategy.band(self.width))
            width = 1 + max(d for row in rows for d, each in enumerate(row) if each)
            if self._balanced(rows):
                found = heaviest_pairs(
                    [row[0] for row in rows],
                    lambda i, j: abs(rows[i][j - i]),
                    width,
                    self.asked,
                    most_work=_MOST_WORK,
                )
                if found is not None:
                    top, pattern = found
                    method = "all patterns: dynamic programme over the steps that meet"
                    return _exactly(top, self.strategy.unit**2, method, *pattern)
            else:
                if width <= self.asked.separation:
                    top, pattern = heaviest([row[0] for row in rows], self.asked)
                    method = "orthogonal columns: dynamic programme"
                    return _exactly(top, self.strategy.unit**2, method, *pattern)
                patterns = maximal(self.size, self.asked, _MOST_PATTERNS)
                if patterns is not None:
                    return _over(self.strategy, patterns, "all patterns")
            most = max(row[0] for row in rows).bit_length()
            shift = max(0, most - _FLOAT_BITS)
            cut = ([(abs(each) >> shift) + bool(shift) for each in row] for row in rows)
            return self._bounded(shift, cut)
        return self._bounded(*self.strategy.magnitudes(self.width))

    def _balanced(self, rows: list[list[int]]) -> bool:
        """Whether signs make all products of columns that can meet nonnegative."""
        if self.strategy.nonnegative:
            return True
        gap = self.asked.separation
        parent, odd = list(range(self.size)), [False] * self.size

        def root(i: int) -> tuple[int, bool]:
            sign = False
            while parent[i] != i:
                sign ^= odd[i]
                i = parent[i]
            return i, sign

        for i, row in enumerate(rows):
            for d in range(gap, len(row)):
                if not row[d]:
                    continue
                (a, first), (b, second) = root(i), root(i + d)
                differ = row[d] < 0
                if a == b and first ^ second != differ:
                    return False
                if a != b:
                    parent[a], odd[a] = b, first ^ second ^ differ
        return True

    def _bounded(self, shift: int, rows: Iterable[list[int]]) -> Sensitivity:
        """Bound it by what each step can share with the others of a pattern.

        The rows are upper bounds of the products' magnitudes, over 2^shift.
        """
        size, asked, square = self.size, self.asked, self.strategy.unit**2
        near = [array("d", bytes(8 * size)) for _ in range(size)]
        for i, row in enumerate(rows):
            for d, each in enumerate(row):
                near[i][i + d] = near[i + d][i] = float(each)
        counted = size * size * asked.most <= _MOST_COUNTED
        shares = [row[i] + reach(row, i, asked, exact=counted) for i, row in enumerate(near)]
        most, pattern = heaviest(shares, asked)
        high = Fraction(most * _SLACK) * (1 << shift)
        if self.strategy.nonnegative:  # then it is an integer
            high = Fraction(math.floor(high))
        low, best = self._from_below([pattern, asked.leftmost(size), *asked.shifts(size)], near)
        return Sensitivity(
            low / square,
            max(low, high) / square,
            "a pattern from below, the largest share of each step from above",
            best,
            low == high,
        )

    def _from_below(
        self, patterns: list[tuple[int, ...]], near: list[array[float]]
    ) -> tuple[Fraction, tuple[int, ...]]:
        """Return what the best pattern found attains, after a few steps uphill."""

        def rough(pattern: tuple[int, ...]) -> float:
            return sum(near[i][j] for i in pattern for j in pattern)

        # A pattern costs the square of its participations, and a step uphill twice their cube.
        limit = max(2, 4_000_000 // len(patterns[0]) ** 2)
        best = max(patterns[:limit], key=rough)
        value = rough(best)
        for _ in range(max(1, min(_TRIES, 1_000_000 // len(best) ** 3))):
            moved = [
                (*best[:place], best[place] + step, *best[place + 1 :])
                for place in range(len(best))
                for step in (-1, 1)
            ]
            top = max((each for each in moved if self._admissible(each)), key=rough, default=best)
            if rough(top) <= value:
                break
            best, value = top, rough(top)
        if self.strategy.nonnegative:
            return Fraction(self.strategy.square(best)), best
        return semidefinite.largest(self.strategy.gram(best))[0], best

    def _admissible(self, pattern: tuple[int, ...]) -> bool:
        gaps = (b - a for a, b in itertools.pairwise(pattern))
        inside = min(pattern) >= 0 and max(pattern) < self.size
        return inside and all(gap >= self.asked.separation for gap in gaps)
