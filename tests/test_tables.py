"""Tables of verdicts: laid out as rich lays them out, every word in its column."""

import io
import sys

import click
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dporacle.claims import listing as layout
from dporacle.claims.listing import blocks
from dporacle.cli.tables import show
from dporacle.cli.verdict_table import in_colour, narrowed, table

HEADINGS = ("claim", "verdict", "margin")
WORD = st.text("abσ∈界→-.0123456789", min_size=1, max_size=12)
CELL = st.lists(WORD, max_size=9).map(" ".join)
ROWS = st.lists(st.tuples(CELL, st.sampled_from(["HOLDS", "VIOLATED"]), CELL), max_size=4)


def by_rich(rows, widths):
    shown = Table(box=None, pad_edge=False)
    for heading, width in zip(HEADINGS, widths, strict=True):
        shown.add_column(heading, overflow="fold", width=width)
    for row in rows:
        shown.add_row(*(Text(cell) for cell in row))
    console = Console(file=io.StringIO(), width=sum(widths) + 4, highlight=False)
    console.print(shown)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


@given(ROWS, st.integers(40, 120))
@example([("a b " * 20, "HOLDS", "c d " * 9)], 60)
@example([("界" * 30, "HOLDS", "short")], 40)
def test_the_layout_is_that_of_rich(rows, width):
    lines = list(table(HEADINGS, rows, verdict_at=1, width=width))
    widest = [max(map(cell_len, column)) for column in zip(HEADINGS, *rows, strict=True)]
    widths = narrowed(widest, width - 4)
    assert sum(widths) == min(sum(widest), width - 4)
    assert lines == by_rich(rows, widths)


@given(ROWS, st.integers(40, 120))
def test_nothing_is_lost(rows, width):
    for form, colours in ((table, {"coloured": True}), (blocks, {"styled": in_colour})):
        lines = list(form(HEADINGS, rows, verdict_at=1, width=width))
        plain = "".join("".join(lines).split())
        for row in rows:
            for word in " ".join(row).split():
                assert sum(map(plain.count, word)) >= len(word)
        coloured = list(form(HEADINGS, rows, verdict_at=1, width=width, **colours))
        assert [click.unstyle(line).rstrip() for line in coloured] == lines


def test_a_block_has_every_word_and_no_blanks_at_the_end():
    asked = Table("name", "statement", "x")
    asked.add_row("one", "for all ε and δ " * 5, "[dim]2[/dim]")
    on = Console(file=io.StringIO(), width=40, highlight=False)
    show(on, asked)
    assert on.file.getvalue().splitlines() == [
        "one",
        "  statement: for all ε and δ for all ε",
        "  and δ for all ε and δ for all ε and δ",
        "  for all ε and δ",
        "  x: 2",
    ]


def test_a_character_is_as_wide_as_for_rich():
    every = filter(str.isprintable, map(chr, range(sys.maxunicode + 1)))
    assert not [each for each in every if layout.cell_len(each) != cell_len(each)]


def test_verdicts_are_in_colour():
    rows = [("one", "HOLDS", "near"), ("two", "VIOLATED (was HOLDS)", "far")]
    shown = "\n".join(table(HEADINGS, rows, verdict_at=1, width=100, coloured=True))
    assert "\x1b[32mHOLDS" in shown
    assert "\x1b[31mVIOLATED (was HOLDS)" in shown
    shown = "\n".join(blocks(HEADINGS, rows, verdict_at=1, width=100, styled=in_colour))
    assert f"{click.style('one  ', bold=True)}{click.style('HOLDS', fg='green')}" in shown
