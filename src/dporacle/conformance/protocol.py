"""The messages between the judge and an adapter, and how numbers are written in them.

One JSON object per line, in both directions; `docs/protocol.md` is the specification for
people who write adapters. An adapter is not trusted: whatever does not fit exactly raises
`ProtocolError`, and an answer counts only if it repeats the request's unguessable id.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import msgspec

from dporacle import arguments
from dporacle.vocabulary import SERVED
from dporacle.vocabulary.questions import OPEN, UNITS, asked, readings
from dporacle.vocabulary.relations import NORMS

__all__ = [
    "MAX_BATCH",
    "MAX_LINE",
    "NUMBER_BYTES",
    "VERSIONS",
    "Capabilities",
    "Draw",
    "Draws",
    "Ending",
    "Function",
    "Number",
    "ProtocolError",
    "QuantityName",
    "Reading",
    "Replies",
    "Reply",
    "Run",
    "RunBatch",
    "Sampler",
    "Sent",
    "Start",
    "Stop",
    "decode",
    "encode",
    "plain",
    "read_number",
    "write_number",
]

VERSIONS = (1, 2, 3)
"""The protocol's versions that the judge speaks; it names the newest, the adapter chooses."""

MAX_BATCH = 500
"""The most inputs in one request: the line stays below its limit."""

MAX_LINE = 1 << 16
"""The longest line that an adapter may send, in bytes."""

_MAX_FUNCTIONS = 200

NUMBER_BYTES = 8
"""A draw is a float64, in little-endian order."""

Number = Fraction | float
"""What an adapter answered: an exact number, or the float inf, -inf or nan."""

Sent = float | Literal["nan", "inf", "-inf"]
"""A number as it stands in a request."""

_WORDS = {
    "quantity": tuple(SERVED),
    "argument": tuple(dict.fromkeys(name for row in SERVED.values() for name in row.arguments)),
    "relation": tuple(NORMS),
    "unit": (*UNITS, OPEN),
}
"""Field of a function -> the words that it may have."""
_NO_SUCH_WORD = re.compile(r"Invalid enum value .* - at `\$\.functions\[(?:\d+|\.\.\.)\]\.(\w+)")

# mypy reads no computed Literal.
if TYPE_CHECKING:
    QuantityName = str
    ArgumentName = str
    RelationName = str
    UnitName = str
else:
    QuantityName = Literal[_WORDS["quantity"]]
    ArgumentName = Literal[_WORDS["argument"]]
    RelationName = Literal[("", *_WORDS["relation"])]
    UnitName = Literal[("", *_WORDS["unit"])]
_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]*$")]


