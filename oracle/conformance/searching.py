"""Further questions near answers that look worse than those around them.

A fault that is narrow may be met at its edge only, where an answer is still right and merely worse
than its neighbours: less on the safe side. There a few more questions are asked, between it and
its neighbours and beyond it, a few turns long, so that the search goes downhill. What an answer
should be is taken from the float64 witness: it chooses the questions, the proofs judge the answers.

Everything follows from the seed and from the answers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import median

import numpy as np

from dporacle.conformance.behaviour import fresh_case
from dporacle.conformance.cases import Case
from dporacle.conformance.drawing import possible
from dporacle.conformance.judge import Answer
from dporacle.conformance.protocol import Function, read_number
from dporacle.conformance.quantities import QUANTITIES, Quantity

__all__ = ["TURNS", "further"]

TURNS = 3

_SEARCHED = frozenset({"random", "random-typed", "searched"})
_CHOSEN = 3  # answers of a turn that are looked around
_AROUND = 6  # neighbours of an answer
_TOWARDS = 2  # neighbours between which and it one looks
_STEPS = (0.5, -0.5)  # of the way to them
_NOTHING = 2.0**-46  # the float64 witness is as near as that


def further(function: Function, pairs: Sequence[tuple[Case, Answer]], turn: int) -> list[Case]:
    """Return what to ask in this turn; nothing where no answer looks worse than others.

    Args:
        function: who is asked.
        pairs: what it was asked, and what it answered.
        turn: the number of the turn, from 0.
    """
    row = QUANTITIES[function.quantity]
    if row.whole or row.costly:
        return []
    names = [name for name in row.arguments if name in function.arguments]
    known = {case.id for case, _ in pairs}
    points = [(case, value) for case, answer in pairs if (value := _number(case, answer))]
    if len(points) <= _AROUND:
        return []
    cases = [case for case, _ in points]
    places = np.array([[_place(row, name, case) for name in names] for case in cases])
    margins = _margins(row, points)
    ranked = sorted(_worse(places, margins), reverse=True)[:_CHOSEN]
    made: dict[str, Case] = {}
    for _, index, near in ranked:
        for other in near[:_TOWARDS]:
            for step in _STEPS:
                arguments = _moved(row, names, cases[index], cases[other], step / 2**turn)
                case = fresh_case(row.name, "searched", arguments)
                if case.id not in known and _fits(row, names, case):
                    made[case.id] = case
    return [*made.values()]


def _number(case: Case, answer: Answer) -> float | None:
    """Return a positive answer to an everyday input that was drawn."""
    if answer.value is None or _SEARCHED.isdisjoint(case.flags):
        return None
    try:
        value = float(read_number(answer.value))
    except OverflowError:
        return None
    return value if 0 < value < math.inf else None


def _place(row: Quantity, name: str, case: Case) -> float:
    """Return where an argument lies in its usual range, on a logarithmic scale."""
    ends = row.rows[name].usual
    assert ends is not None
    return math.log10(max(case.arguments[name], 1e-30)) / (ends[1] - ends[0])


def _margins(row: Quantity, points: Sequence[tuple[Case, float]]) -> list[float]:
    """Return by how much of it each answer is on the safe side of the float64 witness's."""
    from dporacle import fast

    function = row.of(fast)
    sign = 1 if row.safe == "up" else -1
    found = []
    for case, value in points:
        given = {n: int(v) if n in row.counts else v for n, v in case.arguments.items()}
        try:
            expected = float(function(**given))
        except (ValueError, ArithmeticError):
            expected = math.nan
        found.append(sign * (value / expected - 1) if 0 < expected < math.inf else math.inf)
    return found


def _worse(places: np.ndarray, margins: list[float]) -> Iterator[tuple[float, int, list[int]]]:
    """Yield by how much an answer is worse than the median around it, with its place and those."""
    for index, margin in enumerate(margins):
        if math.isinf(margin):
            continue
        distances = np.abs(places - places[index]).sum(axis=1)
        order = [int(i) for i in np.argsort(distances, kind="stable") if distances[i] > 0]
        near = [i for i in order if math.isfinite(margins[i])][:_AROUND]
        if near and (gap := median(margins[i] for i in near) - margin) > _NOTHING:
            yield gap, index, near


def _moved(
    row: Quantity, names: Sequence[str], case: Case, other: Case, step: float
) -> dict[str, float]:
    """Return the input at a part of the way from one to another, on a logarithmic scale."""
    arguments = dict(case.arguments)
    for name in names:
        here, there = case.arguments[name], other.arguments[name]
        if here > 0 and there > 0:
            arguments[name] = here * (there / here) ** step
        if name in row.counts:
            arguments[name] = float(round(arguments[name]))
    return arguments


def _fits(row: Quantity, names: Sequence[str], case: Case) -> bool:
    for name in names:
        ends, value = row.rows[name].usual, case.arguments[name]
        assert ends is not None
        if value not in row.rows[name].reach or not 10 ** ends[0] <= value <= 10 ** ends[1]:
            return False
    return possible(row, case.arguments)
