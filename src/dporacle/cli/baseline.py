"""`dporacle baseline`: what fails today, as a file of known failures."""

from pathlib import Path

import click

from dporacle import report as reports
from dporacle.cli.options import options
from dporacle.common import files
from dporacle.conformance.grade import known_failures
from dporacle.report import baseline as baselines


@click.command(epilog="Exit status: 0 whatever the run found, 2 usage or a file that is not a run.")
@options("baseline")
def baseline(source: Path, output: Path | None, reason: str, each: bool) -> None:
    """Write the failures of a conformance run as a file of known failures.

    `dporacle conform --output FILE.json` writes FILE.json. `dporacle conform --known-failures`, the
    action and the pytest plugin read the result: they expect failures that are no worse, and an
    entry expires when all its cases pass. Fresh inputs differ in every run, so the file says how
    many of them failed.
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
    entries = baselines.baseline(document, reason=reason.strip(), each=each)
    text = known_failures.write(entries)
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        files.write(output, text)
    except OSError as error:
        raise click.UsageError(f"cannot write {output}: {error.strerror}") from None
    count = f"{len(entries)} known failure{'s' if len(entries) != 1 else ''}"
    click.echo(f"wrote {output}: {count if entries else 'no function of the run fails'}")
