"""`dporacle adapter-check`: each rule is tried, and the line that breaks it is shown."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dporacle.cli import main
from dporacle.vocabulary import SERVED

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"


def run(command: str, *options: str) -> Result:
    return CliRunner().invoke(main, ["adapter-check", command, *options])


def misbehaving(mode: str, *options: str) -> str:
    command = f"{sys.executable} -I -S {HERE / 'misbehaving.py'} {mode}"
    result = run(command, "--timeout", "0.5", *options)
    assert result.exit_code == 1, result.output
    return " ".join(result.stdout.split())


def test_nothing_is_wrong_with_the_example() -> None:
    result = run(f"{sys.executable} {EXAMPLES / 'adapter.py'}")
    assert result.exit_code == 0, result.output
    assert "WRONG" not in result.stdout
    assert result.stdout.count("ok ") == 9


@pytest.mark.thorough("an adapter for every quantity is judged")
def test_an_adapter_may_offer_every_quantity() -> None:
    result = run(f"{sys.executable} {HERE / 'every_quantity.py'}")
    assert result.exit_code == 0, result.output
    for name in SERVED:
        assert f"ok     {name}: it survives subnormal and huge numbers" in result.stdout
        assert f"ok     {name}: it answers a batch of 5" in result.stdout


@pytest.mark.parametrize(
    ("mode", "rule", "words"),
    [
        ("greeting", "answers `start`", "line: Welcome!"),
        ("other-protocol", "answers `start`", "speaks protocol 4, the judge speaks 1 to 3"),
        ("unknown-quantity", "answers `start`", "Invalid enum value 'sigma'"),
        ("twice", "answers `start`", "offers a function twice"),
        ("wrong-id", "one line that has the id", 'line: {"id": "0", "value": 1.0}'),
        ("not-json", "one line that has the id", "line: sigma is 3"),
        ("invalid-utf8", "one line that has the id", "line: {"),
        ("two-lines", "one line that has the id", "said more than one line"),
        ("unknown-field", "one line that has the id", "verdict"),
        ("value-and-refused", "one line that has the id", "exactly one of"),
        (
            "hang",
            "one line that has the id",
            "at epsilon=1.0, delta=1e-05, sensitivity=1.0; an answer that is not flushed",
        ),
        ("exit", "one line that has the id", "exited with status 7: the end"),
        ("speaks-later", "nothing without being asked", "spoke without being asked"),
        ("answers-stop", "exits on `stop`, without an answer", "it answered line: {"),
        ("ignores-stop", "exits on `stop`, without an answer", "still there after 2 s"),
        ("json-only", "reads the words nan, inf and -inf", "exited with status 1"),
        ("batch-in-version-1", "answers `start`", "speaks protocol 1, which has no batches"),
        ("batch-too-large", "answers `start`", "Expected `int` <= 500"),
        ("batch-hang", "it answers a batch of 20", "no answer within 0.5 s"),
        ("batch-short", "it answers a batch of 20", "19 answers to 20 inputs"),
        ("batch-single-answer", "it answers a batch of 20", "unknown field `value`"),
        ("batch-one-bad", "it answers a batch of 20", "exactly one of value"),
        ("batch-crash-refused", "inputs to be refused, each for itself", "exited with status 9"),
        ("wrong-arguments", "each function has its quantity's arguments", "f has epsilon, sigma"),
    ],
)
def test_a_broken_rule_is_named(mode: str, rule: str, words: str) -> None:
    said = misbehaving(mode)
    wrong = said[said.index("WRONG") :]
    assert rule in wrong
    assert words in wrong


def test_an_adapter_cannot_write_to_the_terminal() -> None:
    assert "\x1b" not in misbehaving("escape-in-name")


def test_a_batch_that_answers_otherwise_is_remarked() -> None:
    result = run(f"{sys.executable} -I -S {HERE / 'misbehaving.py'} batch-zeroes")
    said = " ".join(result.stdout.split())
    assert "note f: a batch answers as one input does in a batch 0.0, alone 1e+306" in said


def test_what_is_not_there() -> None:
    result = run("/nonexistent/adapter")
    assert result.exit_code == 1
    assert "No such file" in result.stdout
