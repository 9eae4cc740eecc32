"""What every accountant owes: a bad event erases no good one, and other laws of compositions.

Of two events of which one is bad, what the good one costs is the least answer.

An accountant that meets NaN, infinity or zero where the noise of an event should be may refuse. If
it answers, the answer must not be below what the valid event costs by itself: whatever the other
one is, who sees both outputs sees the output of the valid one. So ε = 0 for the whole breaks a
promise, where the same answer to a bad event alone would be no more than a remark.

One event more never costs less, two events cost the same in either order, and the same event costs
the same in whichever parts its number is told. Each of these answers is judged by itself too.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from dporacle.conformance.ask.cases import Case
from dporacle.conformance.ask.fresh import (
    BAD_EVENT,
    LISTED,
    ONE_MORE,
    REORDERED,
    ConsistencyRule,
    fresh_case,
)
from dporacle.conformance.ask.random_inputs import possible
from dporacle.conformance.quantities import QUANTITIES, Quantity

_EVENT = ("sigma", "rate", "steps")
_LATER = "later_"
_OF_A_RELATION = {"": "", "add": "_add", "remove": "_remove", "replace-one": "_replace"}
_EACH = 2  # inputs of which a law is asked
_SOMETHING = 1e-12  # of ε or δ
_BAD = (math.nan, math.inf, 0.0, -math.inf)  # noises that no event of a ledger has


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
        inputs: valid inputs; each event of the first is taken that costs something, and whose exact
            value is proved in time.
    """
    alone = single(row)
    if alone is None:
        return
    for bad, kept in ((_LATER, ""), ("", _LATER)):
        found = ((each, _part(alone, each, kept)) for each in inputs)
        given, part = next((pair for pair in found if _costs(alone, pair[1])), ({}, {}))
        if not part:
            continue
        for noise in _BAD:
            case = fresh_case(row.name, BAD_EVENT, {**given, f"{bad}sigma": noise}, valid=False)
            yield replace(case, part=(alone.name, part))


def _costs(alone: Quantity, part: Mapping[str, float]) -> bool:
    """Whether an event is known to cost something, which 0 would be too little for."""
    from dporacle import fast

    counted = {n: int(v) if n in alone.counts else v for n, v in part.items()}
    try:
        return possible(alone, part) and float(alone.of(fast)(**counted)) > _SOMETHING
    except (ValueError, ArithmeticError):
        return False


def _part(alone: Quantity, given: Mapping[str, float], kept: str) -> dict[str, float]:
    """Return the event of an input that is kept, as an input of the quantity of one event."""
    return {name: given[kept + name if name in _EVENT else name] for name in alone.arguments}


def owed(row: Quantity, drawn: Sequence[Case]) -> Iterator[ConsistencyRule]:
    """Yield what the answers to compositions must have to do with each other.

    Args:
        row: the quantity.
        drawn: inputs that were drawn where people work; the first case of a relation is one of
            them, or is to be asked too.
    """
    names = [n for n, each in row.rows.items() if each.uses or each.role == "steps"]
    for name in names:
        # The fewer there are, the more one of them costs.
        few = sorted(drawn, key=lambda case: case.arguments[name])[:_EACH]
        for case in few:
            more = fresh_case(
                row.name, ONE_MORE, {**case.arguments, name: case.arguments[name] + 1}
            )
            side = row.falls(name) - row.rises(name)
            reached = more.arguments[name] in row.rows[name].reach
            if side and reached and possible(row, more.arguments):
                yield ConsistencyRule(ONE_MORE, case, more, side=side)
    alone = single(row)
    if alone is None:
        return
    for case in drawn[:_EACH]:
        turned = {n: case.arguments[_other(n)] for n in row.arguments}
        yield ConsistencyRule(REORDERED, case, fresh_case(row.name, REORDERED, turned))
    parts = (_part(alone, case.arguments, "") for case in drawn)
    for part in [each for each in parts if each["steps"] > _EACH and possible(alone, each)][:_EACH]:
        steps = part["steps"]
        first, second = (
            fresh_case(row.name, LISTED, _told_in(row, part, later)) for later in (1.0, steps // 2)
        )
        yield ConsistencyRule(LISTED, first, second)


def _other(name: str) -> str:
    """Return the argument of the other event."""
    later = _LATER + name
    return (
        name.removeprefix(_LATER)
        if name.startswith(_LATER)
        else (later if name in _EVENT else name)
    )


def _told_in(row: Quantity, part: Mapping[str, float], later: float) -> dict[str, float]:
    """Return one event told as two, of which the second has so many steps."""
    given = {n: part[n.removeprefix(_LATER)] for n in row.arguments}
    return {**given, "steps": part["steps"] - later, "later_steps": later}
