"""What `dporacle prove` does: its options stand in a module that is quick to import."""

import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
from rich.markup import escape
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from dporacle import regions
from dporacle.arguments import decimal
from dporacle.cli import tables
from dporacle.cli.bars import bars
from dporacle.common.exit_status import ExitStatus
from dporacle.enclosures.arithmetic.rounding import interval
from dporacle.regions import formulas
from dporacle.regions.theorem import ProofStatus, Theorem

_EXIT = {ProofStatus.PROVED: ExitStatus.FINE, ProofStatus.REFUTED: ExitStatus.FINDING}
_STYLES = {ProofStatus.PROVED: "green", ProofStatus.REFUTED: "red", ProofStatus.UNDECIDED: "yellow"}
_SHOWN = 5


def run(
    id_: str | None,
    *,
    show_list: bool,
    run_all: bool,
    formula: str | None,
    epsilon: tuple[Fraction, Fraction] | None,
    delta: tuple[Fraction, Fraction] | None,
    constant: Fraction | None,
    output: Path | None,
    resume: bool,
    workers: int | None,
    artefact: Path | None,
    as_json: bool,
) -> None:
    """Prove what the options name, and exit with the status of it."""
    asked = [id_ is not None, show_list, run_all, formula is not None, artefact is not None]
    if sum(asked) != 1:
        raise click.UsageError("give exactly one of ID, --list, --all, --formula and --verify")
    if formula is None and (epsilon or delta or constant is not None):
        raise click.UsageError("--epsilon, --delta and --constant belong to --formula")
    if resume and output is None:
        raise click.UsageError("--resume needs --output")
    if output is not None and id_ is None and formula is None:
        raise click.UsageError("--output needs ID or --formula")
    if show_list:
        _list(as_json=as_json)
    elif run_all:
        sys.exit(_all(workers, as_json=as_json))
    elif artefact is not None:
        sys.exit(_verify(artefact, as_json=as_json))
    else:
        theorem = _theorem(id_, formula, epsilon, delta, constant)
        sys.exit(_one(theorem, output, resume, workers, as_json=as_json))


def _theorem(
    id_: str | None,
    formula: str | None,
    epsilon: tuple[Fraction, Fraction] | None,
    delta: tuple[Fraction, Fraction] | None,
    constant: Fraction | None,
) -> Theorem:
    if formula is None:
        assert id_ is not None
        if id_ not in regions.catalogue():
            raise click.UsageError(f"no theorem {id_!r}; see --list")
        return regions.catalogue()[id_]
    if not epsilon or not delta:
        raise click.UsageError("--formula needs --epsilon LOW HIGH and --delta LOW HIGH")
    try:
        return formulas.theorem(formula, epsilon=epsilon, delta=delta, constant=constant)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _list(*, as_json: bool) -> None:
    headings = ("id", "statement", "expected", "boxes are")
    rows = []
    for theorem in regions.catalogue().values():
        role = "the proof" if theorem.role == "proof" else "a check of the lemmas"
        expected = "proved" if theorem.true else "refuted"
        rows.append((theorem.id, theorem.statement, expected, role if theorem.true else ""))
    if as_json:
        tables.echo_json([dict(zip(headings, row, strict=True)) for row in rows])
        return
    table = Table(box=None, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*map(escape, row))
    tables.show(tables.console(160), table)


def _one(
    theorem: Theorem, output: Path | None, resume: bool, workers: int | None, *, as_json: bool
) -> int:
    if not as_json:
        click.echo(f"statement  {theorem.statement}")
    try:
        found = _run(theorem, output, resume, workers)
    except KeyboardInterrupt:
        kept = f"{output} holds what is done; --resume continues" if output else "nothing was kept"
        click.echo(f"interrupted: {kept}", err=True)
        return ExitStatus.INTERRUPTED
    except (ValueError, OSError) as error:
        raise click.UsageError(str(error)) from None
    if as_json:
        tables.echo_json(_record(found))
    else:
        _report(found)
    return _EXIT.get(found.status, ExitStatus.NO_ANSWER)


def _run(
    theorem: Theorem, output: Path | None, resume: bool, workers: int | None
) -> regions.ProofRun:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>5.1f} % of the region, {task.fields[boxes]} boxes"),
        TimeElapsedColumn(),
    )
    with bars(*columns) as progress:
        task = progress.add_task(theorem.id, total=1.0, boxes=0)
        return regions.prove(
            theorem,
            output=output,
            resume=resume,
            workers=workers,
            progress=lambda run: progress.update(task, completed=run.share, boxes=len(run.leaves)),
        )


