"""`dporacle map`: where a closed form is private, loose or violated."""

import json
from fractions import Fraction
from pathlib import Path

import click
from rich.table import Table

from dporacle.arguments import decimal
from dporacle.cli import tables
from dporacle.cli.bars import bars
from dporacle.cli.options import options
from dporacle.regions import CALIBRATIONS, artefact
from dporacle.regions.maps import Map, chart


@click.command("map")
@options("map", formula=list(CALIBRATIONS))
def map_(
    formula: str,
    output: Path | None,
    boxes: Path | None,
    epsilon: tuple[Fraction, Fraction],
    delta: tuple[Fraction, Fraction],
    loose: tuple[Fraction, ...],
    fineness: int,
    workers: int | None,
    as_json: bool,
) -> None:
    """Draw where a FORMULA is private, loose or violated over ε and δ, from proved boxes only."""
    if output is not None:
        import matplotlib  # noqa: F401 - before the map is computed
    try:
        made = _make(formula, epsilon, delta, tuple(sorted(set(loose))), fineness, workers)
        if boxes is not None:
            artefact.write(boxes, made.run)
        if output is not None:
            from dporacle.regions.picture import draw

            draw(made, output)
    except (ValueError, OSError) as error:
        raise click.UsageError(str(error)) from None
    _show(made, as_json=as_json)


def _make(
    formula: str,
    epsilon: tuple[Fraction, Fraction],
    delta: tuple[Fraction, Fraction],
    loose: tuple[Fraction, ...],
    fineness: int,
    workers: int | None,
) -> Map:
    with bars() as progress:
        task = progress.add_task(formula, total=1.0)
        return chart(
            formula,
            epsilon=epsilon,
            delta=delta,
            loose=loose,
            fineness=fineness,
            workers=workers,
            progress=lambda run: progress.update(task, completed=run.share),
        )


def _show(made: Map, *, as_json: bool) -> None:
    (eps_low, eps_high), (low, high) = made.box
    bands = made.bands()
    if as_json:
        shown = {
            "formula": made.calibration.name,
            "sigma": made.calibration.formula,
            "epsilon": [decimal(eps_low), decimal(eps_high)],
            "delta": [decimal(low), decimal(high)],
            "loose": [decimal(level) for level in made.loose],
            "bands": [
                {
                    "least": band.least,
                    "most": band.most,
                    "says": band.says,
                    "boxes": band.boxes,
                    "share": round(band.share, 6),
                }
                for band in bands
            ],
        }
        click.echo(json.dumps(shown, ensure_ascii=False))
        return
    table = Table(title=made.calibration.formula, title_justify="left", box=None, pad_edge=False)
    table.add_column("proved")
    table.add_column("share", justify="right")
    table.add_column("boxes", justify="right")
    for band in bands:
        table.add_row(band.says, f"{100 * band.share:.2f} %", str(band.boxes))
    tables.show(tables.console(120), table)
