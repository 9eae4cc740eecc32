"""The options of the commands: the rows of `core.json`, and those of the wings.

A row has what click calls a parameter, by its names, and

- `to`: the argument of the command that it fills, where that is named otherwise,
- `type`: `flag`, a number (`number` is exact as written; `whole`, `from` and `above` have a least
  value and may have a largest one), a file or folder, or `one of` some words,
- `help`: what `--help` says; `{choices}` are the words.

All else is handed to click. A row that is "shared" stands among those of all commands.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from dporacle import arguments
from dporacle.cli.numbers import ExactNumber
from dporacle.common import wing_files as wings
from dporacle.vocabulary.relations import FORMER

_Command = TypeVar("_Command", bound=Callable[..., Any])


class WholeNumber(click.IntRange):
    """A whole number as people write it: 1000 or 1e3."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or fail with a message that says what is allowed."""
        if isinstance(value, str):
            try:
                number = arguments.parse("it", value)
            except ValueError as error:
                self.fail(str(error).replace("finite", "whole"), param, ctx)
            if number.denominator != 1:
                self.fail(f"it must be a whole number, got {value!r}", param, ctx)
            value = int(number)
        return super().convert(value, param, ctx)


_TYPES: Final[Mapping[str, Callable[..., Any]]] = {
    "int": lambda: int,
    "float": lambda: float,
    "number": ExactNumber,
    "whole": WholeNumber,
    "from": click.FloatRange,
    "above": lambda least, most=None: click.FloatRange(least, most, min_open=True),
    "one of": lambda *words: click.Choice(words),
    "path": lambda: click.Path(path_type=Path),
    "file": lambda: click.Path(dir_okay=False, path_type=Path),
    "writable file": lambda: click.Path(dir_okay=False, writable=True, path_type=Path),
    "old file": lambda: click.Path(exists=True, dir_okay=False, path_type=Path),
    "folder": lambda: click.Path(file_okay=False, path_type=Path),
    "old folder": lambda: click.Path(exists=True, file_okay=False, path_type=Path),
}

_OTHERS: Final = {**FORMER, **{new: old for old, new in FORMER.items()}}


class RelationChoice(click.Choice):  # type: ignore[type-arg]  # no type argument before click 8.2
    """A neighbouring relation, or a direction of one; the former words are taken too."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the relation's name."""
        if value not in self.choices and _OTHERS.get(value) in self.choices:
            value = _OTHERS[value]
        if value not in self.choices:
            from dporacle.claims.unknown_words import MEANT

            meant = MEANT.get(str(value).lower(), "")
            meant = meant if meant in self.choices else _OTHERS.get(meant, "")
            if meant in self.choices:
                words = ", ".join(self.choices)
                self.fail(f"{value!r} is not one of {words}; is it {meant!r}?", param, ctx)
        return super().convert(value, param, ctx)


@cache
def _rows() -> dict[str, Any]:
    return {name: row for each in wings.offering() for name, row in each.options.items()}


def options(
    command: str, *, only_one: Callable[..., Any] | None = None, **own: Any
) -> Callable[[_Command], _Command]:
    """Return a decorator that gives a command the options of its rows.

    Args:
        command: its name.
        only_one: what refuses a second one of an option that its row allows once.
        own: argument -> what its row cannot say: its words, its click type, or its default.
    """

    def add(function: _Command) -> _Command:
        for names, row in reversed(_rows()[command].items()):
            function = _parameter(names, row, own, only_one)(function)
        return function

    return add


def _parameter(
    names: str, row: Any, own: Mapping[str, Any], only_one: Callable[..., Any] | None
) -> Callable[[_Command], _Command]:
    said = dict(_rows()["shared"][names] if row == "shared" else row)
    words = [*names.split(), *filter(None, [said.pop("to", "")])]
    name = words[-1].split("/")[0].lstrip("-").replace("-", "_")
    kind, *ends = [said["type"]] if isinstance(said.get("type"), str) else said.get("type", [""])
    if kind == "flag":
        said |= {"type": None, "is_flag": True}
    elif kind:
        said["type"] = _TYPES[kind](*ends)
    if isinstance(given := own.get(name), click.ParamType):
        said["type"] = given
        if words_of := getattr(given, "choices", ()):
            said["help"] = said["help"].format(choices=", ".join(words_of))
    elif isinstance(given, Sequence):
        said["type"] = click.Choice(given)
        said |= {"help": said["help"].format(choices=", ".join(given))} if "help" in said else {}
    elif given is not None:
        said["default"] = given
    if said.pop("once", False):
        assert only_one is not None, names
        said |= {"multiple": True, "callback": only_one}
    if not names.startswith("-"):
        return click.argument(*words, **said)
    return click.option(*words, **{"show_default": "default" in said, **said})
