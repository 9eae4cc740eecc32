"""Coq's kernel proves right verdicts to the last digit, and refuses wrong ones."""

import math
import re
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import dporacle
from dporacle import claims
from dporacle.claims import audit, register
from dporacle.cli import main
from dporacle.common.exit_status import ExitStatus
from dporacle.verdicts import Verdict
from dporacle.wings.coq import checking, development, writing
from dporacle.wings.coq.checking import MACHINE_INTEGERS, REALS, Checked
from dporacle.wings.coq.statements import Evidence, proposition_of
from support import cases

POINTS = [(1, 1e-5), (0.1, 1e-9), (10, 1e-5), (0, 1e-9), (1e-3, 0.5)]


def row_at(epsilon: float, delta: float, sigma: float) -> writing.TheoremRow:
    mechanism = {"kind": "gaussian", "sigma": sigma, "sensitivity": 1, "neighbours": "add-remove"}
    said = {"kind": "privacy", "epsilon": epsilon, "delta": delta, "neighbours": "add-remove"}
    (row,) = writing.theorems([audit({"id": "any", "mechanism": mechanism, "asserts": said})])
    return row


def renamed(rows: list[writing.TheoremRow]) -> list[writing.TheoremRow]:
    return [replace(row, name=f"claim_{place}") for place, row in enumerate(rows)]


@pytest.fixture(scope="module")
def pairs() -> list[tuple[writing.TheoremRow, writing.TheoremRow]]:
    """The smallest private float64, and the one below it, which is not private."""
    least = [dporacle.calibrate_sigma(epsilon=e, delta=d, exact=True) for e, d in POINTS]
    return [
        (row_at(e, d, s), row_at(e, d, math.nextafter(s, 0)))
        for (e, d), s in zip(POINTS, least, strict=True)
    ]


def test_both_sides_of_one_ulp(
    coq_cache: Path, pairs: list[tuple[writing.TheoremRow, writing.TheoremRow]]
) -> None:
    rows = renamed([row for pair in pairs for row in pair])
    assert [row.verdict for row in rows] == [Verdict.HOLDS, Verdict.VIOLATED] * len(POINTS)
    checked = checking.check(rows, cache=coq_cache)
    assert [checked.word(row) for row in rows] == ["PROVED"] * len(rows)
    assert checked.axioms > REALS
    assert all(name.startswith(MACHINE_INTEGERS) for name in checked.axioms - REALS)


