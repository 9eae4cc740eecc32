"""Draws that leave out no decade: each part of each argument's range is met in every run.

The range that is in use is cut in parts (`Argument.parts`): decades, mostly, and the ends of
probabilities. A run meets each part of each argument, as far as an input there has an exact value
that is proved in time. Beside that, the quarters of all ranges make a lattice. Four draws in a row
are in four different quarters of every argument. So many runs whose seeds follow one another visit
each cell of that lattice in turn; runs with other seeds visit cells by chance.
"""

import itertools
import random
from collections.abc import Iterator, Sequence
from functools import cache

from dporacle.conformance.ask.random_inputs import few_digits, possible
from dporacle.vocabulary import Argument, Quantity

_QUARTERS = 4  # of the range of each argument, in each of which inputs are drawn
_TRIES, _LOOSENED = 2000, 1900  # for a draw, of which the first stay in the cell that is due
_SOUGHT = 4000  # tries for a part that no draw of the cells was in
_MIXED = "cells in no order"


class Covering:
    """The draws of one run."""

    def __init__(
        self,
        generator: random.Random,
        quantity: Quantity,
        names: Sequence[str],
        *,
        seed: int,
        number: int,
    ) -> None:
        """Draw nothing yet.

        Args:
            generator: what everything is drawn from.
            quantity: whose inputs they are.
            names: the arguments that are drawn; the others are their defaults.
            seed: that of the run, by which runs share the cells of the lattice.
            number: how many draws a run makes.
        """
        self._generator = generator
        self._quantity = quantity
        self._names = list(names)
        self._next = seed * number
        self._ends = {name: _ends(quantity.rows[name]) for name in names}
        # No whole number lies in an empty quarter: all tries to draw one there would be lost.
        self._filled = {
            name: [n for n in range(_QUARTERS) if n == _QUARTERS - 1 or ends[n] < ends[n + 1]]
            for name, ends in self._ends.items()
        }
        self._left = {name: set(range(self._parts(name))) for name in names}
        # Parts that were met fewer times than others are due: each in turn, and then once more.
        self._due = {name: set(parts) for name, parts in self._left.items()}

    def draw(self, *, typed: bool = False) -> dict[str, float]:
        """Return the next input.

        Args:
            typed: whether its numbers have few digits, where such a number is near.
        """
        cell = self._cell()
        for attempt in range(_TRIES):
            wanted = cell
            if attempt >= _LOOSENED:  # no such input has an exact value that is proved in time
                wanted = [
                    each
                    if self._generator.random() < 1 / 2
                    else self._generator.randrange(_QUARTERS)
                    for each in cell
                ]
            places = {
                name: self._place(name, quarter, sought=attempt % 2 == 0)
                for name, quarter in zip(self._names, wanted, strict=True)
            }
            found = self._input(places, typed)
            strict = attempt < _LOOSENED
            if found is not None and not (strict and self._quarters(found) != cell):
                return self._met(found)
        while True:
            places = {name: self._generator.random() for name in self._names}
            if (found := self._input(places, typed)) is not None:
                return self._met(found)

    def rest(self) -> Iterator[dict[str, float]]:
        """Yield inputs in the parts that no draw was in; a part that has none is left out."""
        for name, left in self._left.items():
            while left:
                part = min(left)
                for attempt in range(_SOUGHT):
                    places = {
                        other: self._place(other, None, sought=attempt % 2 == 0)
                        for other in self._names
                    }
                    places[name] = (part + self._generator.random()) / self._parts(name)
                    found = self._input(places, False)
                    if found is not None and self.part(self._row(name), found[name]) == part:
                        yield self._met(found)
                        break
                left.discard(part)

    def _row(self, name: str) -> Argument:
        return self._quantity.rows[name]

    def _parts(self, name: str) -> int:
        return len(self._row(name).parts) - 1

    def _cell(self) -> list[int]:
        """Return the quarter of each argument that the next draw is to be in."""
        block, turn = divmod(self._next, _QUARTERS)
        self._next += 1
        order = _order(len(self._names))
        code = order[block % len(order)]
        quarters = [turn]
        for _ in self._names[1:]:
            code, digit = divmod(code, _QUARTERS)
            quarters.append((digit + turn) % _QUARTERS)
        return [
            filled[quarter * len(filled) // _QUARTERS]
            for filled, quarter in zip(self._filled.values(), quarters, strict=True)
        ]

    def _place(self, name: str, quarter: int | None, *, sought: bool) -> float:
        """Return a place in a quarter of an argument's range.

        Args:
            name: the argument.
            quarter: which quarter; None for any.
            sought: whether to stay in the parts that no draw was in, if it has some.
        """
        low, high = 0.0, 1.0
        if quarter is not None:
            low, high = quarter / _QUARTERS, (quarter + 1) / _QUARTERS
        parts = self._parts(name)
        due = [
            (max(low, part / parts), min(high, (part + 1) / parts))
            for part in sorted(self._due[name] if sought else ())
            if max(low, part / parts) < min(high, (part + 1) / parts)
        ]
        return self._generator.uniform(*(self._generator.choice(due) if due else (low, high)))

    def _input(self, places: dict[str, float], typed: bool) -> dict[str, float] | None:
        """Return the input at these places, unless there is no exact value to judge it by."""
        drawn = {name: self._value(name, place, typed) for name, place in places.items()}
        reached = all(value in self._row(name).reach for name, value in drawn.items())
        if not (reached and possible(self._quantity, drawn)):
            return None
        return drawn

    def _quarters(self, drawn: dict[str, float]) -> list[int]:
        return [self._quarter(name, drawn[name]) for name in self._names]

    def _quarter(self, name: str, value: float) -> int:
        """Return in which quarter of an argument's range a value lies."""
        _, *ends = self._ends[name]
        return sum(value >= end for end in ends)

    def _met(self, drawn: dict[str, float]) -> dict[str, float]:
        """Return an input, of whose parts none is due any more."""
        for name, value in drawn.items():
            part = self.part(self._row(name), value)
            self._left[name].discard(part)
            self._due[name].discard(part)
            self._due[name] |= set() if self._due[name] else set(range(self._parts(name)))
        return drawn

    def _value(self, name: str, place: float, typed: bool) -> float:
        """Return the value at a place, or one of few digits in the same quarter and part."""
        row = self._row(name)
        value = row.at(place)
        if not typed:
            return value
        near = few_digits(self._generator, row, value)
        where, here = ((self.part(row, each), self._quarter(name, each)) for each in (near, value))
        return near if where == here else value

    @staticmethod
    def part(row: Argument, value: float) -> int:
        """Return in which part of an argument's range a value lies; −1 where it is in none."""
        parts = row.parts
        for index, (low, high) in enumerate(itertools.pairwise(parts)):
            if low <= value < high or (value == high == parts[-1]):
                return index
        return -1


def _ends(row: Argument) -> list[float]:
    """Return where the quarters of an argument's range begin."""
    return [row.at(quarter / _QUARTERS) for quarter in range(_QUARTERS)]


@cache
def _order(arguments: int) -> tuple[int, ...]:
    """Return all blocks of four cells in an order that is the same in all runs."""
    blocks = list(range(_QUARTERS ** max(0, arguments - 1)))
    random.Random(_MIXED).shuffle(blocks)
    return tuple(blocks)
