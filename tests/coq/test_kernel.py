"""Coq's kernel proves right verdicts to the last digit, and refuses wrong ones."""

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import dporacle
from dporacle.claims import audit, register
from dporacle.cli import main
from dporacle.coq import checking, writing
from dporacle.coq.checking import MACHINE_INTEGERS, REALS, Checked
from dporacle.exit_status import ExitStatus
from dporacle.verdicts import Verdict

POINTS = [(1, 1e-5), (0.1, 1e-9), (10, 1e-5), (0, 1e-9), (1e-3, 0.5)]


def row_at(epsilon: float, delta: float, sigma: float) -> writing.Row:
    mechanism = {"kind": "gaussian", "sigma": sigma, "sensitivity": 1, "neighbours": "add-remove"}
    said = {"kind": "privacy", "epsilon": epsilon, "delta": delta, "neighbours": "add-remove"}
    (row,) = writing.theorems([audit({"id": "any", "mechanism": mechanism, "asserts": said})])
    return row


def renamed(rows: list[writing.Row]) -> list[writing.Row]:
    return [replace(row, name=f"claim_{place}") for place, row in enumerate(rows)]


@pytest.fixture(scope="module")
def pairs() -> list[tuple[writing.Row, writing.Row]]:
    """The smallest private float64, and the one below it, which is not private."""
    least = [dporacle.calibrate_sigma(epsilon=e, delta=d, exact=True) for e, d in POINTS]
    return [
        (row_at(e, d, s), row_at(e, d, math.nextafter(s, 0)))
        for (e, d), s in zip(POINTS, least, strict=True)
    ]


def test_both_sides_of_one_ulp(
    coq_cache: Path, pairs: list[tuple[writing.Row, writing.Row]]
) -> None:
    rows = renamed([row for pair in pairs for row in pair])
    assert [row.verdict for row in rows] == [Verdict.HOLDS, Verdict.VIOLATED] * len(POINTS)
    checked = checking.check(rows, cache=coq_cache)
    assert [checked.word(row) for row in rows] == ["PROVED"] * len(rows)
    assert checked.axioms > REALS
    assert all(name.startswith(MACHINE_INTEGERS) for name in checked.axioms - REALS)


def test_wrong_verdicts_are_refused(
    coq_cache: Path, pairs: list[tuple[writing.Row, writing.Row]]
) -> None:
    private, not_private = pairs[0]
    changed_digit = replace(private, statement=not_private.statement.removeprefix("~ "))
    wrong_violation = replace(not_private, statement=f"~ {private.statement}")
    rows = renamed([private, changed_digit, wrong_violation, not_private])
    checked = checking.check(rows, cache=coq_cache)
    words = [checked.word(row) for row in rows]
    assert words == ["PROVED", "REFUSED", "REFUSED", "PROVED"]
    assert "true" in checked.refused[rows[1].name]
    assert checking.summary(checked) == "4 verdicts: 2 proved by Coq's kernel, 2 refused"


def test_hints_are_not_trusted(
    coq_cache: Path, pairs: list[tuple[writing.Row, writing.Row]]
) -> None:
    too_few = re.sub(r"\d+%nat", "3%nat", pairs[0][0].proof)
    rows = renamed([replace(pairs[0][0], proof=too_few)])
    assert checking.check(rows, cache=coq_cache).refused


def test_without_machine_integers(
    coq_cache: Path, pairs: list[tuple[writing.Row, writing.Row]]
) -> None:
    rows = renamed([*pairs[3]])
    checked = checking.check(rows, pure=True, cache=coq_cache)
    assert not checked.refused
    assert checked.axioms == REALS


def test_far_and_extreme_claims(coq_cache: Path) -> None:
    rows = [
        row_at(710, 1e-9, 2.22724678219715e-308),
        row_at(1, 1e-5, 1e300),
        row_at(0, 5e-324, 1),
        row_at(1, 0, 1e10),
        row_at(1, 1, 1e-10),
        row_at(1e4, 1e-5, 1e-3),
    ]
    words = ["VIOLATED", "HOLDS", "VIOLATED", "VIOLATED", "HOLDS", "VIOLATED"]
    assert [str(row.verdict) for row in rows] == words
    assert all(row.covered for row in rows)
    assert not checking.check(renamed(rows), cache=coq_cache).refused


def test_what_the_checker_does_not_reach_says_so() -> None:
    assert "terms" in row_at(1, 5e-324, 38.5).reason or row_at(1, 5e-324, 38.5).covered
    assert "ε is above" in row_at(1e6, 0.5, 1e-4).reason


@pytest.fixture(scope="module")
def of_register(coq_cache: Path) -> Checked:
    proved = register.prove(register.load())
    return checking.check(writing.theorems([one.verdict for one in proved]), cache=coq_cache)


def test_the_register(of_register: Checked) -> None:
    assert not of_register.refused
    missing = {row.claim: row.verdict for row in of_register.rows if not row.covered}
    assert not {"privacy", "accuracy"} & set(missing)
    assert len(of_register.rows) - len(missing) >= 55
    decided = [name for name, verdict in missing.items() if verdict is not Verdict.UNDECIDED]
    kinds = re.compile("rank-one|discrete|extremes|conversions|JL24.L2")
    reasons = {row.claim: row.reason for row in of_register.rows}
    assert all(kinds.search(reasons[name]) for name in decided)


def test_command(coq_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dporacle.coq.development.cache_folder", lambda: coq_cache)
    written = tmp_path / "report.v"
    asked = ["audit", "examples/report.toml", "--coq", str(written), "--coq-check"]
    done = CliRunner().invoke(main, asked)
    assert done.exit_code == 1, done.output  # one claim of the two is violated
    assert "2 verdicts: 2 proved by Coq's kernel" in done.output
    assert written.read_text().count("\nTheorem ") == 2
    assert CliRunner().invoke(main, asked).exit_code == 2  # never overwrites


def test_without_coq(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = CliRunner().invoke(main, ["audit", "examples/report.toml", "--coq-check"])
    assert done.exit_code == ExitStatus.NO_ANSWER
    assert "apt-get install" in done.output
