"""Every input of what gives verdicts, as the code has it: fields, columns, options, keywords."""

import inspect
import types
import typing
from collections.abc import Callable, Iterator
from functools import cache

import click
import msgspec

import dporacle
from dporacle import claims
from dporacle.claims import streaming
from dporacle.claims.claim import ClaimFile
from dporacle.cli import main
from dporacle.wings import registry, samplers
from support.cases import rows

REQUIRED = "required"
COMMANDS = (
    "audit",
    "batches",
    "conform",
    "events",
    "prove",
    "rank-one verdict",
    "registry",
    "sample",
)
"""Commands whose first lines, or exit status, are a verdict."""

FUNCTIONS: dict[str, Callable[..., object]] = {
    "dporacle.audit": dporacle.audit,
    "claims.load": claims.load,
    "claims.read": claims.read,
    "claims.make": claims.make,
    "streaming.Source": streaming.Source,
    "streaming.audit_stream": streaming.audit_stream,
    "registry.audit": registry.audit,
    "registry.read": registry.read,
    "registry.load": registry.load,
    "samplers.audit": samplers.audit,
    "samplers.refute": samplers.refute,
}

Input = tuple[str, str, str]
"""Where it stands, its name, and its default."""

Row = tuple[str, str, str, str, str]
"""An input, what is done about it, and a note."""

ROWS: dict[tuple[str, str], Row] = {
    (place, name): (place, name, *said) for place, name, *said in rows("decisive_inputs")
}
"""The rows of `decisive_inputs.jsonl`, by place and name."""


def records(kind: object = ClaimFile) -> Iterator[type[msgspec.Struct]]:
    """Yield the records that a file of claims is made of, each once."""
    found: dict[type[msgspec.Struct], None] = {}

    def walk(part: object) -> None:
        if typing.get_origin(part) in {typing.Union, types.UnionType, tuple, list, dict}:
            for each in typing.get_args(part):
                walk(each)
        elif typing.get_origin(part) is typing.Annotated:
            walk(typing.get_args(part)[0])
        elif isinstance(part, type) and issubclass(part, msgspec.Struct) and part not in found:
            found[part] = None
            for field in msgspec.structs.fields(part):
                walk(field.type)

    walk(kind)
    yield from found


def table() -> Iterator[Row]:
    """Yield every input with what is done about it: its row's answer. What is required has none."""
    for place, name, default in inputs():
        row = row_of((place, name, default))
        if default == REQUIRED:
            yield place, name, default, "no default", ""
        else:
            yield place, name, default, *(row[3:] if row else ("without a row", ""))


def row_of(given: Input) -> Row | None:
    """Return the row of an input, if it has one.

    A field has the row of the record that it stands in, or else that of the nearest base that has
    one for a field of the same default.
    """
    place, name, default = given
    found = (ROWS.get((home, name)) for home in _homes().get(place, [place]))
    return next((row for row in found if row and row[2] == default), None)


@cache
def _homes() -> dict[str, list[str]]:
    """Return the names of each record and its bases, by the record's name."""
    return {each.__name__: [base.__name__ for base in each.__mro__] for each in records()}


def inputs() -> Iterator[Input]:
    """Yield every input."""
    for record in records():
        for field in msgspec.structs.fields(record):
            absent = field.default is msgspec.NODEFAULT
            yield record.__name__, field.encode_name, REQUIRED if absent else repr(field.default)
    for name in streaming.COLUMNS:
        yield "a stream's columns", name, REQUIRED
    for name in COMMANDS:
        for parameter in command(name).params:
            if parameter.name != "help":
                yield f"dporacle {name}", str(parameter.name), default_of(parameter)
    for name, function in FUNCTIONS.items():
        for argument in inspect.signature(function).parameters.values():
            absent = argument.default is inspect.Parameter.empty
            yield name, argument.name, REQUIRED if absent else _shown(argument.default)


def command(name: str) -> click.Command:
    """Return a command by its name."""
    found: click.Command = main
    for word in name.split():
        assert isinstance(found, click.Group)
        inner = found.get_command(click.Context(found), word)
        assert inner is not None
        found = inner
    return found


def default_of(parameter: click.Parameter) -> str:
    """Return what a parameter is where nobody gives it; "None" of what is then absent."""
    if parameter.required:
        return REQUIRED
    info = parameter.to_info_dict()["default"]
    given = None if parameter.multiple or parameter.nargs == -1 else info
    return repr(given) if given is not False else "None"


def _shown(value: object) -> str:
    """Return a default without what differs from run to run."""
    if isinstance(value, type) or callable(value):
        return "a new one"
    return str(value) if "object at" not in repr(value) else "a new one"
