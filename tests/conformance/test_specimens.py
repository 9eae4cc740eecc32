"""Faulty calibrators are convicted, for the right reason; correct ones are not accused."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest
from dporacle.conformance import report
from dporacle.conformance.cases import Case
from dporacle.conformance.judge import Outcome
from dporacle.conformance.runner import Limits, Result, collect_and_judge, command_target

SCRIPT = Path(__file__).with_name("specimens.py")
LIMITS = Limits(request=0.5, start=30)


def few(case: Case) -> bool:
    """The everyday inputs, the known bugs, a scale and the inputs to be refused."""
    return case.group != "hard"


def judged(name: str) -> Result:
    command = [sys.executable, "-I", "-S", str(SCRIPT), name]
    (result,) = collect_and_judge([command_target(command)], LIMITS, filter_cases=few)
    assert not result.failure
    return result


def counts(result: Result) -> Counter[Outcome]:
    return Counter(v.outcome for item in result.functions for v in item.verdicts)


def test_a_correct_one_is_not_accused() -> None:
    result = judged("correct")
    assert report.exit_status([result]) == 0
    found = counts(result)
    assert set(found) == {Outcome.CONSERVATIVE, Outcome.REFUSES_VALID, Outcome.REFUSES_INVALID}
    assert found[Outcome.CONSERVATIVE] > 40


@pytest.mark.parametrize(
    ("name", "outcome", "case"),
    [
        (
            "classical",
            Outcome.VIOLATING,
            "calibrate_sigma/bug/epsilon=9.0,delta=1e-05,sensitivity=1.0",
        ),
        (
            "clipped",
            Outcome.VIOLATING,
            "calibrate_sigma/core/epsilon=0.001,delta=1e-05,sensitivity=1.0",
        ),
        (
            "variance",
            Outcome.VIOLATING,
            "calibrate_sigma/core/epsilon=10.0,delta=0.001,sensitivity=1.0",
        ),
        (
            "swapped",
            Outcome.ACCEPTS_INVALID,
            "calibrate_sigma/invalid/epsilon=1.0,delta=1.5,sensitivity=1.0",
        ),
        (
            "float32",
            Outcome.VIOLATING,
            "calibrate_sigma/core/epsilon=10.0,delta=1e-09,sensitivity=1.0",
        ),
        (
            "sensitivity_ignored",
            Outcome.VIOLATING,
            "calibrate_sigma/bug/epsilon=1.0,delta=1e-05,sensitivity=2.5",
        ),
        (
            "no_noise",
            Outcome.VIOLATING,
            "calibrate_sigma/bug/epsilon=710.0,delta=1e-05,sensitivity=1.0",
        ),
        (
            "nan_answer",
            Outcome.NON_FINITE,
            "calibrate_sigma/core/epsilon=1.0,delta=1e-05,sensitivity=1.0",
        ),
        (
            "accepts_anything",
            Outcome.ACCEPTS_INVALID,
            "calibrate_sigma/invalid/epsilon=1.0,delta=1.5,sensitivity=1.0",
        ),
        (
            "divides",
            Outcome.CRASH,
            "calibrate_sigma/bug/epsilon=0.0,delta=1e-05,sensitivity=1.0",
        ),
        ("loops", Outcome.HANG, "calibrate_sigma/bug/epsilon=0.0,delta=1e-05,sensitivity=1.0"),
    ],
)
def test_a_faulty_one_is_convicted(name: str, outcome: Outcome, case: str) -> None:
    result = judged(name)
    assert report.exit_status([result]) == 1
    verdicts = {v.case: v for v in result.functions[0].verdicts}
    assert verdicts[case].outcome is outcome, verdicts[case]
