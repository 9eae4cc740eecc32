"""Batches: many answers in a line, and a culprit that is found when the line does not come."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dporacle.conformance import protocol
from dporacle.conformance.ask.answers import Answer, End
from dporacle.conformance.ask.cases import Case, all_cases
from dporacle.conformance.ask.one_function import Asking
from dporacle.conformance.grade.runs import judgement
from dporacle.conformance.judge.outcomes import Outcome
from dporacle.conformance.libraries.pinned import SELF
from dporacle.conformance.process.adapter import AdapterProcess
from dporacle.conformance.run.runner import (
    Patience,
    collect_and_judge,
    command_target,
    library_target,
)
from support.dear import mostly_dear

HERE = Path(__file__).parent
LIMITS = Patience(request=0.5, start=30)
CORE = [c for c in all_cases() if c.quantity == "calibrate_sigma" and "core" in c.flags][:30]
ZERO = next(c for c in all_cases() if c.arguments.get("epsilon") == 0 and c.valid)


def answers(mode: str, cases: list[Case]) -> list[Answer]:
    command = [sys.executable, "-I", "-S", str(HERE / "misbehaving.py"), mode]
    with AdapterProcess(command) as child:
        (function,) = child.start(timeout=30).functions
        pairs = list(Asking(child, function, LIMITS).answers(cases))
    found = {case.id: answer for case, answer in pairs}  # what took too long comes last
    assert len(pairs) == len(found) == len(cases)
    return [found[case.id] for case in cases]


def test_a_batch_is_answered() -> None:
    found = answers("batch-fine", [*CORE, ZERO])
    assert {(answer.end, answer.value) for answer in found} == {(End.VALUE, 1e306)}


@pytest.mark.parametrize(
    ("mode", "kind"), [("batch-hang-at-zero", End.HUNG), ("batch-crash-at-zero", End.DIED)]
)
def test_the_culprit_in_a_batch_is_found(mode: str, kind: End) -> None:
    cases = [*CORE[:9], ZERO, *CORE[9:]]
    found = answers(mode, cases)
    assert [answer.end for answer in found].count(kind) == 1
    assert found[9].end is kind
    assert "batch" not in found[9].message
    assert {answer.value for answer in found if answer.end is End.VALUE} == {1e306}


@pytest.mark.parametrize(
    ("mode", "kind", "words"),
    [
        ("batch-hang", End.HUNG, "no answer within"),
        ("batch-crash", End.DIED, "exited with status 9"),
        ("batch-short", End.BROKE_PROTOCOL, "19 answers to 20 inputs"),
        ("batch-long", End.BROKE_PROTOCOL, "21 answers to 20 inputs"),
        ("batch-one-bad", End.BROKE_PROTOCOL, "exactly one of"),
        ("batch-single-answer", End.BROKE_PROTOCOL, "unknown field `value`"),
    ],
)
def test_what_fails_only_in_a_batch_is_told(mode: str, kind: End, words: str) -> None:
    found = answers(mode, CORE)
    assert found[0].end is kind
    assert "in a batch of 20, and not with any of them alone" in found[0].message
    assert words in found[0].message
    # The second batch of this run has 10 inputs, and is tried too.
    assert [answer.end for answer in found].count(kind) == 2
    assert all(answer.value == 1e306 for answer in found[1:20])


def test_broken_batches_come_to_an_end() -> None:
    cases = [c for c in all_cases() if c.quantity == "calibrate_sigma"][:120]
    found = answers("batch-crash", cases)
    assert [answer.end for answer in found].count(End.DIED) == LIMITS.batches


def test_a_zero_that_zeroes_a_batch_is_convicted() -> None:
    """What is to be refused stands among the others."""
    command = [sys.executable, "-I", "-S", str(HERE / "misbehaving.py"), "batch-zeroes"]
    (result,) = collect_and_judge([command_target(command)], LIMITS)
    judged = result.functions[0].judged
    asked = {v.case for v in judged}
    assert {c.id for c in all_cases() if c.quantity == "calibrate_sigma"} == asked
    assert len(judged) == len(asked)
    zeroed = [v for v in judged if v.outcome is Outcome.VIOLATING and v.answer == (0.0).hex()]
    assert len(zeroed) >= 10
    assert all(float.fromhex(v.arguments["sensitivity"]) > 0 for v in zeroed)


def test_answers_in_batches_are_the_same() -> None:
    """The project's own functions take arrays: each element is what it is alone."""
    with AdapterProcess(library_target(SELF).prepare()) as child:
        together = [each for each in child.start(timeout=60).functions if each.batch > 1]
        assert len(together) == 7
        for function in together:
            assert function.batch > 50
            cases = [c for c in all_cases() if c.quantity == function.quantity][::3]
            asked = Asking(child, function, Patience())
            for case, answer in asked.answers(cases):
                alone = asked.ask(case)
                assert (answer.end, answer.value) == (alone.end, alone.value), case.id


@pytest.mark.parametrize(("judge", "chosen"), mostly_dear([(1, 1), (2, 2), (3, 3), (7, 3)], 2))
def test_our_adapters_choose_a_version_that_both_speak(judge: int, chosen: int) -> None:
    """An old judge refuses fields that it does not know, so it is not told of batches."""
    start = protocol.encode(protocol.Start(id="a", protocol=judge))
    command = list(library_target(SELF).prepare())
    said = subprocess.run(command, input=start, capture_output=True, check=True, timeout=60).stdout
    capabilities = json.loads(said)
    assert capabilities["protocol"] == chosen
    assert any("batch" in each for each in capabilities["functions"]) is (chosen > 1)


@pytest.mark.parametrize("mode", ["skips", "refuses"])
def test_nobody_is_conformant_by_silence(mode: str) -> None:
    command = [sys.executable, "-I", "-S", str(HERE / "misbehaving.py"), mode]
    (result,) = collect_and_judge(
        [command_target(command)], LIMITS, filter_cases=lambda case: "core" in case.flags
    )
    assert judgement([result]).status == 3
    assert not result.failure


def test_who_does_not_start_again_is_given_up(tmp_path: Path) -> None:
    mark = str(tmp_path / "started")
    command = [sys.executable, "-I", "-S", str(HERE / "misbehaving.py"), "starts-once", mark]
    (result,) = collect_and_judge([command_target(command)], LIMITS)
    first, second = result.functions
    messages = [v.message for v in first.judged]
    assert messages[:3] == [
        "exited with status 5",
        *2 * ["does not start again: exited with status 4"],
    ]
    assert {v.outcome for v in first.judged[:3]} == {Outcome.CRASH}
    rest = [*first.judged[3:], *second.judged]
    assert {v.outcome for v in rest} == {Outcome.NOT_ASKED}
    assert all("the adapter does not start again" in v.message for v in rest)
    assert len(second.judged) > 100
