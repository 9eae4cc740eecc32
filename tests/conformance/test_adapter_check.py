"""`dporacle adapter-check`: each rule is tried, and the line that breaks it is shown."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dporacle.cli import main
from dporacle.vocabulary import SERVED
from support.cases import table
from support.dear import mostly_dear

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


@pytest.mark.parametrize(("mode", "rule", "words"), mostly_dear(table("a_broken_rule_is_named"), 4))
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
