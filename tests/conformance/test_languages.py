"""The sample adapters in compiled languages, built with what the system has, and judged."""

import shutil
import subprocess
from pathlib import Path

import pytest

from dporacle.conformance.grade.runs import judgement
from dporacle.conformance.judge.outcomes import Outcome
from dporacle.conformance.run.runner import Fresh, Patience, collect_and_judge, command_target

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    ("source", "compiler"),
    [
        ("adapter.cpp", ("g++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror")),
        ("adapter.rs", ("rustc", "-O", "-D", "warnings")),
    ],
)
def test_a_compiled_adapter_is_conformant(
    tmp_path: Path, source: str, compiler: tuple[str, ...]
) -> None:
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"{compiler[0]} is not installed")
    program = tmp_path / "adapter"
    subprocess.run([*compiler, "-o", str(program), str(EXAMPLES / source)], check=True, timeout=300)
    target = command_target([str(program)])
    (result,) = collect_and_judge([target], Patience(), fresh=Fresh(rounds=20, seed=1))
    assert judgement([result]).status == 0, result
    outcomes = {v.outcome for v in result.functions[0].judged}
    assert {Outcome.LOOSE, Outcome.REFUSES_VALID, Outcome.REFUSES_INVALID} <= outcomes
    assert outcomes <= {*outcomes} - {Outcome.CRASH, Outcome.HANG, Outcome.NON_FINITE}
