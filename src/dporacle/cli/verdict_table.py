"""Tables of verdicts: as wide as their cells, or a block per row where a terminal is narrow.

Lines are laid out here, as rich would, because a table of 10,000 rows took it 20 seconds.
"""

import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence

import click

_TABLE_WIDTH = 140  # columns; in a narrower terminal each claim is a block
_FILE_WIDTH = 200  # wide enough for the table, where there is no terminal
_GAP = "  "
_NARROW = re.compile("[ -~¡-¬®-˿Ͱ-҂‐-‧⁰-⃏℀-⋿]*")  # a column a character
_COLOURS = {"HOLDS": "green", "VIOLATED": "red", "UNDECIDED": "yellow"}

Row = Sequence[str]


def print_table(headings: Row, rows: Sequence[Row], *, verdict_at: int) -> None:
    """Print rows under headings, the verdicts in colour where the terminal has any.

    Args:
        headings: of the columns.
        rows: texts, a cell per column.
        verdict_at: the place of the column of verdicts.
    """
    coloured, width = _coloured(), terminal_width()
    form = table if width >= _TABLE_WIDTH else blocks
    lines = form(headings, rows, verdict_at=verdict_at, width=width, coloured=coloured)
    click.echo("\n".join(lines), color=coloured)


def terminal_width() -> int:
    """Return that of the terminal, or what COLUMNS says; elsewhere that of files."""
    own = sys.stdout.isatty() or "COLUMNS" in os.environ
    return shutil.get_terminal_size().columns if own else _FILE_WIDTH


def _coloured() -> bool:
    """Tell whether to print in colour, by the conventions that rich follows."""
    told = os.environ.get
    wanted = sys.stdout.isatty() or bool(told("FORCE_COLOR"))
    return wanted and not told("NO_COLOR") and told("TERM", "") not in {"dumb", "unknown"}


def cell_len(text: str) -> int:
    """Return how many columns a text takes."""
    if _NARROW.fullmatch(text):
        return len(text)
    from rich import cells  # with tables of all alphabets, in a tenth of the time of an audit

    return cells.cell_len(text)


def table(
    headings: Row, rows: Sequence[Row], *, verdict_at: int, width: int, coloured: bool = False
) -> Iterator[str]:
    """Yield the lines of a table that is not wider than so many columns."""
    every = (headings, *rows)
    sizes = [[cell_len(cell) for cell in row] for row in every]  # what costs most here
    widest = [max(column) for column in zip(*sizes, strict=True)]
    widths = narrowed(widest, width - len(_GAP) * (len(headings) - 1))
    for number, (row, size) in enumerate(zip(every, sizes, strict=True)):
        folded = [
            [cell] if each <= most and "\n" not in cell else _folded(cell, most)
            for cell, each, most in zip(row, size, widths, strict=True)
        ]
        colour = None if number == 0 else _colour(row[verdict_at])
        for place in range(max(map(len, folded))):
            padded = [
                _padded(lines[place], most, each if len(lines) == 1 else None)
                if place < len(lines)
                else " " * most
                for lines, most, each in zip(folded, widths, size, strict=True)
            ]
            if coloured and number == 0:
                padded = [click.style(cell, bold=True) for cell in padded]
            elif coloured:
                padded[verdict_at] = click.style(padded[verdict_at], fg=colour)
            yield _GAP.join(padded).rstrip()


def blocks(
    headings: Row, rows: Sequence[Row], *, verdict_at: int, width: int, coloured: bool = False
) -> Iterator[str]:
    """Yield a block per row, with a line per cell, where a table would be too narrow to read."""

    def styled(text: str, **style: bool | str) -> str:
        return click.style(text, **style) if coloured else text  # type: ignore[arg-type]

    for row in rows:
        verdict = row[verdict_at]
        for line in _folded(f"{row[0]}{_GAP}{verdict}", width):
            name = line.removesuffix(verdict)
            ending = styled(verdict, fg=_colour(verdict)) if name != line else ""
            yield styled(name, bold=True) + ending
        for place, (heading, cell) in enumerate(zip(headings, row, strict=True)):
            if cell and place not in {0, verdict_at}:
                label = f"{heading}: "
                first, *others = _folded(label + cell, width - len(_GAP))
                yield _GAP + styled(first[: len(label)], dim=True) + first[len(label) :]
                yield from (_GAP + line for line in others)


def narrowed(widths: list[int], most: int) -> list[int]:
    """Take from the widest columns what is too much."""
    found = list(widths)
    while sum(found) > most and max(found) > 1:
        found[found.index(max(found))] -= 1
    return found


def _padded(text: str, width: int, size: int | None) -> str:
    return text + " " * (width - (cell_len(text) if size is None else size))


def _folded(text: str, width: int) -> list[str]:
    """Break a text at its spaces, and words that are wider than a line anywhere."""
    if "\n" in text:
        return [line for part in text.split("\n") for line in _folded(part, width)]
    if cell_len(text) <= width:
        return [text]
    words = text.split(" ")
    sizes = [cell_len(word) for word in words]
    if max(sizes) > width:
        from rich.console import Console
        from rich.text import Text

        wrapped = Text(text).wrap(Console(width=width), width, overflow="fold")
        return [line.plain.rstrip() for line in wrapped]
    lines, line, size = [], words[0], sizes[0]
    for word, more in zip(words[1:], sizes[1:], strict=True):
        if size + 1 + more > width:
            lines.append(line.rstrip())
            line, size = word, more
        else:
            line, size = f"{line} {word}", size + 1 + more
    return [*lines, line.rstrip()]


def _colour(verdict: str) -> str:
    return _COLOURS[verdict.split(maxsplit=1)[0]]
