"""`dporacle conform`: judge libraries."""

from __future__ import annotations

import math
import secrets
import shlex
import sys
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from dporacle.conformance import libraries, report, runner

_EPILOG = """Exit status: 0 conformant, 1 not conformant, 2 usage, 3 a library could not be run
(whatever the others did)."""


@click.command(epilog=_EPILOG)
@click.argument("names", metavar="[LIBRARY[==VERSION]]...", nargs=-1)
@click.option(
    "--adapter",
    "adapters",
    metavar="'COMMAND ...'",
    multiple=True,
    help="Judge a process that speaks the protocol; may be repeated.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON document.")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the JSON document to a file, besides the table.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, max=3600, min_open=True),
    default=5.0,
    show_default=True,
    help="Seconds for one answer.",
)
@click.option(
    "--budget",
    type=click.FloatRange(min=1, max=86_400),
    default=3600.0,
    show_default=True,
    help="Seconds for one library's answers; what does not fit is not asked.",
)
@click.option(
    "--memory",
    type=click.FloatRange(min=0, max=1 << 20, min_open=True),
    default=8.0,
    show_default=True,
    help="GiB of memory for one library's processes.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=2,
    show_default=True,
    help="Libraries to run at a time.",
)
@click.option(
    "--random",
    "rounds",
    type=click.IntRange(0, 10_000),
    default=4,
    show_default=True,
    help="Rounds of fresh inputs for each function; 1 for a slow one.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**64 - 1),
    help="Repeat a run's fresh inputs; the report says its seed.",
)
@click.option("--list", "list_known", is_flag=True, help="Show the known adapters and stop.")
def conform(
    names: tuple[str, ...],
    adapters: tuple[str, ...],
    as_json: bool,
    output: Path | None,
    timeout: float,
    budget: float,
    memory: float,
    jobs: int,
    rounds: int,
    seed: int | None,
    list_known: bool,
) -> None:
    """Ask libraries the same questions and judge every answer by interval arithmetic.

    Each LIBRARY runs in an isolated environment of its own, with a time limit on each answer.
    The name `self` means this project's own float64 functions.
    """
    if list_known:
        _show_known()
        return
    for option, number in (("--timeout", timeout), ("--memory", memory), ("--budget", budget)):
        if not math.isfinite(number):
            raise click.UsageError(f"{option} must be a finite number, got {number}")
    targets = _targets(names, adapters)
    if output:
        _writing(output, b"")  # before a run of minutes, not after it
    limits = runner.Limits(request=timeout, library=budget, memory=math.ceil(memory * 2**30))
    fresh = runner.Fresh(rounds=rounds, seed=secrets.randbits(32) if seed is None else seed)
    with _Bars() as bars:
        results = runner.collect_and_judge(
            targets, limits, jobs=jobs, progress=bars.update, fresh=fresh
        )
    document = report.to_json(results, limits, fresh) if as_json or output else b""
    if output:
        _writing(output, document + b"\n")
    if as_json:
        click.echo(document)
    else:
        report.show(results, _console(), fresh)
    sys.exit(report.exit_status(results))


def _writing(output: Path, more: bytes) -> None:
    try:
        with output.open("wb" if more else "ab") as file:
            file.write(more)
    except OSError as error:
        raise click.UsageError(f"cannot write {output}: {error.strerror}") from None


def _console() -> Console:
    """A terminal's own width; elsewhere as wide as the table is at most."""
    return Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=120)


def _targets(names: tuple[str, ...], adapters: tuple[str, ...]) -> list[runner.Target]:
    if not names and not adapters:
        raise click.UsageError("name at least one LIBRARY, or give --adapter or --list")
    targets = []
    for name in dict.fromkeys(names):
        try:
            targets.append(runner.library_target(libraries.find(name)))
        except ValueError as error:
            raise click.UsageError(str(error)) from None
    for text in adapters:
        try:
            command = shlex.split(text)
        except ValueError as error:
            raise click.UsageError(f"--adapter {text!r}: {error}") from None
        if not command:
            raise click.UsageError("--adapter is empty")
        targets.append(runner.command_target(command))
    return targets


def _show_known() -> None:
    table = Table(box=None, pad_edge=False)
    for heading in ("library", "version", "what is judged"):
        table.add_column(heading)
    for library in (*libraries.LIBRARIES.values(), libraries.SELF):
        table.add_row(library.name, library.version, library.summary)
    _console().print(table)


class _Bars:
    """A progress bar per library, on standard error; a line per library where it is no terminal."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False)
        self._progress = Progress(
            TextColumn("{task.fields[library]}", markup=False),
            BarColumn(),
            TextColumn("{task.completed:.0f}/{task.total:.0f}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[doing]}", markup=False),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> _Bars:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def update(self, name: str, doing: str, done: int, total: int) -> None:
        if not self._console.is_terminal:
            if not total:
                self._console.print(f"{name}: {doing}", markup=False)
            return
        if name not in self._tasks:
            self._tasks[name] = self._progress.add_task("", library=name[:40], doing="", total=1)
        if total:
            self._progress.update(self._tasks[name], doing=doing, completed=done, total=total)
        else:
            self._progress.update(self._tasks[name], doing=doing)
