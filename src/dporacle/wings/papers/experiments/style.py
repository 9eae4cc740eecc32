"""One style for all pictures: the width of a column, colours for every eye, the numbers beside.

The eight colours are those of Okabe and Ito, which people with any deficiency of colour vision tell
apart; each goes with a dash and a marker of its own, so that grey prints do too.
"""

import csv
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from dporacle.common import files

COLUMN = 3.4
"""Inches: the width of a column in print; nothing is drawn to be read at another one."""

COLOURS = ("#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c8c00")
SEQUENTIAL, DIVERGING = "cividis", "RdBu_r"
_DASHES = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 1)), (0, (8, 2)), (0, (3, 1)))
_MARKERS = "osD^vP*X"
_SETTINGS: dict[Any, Any] = {
    "font.size": 7.5,
    "axes.titlesize": 7.5,
    "axes.labelsize": 7.5,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 6.8,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.2,
    "axes.linewidth": 0.6,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.4,
    "svg.hashsalt": "dporacle",  # the same picture is the same file
    "svg.fonttype": "none",
}


def styled() -> AbstractContextManager[None]:
    """Return the context in which a picture is drawn and written."""
    return mpl.rc_context(_SETTINGS)


def page(rows: int, columns: int = 1, *, height: float, **ratios: Any) -> tuple[Figure, Any]:
    """Return a figure of a column's width, and its panels as an array of rows and columns.

    Args:
        rows: panels from top to bottom.
        columns: panels side by side.
        height: of the whole, in inches.
        ratios: what matplotlib's `subplots` takes besides.
    """
    figure = Figure(figsize=(COLUMN, height), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **ratios)


def line(index: int, *, marked: bool = False) -> dict[str, Any]:
    """Return how the line of a number is drawn: its colour, its dash, its marker."""
    index %= len(COLOURS)
    if marked:
        return {"color": COLOURS[index], "marker": _MARKERS[index], "linestyle": "none"}
    return {"color": COLOURS[index], "linestyle": _DASHES[index]}


def parameters(figure: Figure, says: str) -> None:
    """Write the parameters above the picture: what it shows holds for these only."""
    figure.suptitle(says, fontsize=7.5)


def write(figure: Figure, output: Path) -> None:
    """Write a figure in the format of the file's suffix.

    Raises:
        ValueError: if the format is unknown.
    """
    kept = {"svg": {"Date": None}, "png": {"Software": None}}
    with files.beside(output) as part:
        figure.savefig(part, dpi=300, metadata=kept.get(output.suffix.removeprefix(".")))


def write_numbers(output: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write the numbers behind a picture as CSV."""
    with files.beside(output) as part, part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
