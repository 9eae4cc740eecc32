"""`dporacle experiment`: the experiments of the sources, run again beside the exact values."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from dporacle.cli import tables
from dporacle.cli.options import options
from dporacle.common.exit_status import ExitStatus
from dporacle.enclosures.arithmetic.rounding import interval
from dporacle.wings.papers.experiments import EXPERIMENTS, FALSE_ALARM, ON_DATA, Line, Result, run


@click.command()
@options("experiment", name=[*sorted(EXPERIMENTS), "all"])
def experiment(
    name: str,
    seed: int,
    repetitions: int | None,
    data: Path | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Run an experiment of the sources; print measured intervals beside the exact values.

    Exit status: 1 if an exact value is outside its measured interval, else 0.
    """
    if name == "all":
        results = []
        for each in sorted(EXPERIMENTS):
            results.append(_one(each, seed, repetitions, data, output))
            if not as_json:
                _print(results[-1])
        if as_json:
            tables.echo_json([_record(result, seed) for result in results])
        if any(result.disagreeing for result in results):
            raise SystemExit(ExitStatus.FINDING)
        return
    try:
        result = run(name, seed=seed, repetitions=repetitions, data=data)
        if output is not None:
            write = (
                _pictures().draw if output.suffix and not output.is_dir() else _pictures().publish
            )
            write(result, output)
    except (ValueError, OSError) as error:
        raise click.UsageError(str(error)) from error
    if as_json:
        tables.echo_json(_record(result, seed))
    else:
        _print(result)
    if result.disagreeing:
        raise SystemExit(ExitStatus.FINDING)


def _record(result: Result, seed: int) -> dict[str, Any]:
    lines = [{**asdict(line), "agrees": line.agrees} for line in result.lines]
    return {
        "experiment": result.name,
        "statement": result.statement,
        "title": result.title,
        "seed": seed,
        "false_alarm": FALSE_ALARM,
        "lines": lines,
        "facts": list(result.facts),
    }


def _one(
    name: str, seed: int, repetitions: int | None, data: Path | None, folder: Path | None
) -> Result:
    """Run one of all."""
    try:
        used = data if name in ON_DATA else None
        result = run(name, seed=seed, repetitions=repetitions, data=used)
        if folder is not None:
            _pictures().publish(result, folder)
    except (ValueError, OSError) as error:
        raise click.UsageError(f"{name}: {error}") from error
    return result


def _pictures() -> Any:
    from dporacle.wings.papers.experiments import pictures

    return pictures


def _print(result: Result) -> None:
    console = tables.console(120)
    table = Table(
        "setting",
        "mechanism",
        "quantity",
        "exact",
        "measured",
        "interval",
        "",
        title=f"{result.statement}: {result.title}",
    )
    for line in result.lines:
        table.add_row(line.setting, line.mechanism, line.quantity, *_cells(line))
    tables.show(console, table)
    for fact in result.facts:
        console.print(fact, highlight=False)
    console.print(
        f"Each interval misses its exact value with probability {FALSE_ALARM:g}"
        f" (Student's in the normal limit); {len(result.disagreeing)} did.",
        highlight=False,
    )


def _cells(line: Line) -> tuple[str, str, str, str]:
    exact = "–" if line.exact is None else f"{line.exact:.8g}"
    if line.measured is None:
        return exact, "–", "", ""
    low, high = interval(line.measured.low, line.measured.high, 4)
    holds = {None: "", True: "✔", False: "✖"}[line.agrees]
    return exact, f"{line.measured.value:.5g}", f"[{low}, {high}]", holds
