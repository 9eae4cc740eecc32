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
    cases_release,
    cases_repeated,
)
from dporacle.vectors.grid import Case, Group
from dporacle.vectors.notes import NOTES

__all__ = ["NOTES", "Case", "Group", "groups"]


@cache
def groups() -> tuple[Group, ...]:
    """Return all groups of cases, in the order of the files."""
    return (
        *cases_release.GROUPS,
        *cases_conversions.GROUPS,
        *cases_repeated.GROUPS,
        *cases_discrete.GROUPS,
        *cases_formulas.GROUPS,
        *cases_denoising.GROUPS,
    )
