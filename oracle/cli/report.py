"""`dporacle report`: a page from the JSON of a conformance run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from dporacle.report import Document

__all__ = ["report"]

_PATH = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("source", metavar="FILE.json", type=_PATH)
@click.option("--against", metavar="OLD.json", type=_PATH, help="Tell what changed since a run.")
@click.option("-o", "--output", "page", type=_PATH, help="Write the HTML page.")
@click.option("--markdown", type=_PATH, help="Write a summary in Markdown.")
@click.option("--badge", type=_PATH, help="Write the JSON of a badge (shields.io's endpoint).")
def report(
    source: Path,
    against: Path | None,
    page: Path | None,
    markdown: Path | None,
    badge: Path | None,
) -> None:
    """Make a report from the JSON that `dporacle conform --output FILE.json` wrote.

    The page is one file that needs no network. Without an option the summary is printed.
    """
    from dporacle import report as reports

    document = _read(source)
    change = reports.compare(document, _read(against)) if against else None
    if page:
        _write(page, reports.render(document, against=change))
    if markdown:
        _write(markdown, reports.markdown(document, against=change))
    if badge:
        _write(badge, reports.badge(document))
    if not (page or markdown or badge):
        click.echo(reports.markdown(document, against=change), nl=False)


def _read(path: Path) -> Document:
    from dporacle.report import read

    try:
        return read(path.read_bytes())
    except OSError as error:
        raise click.UsageError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise click.UsageError(f"{path}: {error}") from None


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"cannot write {path}: {error.strerror}") from None
