"""Adaptive search: further questions near answers that are worse than those around them."""

import math
from collections.abc import Callable

import pytest
from conformance.faking import Faked

from dporacle import fast
from dporacle.conformance.ask import search
from dporacle.conformance.judge.outcomes import JudgedCase
from dporacle.conformance.run.runner import Fresh, Patience, judge_child

ROUNDS = 12


def searched(
    quantity: str, answer: Callable[..., float], seed: int
) -> tuple[list[JudgedCase], list[JudgedCase]]:
    """What was drawn, and what was asked besides, of a run without vectors."""
    child = Faked({"f": (quantity, answer)})
    fresh = Fresh(rounds=ROUNDS, seed=seed)
    result = judge_child(child, "faked", Patience(), lambda case: False, fresh)
    assert not result.failure
    judged = [case for case in result.functions[0].judged if case.flags != ("repeat",)]
    further = [case for case in judged if "searched" in case.flags]
    return [case for case in judged if "searched" not in case.flags], further


def dip(epsilon: float, delta: float, sensitivity: float) -> float:
    """0.4 % of extra noise, and less of it around ε = 43, where it becomes too little."""
    exact = fast.calibrate_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    return float(exact) * (1.004 - 0.0046 * math.exp(-((math.log(epsilon / 43) / 0.3) ** 2)))


def test_the_search_goes_downhill() -> None:
    """In some of these runs no drawn input meets the fault, and its edge leads to it."""
    found = {}
    for seed in range(12):
        drawn, further = searched("calibrate_sigma", dip, seed)
        found[seed] = [
            sum(case.outcome == "violating" for case in each) for each in (drawn, further)
        ]
        assert sum("repeat" not in case.flags for case in further) <= 36  # 3 turns of 3·2·2
    assert any(not drawn and further for drawn, further in found.values()), found
    assert sum(further > 0 for _, further in found.values()) >= 6, found


def test_the_search_is_the_same_each_time() -> None:
    first, second = (searched("calibrate_sigma", dip, 3)[1] for _ in range(2))
    assert [case.case for case in first] == [case.case for case in second]


@pytest.mark.parametrize("quantity", ["calibrate_sigma", "delta_at_epsilon", "repeated_epsilon"])
def test_nobody_who_is_right_is_searched(quantity: str) -> None:
    function = getattr(fast, quantity)

    def right(**given: float) -> float:
        counts = {"releases": int(given["releases"])} if "releases" in given else {}
        return float(function(**{**given, **counts}))

    assert not searched(quantity, right, 1)[1]


def test_no_turns_no_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_TURNS", 0)
    assert not searched("calibrate_sigma", dip, 0)[1]
