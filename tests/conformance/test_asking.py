"""Patience: what one function leaves of a library's time is for the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from dporacle.conformance import inquiry
from dporacle.conformance.judge import Outcome
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
