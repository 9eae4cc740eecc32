"""`dporacle statements`: the matrix of statements and witnesses."""

import importlib
import re
from collections import Counter
from pathlib import Path

import click
from rich.table import Table

from dporacle.cli import tables
from dporacle.cli.headed_lines import line
from dporacle.cli.options import options
from dporacle.common import wing_files as wings
from dporacle.common.exit_status import ExitStatus
from dporacle.vocabulary.statements import STATEMENTS, WITNESSES, Statement, Status
from dporacle.vocabulary.witnesses import module_of

_WIDTH = 18  # columns of an id
_YES, _HOLE, _UNEXPLAINED, _UNKNOWN = "yes", "–", "MISSING", "?"


@click.command()
@options("statements", root=Path())
def statements(figures: bool, explain: bool, root: Path, verbose: bool, as_json: bool) -> None:
    """Print how many statements are true, and which are not.

    --verbose prints each with its witnesses, property tests, note, vectors and verdict.

    The exit status is 1 if a witness is missing and the catalogue does not explain why.
    """
    if figures:
        _print_figures(as_json=as_json)
        return
    console = tables.console(150)
    tested = _tested(root)
    headings = ("statement", "says", *WITNESSES, "tests", "note", "vectors", "verdict")
    table, listed = Table(*headings), []
    missing = False
    for row in STATEMENTS:
        cells = [
            *(_witness(row, witness) for witness in WITNESSES),
            _UNKNOWN if tested is None else _YES if row.id in tested else _UNEXPLAINED,
            _note(root, row),
            "\n".join(row.vectors) or (_HOLE if row.no_vectors else _UNEXPLAINED),
        ]
        missing |= _UNEXPLAINED in cells
        texts = (row.id, row.says, *cells, str(row.status))
        table.add_row(*texts)
        listed.append({**dict(zip(headings, texts, strict=True)), "why": _holes(row)})
    if as_json:
        tables.echo_json(listed)
    elif verbose:
        tables.show(console, table)
    elif not explain:
        _screen(missing=missing)
    if explain and not as_json:
        for row in STATEMENTS:
            for where, why in _holes(row).items():
                console.print(f"{row.id}, {where}: {why}")
    if missing:
        raise SystemExit(ExitStatus.FINDING)


def _screen(*, missing: bool) -> None:
    """Print how many statements there are of each source, and which are not true."""
    known = Counter(row.status for row in STATEMENTS)
    counts = ", ".join(f"{known[status]} {status}" for status in Status)
    click.echo(f"{len(STATEMENTS)} statements: {counts}")
    sources = Counter(row.id.partition(".")[0] for row in STATEMENTS)
    click.echo(", ".join(f"{source}: {count}" for source, count in sources.items()))
    click.echo(f"\n{Status.FALSE}:")
    for row in STATEMENTS:
        if row.status is Status.FALSE:
            line(f"  {row.id}", row.says, _WIDTH)
    partly = [row.id for row in STATEMENTS if row.status is Status.PARTLY]
    line(f"\n{Status.PARTLY}:", ", ".join(partly), len(Status.PARTLY) + 2)
    told = "a witness is MISSING" if missing else "--explain: why a witness is not there"
    click.echo(f"\n{told}; --verbose: every statement")


def _holes(row: Statement) -> dict[str, str]:
    """Where a statement has a hole, and why."""
    return {**row.holes, **({"vectors": row.no_vectors} if row.no_vectors else {})}


def _witness(row: Statement, witness: str) -> str:
    if row.holes.get(witness):
        return _HOLE
    try:
        where = f"dporacle.{witness}" if row.experiments else module_of(row.group, witness)
        module = importlib.import_module(where)
    except ModuleNotFoundError:
        return _UNEXPLAINED
    return _YES if all(hasattr(module, name) for name in row.functions) else _UNEXPLAINED


def _tested(root: Path) -> set[str] | None:
    """The ids that property tests are marked with, or None without the tests."""
    files = list((root / "tests").rglob("test_*.py"))
    if not files:
        return None
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    return set(re.findall(r'mark\.statement\(\s*"([^"]+)"', text))


def _note(root: Path, row: Statement) -> str:
    if not (root / "proofs_notes").is_dir():
        return _UNKNOWN
    note = root / "proofs_notes" / f"{row.group}.md"
    found = note.is_file() and row.id in note.read_text(encoding="utf-8")
    return _YES if found else _UNEXPLAINED


def _print_figures(*, as_json: bool) -> None:
    headings = ("note", "statement", "figure", "value")
    rows = [
        (each.group, each.statement, each.says, each.value)
        for each in wings.module("papers", "figures").figures()
    ]
    if as_json:
        tables.echo_json([dict(zip(headings, row, strict=True)) for row in rows])
        return
    table = Table(*headings)
    for row in rows:
        table.add_row(*row)
    tables.show(tables.console(150), table)
