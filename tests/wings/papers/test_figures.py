"""Every figure of the notes is the one that the enclosures compute."""

import re
from functools import cache
from pathlib import Path

from click.testing import CliRunner

from dporacle.cli import main
from dporacle.vocabulary.statements import STATEMENTS
from dporacle.wings.papers.figures import figures

ROOT = Path(__file__).resolve().parents[3]


@cache
def computed():
    return tuple(figures())


def test_figures_are_in_their_notes():
    known = {row.id for row in STATEMENTS}
    for figure in computed():
        note = (ROOT / "proofs_notes" / f"{figure.group}.md").read_text(encoding="utf-8")
        assert re.search(rf"(?<![\d.]){re.escape(figure.value)}(?!\d)", note), figure
        assert figure.statement in known


def test_errata_quote_computed_figures():
    """Every number of six digits and more in the errata is a figure."""
    text = (ROOT / "proofs_notes" / "errata.md").read_text(encoding="utf-8")
    values = {figure.value for figure in computed()}
    for number in re.findall(r"\d+\.\d{6,}(?:e-\d+)?", text):
        assert number in values


def test_the_matrix_has_no_unexplained_hole():
    found = CliRunner().invoke(main, ["statements", "--verbose", "--root", str(ROOT)])
    assert found.exit_code == 0, found.output
    assert "MISSING" not in found.output
    assert "?" not in found.output


def test_the_matrix_outside_the_repository(tmp_path):
    found = CliRunner().invoke(main, ["statements", "--explain", "--root", str(tmp_path)])
    assert found.exit_code == 0, found.output
    assert "BW18.T9, fast: it is a second way" in found.output


def test_figures_are_printed():
    found = CliRunner().invoke(main, ["statements", "--figures"])
    assert found.exit_code == 0, found.output
    assert all(figure.value in found.output for figure in computed())
