"""`dporacle audit`: verdicts on claims in files."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dporacle import claims
from dporacle.claims import report

__all__ = ["audit"]

_EPILOG = """Exit status: 0 every claim holds, 1 a claim is violated, 2 usage or a file that holds
no claims, 3 no claim is violated but one is undecided."""

_STYLES = {"HOLDS": "green", "VIOLATED": "red", "UNDECIDED": "yellow"}


@click.command(epilog=_EPILOG)
@click.argument("paths", metavar="FILE...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print a Markdown table.")
@click.option(
    "--certificates",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write a certificate per claim, 0001.json and so on, into a new or empty folder.",
)
@click.option("--schema", "show_schema", is_flag=True, help="Print the JSON Schema of a FILE.")
def audit(
    paths: tuple[Path, ...],
    as_json: bool,
    as_markdown: bool,
    certificates: Path | None,
    show_schema: bool,
) -> None:
    """Prove or refute each claim of TOML or JSON files: HOLDS, VIOLATED or UNDECIDED.

    UNDECIDED is a claim that is met to 1,500 digits, or one about replacing a record whose
    mechanism states the sensitivity for adding one and needs less than twice that.
    """
    if show_schema:
        click.echo(json.dumps(claims.schema(), indent=2, ensure_ascii=False))
        return
    if not paths:
        raise click.UsageError("name at least one FILE")
    if as_json and as_markdown:
        raise click.UsageError("give --json or --markdown, not both")
    found = [claim for path in paths for claim in _load(path).claims]
    verdicts = [claims.audit(claim) for claim in found]
    if certificates:
        _write(certificates, verdicts)
    if as_json:
        click.echo(report.to_json(verdicts))
    elif as_markdown:
        click.echo(report.to_markdown(verdicts))
    else:
        _show(verdicts)
    sys.exit(report.exit_status(verdicts))


def _load(path: Path) -> claims.ClaimFile:
    try:
        return claims.load(path)
    except OSError as error:
        raise click.UsageError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _write(folder: Path, verdicts: list[claims.AuditVerdict]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise click.UsageError(f"{folder} is not empty")
        for number, verdict in enumerate(verdicts, 1):
            text = json.dumps(claims.certificate(verdict), indent=2)
            (folder / f"{number:04}.json").write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"cannot write to {folder}: {error.strerror}") from None


def _show(verdicts: list[claims.AuditVerdict]) -> None:
    table = Table(box=None, pad_edge=False)
    for heading in report.HEADINGS:
        table.add_column(heading, overflow="fold")
    for verdict in verdicts:
        row = [Text(cell) for cell in report.cells(verdict)]
        row[1].stylize(_STYLES[verdict.verdict])
        table.add_row(*row)
    # A terminal's own width; elsewhere wide enough for the table.
    terminal = sys.stdout.isatty()
    console = Console(highlight=False) if terminal else Console(highlight=False, width=200)
    console.print(table)
    console.print(report.summary(verdicts), markup=False)
