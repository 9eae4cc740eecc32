"""Examples of each command, for the end of its `--help`."""

import re
import textwrap
from collections.abc import Mapping
from typing import Final

import click

from dporacle.common import wing_files as wings

EXAMPLES: Final[Mapping[str, list[str]]] = {
    name: lines for each in wings.offering() for name, lines in each.examples.items()
}
"""Command -> what it may be called with."""

_FIRST = "\b\n"  # click leaves such a paragraph as it is
_BLANK = "\N{NO-BREAK SPACE}"
_WIDTH = 76


def with_examples(name: str, command: click.Command) -> click.Command:
    """Return a command whose help ends with its examples."""
    if not (command.epilog or "").startswith(_FIRST):
        lines = [" \\\n      ".join(_wrapped(example)) for example in EXAMPLES[name]]
        text = "\n  dporacle ".join([f"{_FIRST}Examples:", *lines])
        command.epilog = f"{text}\n\n{command.epilog}" if command.epilog else text
    if isinstance(command, click.Group):
        for each, below in command.commands.items():
            with_examples(f"{name} {each}", below)
    return command


def _wrapped(example: str) -> list[str]:
    """Wrap an example between its options, each with its values."""
    whole = re.sub(r" (?!-)", _BLANK, example)
    lines = textwrap.wrap(whole, _WIDTH - 12, break_long_words=False, break_on_hyphens=False)
    return [line.replace(_BLANK, " ") for line in lines]
