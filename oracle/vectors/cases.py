"""Which inputs the vectors cover, and why.

Every case is a combination of numbers with one or more flags; a flag is the reason for which the
case exists, and its note says it in a sentence. To add a case is to add it to one of the
`cases_*` files and to run `make vectors`; an id is never given to another input.
"""

from __future__ import annotations

from functools import cache

from dporacle.vectors import (
    cases_conversions,
    cases_denoising,
    cases_discrete,
    cases_formulas,
    cases_laplace,
    cases_release,
    cases_repeated,
)
from dporacle.vectors.grid import GridPoint, merge, refusals
from dporacle.vectors.notes import NOTES
from dporacle.vocabulary import QUANTITIES

__all__ = ["NOTES", "GridPoint", "cases_of"]

_CASES = {
    **cases_release.CASES,
    **cases_conversions.CASES,
    **cases_repeated.CASES,
    **cases_discrete.CASES,
    **cases_formulas.CASES,
    **cases_denoising.CASES,
    **cases_laplace.CASES,
}


@cache
def cases_of(group: str) -> tuple[GridPoint, ...]:
    """Return the cases of a group: those of its file, and what it is to refuse.

    Raises:
        KeyError: if there are none.
    """
    return merge(_CASES[group](), refusals(QUANTITIES[group]))
