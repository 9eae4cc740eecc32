"""Every row of the catalogue has the witnesses, the note and the tests that it claims."""

import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType

import pytest

from dporacle import vectors
from dporacle.vocabulary import CONTRACTS
from dporacle.vocabulary.statements import STATEMENTS, WITNESSES, Statement, statement
from dporacle.vocabulary.witnesses import module_of
from dporacle.wings.papers.experiments import EXPERIMENTS

ROOT = Path(__file__).resolve().parent.parent
TESTED = set(
    re.findall(
        r'mark\.statement\(\s*"([^"]+)"',
        "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py")),
    )
)


def _id(row: Statement) -> str:
    return row.id


def _module(row: Statement, witness: str, name: str) -> ModuleType:
    """The module of a function: the row's, or an experiment's among those of the other rows."""
    if not row.experiments:
        return importlib.import_module(module_of(row.group, witness))
    (group,) = {
        each.group for each in STATEMENTS if name in each.functions and not each.experiments
    }
    return importlib.import_module(module_of(group, witness))


@pytest.mark.parametrize("row", STATEMENTS, ids=_id)
def test_experiments_exist(row: Statement) -> None:
    assert set(row.experiments) <= set(EXPERIMENTS)
    assert (row.group == "experiments") == bool(row.experiments)


def test_experiments_have_their_row() -> None:
    named = [name for row in STATEMENTS for name in row.experiments]
    assert sorted(named) == sorted(EXPERIMENTS)


def test_ids_are_unique() -> None:
    assert len({row.id for row in STATEMENTS}) == len(STATEMENTS)


@pytest.mark.parametrize("row", STATEMENTS, ids=_id)
@pytest.mark.parametrize("witness", WITNESSES)
def test_witness_stands_where_the_row_says(row: Statement, witness: str) -> None:
    assert set(row.holes) <= set(WITNESSES)
    package = importlib.import_module(f"dporacle.{witness}")
    if witness in row.holes:
        assert len(row.holes[witness]) > 20, "a hole is explained"
        assert not any(hasattr(package, name) for name in row.functions), "the hole is filled"
        return
    for name in row.functions:
        module = _module(row, witness, name)
        function = getattr(module, name)
        assert inspect.unwrap(function) is inspect.unwrap(getattr(package, name))
        assert name in package.__all__


@pytest.mark.parametrize("witness", WITNESSES)
def test_functions_name_their_statement(witness: str) -> None:
    package = importlib.import_module(f"dporacle.{witness}")
    rows = [row for row in STATEMENTS if witness not in row.holes and not row.experiments]
    for name in {name for row in rows for name in row.functions}:
        said = getattr(package, name).__doc__
        assert any(row.id in said for row in rows if name in row.functions), name


def test_a_docstring_says_what_an_argument_is_here() -> None:
    """A sensitivity in its norm, if that has a sign; digits of a value, if one is known."""
    for row in CONTRACTS.values():
        name = row.function or row.name
        for witness in WITNESSES:
            function = getattr(importlib.import_module(f"dporacle.{witness}"), name, None)
            said = inspect.getdoc(function) or ""
            assert "the the-" not in said, (witness, name)
            if witness == "enclosures" and said:
                assert ("where the value is known, the ball" in said) == row.ends, name


@pytest.mark.parametrize("row", STATEMENTS, ids=_id)
def test_signatures_are_the_same(row: Statement) -> None:
    """Same names and keyword-only arguments; the exact witnesses take digits on top."""
    seen = {}
    for witness in WITNESSES:
        if witness in row.holes:
            continue
        for name in row.functions:
            module = _module(row, witness, name)
            parameters = inspect.signature(getattr(module, name)).parameters.values()
            assert all(p.kind is p.KEYWORD_ONLY for p in parameters), (witness, name)
            names = [p.name for p in parameters if p.name not in {"digits", "out"}]
            whole = inspect.signature(getattr(module, name)).return_annotation == "int"
            assert ("digits" in {p.name for p in parameters}) == (witness != "fast" and not whole)
            assert seen.setdefault(name, names) == names, (witness, name)


@pytest.mark.parametrize("row", STATEMENTS, ids=_id)
def test_row_has_its_note_and_its_property_test(row: Statement) -> None:
    note = (ROOT / "proofs_notes" / f"{row.group}.md").read_text()
    assert row.id in note
    assert row.id in TESTED


@pytest.mark.parametrize("row", STATEMENTS, ids=_id)
def test_row_has_its_vectors(row: Statement) -> None:
    assert bool(row.vectors) != bool(row.no_vectors), "a hole is explained"
    for group in row.vectors:
        assert row.id in vectors.load(group).statements


def test_tests_speak_of_statements_that_exist() -> None:
    assert {row.id for row in STATEMENTS} >= TESTED


def test_unknown_statement_is_named() -> None:
    with pytest.raises(KeyError, match=r"BW18\.T99"):
        statement("BW18.T99")