def _record(found: regions.ProofRun) -> dict[str, Any]:
    theorem = found.theorem
    shown: dict[str, Any] = {
        "id": theorem.id,
        "statement": theorem.statement,
        "verdict": str(found.status).upper(),
    }
    if found.counterexample is not None:
        at = {name: decimal(value) for name, value in found.counterexample.at.items()}
        return shown | {"at": at, "because": found.counterexample.says}
    return shown | {
        "boxes": len(found.leaves),
        "tried": found.tried,
        "boxes_are": theorem.role,
        "covering": theorem.covering,
        "lemmas": {lemma.id: lemma.says for lemma in theorem.lemmas},
        "numbers": [
            {"says": each.says, "enclosure": [each.low, each.high], "holds": each.holds}
            for each in found.checked
        ],
        "undecided": len(found.given_up),
    }


def _report(found: regions.ProofRun) -> None:
    theorem = found.theorem
    click.echo(f"verdict    {str(found.status).upper()}")
    if found.counterexample is not None:
        at = ", ".join(f"{k} = {decimal(v)}" for k, v in found.counterexample.at.items())
        click.echo(f"at         {at}")
        click.echo(f"because    {found.counterexample.says}")
        return
    role = "proof" if theorem.role == "proof" else "check; the lemmas alone are the proof"
    click.echo(f"boxes      {len(found.leaves)} proved, {found.tried} tried ({role})")
    click.echo(f"covering   {theorem.covering}")
    for lemma in theorem.lemmas:
        click.echo(f"lemma      {lemma.id}: {lemma.says}")
    for check in found.checked:
        mark = "" if check.holds else "NOT SHOWN: "
        click.echo(f"number     {mark}{check.says}: in [{check.low}, {check.high}]")
    for item in found.given_up[:_SHOWN]:
        sides = (interval(low, high, 6) for low, high in item.box)
        corners = " × ".join(f"[{low}, {high}]" for low, high in sides)
        click.echo(f"undecided  {theorem.parts[item.part].name}: {corners}")
    if len(found.given_up) > _SHOWN:
        click.echo(f"undecided  and {len(found.given_up) - _SHOWN} more boxes")


def _all(workers: int | None, *, as_json: bool) -> int:
    table = Table(box=None, pad_edge=False)
    for heading in ("id", "verdict", "boxes", "tried"):
        table.add_column(heading, justify="left" if heading in ("id", "verdict") else "right")
    failed, records = [], []
    for theorem in regions.catalogue().values():
        found = _run(theorem, None, False, workers)
        verdict = f"[{_STYLES[found.status]}]{found.status}[/]"
        table.add_row(theorem.id, verdict, str(len(found.leaves)), str(found.tried))
        records.append(_record(found))
        if found.status is not (ProofStatus.PROVED if theorem.true else ProofStatus.REFUTED):
            failed.append(theorem.id)
    if as_json:
        tables.echo_json({"runs": records, "not_as_expected": failed})
    else:
        tables.show(tables.console(160), table)
        if failed:
            click.echo(f"not as expected: {', '.join(failed)}")
    return ExitStatus.NO_ANSWER if failed else ExitStatus.FINE


def _verify(path: Path, *, as_json: bool) -> int:
    try:
        with bars() as progress:
            task = progress.add_task("boxes", total=None)
            found = regions.verify(
                path, lambda done, total: progress.update(task, completed=done, total=total)
            )
    except OSError as error:
        raise click.UsageError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise click.UsageError(f"{path}: {error}") from None
    status = ExitStatus.NO_ANSWER if found.faults else _EXIT.get(found.status, ExitStatus.NO_ANSWER)
    if as_json:
        shown = {
            "statement": found.theorem.statement,
            "verdict": str(found.status).upper(),
            "faults": list(found.faults),
            "boxes": found.boxes,
        }
        tables.echo_json(shown)
        return status
    click.echo(f"statement  {found.theorem.statement}")
    click.echo(f"verdict    {str(found.status).upper()}")
    for fault in found.faults:
        click.echo(f"fault      {fault}")
    if not found.faults and found.status is ProofStatus.PROVED:
        click.echo(f"boxes      {found.boxes}, each proved again; they tile the region exactly")
    return status