def test_wrong_verdicts_are_refused(
    coq_cache: Path, pairs: list[tuple[writing.TheoremRow, writing.TheoremRow]]
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


def test_what_was_proved_is_tried_once_more_at_last_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Of six theorems the third and the fifth are refused."""
    rows = [
        writing.TheoremRow(f"{k}", Verdict.HOLDS, f"claim_{k}", "True", "exact I") for k in range(6)
    ]
    tried: list[list[int]] = []

    def run(file: Path, **_: object) -> subprocess.CompletedProcess[str]:
        text = file.read_text(encoding="utf-8")
        names = re.findall(r"^Theorem claim_(\d) :", text, re.MULTILINE)
        tried.append(list(map(int, names)))
        wrong = next((name for name in names if name in "24"), None)
        if wrong is None:
            return subprocess.CompletedProcess([], 0, "", "")
        line = text[: text.index(f"Theorem claim_{wrong} :")].count("\n") + 1
        return subprocess.CompletedProcess([], 1, "", f'File "it.v", line {line}, characters 0-1:')

    monkeypatch.setattr(development, "run", run)
    monkeypatch.setattr(development, "compiled", lambda cache: tmp_path)
    checked = checking.check(rows, cache=tmp_path)
    assert set(checked.refused) == {"claim_2", "claim_4"}
    assert tried == [[0, 1, 2, 3, 4, 5], [3, 4, 5, 0, 1], [5, 0, 1, 3]]


def test_hints_are_not_trusted(
    coq_cache: Path, pairs: list[tuple[writing.TheoremRow, writing.TheoremRow]]
) -> None:
    too_few = re.sub(r"\d+%nat", "3%nat", pairs[0][0].proof)
    rows = renamed([replace(pairs[0][0], proof=too_few)])
    assert checking.check(rows, cache=coq_cache).refused


def test_without_machine_integers(
    coq_cache: Path, pairs: list[tuple[writing.TheoremRow, writing.TheoremRow]]
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
    """Every third claim: what is proved of each kind stands in `test_every_other_kind`."""
    whole = register.load()
    proved = register.prove(replace(whole, claims=whole.claims[::3]))
    return checking.check(writing.theorems([one.verdict for one in proved]), cache=coq_cache)


@pytest.mark.deep("9 s; what is proved of each kind stands in `test_every_other_kind`")
def test_the_register(of_register: Checked) -> None:
    assert not of_register.refused
    decided = [row for row in of_register.rows if row.verdict is not Verdict.UNDECIDED]
    missing = {row.claim: row.reason for row in decided if not row.covered}
    assert set(missing.values()) <= {
        "DP-SGD that no event about the largest of its sums refutes",
        "a figure that no Rényi moment of a whole order proves",
        "rank-one noise is refuted by its inner ball only, not: exact value",
        "the inequality JL24.T3.extremes",
        "mechanisms of the kind integer-noise",
    }
    held = Counter(row.verdict for row in decided if row.covered)
    assert held[Verdict.HOLDS] >= 20
    assert held[Verdict.VIOLATED] >= 5


ADDED = {"neighbours": "add-remove"}
WHOLE = {"kind": "discrete-gaussian", "sensitivity": 1, **ADDED}
ZCDP = {"kind": "zcdp", "rho": 1, "sensitivity_squared": 2, "neighbours": "add-remove"}
WOMEN = {"kind": "gaussian", "sigma": 1, "sensitivity": 1, "neighbours": "add-remove"}
MEN = {**WOMEN, "sigma": 2}
COUNTED = {"kind": "privacy", "epsilon": 1, "delta": 0.15, "neighbours": "add-remove"}


def counts(*releases: dict[str, Any], records: str, times: int = 1) -> dict[str, Any]:
    return {"kind": "composition", "releases": releases, "records": records, "times": times}


TRAINED = {"epsilon": "0.5", "delta": "1e-3", "neighbours": "add-remove"}
STEP = {"kind": "dp-sgd", "noise_multiplier": "1", "sampling_rate": "0.1", "steps": 1}
TUTORIAL = {**STEP, "noise_multiplier": "1.3", "sampling_rate": "0.004", "steps": 3750}
MNIST = {"kind": "dp-sgd", "noise_multiplier": "1.12", "batch_size": 256, "dataset_size": 60000}
MNIST |= {"epochs": 60, "rounding": "up"}
SHUFFLED = {**MNIST, "batch_size": 250, "sampling": "shuffled"}
DROPPED = {**MNIST, "steps": 14040, "sampling": "drop-last"}
del DROPPED["epochs"], DROPPED["rounding"]
RELATIONS = ("add-remove", "zero-out", "replace-one")
PUBLISHED = {**TRAINED, "epsilon": "2.92", "delta": "1e-5", "neighbours": "zero-out"}
TRAININGS: list[tuple[dict[str, Any], dict[str, Any], bool]] = [
    (TRAINED, STEP, False),
    ({**TRAINED, "epsilon": "0.65", "neighbours": "zero-out"}, {**STEP, "steps": 60}, False),
    ({**TRAINED, "delta": "2e-3", "neighbours": "replace-one"}, STEP, False),
    ({**TRAINED, "epsilon": "0.104", "delta": "1e-12"}, STEP, False),
    ({**TRAINED, "epsilon": "1.19", "delta": "1e-5"}, TUTORIAL, True),
    (PUBLISHED, MNIST, True),
    (PUBLISHED, SHUFFLED, False),
    ({**PUBLISHED, "neighbours": "replace-one"}, SHUFFLED, False),
    *(({**PUBLISHED, "neighbours": related}, DROPPED, False) for related in RELATIONS),
]


def trained(said: dict[str, Any], about: dict[str, Any], *, holds: bool) -> writing.TheoremRow:
    """Return the theorem without the verdict, which takes seconds."""
    asserts = {"kind": "privacy", **said}
    claim = claims.make({"id": "any", "mechanism": about, "asserts": asserts})
    found = proposition_of(writing.exact_data(claim), Evidence(holds))
    verdict = Verdict.HOLDS if holds else Verdict.VIOLATED
    text = found.text if holds else found.negated()
    return writing.TheoremRow(claim.id, verdict, "", text, found.proof(), needs=found.needs)


def test_trainings_and_the_same_with_one_digit_changed(coq_cache: Path) -> None:
    right = [trained(said, about, holds=holds) for said, about, holds in TRAININGS]
    changes = [(5, "14063", "24063"), (6, "(73 / 25)", "(83 / 2)")]
    wrong = [
        replace(right[at], statement=right[at].statement.replace(old, new))
        for at, old, new in changes
    ]
    rows = renamed([*wrong, *right])  # what is refused first is tried without the others
    checked = checking.check(rows, cache=coq_cache)
    words = [checked.word(row) for row in rows]
    assert words == ["REFUSED"] * len(wrong) + ["PROVED"] * len(right)


def test_three_dimensions_and_the_same_with_one_digit_changed(coq_cache: Path) -> None:
    three = counts(WOMEN, MEN, {**WOMEN, "sigma": 3}, records="same")  # δ = 0.1886…
    about = [{**COUNTED, "delta": delta} for delta in ("0.19", "0.18")]
    rows = list(
        writing.theorems([audit({"id": "x", "mechanism": three, "asserts": one}) for one in about])
    )
    assert [row.verdict for row in rows] == [Verdict.HOLDS, Verdict.VIOLATED]
    wrong = [
        replace(row, statement=row.statement.replace(old, new))
        for row, old, new in zip(
            rows, ("(19 / 100)", "(9 / 50)"), ("(18 / 100)", "(19 / 100)"), strict=True
        )
    ]
    further = replace(
        rows[0],
        statement=rows[0].statement.replace("within (query3 i) d d' 1", "within (query3 i) d d' 2"),
    )
    nearer = replace(
        rows[1],
        statement=rows[1].statement.replace("apart (query1 i) d d' 1", "apart (query1 i) d d' 0"),
    )
    tried = renamed([*wrong, further, nearer, *rows])
    checked = checking.check(tried, cache=coq_cache)
    assert [checked.word(row) for row in tried] == ["REFUSED"] * 4 + ["PROVED"] * 2


def test_boxes_and_reports_and_the_same_with_one_digit_changed(coq_cache: Path) -> None:
    """δ(2) of ten pure boxes with ε₀ = 1/2 is 0.145466446441117…, as of ten reports of two."""
    box = {"kind": "black-box", "epsilon": "0.5", "delta": 0, "times": 10}
    report = {"kind": "randomised-response", "epsilon": "0.5", "kinds": 2, "times": 10}
    leaky = {**box, "delta": "0.1", "times": 2}
    said = {"kind": "privacy", "epsilon": 2, "neighbours": "replace-one"}
    content: list[Any] = [
        {"asserts": {"kind": "conversion", "given": one, "epsilon": 2, "delta": delta}}
        for one, delta in (
            (box, "0.1454664464412"),
            (box, "0.1454664464411"),
            (leaky, "0.19"),  # exactly what it is
        )
    ]
    content += [
        {"mechanism": {**report, "kinds": kinds}, "asserts": {**said, "delta": delta}}
        for kinds, delta in ((2, "0.1454664464412"), (2, "0.1454664464411"), (3, "0.1"))
    ]
    rows = writing.theorems([audit({"id": "any", **one}) for one in content])
    words = ["HOLDS", "VIOLATED", "HOLDS", "HOLDS", "VIOLATED", "HOLDS"]
    assert [str(row.verdict) for row in rows] == words
    changes = [
        (0, " 10%nat", " 11%nat"),
        (1, " 10%nat", " 8%nat"),  # nine have the same δ(2): no loss is at 2
        (2, "(1 / 10) 2%nat", "(2 / 10) 2%nat"),
        (3, "(1 / 2) 2 10", "(6 / 10) 2 10"),
        (4, "(1 / 2) 2 10", "(1 / 2) 3 10"),
    ]
    for at, old, _ in changes:
        assert old in rows[at].statement
    wrong = [
        replace(rows[at], statement=rows[at].statement.replace(old, new))
        for at, old, new in changes
    ]
    tried = renamed([*wrong, *rows])
    checked = checking.check(tried, cache=coq_cache)
    assert [checked.word(row) for row in tried] == ["REFUSED"] * 5 + ["PROVED"] * 6


def test_every_other_kind(coq_cache: Path) -> None:
    audited = [
        audit({"id": str(place), "asserts": said} | ({"mechanism": about} if about else {}))
        for place, (said, about) in enumerate(cases.rows("coq_proved"))
    ]
    rows = writing.theorems(audited)
    assert [row.reason for row in rows] == [""] * len(rows)
    checked = checking.check(rows, cache=coq_cache)
    assert not checked.refused


def test_command(coq_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dporacle.wings.coq.development.cache_folder", lambda: coq_cache)
    written = tmp_path / "report.v"
    asked = ["audit", "examples/report.toml", "--coq", str(written), "--coq-check"]
    done = CliRunner().invoke(main, asked)
    assert done.exit_code == 1, done.output  # one claim of the two is violated
    assert "2 verdicts: 2 proved by Coq's kernel" in done.output
    assert written.read_text().count("\nTheorem ") == 2
    assert CliRunner().invoke(main, asked).exit_code == 2  # never overwrites


def test_without_a_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    coqc = tmp_path / "coqc"
    coqc.write_text(f"#!/bin/sh\necho {tmp_path}\n")
    coqc.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    done = CliRunner().invoke(main, ["audit", "examples/report.toml", "--coq-check"])
    assert done.exit_code == ExitStatus.NO_ANSWER
    assert "its library Flocq is not: apt-get install" in done.output


def test_without_coq(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = CliRunner().invoke(main, ["audit", "examples/report.toml", "--coq-check"])
    assert done.exit_code == ExitStatus.NO_ANSWER
    assert "apt-get install" in done.output
