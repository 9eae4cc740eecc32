"""`dporacle history`: the table of verdicts on libraries, from recorded runs."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dporacle.cli.options import options
from dporacle.common import files
from dporacle.common import wing_files as wings

if TYPE_CHECKING:
    from dporacle.report.history import Record


@click.command(epilog="Exit status: 0 whatever was found, 2 usage or a file that is not a record.")
@options("history", date=click.DateTime(["%Y-%m-%d"]))
def history(
    sources: tuple[str, ...],
    add: Path | None,
    date: datetime.datetime | None,
    by: str | None,
    commit: str,
    judge_commit: str,
    run_address: str,
    output: Path | None,
    site: Path | None,
    address: str,
    grades: Path | None,
    bugs: Path | None,
    as_json: bool,
) -> None:
    """Make the page of all verdicts from recorded runs, and say what changed.

    A record is a small file with the date of a run. FOLDER has records; so may each SOURCE, a
    folder, a file or an https address: what libraries publish of themselves. A record of an
    address must say who made it, and the pages show that beside it.

    `dporacle conform --output RUN.json` writes RUN.json. Findings that SECURITY.md calls private
    are left out of its record. The site has a page of all verdicts, a page for each library, SVG
    badges and a feed of changes (Atom).
    """
    from dporacle import report as reports
    from dporacle.report import history as kept
    from dporacle.report import sources as places

    if date is not None and add is None:
        raise click.UsageError("--date is for --add")
    if by is not None and add is None:
        raise click.UsageError("--by is for --add")
    if by is None and (commit or judge_commit or run_address):
        raise click.UsageError("--commit, --judge-commit and --run-address are for --by")
    if address and site is None:
        raise click.UsageError("--address is for --site")
    today = datetime.datetime.now(datetime.UTC).date()
    try:
        if add is not None:
            made = None
            if by is not None:
                made = kept.origin(by=by, commit=commit, judge=judge_commit, run=run_address)
            with add.open("rb") as file:
                document = reports.read(file.read(reports.MAX_BYTES + 1))
            if "://" in sources[0]:
                raise ValueError(f"--add needs a folder, got {sources[0]!r}")
            folder = Path(sources[0])
            folder.mkdir(parents=True, exist_ok=True)
            _keep(folder, kept.record(document, today if date is None else date.date(), made))
        records = places.read(sources, today)
        page = kept.to_markdown(records)
    except OSError as error:
        raise click.UsageError(f"{error.filename}: {error.strerror}") from None
    except ValueError as error:
        where = f"{', '.join(sources)}: " if str(error) == kept.NO_RECORD else ""
        raise click.UsageError(f"{where}{error}") from None
    if output is not None:
        _write(output, page.encode())
    if site is not None:
        write = wings.module("verdict_site", "site").write
        try:
            write(records, site, address=address)
        except OSError as error:
            raise click.UsageError(f"cannot write {error.filename}: {error.strerror}") from None
    if grades is not None:
        from dporacle.report import regraded

        _rewrite(grades, records, regraded.within)
    if bugs is not None:
        from dporacle.report import bugs_found

        _rewrite(bugs, records, bugs_found.within)
    if as_json:
        rows = b",".join(kept.render(each).strip() for each in records)
        click.echo(b'{"format":"' + kept.HISTORY.encode() + b'","records":[' + rows + b"]}")
    elif all(each is None for each in (output, add, site, grades, bugs)):
        click.echo(page, nl=False)


def _keep(folder: Path, record: Record) -> None:
    """Write a record to a file of its day: 2026-11-22.json, then 2026-11-22.2.json."""
    from dporacle.report import history as kept

    data, number, path = kept.render(record), 1, folder / f"{record.date}.json"
    while path.exists():
        if path.read_bytes() == data:
            raise click.UsageError(f"{path} is the record of this run already")
        number += 1
        path = folder / f"{record.date}.{number}.json"
    _write(path, data)


def _rewrite(
    path: Path, records: list[Record], within: Callable[[str, Sequence[Record]], str]
) -> None:
    """Write what stands between the marks of a page."""
    try:
        text = within(path.read_text(encoding="utf-8"), records)
    except (OSError, ValueError) as error:
        raise click.UsageError(f"{path}: {error}") from None
    _write(path, text.encode())


def _write(path: Path, data: bytes) -> None:
    try:
        files.write(path, data)
    except OSError as error:
        raise click.UsageError(f"cannot write {path}: {error.strerror}") from None
