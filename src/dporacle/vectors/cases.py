"""Which inputs the vectors cover, and why.

Every case is a combination of numbers with one or more flags; a flag is the reason for which the
case exists, and its note says it in a sentence. To add a case is to add it to one of the
`cases_*` files and to run `make vectors`; an id is never given to another input.
"""

from collections.abc import Callable, Iterator
from functools import cache

from dporacle.vectors.grid import GridPoint, merge, refusals
from dporacle.vectors.notes import NOTES
from dporacle.vocabulary import QUANTITIES
from dporacle.vocabulary.discovery import modules

__all__ = ["NOTES", "GridPoint", "cases_of"]

_CASES: dict[str, Callable[[], Iterator[GridPoint]]] = {
    group: cases
    for each in modules("dporacle.vectors", prefix="cases_")
    for group, cases in each.CASES.items()
}


@cache
def cases_of(group: str) -> tuple[GridPoint, ...]:
    """Return the cases of a group: those of its file, and what it is to refuse.

    Raises:
        KeyError: if there are none.
    """
    return merge(_CASES[group](), refusals(QUANTITIES[group]))
