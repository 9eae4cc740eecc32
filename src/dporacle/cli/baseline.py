"""`dporacle baseline`: what fails today, as a file of known failures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from dporacle import files
from dporacle import report as reports
from dporacle.conformance.grade import known_failures
from dporacle.conformance.judge.harm import level_of
from dporacle.conformance.judge.harm_levels import Level

__all__ = ["baseline"]

_PATH = click.Path(dir_okay=False, path_type=Path)


@click.command(epilog="Exit status: 0 whatever the run found, 2 usage or a file that is not a run.")
@click.argument("source", metavar="FILE.json", type=_PATH)
@click.option("-o", "--output", type=_PATH, help="Write the file instead of printing it.")
@click.option(
    "--reason", default="fails today", show_default=True, help="Why, for each of the entries."
)
@click.option("--each", is_flag=True, help="An entry for each vector, not for each flag.")
def baseline(source: Path, output: Path | None, reason: str, each: bool) -> None:
    """Write what fails in a conformance run as known failures.

    FILE.json is what `dporacle conform --output FILE.json` wrote. `dporacle conform
    --known-failures`, the action and the pytest plugin read the result: what is no worse than it
    says is expected, and an entry whose cases all pass has expired.
    """
    if not reason.strip():
        raise click.UsageError("--reason is empty")
    try:
        with source.open("rb") as file:
            document = reports.read(file.read(reports.MAX_BYTES + 1))
    except OSError as error:
        raise click.UsageError(f"cannot read {source}: {error.strerror}") from None
    except ValueError as error:
        raise click.UsageError(f"{source}: {error}") from None
    text = known_failures.write(
        known_failures.baseline(_failures(document), reason=reason.strip(), each=each)
    )
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        files.write(output, text)
    except OSError as error:
        raise click.UsageError(f"cannot write {output}: {error.strerror}") from None


def _failures(document: reports.Document) -> Iterator[known_failures.Failure]:
    for target in document.targets:
        for item in target.functions:
            where = (target.name or target.target, item.function.name, item.function.quantity)
            for case in item.judged:
                level = level_of(case.outcome, Level(case.level) if case.level else None)
                if level is not None:
                    identifier = case.case.partition("/")[2]
                    yield known_failures.Failure(where, identifier, case.flags, case.outcome, level)
