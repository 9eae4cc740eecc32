"""The squared sensitivity of a binary tree: whole numbers, from its structure (M9 to M11).

A record in c leaves of a node moves its sum by c contributions at most, so that a pattern counts
Σ c² over the complete nodes. Nothing here grows with the number of leaves: a tree may have 10^18.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import inf
from operator import itemgetter

from dporacle.enclosures.matrix.patterns import Participation

_WIDTHS = (2, 8, 32, 128)  # choices that are kept of each number of steps in a node
_MOST_WORK = 800_000  # pairs of choices that may be formed: some seconds


def leftmost_square(size: int, asked: Participation) -> int:
    """Return Σ c² of the steps 0, b, 2b, …, the worst of a fixed period (M9)."""
    gap, total = asked.separation, 0
    for level in range(size.bit_length()):
        node = 1 << level
        steps = min(asked.most, -(-_covered(size, level) // gap))
        if node <= gap:
            total += steps
            continue
        least = node // gap  # a node holds so many of them, or one more
        full = steps * gap // node
        inside = min(steps, -(-full * node // gap))
        total += (2 * least + 1) * inside - least * (least + 1) * full + (steps - inside) ** 2
    return total


def tree_square(size: int, asked: Participation) -> tuple[int, int, Sequence[int]]:
    """Return what the worst Σ c² is between, and a pattern that has the lower one.

    Both are the same for a fixed period, for separations that are a power of two, and wherever the
    search over all patterns ends (M10, M11).
    """
    pattern: Sequence[int] = range(0, asked.count(size) * asked.separation, asked.separation)
    low = leftmost_square(size, asked)
    if asked.fixed:
        return low, low, pattern
    search = _Search(size, asked)
    high, left = sum(search.caps), _MOST_WORK
    for width in _WIDTHS:
        if low == high or left <= 0:
            break
        below = search.run(low, width, left, hull=False)
        left -= below.work
        if below.best is not None:
            low, pattern = below.best.value, below.best.steps(0, 0)
        if low < high and left > 0:
            above = search.run(low, width, left, hull=True)
            left -= above.work
            if above.ended:
                high = min(high, low if above.best is None else above.best.value)
    return low, high, pattern


def is_leftmost(size: int, asked: Participation) -> bool:
    """Tell whether the steps 0, b, 2b, … are seen to be the worst without a search (M9, M10)."""
    return asked.fixed or leftmost_square(size, asked) == sum(_Search(size, asked).caps)


def _covered(size: int, level: int) -> int:
    """Return how many leaves have a complete node of a level above them: the first ones."""
    return size >> level << level


@dataclass(frozen=True, slots=True)
class _Choice:
    """How the steps of a record in some leaves that follow each other may be put into nodes.

    The next step after these leaves can be `max(earliest, a + c·b − B)` behind them, if the first
    one in them may be at `a`, which must be at most `latest`; c are the steps, B the leaves.

    Attributes:
        value: Σ c² over the complete nodes within.
        earliest: see above; −∞ where there is no step.
        latest: see above; ∞ where there is no step.
        ways: the choices that this one stands for, which have its value, by their `latest`: each
            is made of one for the left leaves, how many these are, and one for the others.
        shift: c·b − B.
    """

    value: int
    earliest: float
    latest: float
    shift: int
    ways: tuple[tuple[float, int, _Choice, _Choice], ...] = ()

    def after(self, first: int) -> int:
        """Return where the next step can be, behind these leaves, if one here can be at `first`."""
        return int(max(self.earliest, first + self.shift))

    def steps(self, start: int, first: int) -> tuple[int, ...]:
        """Return a pattern of this choice, of leaves that begin at `start`.

        The first step of it may be `first` leaves behind the start.
        """
        if not self.ways:
            return () if self.earliest == -inf else (start + max(first, 0),)
        _, size, left, right = next(way for way in self.ways if first <= way[0])
        return left.steps(start, first) + right.steps(start + size, left.after(first))


_Choices = dict[int, list[_Choice]]  # by the number of steps


@dataclass(frozen=True, slots=True)
class _Ended:
    """What a search has found: whether it came to its end, the best choice, and its work."""

    ended: bool
    best: _Choice | None
    work: int


class _Search:
    """The worst pattern of a least separation, put together from node to node (M11)."""

    def __init__(self, size: int, asked: Participation) -> None:
        self.size, self.gap, self.most = size, asked.separation, asked.count(size)
        self.levels = range(size.bit_length())
        self.rooms = [-(-(1 << level) // self.gap) for level in self.levels]  # of a node
        self.caps = []
        for level, room in zip(self.levels, self.rooms, strict=True):
            nodes, rest = divmod(self._steps(level, 0), room)
            self.caps.append(nodes * room**2 + rest**2)
        self.above = [sum(self.caps[level + 1 :]) for level in self.levels]
        self.each = list(accumulate(self.rooms))

    def _steps(self, level: int, wasted: int) -> int:
        """Return how many steps can be in the complete nodes of a level."""
        room = (_covered(self.size, level) + self.gap - 1 - wasted) // self.gap
        return max(0, min(self.most, room))

    def bound(self, level: int, count: int, choice: _Choice) -> int:
        """Return what no pattern exceeds that has a choice in some node of a level."""
        if count:
            latest = min(choice.latest, self.gap - 1)
            wasted = max(0, int(choice.earliest) - choice.shift - int(latest))
        else:
            wasted = max(0, (1 << level) - self.gap + 1)
        within = sum(self.rooms[k] * self._steps(k, wasted) for k in range(level + 1))
        return within - (count * self.each[level] - choice.value) + self.above[level]

    def run(self, least: int, width: int, most_work: int, *, hull: bool) -> _Ended:
        """Search for more than `least`, with so many choices of each node and number of steps.

        Args:
            least: what is known already.
            width: how many choices are kept.
            most_work: how many pairs of choices may be formed.
            hull: whether choices that are too many become one that is better than each of them, so
                that what is found is an upper bound; else some are left out, and it is attained.
        """
        work = 0
        narrow = self._joined if hull else self._few
        trees: list[_Choices] = []
        for level in self.levels:
            if 1 << level <= self.gap:
                trees.append(self._single(level))
                continue
            half = trees[-1]
            work += _pairs(half, half)
            if work > most_work:
                return _Ended(False, None, work)
            found = self._paired(half, half, 1 << (level - 1), own=True)
            trees.append({})
            for count, choices in found.items():
                kept = [
                    (self.bound(level, count, choice), choice) for choice in _undominated(choices)
                ]
                kept = [each for each in kept if each[0] > least]
                if kept:
                    kept.sort(key=itemgetter(0), reverse=True)
                    trees[-1][count] = narrow([choice for _, choice in kept], width)
        whole: _Choices = {0: [_Choice(0, -inf, inf, 0)]}
        done = 0
        for level in reversed(self.levels):
            if self.size >> level & 1:
                work += _pairs(whole, trees[level])
                if work > most_work:
                    return _Ended(False, None, work)
                found = self._paired(whole, trees[level], done, own=False)
                done += 1 << level
                whole = {
                    count: narrow(_undominated(choices), width) for count, choices in found.items()
                }
        everything = (choice for choices in whole.values() for choice in choices)
        best = max(everything, key=lambda choice: choice.value, default=None)
        return _Ended(True, best if best is not None and best.value > least else None, work)

    def _single(self, level: int) -> _Choices:
        """Return the choices of a node with at most one step, which may be anywhere."""
        node = 1 << level
        alone = _Choice(level + 1, self.gap - node, node - 1, self.gap - node)
        return {0: [_Choice(0, -inf, inf, -node)], 1: [alone]}

    def _paired(self, left: _Choices, right: _Choices, size: int, *, own: bool) -> _Choices:
        """Put the choices of leaves together with those of the leaves behind; `own`: of a node."""
        found: dict[int, list[_Choice]] = {}
        for one, lefts in left.items():
            for other, rights in right.items():
                count = one + other
                if count > self.most:
                    continue
                more = count**2 if own else 0
                here = found.setdefault(count, [])
                for a in lefts:
                    for b in rights:
                        if a.earliest <= b.latest:
                            latest = min(a.latest, b.latest - a.shift)
                            here.append(
                                _Choice(
                                    a.value + b.value + more,
                                    max(b.earliest, a.earliest + b.shift),
                                    latest,
                                    a.shift + b.shift,
                                    ((latest, size, a, b),),
                                )
                            )
        return found

    @staticmethod
    def _few(choices: list[_Choice], width: int) -> list[_Choice]:
        return choices[:width]

    @staticmethod
    def _joined(choices: list[_Choice], width: int) -> list[_Choice]:
        if len(choices) <= width:
            return choices
        ordered = sorted(choices, key=lambda each: each.latest)
        length = -(-len(ordered) // width)
        groups = [ordered[at : at + length] for at in range(0, len(ordered), length)]
        return [
            _Choice(
                max(each.value for each in group),
                min(each.earliest for each in group),
                group[-1].latest,
                group[0].shift,
            )
            for group in groups
        ]


def _pairs(left: _Choices, right: _Choices) -> int:
    return sum(map(len, left.values())) * sum(map(len, right.values()))


def _undominated(choices: list[_Choice]) -> list[_Choice]:
    """Return choices of one number of steps, of which one is as good as any other.

    Two of one value are one if the second begins where the first ends: both then leave no time.
    """
    choices.sort(key=lambda each: (-each.value, each.earliest, -each.latest))
    joined: list[_Choice] = []
    for each in choices:
        last = joined[-1] if joined else None
        if last is not None and last.value == each.value:
            if each.latest <= last.latest:
                continue
            if each.earliest <= last.latest + 1 + each.shift:
                ways = last.ways + each.ways
                joined[-1] = _Choice(last.value, last.earliest, each.latest, each.shift, ways)
                continue
        joined.append(each)
    kept: list[_Choice] = []
    for each in joined:
        if not any(o.earliest <= each.earliest and o.latest >= each.latest for o in kept):
            kept.append(each)
    return kept
