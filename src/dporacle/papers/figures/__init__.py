"""The figures of the notes, each computed again by the enclosures.

`dporacle statements --figures` prints them; a test finds each one in the note of its group. Where
a figure is taken at a number that is itself computed, that number is its ball's midpoint, good to
50 digits.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from flint import arb

from dporacle.papers.figures import calibrations, experiments, noise
from dporacle.papers.figures._common import DIGITS

__all__ = ["Figure", "figures"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in a note.

    Attributes:
        group: the note that has it.
        statement: the id of the statement that it is about.
        says: what it is.
        value: its digits.
    """

    group: str
    statement: str
    says: str
    value: str


def figures() -> Iterator[Figure]:
    """Compute all figures, in the order of the notes."""
    for module in (calibrations, noise, experiments):
        for group, statement, says, compute in module.FIGURES:
            yield Figure(group, statement, says, _show(compute()))


def _show(value: arb | int) -> str:
    return value.str(DIGITS, radius=False) if isinstance(value, arb) else str(value)
