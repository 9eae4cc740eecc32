"""`dporacle report`: a page from the JSON of a conformance run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from dporacle.cli.options import options
from dporacle.common import files

if TYPE_CHECKING:
    from dporacle.report import Document

_PRIVATE = """This could harm somebody, and dporacle knows of no report to the maintainers.
Reproduce it twice, with pinned versions. Then tell the maintainers in private. Give them ninety
days, or until there is a release. SECURITY.md has the steps; the text says so at its top."""


@click.command(epilog="Exit status: 0 whatever the run found, 2 usage or a file that is not a run.")
@options("report")
def report(
    source: Path,
    against: Path | None,
    page: Path | None,
    markdown: Path | None,
    badge: Path | None,
    issue: str | None,
) -> None:
    """Make a page, a summary and a badge of a conformance run.

    `dporacle conform --output FILE.json` writes FILE.json. The page is one file that needs no
    network. Without --output, --markdown, --badge or --issue the command prints the summary.

    --issue prints what a maintainer needs: the question, the answer, the truth, and a reproduction
    without dporacle. It says when the maintainers must be told before anybody else.
    """
    from dporacle import report as reports

    document = _read(source)
    earlier = _read(against) if against else None
    if page:
        number = len(document.items)
        every = f"a page of {number} function{'s' * (number != 1)} and all answers"
        _write(page, every, reports.render(document, against=earlier))
    if markdown:
        _write(markdown, "the summary", reports.markdown(document, against=earlier))
    if badge:
        _write(badge, "the badge", reports.badge(document))
    if issue is not None:
        from dporacle.report import issue as issues

        try:
            found = issues.issue(document, issue)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        click.echo(found.text, nl=False)
        if found.private:
            click.echo(_PRIVATE, err=True)
    if not (page or markdown or badge or issue):
        click.echo(reports.markdown(document, against=earlier), nl=False)


def _read(path: Path) -> Document:
    from dporacle.report import MAX_BYTES, read

    try:
        with path.open("rb") as file:
            return read(file.read(MAX_BYTES + 1))
    except OSError as error:
        raise click.UsageError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise click.UsageError(f"{path}: {error}") from None


def _write(path: Path, what: str, text: str) -> None:
    try:
        files.write(path, text)
    except OSError as error:
        raise click.UsageError(f"cannot write {path}: {error.strerror}") from None
    click.echo(f"wrote {path}: {what}", err=True)  # the output may be a program's input
