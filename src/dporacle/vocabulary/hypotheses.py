"""What an answer is proved under: each hypothesis once, by its name.

An answer carries the hypotheses of its own theorem. Whoever prints it prints these, and has no list
of its own.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from dporacle.vocabulary.reading import rows_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """Something that an answer is proved under.

    Attributes:
        id: its name, which is the same in every answer and format.
        says: it, as a sentence without its full stop.
        condition: what follows "HOLDS if" in the first line of a verdict; empty where a claim
            that holds would hold without it too, or where the claim itself states it.
    """

    id: str
    says: str
    condition: str = ""


HYPOTHESES: Mapping[str, Hypothesis] = {
    row["id"]: Hypothesis(**row) for row in rows_of("hypotheses")
}
"""Every hypothesis by its name, before numbers are written into it."""


def hypothesis(name: str, /, **numbers: Any) -> Hypothesis:
    """Return a hypothesis by its name, with its numbers written into its sentences.

    Raises:
        KeyError: if there is no such hypothesis, or a number of it is missing.
    """
    row = HYPOTHESES[name]
    return replace(row, says=row.says.format(**numbers), condition=row.condition.format(**numbers))


def stated(found: Iterable[Hypothesis], *names: str) -> tuple[Hypothesis, ...]:
    """Return hypotheses of which some, by name, are stated by the claim itself: no conditions."""
    return tuple(replace(each, condition="") if each.id in names else each for each in found)


def conditions(found: Iterable[Hypothesis]) -> str:
    """Return what has to be said in the first line of a verdict that holds; may be empty."""
    said = [each.condition for each in found if each.condition]
    if len(said) > 2:  # a row of "and" does not show where a condition ends
        return f"if {', '.join(said[:-1])}, and {said[-1]}"
    return f"if {' and '.join(said)}" if said else ""
