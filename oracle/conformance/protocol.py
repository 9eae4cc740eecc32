"""The messages between the judge and an adapter, and how numbers are written in them.

One JSON object per line, in both directions; `docs/protocol.md` is the specification for
people who write adapters. An adapter is not trusted: whatever does not fit exactly raises
`ProtocolError`, and an answer counts only if it repeats the request's unguessable id.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Annotated, Literal, TypeVar

import msgspec

from dporacle import arguments

__all__ = [
    "MAX_LINE",
    "VERSION",
    "Capabilities",
    "Function",
    "Number",
    "ProtocolError",
    "QuantityName",
    "Reply",
    "Run",
    "Start",
    "Stop",
    "decode",
    "encode",
    "read_number",
    "write_number",
]

VERSION = 1
"""The protocol's version; the judge sends it and the adapter repeats it."""

MAX_LINE = 1 << 16
"""The longest line that an adapter may send, in bytes."""

_MAX_FUNCTIONS = 100

Number = Fraction | float
"""What an adapter answered: an exact number, or the float inf, -inf or nan."""

QuantityName = Literal[
    "calibrate_sigma",
    "delta_at_epsilon",
    "epsilon_at_delta",
    "accuracy",
    "alpha_at_accuracy",
    "sigma_at_accuracy",
]
ArgumentName = Literal["epsilon", "delta", "sigma", "sensitivity", "alpha", "accuracy"]
_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]*$")]


class ProtocolError(Exception):
    """An adapter sent something that the protocol does not allow."""


class _Message(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A message: unknown fields are refused, so that a misspelt one does not go unnoticed."""


class Start(_Message, frozen=True, tag="start", tag_field="command"):
    """The judge asks what the adapter offers."""

    id: str
    protocol: int = VERSION


class Run(_Message, frozen=True, tag="run", tag_field="command"):
    """The judge asks for one value."""

    id: str
    function: str
    arguments: dict[str, float | str]


class Stop(_Message, frozen=True, tag="stop", tag_field="command"):
    """The judge says that nothing more comes: the adapter exits."""

    id: str


class Function(_Message, frozen=True):
    """One function of the library, and the quantity that it claims to compute.

    Attributes:
        name: the function's name in the library.
        quantity: which of the judge's quantities it answers.
        arguments: the arguments it takes; without `sensitivity` it is judged at 1.
        slow: it is asked the smaller set of cases.
        note: what the mapping is, where that is not obvious.
    """

    name: _Name
    quantity: QuantityName
    arguments: Annotated[list[ArgumentName], msgspec.Meta(min_length=1, max_length=6)]
    slow: bool = False
    note: Annotated[str, msgspec.Meta(max_length=1000)] = ""


class Capabilities(_Message, frozen=True):
    """An adapter's answer to `start`."""

    id: str
    protocol: int
    name: _Name
    version: _Name
    functions: Annotated[list[Function], msgspec.Meta(min_length=1, max_length=_MAX_FUNCTIONS)]
    language: _Name = "unknown"


class Reply(_Message, frozen=True, omit_defaults=True):
    """An adapter's answer to `run`: exactly one of the four.

    Attributes:
        value: the library's answer.
        refused: the library declined the input on purpose, with this message.
        error: the library failed in a way it did not mean to, with this message.
        skip: the adapter did not ask the library, for this reason.
    """

    id: str
    value: float | str | None = None
    refused: str | None = None
    error: str | None = None
    skip: str | None = None


_T = TypeVar("_T", Capabilities, Reply)


def encode(message: Start | Run | Stop) -> bytes:
    """Return a message of the judge as a line."""
    return msgspec.json.encode(message) + b"\n"


def decode(line: bytes, kind: type[_T], *, token: str) -> _T:
    """Return an adapter's line as the message that was expected, or raise `ProtocolError`."""
    try:
        message = msgspec.json.decode(line, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ProtocolError(f"unreadable line {_excerpt(line)}: {error}") from None
    if message.id != token:
        raise ProtocolError(f"answered id {arguments.show(message.id)} where {token!r} was asked")
    if isinstance(message, Reply):
        given = [
            name
            for name in ("value", "refused", "error", "skip")
            if getattr(message, name) is not None
        ]
        if len(given) != 1:
            raise ProtocolError(f"exactly one of value, refused, error, skip is wanted: {given}")
    return message


def write_number(value: float) -> float | str:
    """Return a float as it stands in a request: a JSON number, or "nan", "inf", "-inf"."""
    return value if math.isfinite(value) else str(value)


def read_number(value: float | str) -> Number:
    """Return the number that an adapter answered.

    A JSON number means the nearest float64; a string means exactly what it says: a decimal,
    a fraction `p/q` or a hexadecimal float, or "nan", "inf", "-inf".
    """
    if isinstance(value, str):
        if value in ("nan", "inf", "-inf"):
            return float(value)
        try:
            return arguments.parse("value", value)
        except ValueError as error:
            raise ProtocolError(str(error)) from None
    return Fraction(value)


def _excerpt(line: bytes) -> str:
    return repr(line[:80])[1:] + ("…" if len(line) > 80 else "")
