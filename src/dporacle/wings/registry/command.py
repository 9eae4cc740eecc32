"""`dporacle registry`: audits of descriptions of deployments."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dporacle.cli.options import options
from dporacle.common import files
from dporacle.common.exit_status import ExitStatus

if TYPE_CHECKING:
    from dporacle.wings.registry import Audited


_EPILOG = """Exit status: 0 no contradiction; 1 a contradiction, or a formal claim is violated as
printed; 2 usage or a file that cannot be read; 3 no contradiction, but a formal claim is undecided.
Questions do not change the status."""


@click.command(epilog=_EPILOG)
@options("registry")
def registry(path: Path, output: Path | None, folder: Path | None, as_json: bool) -> None:
    """Audit descriptions of deployments: a YAML file, or a folder of them.

    The keys are those of OpenDP's registry of deployments. The command compares parts with
    totals and ρ with ε and δ, and finds a δ beside pure DP. Only numbers under keys of their own
    contradict each other. What is said in words of releases, the unit of privacy and the
    neighbours asks questions, and so does what is missing.
    """
    from dporacle.claims.judge import exit_status
    from dporacle.wings import registry as deployments

    try:
        entries, wrong, skipped = deployments.load(path)
    except OSError as error:
        raise click.UsageError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    audited = [deployments.audit(each) for each in entries]
    try:
        if output is not None:
            files.write(output, deployments.to_markdown(audited, skipped=skipped))
        if folder is not None:
            _write(folder, audited)
    except OSError as error:
        raise click.UsageError(f"cannot write {error.filename}: {error.strerror}") from None
    if audited:
        write = deployments.to_json if as_json else deployments.to_text
        click.echo(write(audited, skipped=skipped))
    for each in wrong:
        click.echo(f"Error: {each}", err=True)
    status = exit_status([one for each in audited for one in each.verdicts])
    if status == ExitStatus.FINDING or any(each.contradictions for each in audited):
        sys.exit(ExitStatus.FINDING)
    sys.exit(ExitStatus.USAGE if wrong else status)


def _write(folder: Path, audited: list[Audited]) -> None:
    """Write the formal claims of each entry that has any."""
    folder.mkdir(parents=True, exist_ok=True)
    for each in audited:
        if each.contents:
            name = re.sub(r"[^\w-]+", "-", Path(each.entry.name).with_suffix("").as_posix())
            content = {"format": "dporacle-claims/1", "claims": each.contents}
            files.write(
                folder / f"{name}.json", json.dumps(content, indent=2, ensure_ascii=False) + "\n"
            )
