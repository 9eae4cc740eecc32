"""`dporacle rank-one`: the published claim of the rank-one Gaussian mechanism beside the truth."""

import itertools
import json
import time
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from dataclasses import asdict
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import click
from flint import arb
from rich.table import Table

from dporacle import arguments, fast
from dporacle.cli import tables
from dporacle.cli.bars import bars, followed
from dporacle.cli.options import options
from dporacle.common.exit_status import ExitStatus
from dporacle.enclosures import (
    calibrate_sigma,
    rank_one_private_sigma_star,
    rank_one_published_delta,
    rank_one_sigma_star,
)
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import precision
from dporacle.verdicts import Verdict
from dporacle.wings.papers.rank_one import CLAIM, RankOneVerdict, judge_rank_one_claim
from dporacle.wings.papers.rank_one import simulate as run_simulation

_USUAL = (3, 4, 10, 100, 1000, 7921)
_LEAST, _MOST = Fraction(1, 10**50), 10**4  # δ, ε: where a private σ* is a matter of seconds


@click.command(short_help="Compare the smallest private σ* with the Gaussian's Mσ².")
@options("rank-one private")
def private(
    epsilon: Fraction, delta: Fraction, dimensions: tuple[int, ...], digits: int, as_json: bool
) -> None:
    """Print the smallest private σ* = E‖n‖² beside M·σ² of the analytic Gaussian mechanism."""
    if not 0 < epsilon <= _MOST:
        raise click.UsageError(f"epsilon must lie in (0, {_MOST}], got {arguments.show(epsilon)}")
    if not _LEAST <= delta < 1:
        raise click.UsageError(f"delta must lie in [1e-50, 1), got {arguments.show(delta)}")
    rows: list[tuple[int, dict[str, arb]]] = []
    try:
        sigma = calibrate_sigma(epsilon=epsilon, delta=delta, digits=digits + 5)
        sizes = dimensions or _USUAL
        for size in followed(sizes, "dimensions", len(sizes)):
            where: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "dimension": size}
            with precision(4 * digits + 64):
                spherical = size * sigma * sigma
            balls = {
                "private": rank_one_private_sigma_star(**where, digits=digits + 2),
                "gaussian": spherical,
                "published": rank_one_sigma_star(**where, digits=digits + 2),
            }
            rows.append((size, balls))
    except (ValueError, TypeError) as error:
        raise click.UsageError(str(error)) from error
    except ArithmeticError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        lines = [
            {"dimension": size}
            | {name: rounding.decimal_bounds(ball, digits + 2) for name, ball in balls.items()}
            for size, balls in rows
        ]
        shown = {"epsilon": str(epsilon), "delta": str(delta), "rows": lines}
        click.echo(json.dumps(shown, ensure_ascii=False))
        return
    printed = Table("M", "private σ*/Δ²", "M·σ²/Δ²", "published σ*/Δ²")
    for size, balls in rows:
        cells = (rounding.decimal_digits(ball, digits) for ball in balls.values())
        printed.add_row(str(size), *cells)
    tables.show(tables.console(110), printed)


@click.command(short_help="Draw claimed and exact δ, and σ*.")
@options("rank-one plot")
def plot(output: Path, delta: Fraction) -> None:
    """Draw claimed and exact δ over ε, and the private σ* beside the analytic Gaussian."""
    from dporacle.wings.papers.plots import STEPS, draw

    try:
        with bars() as progress:
            task = progress.add_task("curves", total=STEPS)
            draw(output, delta, lambda: progress.advance(task))
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"output: {error}") from error
    click.echo(f"{output}")


DIMENSIONS = (3, 4, 10, 100, 1000, 7921)
DELTAS = ("1e-3", "1e-5", "1e-7")
EPSILONS = ("1e-5", "1e-3", "0.01", "0.1", "0.5", "1", "5")


def _executor(jobs: int) -> Executor:
    return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))


