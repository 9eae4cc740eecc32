"""The bounds on the float64 δ(ε) and σ are proved over every cell; a wrong number is found."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from dporacle.fast import tables
from dporacle.fast.gaussian import calibrate, delta, step
from dporacle.fast.gaussian.loss import ABOVE, NEARBY, WIDE

TOOLS = Path(__file__).parents[2] / "tools"


def proves(tool: str) -> bool:
    return runpy.run_path(str(TOOLS / tool))["main"]() == 0


def test_the_bounds_that_are_added_are_proved(capsys: pytest.CaptureFixture[str]) -> None:
    assert proves("prove_float64_error.py")
    assert capsys.readouterr().out.endswith("PROVED\n")
    assert delta.ERRORS.keys() == {WIDE, NEARBY, ABOVE}


@pytest.mark.parametrize(("table", "cell", "place"), [("MILLS", 70, 4), ("SLOPE", 3, 5)])
def test_a_wrong_entry_is_found(
    monkeypatch: pytest.MonkeyPatch, table: str, cell: int, place: int
) -> None:
    """One that no float of a random test need meet."""
    rows = [list(row) for row in getattr(tables, table)]
    rows[cell][place] *= 1 + 2.0**-20
    monkeypatch.setattr(tables, table, tuple(map(tuple, rows)))
    assert not proves("prove_float64_error.py")


def test_the_bound_that_is_added_to_sigma_is_proved(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(TOOLS))
    assert proves("prove_float64_sigma.py")
    assert capsys.readouterr().out.endswith("PROVED\n")


def test_a_smaller_bound_on_sigma_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TOOLS))
    monkeypatch.setattr(calibrate, "MU_ERROR", 0.1 * 2.0**-53)
    assert not proves("prove_float64_sigma.py")


def test_another_series_is_not_taken_for_the_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TOOLS))

    def without_its_last_term(x: Any, p: Any, q: Any, log: Any) -> Any:
        third = 1.0 - 3.0 * p + (2.0 * p * p + q)
        return x * log * (1.0 + log * ((1.0 - p) * 0.5 + log * third / 6.0))

    monkeypatch.setattr(step, "step_series", without_its_last_term)
    assert not proves("prove_float64_sigma.py")
