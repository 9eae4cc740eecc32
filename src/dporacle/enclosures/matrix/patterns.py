"""Largest sums over the patterns in which a record can take part.

A pattern has at most `most` steps, any two of them at least `separation` apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

_N = TypeVar("_N", int, float)

_Chain = tuple[int, Any] | None
_Entry = tuple[Any, _Chain]  # a value, and the steps that give it


@dataclass(frozen=True, slots=True)
class Participation:
    """In which steps a record may take part.

    Attributes:
        most: at how many.
        separation: how far apart two of them are at least.
        fixed: whether consecutive ones are exactly so far apart.
    """

    most: int
    separation: int
    fixed: bool = False

    def count(self, size: int) -> int:
        """Return how many steps a pattern has at most, of so many."""
        return min(self.most, -(-size // self.separation))

    def leftmost(self, size: int) -> tuple[int, ...]:
        """Return the pattern of every b-th step, from the first on."""
        return tuple(range(0, self.count(size) * self.separation, self.separation))

    def shifts(self, size: int) -> Iterator[tuple[int, ...]]:
        """Yield the patterns of a fixed period that no other contains."""
        length = self.count(size) * self.separation
        for start in range(max(self.separation, size - length + self.separation)):
            if start < size:
                yield tuple(range(start, min(start + length, size), self.separation))


def _steps(chain: _Chain) -> tuple[int, ...]:
    found = []
    while chain is not None:
        found.append(chain[0])
        chain = chain[1]
    return tuple(reversed(found))


def heaviest(weights: Sequence[_N], asked: Participation) -> tuple[_N, tuple[int, ...]]:
    """Return the largest sum of nonnegative weights over a pattern, and the pattern."""
    return heaviest_pairs(weights, lambda i, j: 0, 1, asked)  # type: ignore[return-value]


def heaviest_pairs(
    weights: Sequence[_N],
    pair: Callable[[int, int], int],
    width: int,
    asked: Participation,
    *,
    most_work: float = float("inf"),
) -> tuple[_N, tuple[int, ...]] | None:
    """Return the largest Σ weights + 2Σ pairs over a pattern, or None if that is too much work.

    Args:
        weights: of each step, nonnegative.
        pair: what two steps i < j that are less than `width` apart have together, nonnegative.
        width: how near two steps are that have something together.
        asked: the patterns.
        most_work: how many values may be formed.
    """
    size, gap = len(weights), asked.separation
    # Where the separation alone bounds their number, steps need not be counted.
    counts = asked.count(size) if asked.most < -(-size // gap) else 1
    counted = asked.most < -(-size // gap)
    zero = weights[0] * 0
    nothing: list[_Entry | None] = [(zero, None)] + [None] * counts
    best: list[list[_Entry | None]] = []  # over patterns whose last step is at most i
    ended: list[dict[tuple[int, ...], list[_Entry | None]]] = []
    work = 0
    for i, weight in enumerate(weights):
        here: dict[tuple[int, ...], list[_Entry | None]] = {}
        far = i - max(width, gap)
        sources: list[tuple[tuple[int, ...], list[_Entry | None]]] = [
            ((), best[far] if far >= 0 else nothing)
        ]
        for j in range(max(0, i - width + 1), i - gap + 1):
            sources += ended[j].items()
        work += len(sources) * (counts + 1)
        if work > most_work:
            return None
        for key, values in sources:
            added = weight + 2 * sum(pair(r, i) for r in key if i - r < width)
            kept = tuple(r for r in key if r > i + gap - width) + ((i,) if width > gap else ())
            old = here.setdefault(kept, [None] * (counts + 1))
            for count, entry in enumerate(values):
                index = min(count + 1, counts) if not counted else count + 1
                if entry is None or index > counts:
                    continue
                value = entry[0] + added
                other = old[index]
                if other is None or value > other[0]:
                    old[index] = (value, (i, entry[1]))
        top = list(best[-1]) if best else list(nothing)
        for values in here.values():
            for index, entry in enumerate(values):
                other = top[index]
                if entry is not None and (other is None or entry[0] > other[0]):
                    top[index] = entry
        best.append(top)
        ended.append(here if width > gap else {})
        if width > gap and i >= width:
            ended[i - width] = {}
    value, chain = max((each for each in best[-1] if each is not None), key=lambda each: each[0])
    return value, _steps(chain)


def reach(row: Sequence[float], i: int, asked: Participation, *, exact: bool) -> float:
    """Bound the sum of a row's weights over the others of a pattern through i, from above.

    Args:
        row: nonnegative weights of all steps.
        i: a step of the pattern.
        asked: the patterns.
        exact: whether the largest sum is wanted if the number of steps binds; else one of each
            stretch as long as the separation is taken.
    """
    size, gap = len(row), asked.separation
    left, right = row[max(i - gap, -1) :: -1] if i >= gap else row[:0], row[i + gap :]
    counted = asked.most < -(-size // gap)
    if not counted:
        return _free(left, gap) + _free(right, gap)
    if not exact:
        tops = [
            max(side[low : low + gap]) for side in (left, right) for low in range(0, len(side), gap)
        ]
        return sum(sorted(tops, reverse=True)[: asked.most - 1])
    one, other = (_counted(side, gap, asked.most - 1) for side in (left, right))
    return max(one[c] + other[asked.most - 1 - c] for c in range(asked.most))


def _free(side: Sequence[float], gap: int) -> float:
    best = [0.0] * (len(side) + gap)
    for j in range(len(side) - 1, -1, -1):
        best[j] = max(best[j + 1] if j + 1 < len(side) else 0.0, side[j] + best[j + gap])
    return best[0]


def _counted(side: Sequence[float], gap: int, most: int) -> list[float]:
    nothing = [0.0] * (most + 1)
    best = [nothing] * (len(side) + gap)
    for j in range(len(side) - 1, -1, -1):
        after, then = best[j + 1] if j + 1 < len(side) else nothing, best[j + gap]
        taken = [0.0, *(side[j] + each for each in then[:-1])]
        best[j] = list(map(max, after, taken))
    return best[0]


def maximal(size: int, asked: Participation, limit: int) -> list[tuple[int, ...]] | None:
    """Return patterns, of which one contains any other, or None if they are more than a limit."""
    gap, found = asked.separation, []
    stack: list[tuple[tuple[int, ...], bool]] = [((), False)]  # whether a step can be put between
    seen = 0
    while stack:
        pattern, open_ = stack.pop()
        seen += 1
        if seen > 8 * limit:
            return None
        start = pattern[-1] + gap if pattern else 0
        left = asked.most - len(pattern)
        if not left or start >= size:
            found.append(pattern)
            if len(found) > limit:
                return None
            continue
        for j in range(start, size):
            loose = open_ or j >= start + gap
            if loose and -(-(size - j) // gap) < left:  # it cannot have as many steps as it may
                break
            stack.append(((*pattern, j), loose))
    return found
