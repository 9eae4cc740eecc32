"""`dporacle vectors`: list, show, export, make and verify the certified vectors."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.console import Console
from rich.progress import track
from rich.table import Table

from dporacle.vectors import GROUPS, build, load, verify
from dporacle.vectors.model import VectorFile

__all__ = ["vectors"]


@click.command()
@click.option(
    "--export",
    "target",
    type=click.Path(path_type=Path, file_okay=False),
    help="Copy the files of vectors into a folder.",
)
@click.option("--verify", "verifying", is_flag=True, help="Check them with the reference.")
@click.option("--write", is_flag=True, help="Make them anew, in the source tree.")
@click.option("--check", is_flag=True, help="Fail unless making them anew gives the same bytes.")
def vectors(target: Path | None, verifying: bool, write: bool, check: bool) -> None:
    """List the certified vectors; export, verify or make them."""
    console = Console()
    if write or check:
        _make(write=write)
        return
    files = {group: load(group) for group in GROUPS}
    if target is not None:
        target.mkdir(parents=True, exist_ok=True)
        for group, file in files.items():
            (target / f"{group}.json").write_bytes(build.render(file))
        console.print(f"{len(files)} files written to {target}")
        return
    if verifying:
        _verify(files)
    table = Table("function", "statements", "vectors", "refusals", "flags")
    for group, file in files.items():
        table.add_row(
            group,
            " ".join(file.statements),
            str(len(file.vectors)),
            str(len(file.refusals)),
            str(len(file.notes)),
        )
    console.print(table)


def _make(*, write: bool) -> None:
    folder = Path(build.__file__).resolve().parent / "data"
    different = []
    for group in track(GROUPS, "making", console=Console(stderr=True)):
        data = build.render(build.build(group))
        path = folder / f"{group}.json"
        if not path.exists() or path.read_bytes() != data:
            different.append(group)
            if write:
                folder.mkdir(exist_ok=True)
                path.write_bytes(data)
    if different and not write:
        raise click.ClickException(f"made anew, these differ: {', '.join(different)}")
    click.echo(f"{len(GROUPS)} files, {len(different)} written" if write else "no difference")


def _verify(files: dict[str, VectorFile]) -> None:
    wrong = 0
    cases = [(file, vector) for file in files.values() for vector in file.vectors]
    for file, vector in track(cases, "verifying", console=Console(stderr=True)):
        if complaint := verify.disagreement(file, vector):
            wrong += 1
            click.echo(f"{file.function} {vector.id}: {complaint}", err=True)
    if wrong:
        click.echo(f"{wrong} of {len(cases)} vectors are wrong", err=True)
        sys.exit(1)
    click.echo(f"{len(cases)} vectors agree with the reference")
