"""The figures of divisors and batches come out of commands: some here, all by the tool."""

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dporacle.cli import main

TOOL = Path(__file__).parents[1] / "tools" / "figures_of_batches.py"
SPEC = importlib.util.spec_from_file_location("figures_of_batches", TOOL)
assert SPEC is not None
assert SPEC.loader is not None
tool = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(tool)
ROWS = tool.rows()


def answered(row: Any) -> Any:
    asked = [each for name in row[2] for each in ("--neighbours", name)]
    result = CliRunner().invoke(main, ["dp-sgd", *row[1].split(), *asked, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


@pytest.mark.parametrize("place", [0, 6, 13, 14])
def test_cheap_ones_come_out(place: int) -> None:
    row = ROWS[place]
    assert tool.misses(row, answered(row)) == []


def test_what_does_not_come_out_is_named_with_its_side() -> None:
    words = "--noise-multiplier 1"
    found = {
        "epsilon": {"remove": ["1.0", "2.0"], "add": ["1.0", None]},
        "further": {"remove": [{"at_most": "3.0"}, {"at_least": "0.5", "by": "nothing"}]},
    }
    ends = {"low": "1.1", "high": "2.1", "seen": "2.9", "nothing": "0.5"}
    said = tool.misses(("it", words, {"remove": ends, "add": {"high": "1"}}, 1e-3), found)
    assert [(told.split()[-4].strip(":,"), wrong) for told, wrong in said] == [
        *(("low", False), ("high", True), ("seen", False), ("high", False))
    ]


def test_all_figures_of_a_kind_have_rows() -> None:
    kinds = [row[0].split()[0] for row in ROWS]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "A1": 13,
        "A2": 4,
        "A4": 6,
        "A6": 2,
        "B": 7,
        "C": 11,
    }


def test_the_tool_prints_what_is_asked_and_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = ("it", "--words", {"remove": {"low": "1.1", "high": "2.1"}}, 1e-3)
    found = {"epsilon": {"remove": ["1.0", "2.0"]}}
    monkeypatch.setattr(tool, "rows", lambda: [row])
    monkeypatch.setattr(tool, "answered", lambda words, relations: found)
    assert tool.main("it") == 1
    said = capsys.readouterr().out
    assert "remove, low: asked 1.1, found 1.0  not so near" in said
    assert "remove, high: asked 2.1, found 2.0  WRONG SIDE" in said
    assert "0 of 1 figures come out" in said
