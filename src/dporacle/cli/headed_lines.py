"""Lines of a heading and a text, which continue below their beginning in a narrow terminal."""

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

import click

from dporacle.arguments import decimal

_LEAST = 20  # columns for the text, below which a line is left to the terminal
_BLANK = "\N{NO-BREAK SPACE}"


def line(heading: str, text: str, width: int, *, hanging: str = "") -> None:
    """Print a heading of this width and its text, wrapped for a terminal or to COLUMNS.

    Words that are `unbroken` stay on one line, to be copied from there.
    """
    columns = shutil.get_terminal_size().columns - width - 2
    parts = [text]
    if (sys.stdout.isatty() or "COLUMNS" in os.environ) and columns >= _LEAST:
        wrapper = textwrap.TextWrapper(
            columns, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False
        )
        parts = wrapper.wrap(text)
    for place, part in enumerate(parts or [""]):
        click.echo(f"{'' if place else heading:<{width}} {part.replace(_BLANK, ' ')}")


def unbroken(words: str) -> str:
    """Return words between which no line is wrapped."""
    return words.replace(" ", _BLANK)


def enumerated(words: Sequence[str]) -> str:
    """Return words with commas between them, and an "and" before the last."""
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def listed(heading: str, texts: Iterable[str], width: int) -> None:
    """Print several texts under one heading; a text that continues is indented."""
    for place, text in enumerate(texts):
        line("" if place else heading, text, width, hanging="  ")


def inputs(asked: Mapping[str, str], width: int) -> None:
    """Print what was asked, with numbers as decimals where these are exact.

    A quotient that is not in its lowest terms was typed so, and is shown so.
    """
    for name, text in asked.items():
        try:
            number = Fraction(text)
            typed = "/" in text and str(number) != text
            shown = text if typed else decimal(number)
        except ValueError:
            shown = text
        line(name.replace("_", " "), shown, width)
