"""`dporacle vectors`: list, show, export, make and verify the certified vectors."""

import re
import sys
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import click
from rich.table import Table

from dporacle.cli import tables
from dporacle.cli.bars import followed
from dporacle.cli.headed_lines import line
from dporacle.cli.options import options
from dporacle.common.exit_status import ExitStatus
from dporacle.common.files import write as write_file
from dporacle.vectors import GROUPS, build, editions, load, schema, verify
from dporacle.vectors.cases import NoCasesError
from dporacle.vectors.vector_file import Refusal, Vector, VectorFile
from dporacle.vocabulary.statements import statement

# The folder of the source tree, where an editable installation finds its files.
_DATA = Path(str(resources.files("dporacle.vectors.data") / "README.md")).resolve().parent
_WIDTH = 31  # columns of a group and its cases
_MOST_GROUPS = 23  # with the total a screen of 24 lines; the smallest groups are one line
_SCHEMA = "vectors.schema.json"


@click.command()
@options("vectors")
def vectors(
    target: Path | None,
    schemed: bool,
    verifying: bool,
    write: bool,
    add: bool,
    check: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    """Print how many certified vectors there are; list, export, verify or make them."""
    if sum((target is not None, schemed, verifying, write, add, check)) > 1:
        words = "--export, --schema, --verify, --write, --add, --check"
        raise click.UsageError(f"give only one of {words}")
    if schemed:
        click.echo(schema.render(schema.schema()), nl=False)
        return
    if write or add or check:
        _make(write=not check, keep=add)
        return
    if target is not None:
        try:
            _export(target)
        except OSError as error:
            raise click.UsageError(f"cannot write to {target}: {error.strerror}") from None
        return
    files = {group: load(group) for group in GROUPS}
    if verifying:
        _verify(files, silent=as_json)
    _list(files, verbose=verbose, as_json=as_json)


def _list(files: dict[str, VectorFile], *, verbose: bool, as_json: bool) -> None:
    rows = [
        {
            "function": group,
            "statements": file.statements,
            "safe side": file.rounding,
            "vectors": len(file.vectors),
            "refusals": len(file.refusals),
            "flags": len(file.notes),
        }
        for group, file in files.items()
    ]
    if as_json:
        tables.echo_json({"edition": editions.EDITION, "files": rows})
        return
    cases = {name: len(file.vectors) + len(file.refusals) for name, file in files.items()}
    total = f"edition {editions.EDITION}: {sum(cases.values())} cases in {len(files)} files"
    if verbose:
        table = Table(*rows[0])
        for row in rows:
            table.add_row(*(" ".join(v) if isinstance(v, tuple) else str(v) for v in row.values()))
        console = tables.console(120)
        tables.show(console, table)
        console.print(total)
        return
    of: dict[str, list[str]] = {}
    for name, file in files.items():
        of.setdefault(statement(file.statements[0]).group, []).append(name)
    small = sorted(of, key=lambda group: sum(cases[name] for name in of[group]))
    if joined := small[: len(of) - _MOST_GROUPS + 1] if len(of) > _MOST_GROUPS else []:
        of["others"] = [name for group in joined for name in of.pop(group)]
    for group, (first, *others) in of.items():
        more = f" and {len(others)} more" if others else ""
        count = sum(cases[name] for name in (first, *others))
        line(f"{group.replace('_', ' '):<24} {count:5}", f"{first}{more}", _WIDTH)
    click.echo(f"{total}; --verbose prints every file")


def _export(target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for file in sorted(_DATA.glob("*.json")) + sorted(_DATA.glob("*.md")):
        write_file(target / file.name, file.read_bytes())
    click.echo(f"{len(GROUPS)} files of vectors, schema and README.md written to {target}")


def _make(*, write: bool, keep: bool) -> None:
    different = []
    for name, data in followed(_contents(keep=keep), "making", len(GROUPS) + 3):
        path = _DATA / name
        if not path.exists() or path.read_bytes() != data:
            different.append(name)
            if write:
                write_file(path, data)
    if different and not write:
        click.echo(f"made anew, these differ: {', '.join(different)}", err=True)
        sys.exit(ExitStatus.FINDING)
    click.echo(f"{len(GROUPS)} groups, {len(different)} written" if write else "no difference")


def _contents(*, keep: bool) -> Iterator[tuple[str, bytes]]:
    """Yield every file of data that is made, by its name."""
    newest: dict[str, tuple[str, ...]] = {}
    for group in GROUPS:
        kept = load(group) if keep and (_DATA / f"{group}.json").exists() else None
        try:
            file = build.build(group, kept)
        except NoCasesError as error:
            raise click.UsageError(str(error)) from None
        if keep:
            _confirm(file, {vector.id for vector in kept.vectors} if kept else set())
        yield f"{group}.json", build.render(file)
        cases: tuple[Vector | Refusal, ...] = (*file.vectors, *file.refusals)
        newest[group] = tuple(case.id for case in cases if case.edition == editions.EDITION)
    yield f"edition-{editions.EDITION}.json", editions.record(newest)
    yield "CHANGELOG.md", _counted(newest)
    yield _SCHEMA, schema.render(schema.schema())


def _counted(newest: dict[str, tuple[str, ...]]) -> bytes:
    """Return the changelog with the number of the newest edition's cases and groups."""
    older = {group for n in range(1, editions.EDITION) for group in editions.edition(n).ids}
    cases = sum(map(len, newest.values()))
    groups = sum(bool(ids) and group not in older for group, ids in newest.items())
    text = (_DATA / "CHANGELOG.md").read_text(encoding="utf-8")
    line = rf"(?<=## Edition {editions.EDITION}\n\n)[\d,]+ cases([^:]*?)\d+ new groups"
    text, found = re.subn(line, rf"{cases:,} cases\g<1>{groups} new groups", text)
    if not found:
        raise click.ClickException(
            f"CHANGELOG.md of the vectors does not say `N cases … M new groups` of edition "
            f"{editions.EDITION}"
        )
    return text.encode()


def _confirm(file: VectorFile, known: set[str]) -> None:
    """Refuse a new vector that the fourth witness contradicts."""
    for vector in file.vectors:
        if vector.id not in known and (complaint := verify.disagreement(file, vector)):
            raise click.ClickException(f"{file.function} {vector.id}: {complaint}")


def _verify(files: dict[str, VectorFile], *, silent: bool) -> None:
    wrong = 0
    cases = [(file, vector) for file in files.values() for vector in file.vectors]
    for file, vector in followed(cases, "verifying", len(cases)):
        if complaint := verify.disagreement(file, vector):
            wrong += 1
            click.echo(f"{file.function} {vector.id}: {complaint}", err=True)
    if wrong:
        click.echo(f"{wrong} of {len(cases)} vectors are wrong", err=True)
        sys.exit(ExitStatus.FINDING)
    if silent:
        return
    for group, file in files.items():
        click.echo(f"{group}: {len(file.vectors)} vectors agree with: {verify.way(group)}")