class ProtocolError(Exception):
    """An adapter sent something that the protocol does not allow.

    Attributes:
        field: the field with a word that it may not have; empty where it is not that.
        allowed: the words that it may have.
    """

    def __init__(self, message: str, *, field: str = "", allowed: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.field, self.allowed = field, tuple(allowed)


class _Message(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A message: unknown fields are refused, so that a misspelt one does not go unnoticed."""


class Start(_Message, frozen=True, tag="start", tag_field="command"):
    """The judge asks what the adapter offers; of samplers only where noise is to be audited."""

    id: str
    protocol: int = VERSIONS[-1]
    samplers: bool | msgspec.UnsetType = msgspec.UNSET


class Run(_Message, frozen=True, tag="run", tag_field="command"):
    """The judge asks for one value."""

    id: str
    function: str
    arguments: dict[str, Sent]


class RunBatch(_Message, frozen=True, tag="run", tag_field="command"):
    """The judge asks for several values: a list for each argument, all of the same length."""

    id: str
    function: str
    arguments: dict[str, list[Sent]]


class Draw(_Message, frozen=True, tag="draw", tag_field="command"):
    """An audit asks a sampler for rows of releases of one value: the value plus noise."""

    id: str
    sampler: str
    parameters: dict[str, Sent]
    value: Sent
    rows: int
    dimension: int


class Stop(_Message, frozen=True, tag="stop", tag_field="command"):
    """The judge says that nothing more comes: the adapter exits."""

    id: str


class Function(_Message, frozen=True):
    """One function of the library, and the quantity that it claims to compute.

    Attributes:
        name: the function's name in the library.
        quantity: which of the judge's quantities it answers.
        arguments: the arguments it takes; without one that has a default it is judged there.
        slow: it is asked the smaller set of cases.
        batch: the most inputs that it takes in one request; since version 2.
        note: what the mapping is, where that is not obvious; on which sentence of the library's
            documentation the relation and the unit rest.
        relation: which data sets are neighbours, where the library says so; since version 3.
        unit: what the noise is a multiple of, or that the documentation leaves it open.
    """

    name: _Name
    quantity: QuantityName
    arguments: Annotated[list[ArgumentName], msgspec.Meta(min_length=1, max_length=8)]
    slow: bool = False
    batch: Annotated[int, msgspec.Meta(ge=1, le=MAX_BATCH)] = 1
    note: Annotated[str, msgspec.Meta(max_length=1000)] = ""
    relation: RelationName = ""
    unit: UnitName = ""

    @property
    def wire(self) -> str:
        """The name by which the adapter knows it."""
        return self.name


class Reading(Function, frozen=True):
    """One reading of a function whose documentation leaves the unit of its noise open.

    Attributes:
        said: the name by which the adapter knows it.
    """

    said: str = ""

    @property
    def wire(self) -> str:
        """The name by which the adapter knows it."""
        return self.said


class Sampler(_Message, frozen=True):
    """One sampler of the library, and the law that its noise is said to have.

    Attributes:
        name: its name in the library.
        law: what the noise is claimed to be, as `dporacle sample --law` names it.
        parameters: what it is given of the law's parameters.
        note: what the mapping is, where that is not obvious.
    """

    name: _Name
    law: _Name
    parameters: Annotated[list[_Name], msgspec.Meta(min_length=1, max_length=6)]
    note: Annotated[str, msgspec.Meta(max_length=1000)] = ""


class Capabilities(_Message, frozen=True):
    """An adapter's answer to `start`.

    There is a function at least, unless samplers were asked for and there is one of these.
    """

    id: str
    protocol: int
    name: _Name
    version: _Name
    functions: Annotated[list[Function], msgspec.Meta(max_length=_MAX_FUNCTIONS)]
    language: _Name = "unknown"
    samplers: Annotated[list[Sampler], msgspec.Meta(max_length=_MAX_FUNCTIONS)] = []


class Ending(_Message, frozen=True, kw_only=True, omit_defaults=True):
    """How a question ended: exactly one of the four.

    Attributes:
        value: the library's answer.
        refused: the library declined the input on purpose, with this message.
        error: the library failed in a way it did not mean to, with this message.
        skip: the adapter did not ask the library, for this reason.
    """

    value: float | str | msgspec.UnsetType = msgspec.UNSET
    refused: str | msgspec.UnsetType = msgspec.UNSET
    error: str | msgspec.UnsetType = msgspec.UNSET
    skip: str | msgspec.UnsetType = msgspec.UNSET


class Reply(Ending, frozen=True, kw_only=True, omit_defaults=True):
    """An adapter's answer to `run` for one value."""

    id: str


class Replies(_Message, frozen=True):
    """An adapter's answer to `run` for several values: as many endings, in order."""

    id: str
    answers: Annotated[list[Ending], msgspec.Meta(min_length=1, max_length=MAX_BATCH)]


class Draws(_Message, frozen=True, kw_only=True, omit_defaults=True):
    """An adapter's answer to `draw`: exactly one of the four.

    Attributes:
        id: the request's.
        draws: how many numbers follow the line, as float64 in little-endian order.
        refused, error, skip: as in `Ending`; nothing follows.
    """

    id: str
    draws: int | msgspec.UnsetType = msgspec.UNSET
    refused: str | msgspec.UnsetType = msgspec.UNSET
    error: str | msgspec.UnsetType = msgspec.UNSET
    skip: str | msgspec.UnsetType = msgspec.UNSET


_T = TypeVar("_T", Capabilities, Reply, Replies, Draws)


_NO_NUMBER = re.compile(rb'"value"\s*:\s*null\b')
_NULL = (
    "; null is no number: JSON has none for NaN and infinity, and JSON.stringify and others write "
    'null for them: send the words "nan", "inf" and "-inf"'
)


def encode(message: Start | Run | RunBatch | Draw | Stop) -> bytes:
    """Return a message of the judge as a line."""
    return msgspec.json.encode(message) + b"\n"


def plain(message: Capabilities) -> dict[str, Any]:
    """Return an adapter's message as it stands in JSON, for adapters of our own."""
    built: dict[str, Any] = msgspec.to_builtins(message)
    return built


def decode(line: bytes, kind: type[_T], *, token: str) -> _T:
    """Return an adapter's line as the message that was expected, or raise `ProtocolError`."""
    try:
        message = msgspec.json.decode(line, type=kind)
        json.loads(line, object_pairs_hook=_without_repetition)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        why = _NULL if _NO_NUMBER.search(line) else ""
        found = _NO_SUCH_WORD.match(str(error))
        field = found[1].removesuffix("s") if found else ""
        raise ProtocolError(
            f"unreadable line {_excerpt(line)}: {error}{why}",
            field=field,
            allowed=_WORDS.get(field, ()),
        ) from None
    if message.id != token:
        raise ProtocolError(f"answered id {arguments.show(message.id)} where {token!r} was asked")
    if isinstance(message, Capabilities):
        _check_capabilities(message)
        functions = [each for said in message.functions for each in _read(said)]
        return msgspec.structs.replace(message, functions=functions)
    if isinstance(message, Draws):
        _one_of(message, "draws", "refused", "error", "skip")
    else:
        for ending in message.answers if isinstance(message, Replies) else [message]:
            _check_ending(ending)
    return message


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that stands twice: which of the two is meant, nobody can say."""
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {arguments.show(twice)} appears twice")
    return found


def _check_capabilities(said: Capabilities) -> None:
    if said.protocol not in VERSIONS:
        raise ProtocolError(
            f"speaks protocol {said.protocol}, the judge speaks {VERSIONS[0]} to {VERSIONS[-1]}"
        )
    names = [function.name for function in said.functions]
    samplers = [sampler.name for sampler in said.samplers]
    for name in (said.name, said.version, said.language, *names, *samplers):
        if not name.isprintable():  # it would not be seen, or make others look different
            raise ProtocolError(f"a name has what cannot be seen: {name[:100]!a}")
    for offered, kind in ((names, "function"), (samplers, "sampler")):
        if len(set(offered)) != len(offered):
            raise ProtocolError(f"offers a {kind} twice: {sorted(offered)}")
    if not names and not samplers:
        raise ProtocolError("offers nothing")
    if said.protocol == 1 and any(function.batch > 1 for function in said.functions):
        raise ProtocolError("speaks protocol 1, which has no batches, and offers some")
    if said.protocol < 3 and any(each.relation or each.unit for each in said.functions):
        raise ProtocolError(
            f"speaks protocol {said.protocol}, which has no relations, and names some"
        )


def _read(said: Function) -> list[Function]:
    """Return a function with the row that it is asked, or two where its unit is left open."""
    found: list[Function] = []
    try:
        for unit in readings(said.unit):
            row = asked(said.quantity, said.relation, unit)
            if said.unit != OPEN:
                return [msgspec.structs.replace(said, quantity=row.name)]
            kept = {name: getattr(said, name) for name in Function.__struct_fields__}
            noise = "b" if row.mechanism.parameter == "scale" else "σ"
            kept |= {
                "name": f"{said.name}, as {noise}/{UNITS[unit]}",
                "quantity": row.name,
                "unit": unit,
            }
            found.append(Reading(**kept, said=said.name))
    except ValueError as error:
        raise ProtocolError(f"{said.name}: {error}") from None
    return found


def _check_ending(ending: Ending) -> None:
    _one_of(ending, "value", "refused", "error", "skip")
    if ending.value is not msgspec.UNSET:
        read_number(ending.value)


def _one_of(message: Ending | Draws, *names: str) -> None:
    given = [name for name in names if getattr(message, name) is not msgspec.UNSET]
    if len(given) != 1:
        raise ProtocolError(f"exactly one of {', '.join(names)} is wanted: {given}")


def write_number(value: float) -> Sent:
    """Return a float as it stands in a request: a JSON number, or "nan", "inf", "-inf"."""
    if math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


def read_number(value: float | str | Fraction) -> Number:
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
    return Fraction(value) if math.isfinite(value) else float(value)


def _excerpt(line: bytes) -> str:
    return repr(line[:80])[1:] + ("…" if len(line) > 80 else "")
