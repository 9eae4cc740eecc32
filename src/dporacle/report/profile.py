"""What a library declares, and the verdict on that alone.

Relations, sampling and mechanisms are those that its adapter names, domains those that its
documentation states. What it never promised is not held against it: inputs outside of what it
declares, inputs that are to be refused, and an estimate that lies on either side.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from dporacle.conformance.grade.grades import graded
from dporacle.conformance.grade.runs import FunctionResult
from dporacle.conformance.judge.outcomes import JudgedCase, Outcome
from dporacle.conformance.libraries.declared import Declared, declared
from dporacle.conformance.quantities import QUANTITIES
from dporacle.vocabulary.relations import NORMS

ESTIMATE = "an estimate, no bound"
"""In the place of a grade: nothing is promised of either side."""


def grade(library: str, item: FunctionResult) -> str:
    """Return a function's grade on what its library declares of it."""
    about = declared(library, item.function.name)
    if about.estimate:
        return ESTIMATE
    judged = [each for each in item.judged if _promised(about, each)]
    if len(judged) == len(item.judged):
        return item.graded.text
    enough = item.state != "not judged" and any(each.asked for each in judged)
    return graded(judged, item.function.quantity, enough=enough).text


def _promised(about: Declared, case: JudgedCase) -> bool:
    if case.outcome in (Outcome.ACCEPTS_INVALID, Outcome.REFUSES_INVALID):
        return False
    try:
        given = {name: float.fromhex(text) for name, text in case.arguments.items()}
    except (ValueError, OverflowError):
        return True
    return about.covers(given)


@dataclass(frozen=True)
class Capability:
    """What functions of a library are for.

    Attributes:
        mechanism: what is done.
        relation: which data sets are neighbours.
        functions: the functions.
    """

    mechanism: str
    relation: str
    functions: tuple[str, ...]


def capabilities(functions: Iterable[tuple[str, str]]) -> list[Capability]:
    """Return what functions are for, by mechanism and relation.

    Args:
        functions: function and quantity, with the relation that it names.
    """
    found: dict[tuple[str, str], list[str]] = {}
    for function, quantity in functions:
        row = QUANTITIES.get(quantity)
        named = quantity.rpartition(", ")[2]
        meaning = row.mechanism.meaning if row else quantity
        relation = named if named in NORMS else " or ".join(row.mechanism.neighbours if row else ())
        found.setdefault((meaning, relation), []).append(function)
    return [Capability(*key, tuple(names)) for key, names in found.items()]
