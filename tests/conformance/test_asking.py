"""Patience: what one function leaves of a library's time is for the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from dporacle.conformance import inquiry
from dporacle.conformance.asking import Asking
from dporacle.conformance.cases import Case
from dporacle.conformance.channel import AdapterHungError
from dporacle.conformance.judge import Answer, End, Outcome
from dporacle.conformance.protocol import Capabilities, Ending, Function, Reply
from dporacle.conformance.runner import Fresh, Limits, judge_child


class Tardy:
    """Two functions that take their time."""

    running = False
    spent = 0.0

    def start(self, *, timeout: float) -> Capabilities:
        self.running = True
        functions = [
            Function(name=name, quantity="accuracy", arguments=["alpha", "sigma"])
            for name in ("first", "second")
        ]
        return Capabilities(id="", protocol=2, name="tardy", version="0", functions=functions)

    def run(self, function: str, arguments: Mapping[str, float], *, timeout: float) -> Reply:
        self.spent = 0.02
        return Reply(id="", value=1e308)

    def run_batch(
        self, function: str, inputs: Sequence[Mapping[str, float]], *, timeout: float
    ) -> Sequence[Ending]:
        raise AssertionError("it takes no batches")

    def stop(self) -> bool:
        return True


def test_a_library_has_only_so_much_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inquiry, "_RESERVED", 0.2)
    for library, complete in ((0.6, False), (60.0, True)):
        result = judge_child(Tardy(), "tardy", Limits(library=library), lambda case: True, Fresh())
        outcomes = [[v.outcome for v in item.judged] for item in result.functions]
        for found in outcomes:
            assert found[0] is not Outcome.NOT_ASKED
            assert (Outcome.NOT_ASKED in found) is not complete
        if not complete:
            asked = [len(found) - found.count(Outcome.NOT_ASKED) for found in outcomes]
            assert min(asked) >= 10, "what is reserved for one cannot be used up by the other"
            message = result.functions[0].judged[-1].message
            assert message == "not asked: the function's 0.4 s were used up"


class Stuck:
    """Answers at once, but for inputs with σ above 1, for which it never does."""

    spent = 0.0
    running = False

    def __init__(self) -> None:
        self.limits: list[float] = []

    def start(self, *, timeout: float) -> Capabilities:
        self.running = True
        return Capabilities(id="", protocol=2, name="stuck", version="0", functions=[FUNCTION])

    def run(self, function: str, arguments: Mapping[str, float], *, timeout: float) -> Reply:
        self.spent = 0.001
        if arguments["sigma"] <= 1:
            return Reply(id="", value=1.0)
        self.spent, self.running = timeout, False
        self.limits.append(timeout)
        raise AdapterHungError("never ends")

    def run_batch(
        self, function: str, inputs: Sequence[Mapping[str, float]], *, timeout: float
    ) -> Sequence[Ending]:
        raise AssertionError("it takes no batches")

    def stop(self) -> bool:
        return True


FUNCTION = Function(name="f", quantity="accuracy", arguments=["alpha", "sigma"])


def asked(answered: int, stuck: dict[str, int]) -> tuple[dict[str, list[Answer]], list[float]]:
    """Ask some that are answered first, then so many of each kind that are not."""
    kinds = ["fine"] * answered + [kind for kind, number in stuck.items() for _ in range(number)]
    cases = [
        Case(
            f"accuracy/{n}",
            "accuracy",
            (kind,),
            {"alpha": 0.1, "sigma": float(1 + (kind != "fine"))},
            "",
            True,
            (),
        )
        for n, kind in enumerate(kinds)
    ]
    child = Stuck()
    found: dict[str, list[Answer]] = {}
    for case, answer in Asking(child, FUNCTION, Limits()).answers(cases):
        found.setdefault(case.flags[0], []).append(answer)
    return found, child.limits


def test_two_that_had_all_the_time_there_is_confirm_each_other() -> None:
    found, limits = asked(0, {"a": 2, "b": 1})
    assert limits == [5.0, 5.0, 5.0, 5.0], "the third, alone of its kind, is asked again"
    assert {answer.end for each in found.values() for answer in each} == {End.HUNG}


def test_what_had_less_time_at_first_is_asked_again() -> None:
    found, limits = asked(5, {"a": 3})
    assert limits == [0.5, 0.5, 0.5, 5.0, 5.0]
    assert [answer.end for answer in found["a"]] == 3 * [End.HUNG]
    assert "and 2 of its kind (a) had none at all" in found["a"][2].message
