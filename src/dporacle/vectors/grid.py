"""What a case is, and the numbers that all groups share."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from dporacle.vectors.notes import NOTES
from dporacle.vocabulary import Quantity

Number = int | float


@dataclass(frozen=True, slots=True)
class GridPoint:
    """Inputs and the flags that explain them; `wrong` names the argument to be refused.

    An integer among the inputs is an argument that counts something.
    """

    inputs: dict[str, Number]
    flags: tuple[str, ...]
    wrong: str | None = None

    @property
    def id(self) -> str:
        """The case's stable id: its inputs, spelt."""
        return ";".join(f"{name}={_spell(value)}" for name, value in self.inputs.items())


def _spell(value: Number) -> str:
    return repr(value).removesuffix(".0")


def merge(*sources: Iterator[GridPoint]) -> tuple[GridPoint, ...]:
    """Return the cases once each, with the flags of all their mentions."""
    merged: dict[str, GridPoint] = {}
    for case in itertools.chain(*sources):
        known = merged.get(case.id)
        flags = tuple(dict.fromkeys((*(known.flags if known else ()), *case.flags)))
        merged[case.id] = GridPoint(case.inputs, flags, case.wrong)
    return tuple(merged.values())


def refusals(row: Quantity) -> Iterator[GridPoint]:
    """Yield a quantity's everyday input with one argument made wrong."""
    valid = {name: argument.everyday for name, argument in row.rows.items()}
    for name, argument in row.rows.items():
        for value in argument.refused:
            flag = f"zero-{name}"
            flags = (flag,) if value == 0 and flag in NOTES else ("nonsense",)
            yield GridPoint({**valid, name: value}, flags, wrong=name)
