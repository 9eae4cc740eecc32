"""Faulty calibrators are convicted, for the right reason; correct ones are not accused."""

import sys
from collections import Counter
from pathlib import Path

import pytest

from dporacle.conformance.ask.cases import Case
from dporacle.conformance.judge.outcomes import Outcome
from dporacle.conformance.run.runner import Fresh, Limits, Result, collect_and_judge, command_target
from dporacle.report import terminal

SCRIPT = Path(__file__).with_name("specimens.py")
LIMITS = Limits(request=0.5, start=30)


def few(case: Case) -> bool:
    """The everyday inputs, a few hard ones, other sensitivities, and those to be refused."""
    everyday = set(case.flags) & {"core", "scaled", "exp-overflow", "zero-epsilon"}
    return (
        not case.valid
        or (bool(everyday) and case.arguments["delta"] == 1e-5)
        or "core" in case.flags
    )


def judged(name: str) -> Result:
    command = [sys.executable, "-I", "-S", str(SCRIPT), name]
    (result,) = collect_and_judge(
        [command_target(command)], LIMITS, filter_cases=few, fresh=Fresh(rounds=4, seed=5)
    )
    assert not result.failure
    return result


def counts(result: Result) -> Counter[Outcome]:
    return Counter(v.outcome for item in result.functions for v in item.judged)


def test_a_correct_one_is_not_accused() -> None:
    result = judged("correct")
    assert terminal.exit_status([result]) == 0
    found = counts(result)
    assert set(found) == {Outcome.CONSERVATIVE, Outcome.REFUSES_VALID, Outcome.REFUSES_INVALID}
    assert found[Outcome.CONSERVATIVE] > 40


@pytest.mark.parametrize(
    ("name", "outcome", "case"),
    [
        ("classical", Outcome.VIOLATING, "calibrate_sigma/epsilon=10;delta=1e-05;sensitivity=1"),
        ("clipped", Outcome.VIOLATING, "calibrate_sigma/epsilon=0.001;delta=1e-05;sensitivity=1"),
        ("variance", Outcome.VIOLATING, "calibrate_sigma/epsilon=10;delta=0.001;sensitivity=1"),
        ("swapped", Outcome.ACCEPTS_INVALID, "calibrate_sigma/epsilon=1;delta=1.5;sensitivity=1"),
        ("float32", Outcome.VIOLATING, "calibrate_sigma/epsilon=10;delta=1e-09;sensitivity=1"),
        (
            "sensitivity_ignored",
            Outcome.VIOLATING,
            "calibrate_sigma/epsilon=1;delta=1e-05;sensitivity=3",
        ),
        ("no_noise", Outcome.VIOLATING, "calibrate_sigma/epsilon=710;delta=1e-05;sensitivity=1"),
        ("nan_answer", Outcome.NON_FINITE, "calibrate_sigma/epsilon=1;delta=1e-05;sensitivity=1"),
        (
            "accepts_anything",
            Outcome.ACCEPTS_INVALID,
            "calibrate_sigma/epsilon=1;delta=1.5;sensitivity=1",
        ),
        ("divides", Outcome.CRASH, "calibrate_sigma/epsilon=0;delta=1e-05;sensitivity=1"),
        ("loops", Outcome.HANG, "calibrate_sigma/epsilon=0;delta=1e-05;sensitivity=1"),
    ],
)
def test_a_faulty_one_is_convicted(name: str, outcome: Outcome, case: str) -> None:
    result = judged(name)
    assert terminal.exit_status([result]) == 1
    by_case = {v.case: v for v in result.functions[0].judged}
    assert by_case[case].outcome is outcome, by_case[case]
