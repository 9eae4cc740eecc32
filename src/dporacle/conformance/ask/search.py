"""Further questions near answers that look worse than those around them.

A fault that is narrow may be met at its edge only, where an answer is still right and merely worse
than its neighbours: less on the safe side. There a few more questions are asked, between it and
its neighbours and beyond it, a few turns long, so that the search goes downhill. What an answer
should be is taken from the float64 witness: it chooses the questions, the proofs judge the answers.

Everything follows from the seed and from the answers.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from dporacle.conformance.ask.answers import Answer
from dporacle.conformance.ask.cases import Case
from dporacle.conformance.ask.fresh import SEARCHED, fresh_case
from dporacle.conformance.ask.random_inputs import possible
from dporacle.conformance.protocol import Function, read_number
from dporacle.conformance.quantities import QUANTITIES

_TURNS = 3
_AMONG = frozenset({"random", "random-typed", SEARCHED})
_CHOSEN = 3  # answers of a turn that are looked around
_AROUND = 6  # neighbours of an answer
_TOWARDS = 2  # neighbours between which and it one looks
_STEPS = (0.5, -0.5)  # of the way to them
_NOTHING = 2.0**-46  # the float64 witness is as near as that


class Search:
    """The further questions to one function."""

    def __init__(self, function: Function) -> None:
        self._row = QUANTITIES[function.quantity]
        self._names = [name for name in self._row.arguments if name in function.arguments]
        self._margins: dict[str, float] = {}

    def turns(self, pairs: Sequence[tuple[Case, Answer]]) -> Iterator[list[Case]]:
        """Yield what to ask in each turn, as long as an answer looks worse than others.

        Args:
            pairs: what was asked, and what was answered; it grows with the turns.
        """
        if self._row.whole or self._row.costly:
            return
        for turn in range(_TURNS):
            if not (cases := self._further(pairs, turn)):
                return
            yield cases

    def _further(self, pairs: Sequence[tuple[Case, Answer]], turn: int) -> list[Case]:
        known = {case.id for case, _ in pairs}
        cases = [case for case, answer in pairs if math.isfinite(self._margin(case, answer))]
        if len(cases) <= _AROUND:
            return []
        made: dict[str, Case] = {}
        for index, near in self._worst(cases):
            for other in near:
                for step in _STEPS:
                    arguments = self._moved(cases[index], cases[other], step / 2**turn)
                    case = fresh_case(self._row.name, SEARCHED, arguments)
                    if case.id not in known and self._fits(case):
                        made[case.id] = case
        return [*made.values()]

    def _margin(self, case: Case, answer: Answer) -> float:
        """Return by what share an answer is on the safe side of the float64 witness's.

        Infinite for what is not to be looked around: no everyday input that was drawn, or no
        positive number.
        """
        if answer.value is None or _AMONG.isdisjoint(case.flags):
            return math.inf
        if case.id not in self._margins:
            self._margins[case.id] = self._share(case, answer.value)
        return self._margins[case.id]

    def _share(self, case: Case, answer: float | str | Fraction) -> float:
        from dporacle import fast

        given = {n: int(v) if n in self._row.counts else v for n, v in case.arguments.items()}
        try:
            value, expected = float(read_number(answer)), float(self._row.of(fast)(**given))
        except (ValueError, ArithmeticError):
            return math.inf
        if not (0 < value < math.inf and 0 < expected < math.inf):
            return math.inf
        return (1 if self._row.safe == "up" else -1) * (value / expected - 1)

    def _worst(self, cases: Sequence[Case]) -> Iterator[tuple[int, list[int]]]:
        """Yield the answers that are worst beside the median around them, and their nearest."""
        places = np.array([self._place(case) for case in cases])
        margins = np.array([self._margins[case.id] for case in cases])
        distances = np.abs(places[:, None, :] - places[None, :, :]).sum(axis=2)
        distances[distances == 0] = math.inf  # itself
        near = np.argsort(distances, axis=1, kind="stable")[:, :_AROUND]
        gaps = np.median(margins[near], axis=1) - margins
        for index in np.argsort(-gaps, kind="stable")[:_CHOSEN]:
            if gaps[index] > _NOTHING:
                yield int(index), [int(i) for i in near[index][:_TOWARDS]]

    def _place(self, case: Case) -> list[float]:
        """Return where an input lies in its usual range, on a logarithmic scale."""
        return [
            math.log10(max(case.arguments[name], 1e-30)) / (high - low)
            for name, (low, high) in self._ranges()
        ]

    def _ranges(self) -> Iterator[tuple[str, tuple[float, float]]]:
        for name in self._names:
            ends = self._row.rows[name].usual
            assert ends is not None, f"{self._row.name} is served, and {name} has no range"
            yield name, ends

    def _moved(self, case: Case, other: Case, step: float) -> dict[str, float]:
        """Return the input at a part of the way from one to another, on a logarithmic scale."""
        arguments = dict(case.arguments)
        for name in self._names:
            here, there = case.arguments[name], other.arguments[name]
            if here > 0 and there > 0:
                arguments[name] = here * (there / here) ** step
            if name in self._row.counts:
                arguments[name] = float(round(arguments[name]))
        return arguments

    def _fits(self, case: Case) -> bool:
        inside = all(
            10**low <= case.arguments[name] <= 10**high
            and case.arguments[name] in self._row.rows[name].reach
            for name, (low, high) in self._ranges()
        )
        return inside and possible(self._row, case.arguments)