@click.group("rank-one")
def rank_one() -> None:
    """Judge R1SMG, noise of a random direction and a Gaussian length (JL24.T1).

    The published theorem: if the length has the variance σ* = 2Δ²/(εψ), the noise is (ε,δ)-DP in
    any dimension M > 2, where ψ = (δ·Γ((M−1)/2)/(√π·Γ(M/2)))^(2/(M−2)). This is true for M = 3, and
    false in general for M ≥ 4. Try `dporacle rank-one verdict`.
    """


def _shown(found: RankOneVerdict, digits: int) -> dict[str, Any]:
    return {
        "dimension": found.dimension,
        "epsilon": str(found.epsilon),
        "delta": str(found.delta),
        "verdict": str(found.verdict),
        "certificate": found.certificate,
        "bound": found.bound,
        "formula": found.formula,
        "ratio": None if found.ratio is None else str(found.ratio),
        "enclosure": list(rounding.decimal_bounds(found.enclosure, digits)),
    }


@rank_one.command(short_help="Decide the theorem at one (M, ε, δ).")
@options("rank-one verdict")
@click.pass_context
def verdict(
    ctx: click.Context,
    dimension: int,
    epsilon: Fraction,
    delta: Fraction,
    exact: bool,
    as_json: bool,
) -> None:
    """Decide the theorem at one (M, ε, δ) by the cheapest proof. Exit status 1: VIOLATED."""
    try:
        found = judge_rank_one_claim(epsilon=epsilon, delta=delta, dimension=dimension, exact=exact)
    except (ValueError, TypeError) as error:
        raise click.UsageError(str(error)) from error
    except ArithmeticError as error:
        raise click.ClickException(str(error)) from error
    shown = _shown(found, 20)
    if as_json:
        click.echo(json.dumps({"claim": CLAIM, **shown}, ensure_ascii=False))
    else:
        low, high = shown["enclosure"]
        click.echo(f"claim       {CLAIM}")
        click.echo(f"at          M = {dimension}, ε = {found.epsilon}, δ = {found.delta}")
        click.echo(f"verdict     {found.verdict}")
        click.echo(f"certificate {found.certificate}" + _with_ratio(found))
        click.echo(f"            {found.formula}")
        if found.bound == "=":
            click.echo(f"            δ(ε) ∈ [{low}, {high}]")
        elif found.bound == "≤":
            click.echo(f"            δ(ε) ≥ {low} > δ")
        else:
            click.echo(f"            δ(ε) ≤ {high} ≤ δ")
    ctx.exit(ExitStatus.FINDING if found.verdict is Verdict.VIOLATED else ExitStatus.FINE)


def _with_ratio(found: RankOneVerdict) -> str:
    return "" if found.ratio in (None, 2) else f", λ = {found.ratio}"


def _cell(dimension: int, delta: str, epsilon: str, digits: int) -> dict[str, Any]:
    """Judge one cell of the table and enclose its exact δ(ε)."""
    eps, target = arguments.parse("epsilon", epsilon), arguments.parse("delta", delta)
    began = time.perf_counter()
    found = judge_rank_one_claim(epsilon=eps, delta=target, dimension=dimension)
    judged = time.perf_counter()
    ball = rank_one_published_delta(epsilon=eps, delta=target, dimension=dimension, digits=digits)
    side = rounding.side(ball, target)
    expected = {1: Verdict.VIOLATED, -1: Verdict.HOLDS}.get(side, Verdict.UNDECIDED)
    if expected is not found.verdict:
        raise ArithmeticError(f"two certificates contradict each other at {dimension, eps, target}")
    return {
        **_shown(found, digits),
        "epsilon": epsilon,
        "delta": delta,
        "digits": digits,
        "exact": list(rounding.decimal_bounds(ball, digits + 2)),
        "exact_digits": rounding.decimal_digits(ball, digits),
        "verdict_seconds": round(judged - began, 4),
        "exact_seconds": round(time.perf_counter() - judged, 4),
    }


