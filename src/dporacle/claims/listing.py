"""Verdicts as a list: a block for each, the same at every width and in a file.

Lines are laid out here, as rich would, because a table of 10,000 rows took it 20 seconds.
"""

import re
from collections.abc import Callable, Iterator, Sequence

WIDTH = 80
"""Columns of a list, in a file, in a text and in every terminal that is not narrower."""

GAP = "  "
_NARROW = re.compile("[ -~¡-¬®-˿Ͱ-҂‐-‧⁰-⃏℀-⋿]*")  # a column a character

Row = Sequence[str]


def _as_it_is(text: str, part: str) -> str:
    return text


def blocks(
    headings: Row,
    rows: Sequence[Row],
    *,
    verdict_at: int,
    width: int = WIDTH,
    styled: Callable[[str, str], str] = _as_it_is,
) -> Iterator[str]:
    """Yield a block per row, with a line per cell that is not empty.

    Args:
        headings: of the cells.
        rows: texts; the first cell is the name of what the row is about.
        verdict_at: the place of the cell with the verdict.
        width: columns that no line exceeds.
        styled: gives a text its colour, by what it is: "name", "heading", or the verdict.
    """
    for row in rows:
        verdict = row[verdict_at]
        for line in folded(f"{row[0]}{GAP}{verdict}", width):
            name = line.removesuffix(verdict)
            ending = styled(verdict, verdict) if name != line else ""
            yield styled(name, "name") + ending
        for place, (heading, cell) in enumerate(zip(headings, row, strict=True)):
            if cell and place not in {0, verdict_at}:
                label = f"{heading}: "
                first, *others = folded(label + cell, width - len(GAP))
                yield GAP + styled(first[: len(label)], "heading") + first[len(label) :]
                yield from (GAP + line for line in others)


def cell_len(text: str) -> int:
    """Return how many columns a text takes."""
    if _NARROW.fullmatch(text):
        return len(text)
    from rich import cells  # with tables of all alphabets, in a tenth of the time of an audit

    return cells.cell_len(text)


def folded(text: str, width: int) -> list[str]:
    """Break a text at its spaces, and words that are wider than a line anywhere."""
    if "\n" in text:
        return [line for part in text.split("\n") for line in folded(part, width)]
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
