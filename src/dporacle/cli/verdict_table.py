"""Verdicts on a terminal: a list, the same at every width and in a file; a table on request."""

import os
import shutil
import sys
from collections.abc import Iterator, Sequence

import click

from dporacle.claims.listing import GAP, WIDTH, Row, blocks, cell_len, folded
from dporacle.cli import PLAIN_TERMINALS

_FILE_WIDTH = 200  # of a table, where there is no terminal
_COLOURS = {"HOLDS": "green", "VIOLATED": "red", "UNDECIDED": "yellow"}


def print_verdicts(headings: Row, rows: Sequence[Row], *, verdict_at: int, as_table: bool) -> None:
    """Print rows as a list, or as a table, the verdicts in colour where the terminal has any.

    Args:
        headings: of the columns.
        rows: texts, a cell per column.
        verdict_at: the place of the column of verdicts.
        as_table: whether a table was asked for.
    """
    coloured = _coloured()
    if as_table:
        width = _own_width() or _FILE_WIDTH
        lines = table(headings, rows, verdict_at=verdict_at, width=width, coloured=coloured)
    else:
        width = list_width()
        style = {"styled": in_colour} if coloured else {}
        lines = blocks(headings, rows, verdict_at=verdict_at, width=width, **style)
    click.echo("\n".join(lines), color=coloured)


def list_width() -> int:
    """Return the columns of a list: `WIDTH`, but those of a terminal that is narrower."""
    return min(_own_width() or WIDTH, WIDTH)


def in_colour(text: str, part: str) -> str:
    """Return a part of a list as a terminal shows it: a name, a heading or a verdict."""
    if part == "name":
        return click.style(text, bold=True)
    return click.style(text, dim=True) if part == "heading" else click.style(text, fg=_colour(part))


def _own_width() -> int | None:
    """Return the columns of the terminal, or what COLUMNS says; None where there is neither."""
    own = sys.stdout.isatty() or "COLUMNS" in os.environ
    return shutil.get_terminal_size().columns if own else None


def _coloured() -> bool:
    """Tell whether to print in colour, by the conventions that rich follows."""
    told = os.environ.get
    wanted = sys.stdout.isatty() or bool(told("FORCE_COLOR"))
    return wanted and not told("NO_COLOR") and told("TERM", "") not in PLAIN_TERMINALS


def table(
    headings: Row, rows: Sequence[Row], *, verdict_at: int, width: int, coloured: bool = False
) -> Iterator[str]:
    """Yield the lines of a table that is not wider than so many columns."""
    every = (headings, *rows)
    sizes = [[cell_len(cell) for cell in row] for row in every]  # what costs most here
    widest = [max(column) for column in zip(*sizes, strict=True)]
    widths = narrowed(widest, width - len(GAP) * (len(headings) - 1))
    for number, (row, size) in enumerate(zip(every, sizes, strict=True)):
        cells = [
            [cell] if each <= most and "\n" not in cell else folded(cell, most)
            for cell, each, most in zip(row, size, widths, strict=True)
        ]
        colour = None if number == 0 else _colour(row[verdict_at])
        for place in range(max(map(len, cells))):
            padded = [
                _padded(lines[place], most, each if len(lines) == 1 else None)
                if place < len(lines)
                else " " * most
                for lines, most, each in zip(cells, widths, size, strict=True)
            ]
            if coloured and number == 0:
                padded = [click.style(cell, bold=True) for cell in padded]
            elif coloured:
                padded[verdict_at] = click.style(padded[verdict_at], fg=colour)
            yield GAP.join(padded).rstrip()


def narrowed(widths: list[int], most: int) -> list[int]:
    """Take from the widest columns what is too much."""
    found = list(widths)
    while sum(found) > most and max(found) > 1:
        found[found.index(max(found))] -= 1
    return found


def _padded(text: str, width: int, size: int | None) -> str:
    return text + " " * (width - (cell_len(text) if size is None else size))


def _colour(verdict: str) -> str:
    return _COLOURS[verdict.split(maxsplit=1)[0]]
