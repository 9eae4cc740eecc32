"""The bound on the float64 δ(ε) is proved, over every cell; a wrong table entry is found."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from dporacle.fast.gaussian import delta
from dporacle.fast.gaussian.loss import ABOVE, NEARBY, WIDE
from dporacle.fast.tables import mills

TOOL = Path(__file__).parents[2] / "tools" / "prove_float64_error.py"


def proves() -> bool:
    return runpy.run_path(str(TOOL))["main"]() == 0


def test_the_bounds_that_are_added_are_proved(capsys: pytest.CaptureFixture[str]) -> None:
    assert proves()
    assert capsys.readouterr().out.endswith("PROVED\n")
    assert delta.ERRORS.keys() == {WIDE, NEARBY, ABOVE}


@pytest.mark.parametrize(("table", "cell", "place"), [("MILLS", 70, 4), ("SLOPE", 3, 5)])
def test_a_wrong_entry_is_found(
    monkeypatch: pytest.MonkeyPatch, table: str, cell: int, place: int
) -> None:
    """One that no float of a random test need meet."""
    rows = [list(row) for row in getattr(mills, table)]
    rows[cell][place] *= 1 + 2.0**-20
    monkeypatch.setattr(mills, table, tuple(map(tuple, rows)))
    assert not proves()
