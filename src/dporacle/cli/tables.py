"""Tables for terminals of any width: too narrow for its columns, a table becomes blocks."""

import json
import os
import sys
from typing import Any

import click
from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

_INDENT = "  "
_READABLE = 100  # columns, from which on cells of several lines are read with ease


def console(width: int) -> Console:
    """Return a console as wide as the terminal, or as COLUMNS says; elsewhere of this width."""
    own = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(highlight=False, width=None if own else width)


def show(on: Console, table: Table) -> None:
    """Print a table; where no column would be wide enough to be read, a block for each row.

    A block is the first cell, and a line for each other one that is not empty, under its heading.
    Nothing is cut in either.
    """
    needs = Measurement.get(on, on.options.update(max_width=10_000), table)
    fits = needs.maximum <= on.width or (on.width >= _READABLE and needs.minimum <= on.width)
    if fits:
        on.print(table)
        return
    if table.title:
        on.print(table.title)
    first, *others = ([_plain(each) for each in column.cells] for column in table.columns)
    headings = [" ".join(_plain(column.header).plain.split()) for column in table.columns[1:]]
    for row, name in enumerate(first):
        name.stylize("bold")
        on.print(name)
        for heading, cells in zip(headings, others, strict=True):
            if cells[row].plain.strip():
                said = f"{heading}: " if heading else ""
                text = Text.assemble((said, "dim"), cells[row])
                for part in text.wrap(on, on.width - len(_INDENT)):
                    part.rstrip()
                    on.print(Text.assemble(_INDENT, part))


def _plain(cell: RenderableType) -> Text:
    return cell.copy() if isinstance(cell, Text) else Text.from_markup(str(cell))


def echo_json(content: Any) -> None:
    """Print one JSON document."""
    click.echo(json.dumps(content, ensure_ascii=False, indent=1))
