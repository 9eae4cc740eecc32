"""Compositions of two events of which one is bad: what the good one costs is the least answer.

An accountant that meets NaN, infinity or zero where the noise of an event should be may refuse. If
it answers, the answer must not be below what the valid event costs by itself: whatever the other
one is, who sees both outputs sees the output of the valid one. So ε = 0 for the whole breaks a
promise, where the same answer to a bad event alone would be no more than a remark.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from dporacle.conformance.ask.cases import Case
from dporacle.conformance.ask.fresh import BAD_EVENT, fresh_case
from dporacle.conformance.ask.random_inputs import possible
from dporacle.conformance.quantities import QUANTITIES, Quantity

_EVENT = ("sigma", "rate", "steps")
_LATER = "later_"
_OF_A_RELATION = {"": "", "add": "_add", "remove": "_remove", "replace-one": "_replace"}
_BAD = (math.nan, math.inf, 0.0, -math.inf)


def single(row: Quantity) -> Quantity | None:
    """Return the quantity of one event alone, of a quantity of two; None for any other."""
    if not {*_EVENT, *(_LATER + name for name in _EVENT)} <= {*row.arguments}:
        return None
    name, _, relation = row.name.partition(", ")
    return QUANTITIES[name.replace("_phases", "") + _OF_A_RELATION[relation]]


def bad_events(row: Quantity, inputs: Sequence[Mapping[str, float]]) -> Iterator[Case]:
    """Yield the cases in which the one or the other of two valid events has bad noise.

    Args:
        row: the quantity of two events.
        inputs: valid inputs; each event of the first is taken whose exact value is proved in time.
    """
    alone = single(row)
    if alone is None:
        return
    for bad, kept in ((_LATER, ""), ("", _LATER)):
        found = ((each, _part(alone, each, kept)) for each in inputs)
        given, part = next((pair for pair in found if possible(alone, pair[1])), ({}, {}))
        if not part:
            continue
        for noise in _BAD:
            case = fresh_case(row.name, BAD_EVENT, {**given, f"{bad}sigma": noise}, valid=False)
            yield replace(case, part=(alone.name, part))


def _part(alone: Quantity, given: Mapping[str, float], kept: str) -> dict[str, float]:
    """Return the event of an input that is kept, as an input of the quantity of one event."""
    return {name: given[kept + name if name in _EVENT else name] for name in alone.arguments}
