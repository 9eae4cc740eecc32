"""Which inputs the vectors cover, and why.

Every case is a combination of numbers with one or more flags; a flag is the reason for which the
case exists, and its note says it in a sentence. The cases that have vectors stand in their files,
once; a `cases_*` module draws up new ones, and may go when they are published.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from dporacle.vectors.notes import NOTES
from dporacle.vectors.vector_file import VectorFile, load
from dporacle.vocabulary import QUANTITIES, Quantity
from dporacle.vocabulary.discovery import modules

Number = int | float


class NoCasesError(LookupError):
    """A quantity has neither a file of vectors nor a module that draws up its cases."""


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


_NEW: dict[str, Callable[[], Iterator[GridPoint]]] = {
    group: cases
    for each in modules("dporacle.vectors", prefix="cases_")
    for group, cases in each.CASES.items()
}


@cache
def cases_of(group: str) -> tuple[GridPoint, ...]:
    """Return the cases of a group: those of its file, new ones, and what it is to refuse.

    Raises:
        NoCasesError: if there are none.
    """
    refused = refusals(QUANTITIES[group])
    try:
        published = load(group)
    except FileNotFoundError:  # all are new
        if group not in _NEW:
            raise NoCasesError(
                f"{group} has a row and no cases: a module src/dporacle/vectors/cases_*.py draws "
                f"them up, in CASES[{group!r}] (docs/contributing/vector.md)"
            ) from None
        return merge(_NEW[group](), refused)
    return merge(_published(published), _NEW.get(group, lambda: iter(()))(), refused)


def _published(file: VectorFile) -> Iterator[GridPoint]:
    for vector in file.vectors:
        yield GridPoint(vector.inputs, vector.flags)
    for refusal in file.refusals:
        inputs = {name: float(v) if isinstance(v, str) else v for name, v in refusal.inputs.items()}
        yield GridPoint(inputs, refusal.flags, wrong=refusal.argument)
