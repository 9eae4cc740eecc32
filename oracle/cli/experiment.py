"""`dporacle experiment`: the experiments of the sources, run again beside the exact values."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from dporacle.cli.numbers import json_option
from dporacle.exit_status import ExitStatus
from dporacle.experiments import EXPERIMENTS, FALSE_ALARM, ON_DATA, Line, Result, run

__all__ = ["experiment"]


@click.command()
@click.argument("name", type=click.Choice([*sorted(EXPERIMENTS), "all"]))
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--repetitions", type=click.IntRange(10), help="Releases of each mechanism.")
@click.option(
    "--data",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A CSV file of pickups, for heat-map and pickups; default: a synthetic heat map.",
)
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write a picture.")
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write NAME.svg, NAME.png and the numbers NAME.csv into a folder.",
)
@json_option
def experiment(
    name: str,
    seed: int,
    repetitions: int | None,
    data: Path | None,
    output: Path | None,
    into: Path | None,
    as_json: bool,
) -> None:
    """Run an experiment of the sources and set what it measures beside the exact values.

    Exits with 1 if an exact value lies outside the interval that was measured.
    """
    if name == "all":
        if output is not None or as_json:
            raise click.UsageError("all takes --into, not --output or --json")
        failed = [
            each for each in sorted(EXPERIMENTS) if not _one(each, seed, repetitions, data, into)
        ]
        if failed:
            raise SystemExit(ExitStatus.FINDING)
        return
    try:
        result = run(name, seed=seed, repetitions=repetitions, data=data)
        if output is not None:
            _pictures().draw(result, output)
        if into is not None:
            _pictures().publish(result, into)
    except (ValueError, OSError) as error:
        raise click.UsageError(str(error)) from error
    if as_json:
        lines = [{**asdict(line), "agrees": line.agrees} for line in result.lines]
        shown = {
            "experiment": result.name,
            "statement": result.statement,
            "title": result.title,
            "seed": seed,
            "false_alarm": FALSE_ALARM,
            "lines": lines,
            "facts": list(result.facts),
        }
        click.echo(json.dumps(shown, ensure_ascii=False, indent=2))
    else:
        _print(result)
    if result.disagreeing:
        raise SystemExit(ExitStatus.FINDING)


def _one(
    name: str, seed: int, repetitions: int | None, data: Path | None, into: Path | None
) -> bool:
    """Run one of all; return whether every exact value lies in its interval."""
    try:
        used = data if name in ON_DATA else None
        result = run(name, seed=seed, repetitions=repetitions, data=used)
        if into is not None:
            _pictures().publish(result, into)
    except (ValueError, OSError) as error:
        raise click.UsageError(f"{name}: {error}") from error
    _print(result)
    return not result.disagreeing


def _pictures() -> Any:
    from dporacle.experiments import pictures

    return pictures


def _print(result: Result) -> None:
    console = Console(width=None if Console().is_terminal else 120)
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
    console.print(table)
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
    interval = f"[{line.measured.low:.4g}, {line.measured.high:.4g}]"
    holds = {None: "", True: "✔", False: "✖"}[line.agrees]
    return exact, f"{line.measured.value:.5g}", interval, holds