def _kept(path: Path | None, digits: int) -> dict[tuple[int, str, str], dict[str, Any]]:
    """Return the finished cells of a file; a line that was cut off is worked out again."""
    cells: dict[tuple[int, str, str], dict[str, Any]] = {}
    if path is None or not path.exists():
        return cells
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            cell = json.loads(line)
            key = (cell["dimension"], cell["delta"], cell["epsilon"])
            if cell["digits"] >= digits:
                cells[key] = cell
        except (ValueError, KeyError, TypeError):
            continue
    return cells


@rank_one.command(short_help="Decide the theorem for 126 triples, with exact δ(ε).")
@options("rank-one table")
def table(output: Path | None, jobs: int, digits: int, as_json: bool) -> None:
    """Decide the theorem and enclose δ(ε) at each (M, δ, ε) of the table.

    The command continues an --output file that exists.
    """
    keys = list(itertools.product(DIMENSIONS, DELTAS, EPSILONS))
    cells = _kept(output, digits)
    todo = [key for key in keys if key not in cells]
    with bars() as progress, _executor(jobs) as executor:
        task = progress.add_task("cells", total=len(keys), completed=len(keys) - len(todo))
        futures = {executor.submit(_cell, *key, digits): key for key in todo}
        for future in as_completed(futures):
            cell = future.result()
            cells[futures[future]] = cell
            if output is not None:
                with output.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(cell, ensure_ascii=False) + "\n")
            progress.advance(task)
    if as_json:
        tables.echo_json({"claim": CLAIM, "cells": [cells[key] for key in keys]})
        return
    shown = Table("M", "δ", "ε", "δ(ε) exact", "verdict", "certificate", title=CLAIM)
    for key in keys:
        cell = cells[key]
        shown.add_row(
            *(str(part) for part in key), cell["exact_digits"], cell["verdict"], cell["certificate"]
        )
    tables.show(tables.console(110), shown)


@rank_one.command(short_help="Estimate δ(ε) by drawing outputs.")
@options("rank-one simulate")
def simulate(
    dimension: int,
    epsilon: Fraction,
    delta: Fraction,
    samples: int,
    seed: int,
    alpha: Fraction,
    jobs: int,
    as_json: bool,
) -> None:
    """Draw outputs at the published σ* and count the event {L > ε} on both inputs."""
    try:
        level = float(arguments.alpha(alpha))
        s = fast.rank_one_sigma_star(
            epsilon=_as_float("epsilon", epsilon),
            delta=_as_float("delta", delta),
            dimension=dimension,
        )
        if not 0 < s < float("inf"):
            raise ValueError("the published σ* for this epsilon and delta is beyond float64")
        with bars() as progress, _executor(jobs) as executor:
            task = progress.add_task("outputs", total=samples)
            found = run_simulation(
                epsilon=float(epsilon),
                sigma_star=s,
                dimension=dimension,
                samples=samples,
                seed=seed,
                alpha=level,
                executor=executor,
                progress=lambda count: progress.advance(task, count),
            )
    except (ValueError, TypeError) as error:
        raise click.UsageError(str(error)) from error
    if as_json:
        shown = {
            "claim": CLAIM,
            "dimension": dimension,
            "epsilon": str(epsilon),
            "delta": str(delta),
            "sigma_star": s,
            "seed": seed,
            **asdict(found),
        }
        click.echo(json.dumps(shown, ensure_ascii=False))
        return
    click.echo(f"claim      {CLAIM}")
    click.echo(f"at         M = {dimension}, ε = {float(epsilon):g}: σ* = {s:g}")
    click.echo(f"event      L > ε: {found.hits} and {found.hits_other} of {samples} outputs")
    low, high = rounding.interval(found.low, found.high, 6)
    click.echo(f"δ(ε)       in [{low}, {high}], wrong with {level:g} at most")
    click.echo(f"claimed δ  {float(delta):g}")


def _as_float(name: str, value: Fraction) -> float:
    """Return the float64 nearest to a positive number, which a simulation has to have."""
    number = float(value) if value < 2**1023 else 0.0
    if value > 0 and not number > 0:
        raise ValueError(f"{name} must be a float64 for a simulation, got {arguments.show(value)}")
    return number


rank_one.add_command(private)
rank_one.add_command(plot)
