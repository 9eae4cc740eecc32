"""What `dporacle conform` does: its options stand in a module that is quick to import."""

from __future__ import annotations

import contextlib
import errno
import math
import os
import secrets
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from dporacle.cli import looked_at, resting, tables
from dporacle.common import files
from dporacle.conformance.ask.earlier import Earlier
from dporacle.conformance.ask.power import rounds_for
from dporacle.conformance.grade.functions import Gate
from dporacle.conformance.grade.known_failures import MAX_BYTES, KnownCases, KnownFailures
from dporacle.conformance.grade.known_failures import read as read_known
from dporacle.conformance.grade.runs import Document, judgement, write
from dporacle.conformance.judge.harm_levels import Level
from dporacle.conformance.libraries import environments, pinned
from dporacle.conformance.run import runner
from dporacle.report import earlier as earlier_runs
from dporacle.report import terminal

_PAUSE = 1.1  # seconds


def run(
    names: tuple[str, ...],
    adapters: tuple[str, ...],
    *,
    python: Path | None,
    as_json: bool,
    output: Path | None,
    timeout: float,
    budget: float,
    function_budget: float,
    memory: float,
    jobs: int,
    power: float,
    share: float,
    rounds: int | None,
    seed: int | None,
    fail_on: Level | float,
    max_extra: float | None,
    unsafe_ulp: float,
    known_failures: Path | None,
    earlier: Path | None,
    list_known: bool,
    verbose: bool,
    quiet: bool,
) -> None:
    """Judge what the options name, and exit with the status of what was found."""
    if list_known:
        _show_known(as_json=as_json)
        return
    if quiet + verbose + as_json > 1:
        raise click.UsageError("give only one of --json, --quiet and --verbose")
    numbers = {
        "--timeout": timeout,
        "--memory": memory,
        "--budget": budget,
        "--function-budget": function_budget,
        "--max-extra": max_extra or 0.0,
        "--unsafe-ulp": unsafe_ulp,
        "--power": power,
        "--share": share,
    }
    for option, number in numbers.items():
        if not math.isfinite(number):
            raise click.UsageError(f"{option} must be a finite number, got {number}")
    targets = _targets(names, adapters, python)
    gate = Gate(
        fail_on=fail_on,
        max_extra=None if max_extra is None else max_extra / 100,
        unsafe_ulp=unsafe_ulp,
    )
    entries = _read_known(known_failures)
    found_before = _read_earlier(earlier)
    if output:
        _writing(output)  # before a run of minutes, not after it
    limits = runner.Patience(
        request=timeout,
        function=function_budget,
        library=budget,
        memory=math.ceil(memory * 2**30),
        pause=_PAUSE,
    )
    if rounds is None:
        rounds = rounds_for(share=share, power=power)
    fresh = runner.Fresh(rounds=rounds, seed=secrets.randbits(32) if seed is None else seed)

    def graded(results: Sequence[runner.TargetResult], *, complete: bool) -> Document:
        known = KnownFailures(entries)
        return judgement(results, gate, known, limits=limits, fresh=fresh, complete=complete)

    so_far: list[runner.TargetResult] = []

    def finished(result: runner.TargetResult) -> None:
        so_far.append(result)
        if output and len(so_far) < len(targets):
            _writing(output, write(graded(so_far, complete=False)) + b"\n")

    with resting(), _Bars(quiet=quiet) as bars:
        results = runner.collect_and_judge(
            targets,
            limits,
            jobs=jobs,
            processes=os.cpu_count() or 1,
            progress=bars.update,
            fresh=fresh,
            finished=finished,
            earlier=found_before,
        )
    run = graded(results, complete=True)
    if output:
        _writing(output, write(run) + b"\n")
    if as_json:
        click.echo(write(run))
    else:
        terminal.show(run, tables.console(terminal.WIDEST), quiet=quiet, verbose=verbose)
    sys.exit(run.status)


def _read_known(path: Path | None) -> tuple[KnownCases, ...]:
    if path is None:
        return ()
    try:
        with path.open("rb") as file:
            return read_known(file.read(MAX_BYTES + 1))
    except OSError as error:
        raise click.UsageError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise click.UsageError(f"{path}: {error}") from None


def _read_earlier(path: Path | None) -> Earlier:
    if path is None:
        return {}
    try:
        return earlier_runs.read(path)
    except OSError as error:
        raise click.UsageError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _writing(output: Path, content: bytes | None = None) -> None:
    """Write a file, or without a content only see whether that is possible."""
    try:
        if content is None:
            files.check(output)
        else:
            files.write(output, content)
    except OSError as error:
        raise click.UsageError(f"cannot write {output}: {error.strerror}") from None


def _targets(
    names: tuple[str, ...], adapters: tuple[str, ...], python: Path | None
) -> list[runner.Target]:
    if not names and not adapters:
        raise click.UsageError("name at least one LIBRARY, or give --adapter or --list")
    if python is not None and (adapters or [*names] not in [[each] for each in pinned.LIBRARIES]):
        raise click.UsageError("--python is for one LIBRARY without a version")
    try:
        libraries = [each for name in dict.fromkeys(names) for each in pinned.named(name)]
        targets = [runner.library_target(each, python=python) for each in libraries]
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if python is None:
        try:
            environments.check_tool(libraries)
        except environments.EnvironmentBuildError as error:
            raise click.ClickException(str(error)) from None
    for text in adapters:
        try:
            command = shlex.split(text)
        except ValueError as error:
            raise click.UsageError(f"--adapter {text!r}: {error}") from None
        if not command:
            raise click.UsageError("--adapter is empty")
        targets.append(runner.command_target(command))
    return targets


def _show_known(*, as_json: bool) -> None:
    known_here = (*pinned.LIBRARIES.values(), pinned.SELF)
    headings = ("library", "version", "what is judged")
    rows = [(library.name, library.version, library.summary) for library in known_here]
    if as_json:
        tables.echo_json([dict(zip(headings, row, strict=True)) for row in rows])
        return
    table = Table(*headings, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*row)
    tables.show(tables.console(120), table)


class _Progress(Console):
    """A console whose reader may go away: rich's own would close standard output then, and exit."""

    def on_broken_pipe(self) -> None:
        """Let the runner know, which goes on without progress."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


class _Bars:
    """A progress bar per library, on standard error; a line per library where it is no terminal.

    Who wants the last line alone gets no such lines, and bars that leave nothing on the terminal.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._quiet, self._seen = quiet, looked_at()
        self._console = _Progress(stderr=True, highlight=False, force_terminal=self._seen)
        self._progress = Progress(
            TextColumn("{task.fields[library]}", markup=False),
            BarColumn(),
            TextColumn("{task.completed:.0f}/{task.total:.0f}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[doing]}", markup=False),
            console=self._console,
            transient=quiet,
            disable=not self._seen,
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> _Bars:
        with contextlib.suppress(OSError):
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._progress.stop()

    def update(self, name: str, doing: str, done: int, total: int) -> None:
        if not self._seen:
            if not (total or self._quiet):
                self._console.print(f"{name}: {doing}", markup=False)
            return
        if name not in self._tasks:
            self._tasks[name] = self._progress.add_task("", library=name[:40], doing="", total=1)
        if total:
            self._progress.update(self._tasks[name], doing=doing, completed=done, total=total)
        else:
            self._progress.update(self._tasks[name], doing=doing)
