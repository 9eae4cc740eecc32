"""The bounds on the float64 δ(ε) and σ are proved over every cell; a wrong number is found."""

import runpy
from pathlib import Path

import pytest

from dporacle.fast import tables
from dporacle.fast.gaussian import calibrate, delta, density, mills, step
from dporacle.fast.gaussian.loss import ABOVE, NEARBY, WIDE

TOOLS = Path(__file__).parents[2] / "tools"


def proves(tool):
    return runpy.run_path(str(TOOLS / tool))["main"]() == 0


def test_the_bounds_that_are_added_are_proved(capsys):
    assert proves("prove_float64_error.py")
    assert capsys.readouterr().out.endswith("PROVED\n")
    assert delta.ERRORS.keys() == {WIDE, NEARBY, ABOVE}


@pytest.mark.parametrize(("table", "cell", "place"), [("MILLS", 70, 4), ("SLOPE", 3, 5)])
def test_a_wrong_entry_is_found(monkeypatch, table, cell, place):
    """One that no float of a random test need meet."""
    rows = [list(row) for row in getattr(tables, table)]
    rows[cell][place] *= 1 + 2.0**-20
    monkeypatch.setattr(tables, table, tuple(map(tuple, rows)))
    assert not proves("prove_float64_error.py")


@pytest.mark.thorough("a region proof")
def test_the_bound_that_is_added_to_sigma_is_proved(monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(TOOLS))
    assert proves("prove_float64_sigma.py")
    assert capsys.readouterr().out.endswith("PROVED\n")


def test_a_smaller_bound_on_sigma_is_not_proved(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    monkeypatch.setattr(calibrate, "MU_ERROR", 0.1 * 2.0**-53)
    assert not proves("prove_float64_sigma.py")


def without_its_last_term(x, p, q, log):
    third = 1.0 - 3.0 * p + (2.0 * p * p + q)
    return x * log * (1.0 + log * ((1.0 - p) * 0.5 + log * third / 6.0))


def wrong_between(x, p, q, log):
    """Right wherever ln f changes by 7, 2, −1 or 3."""
    fault = (log - 7) * (log - 2) * (log + 1) * (log - 3)
    return STEP_SERIES(x, p, q, log) + 2.0**-30 * x * log * fault


def other_lengths(g, x, z):
    y, w = g[0], g[2]
    return step.step_series(x, (1.0 + y * w) * x, (y * y - w * w) * x * x, step.log_ratio(z))


STEP_SERIES, LOG_RATIO = step.step_series, step.log_ratio


@pytest.mark.parametrize(
    ("module", "name", "fault"),
    [
        (step, "step_series", without_its_last_term),
        (step, "step_series", wrong_between),
        (step, "log_mu_step", other_lengths),
        (step, "log_ratio", lambda z: LOG_RATIO(z) + 2.0**-40 * (z * z * z)),
        (calibrate, "expm1", lambda s: s * (1.0 + s * (0.5 + s * (1.0 / 6.0 + s / 23.0)))),
    ],
)
def test_another_formula_is_not_taken_for_the_last_step(monkeypatch, capsys, module, name, fault):
    monkeypatch.syspath_prepend(str(TOOLS))
    monkeypatch.setattr(module, name, fault)
    assert not proves("prove_float64_sigma.py")
    assert "another" in capsys.readouterr().out  # before any box


@pytest.mark.parametrize(
    ("module", "name", "fault", "bound"),
    [
        (density, "exponential", lambda r: r + r * r * (0.5 + r / 6.0), "density_error"),
        (mills, "far_series", lambda a: a * (1.0 - 3.0 * a), "far_error"),
    ],
)
def test_a_missing_term_counts(monkeypatch, module, name, fault, bound):
    """What a formula has not at all was not compared with what it should have."""
    monkeypatch.setattr(module, name, fault)
    found = runpy.run_path(str(TOOLS / "prove_float64_error.py"))[bound]()
    assert (found[0] if isinstance(found, tuple) else found) > delta.ERRORS[WIDE]
