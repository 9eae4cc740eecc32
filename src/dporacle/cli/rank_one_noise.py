"""`dporacle rank-one private` and `plot`: how much rank-one noise privacy needs."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
from flint import arb
from rich.console import Console
from rich.progress import Progress, track
from rich.table import Table

from dporacle import arguments
from dporacle.cli import tables
from dporacle.cli.options import options
from dporacle.enclosures import calibrate_sigma, rank_one_private_sigma_star, rank_one_sigma_star
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import precision

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
        for size in track(sizes, console=Console(stderr=True), description="dimensions"):
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
    from dporacle.papers.rank_one_plot import STEPS, draw

    try:
        with Progress(console=Console(stderr=True)) as progress:
            task = progress.add_task("curves", total=STEPS)
            draw(output, delta, lambda: progress.advance(task))
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"output: {error}") from error
    click.echo(f"{output}")
