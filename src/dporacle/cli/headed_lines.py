"""Lines of a heading and a text, which continue below their beginning in a narrow terminal."""

import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping
from fractions import Fraction

import click

from dporacle.arguments import decimal

_LEAST = 20  # columns for the text, below which a line is left to the terminal


def line(heading: str, text: str, width: int) -> None:
    """Print a heading of this width and its text; only a terminal gets them wrapped."""
    columns = shutil.get_terminal_size().columns - width - 2
    parts = [text]
    if sys.stdout.isatty() and columns >= _LEAST:
        parts = textwrap.wrap(text, columns, break_long_words=False, break_on_hyphens=False)
    for place, part in enumerate(parts or [""]):
        click.echo(f"{'' if place else heading:<{width}} {part}")


def listed(heading: str, texts: Iterable[str], width: int) -> None:
    """Print several texts under one heading."""
    for place, text in enumerate(texts):
        line("" if place else heading, text, width)


def inputs(asked: Mapping[str, str], width: int) -> None:
    """Print what was asked, with numbers as decimals where these are exact."""
    for name, text in asked.items():
        try:
            shown = decimal(Fraction(text))
        except ValueError:
            shown = text
        line(name.replace("_", " "), shown, width)
