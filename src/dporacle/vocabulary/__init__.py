"""The vocabulary: every fact about what can be asked, once.

`arguments`, `kinds` of answer, `mechanisms` and `quantities` are tables, one row per fact; all
other parts of the judge read them. Standard library only; nothing is computed here.
"""

from typing import TYPE_CHECKING

from dporacle.vocabulary.arguments import ARGUMENTS, Argument
from dporacle.vocabulary.domains import Domain
from dporacle.vocabulary.kinds import KINDS, Kind
from dporacle.vocabulary.mechanisms import DEEPEST, MechanismRow
from dporacle.vocabulary.quantities import CONTRACTS, QUANTITIES, SERVED, Quantity

if TYPE_CHECKING:
    from dporacle.vocabulary.questions import calibration_of, partner, quantity_of

__all__ = [
    "ARGUMENTS",
    "CONTRACTS",
    "DEEPEST",
    "KINDS",
    "MECHANISMS",
    "QUANTITIES",
    "SERVED",
    "Argument",
    "Domain",
    "Kind",
    "MechanismRow",
    "Quantity",
    "calibration_of",
    "partner",
    "quantity_of",
]

MECHANISMS = {row.mechanism.name: row.mechanism for row in CONTRACTS.values()}
"""Every mechanism by its name."""


def __getattr__(name: str) -> object:
    """Return a function that finds rows: few commands need one."""
    if name not in ("calibration_of", "partner", "quantity_of"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from dporacle.vocabulary import questions

    return getattr(questions, name)
