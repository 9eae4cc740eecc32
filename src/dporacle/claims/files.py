"""LineReading claims from TOML and JSON, strictly and exactly.

Nothing in a file is evaluated, no number is rounded, and whatever a file contains, reading it
ends soon: with claims, or with a ValueError that names the file, the line and the field.
"""

import functools
import json
import operator
import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from dporacle import arguments
from dporacle.claims.assertions import ASSERTIONS
from dporacle.claims.claim import Claim, ClaimFile, Id, Text
from dporacle.claims.mechanisms import EVIDENCES, MECHANISMS
from dporacle.claims.mechanisms.record import FOLDER, LineReading

if TYPE_CHECKING:
    from dporacle.claims.content_errors import ContentFault

_Content = TypeVar("_Content")

MAX_BYTES = 16 << 20
"""The size of the largest file that is read."""

_CERTIFICATE = "dporacle-certificate/"
_MOST_FAULTS = 20  # that are shown; of the others there is a count
_MAX_NUMBER = 2700  # characters: a quotient of two numbers of four times these bits is shorter
_REACH_BITS = 1100  # magnitudes are 0 or in 2^±1100; float64 reaches from 2^-1074 to 2^1024

# The parser's time grows with the square of the parts of one key.
_MAX_PARTS = 16
_LONG_KEY = re.compile(
    r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){16}""", re.ASCII
)


_OF_YAML = re.compile(r"\s*(?:- |---|%YAML|[\w\"'-]+:(?:\s|$))", re.ASCII)
_ENTRY = re.compile(
    r"""([\w-]+)[ \t]*=[ \t]*([^"'{}\[\]#=\s](?:[^"'{}\[\]#=]*[^"'{}\[\]#=\s])?)"""
    r"""[ \t]*(?=,[ \t]*[\w-]+[ \t]*=|,?[ \t]*[}#]|$)""",
    re.ASCII,
)
_RATIO = re.compile(r"[+-]?\d+/\d+", re.ASCII)
_OF_NUMBER = re.compile(r"[+-]?[\d_.]+(?:[eE][+-]?\d+)?", re.ASCII)
_LONGEST_LINE = 1000  # characters in which a number is looked for, for a hint
_OF_TOML = re.compile(r"\s*(?:\[|[\w.\"' -]+=)", re.ASCII)


class _Written:
    """A number of a file, as it was written."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return arguments.show(self.text)


def load(path: Path) -> ClaimFile:
    """Read a file of claims; `.json` files are JSON, all others TOML.

    Raises:
        OSError: if it cannot be read.
        ValueError: naming the file, and the line and field where possible.
    """
    with path.open("rb") as stream:
        data = stream.read(MAX_BYTES + 1)
    known = FOLDER.set(path.parent)
    try:
        return read(data, name=str(path), is_json=path.suffix.lower() == ".json")
    finally:
        FOLDER.reset(known)


def read(data: bytes, *, name: str = "claims", is_json: bool = False) -> ClaimFile:
    """Read the content of a file of claims.

    Args:
        data: the bytes of the file.
        name: what the file is called in error messages.
        is_json: whether it is JSON; else it is TOML.

    Raises:
        ValueError: naming the file, and the line and field where possible.
    """
    return read_as(ClaimFile, data, name=name, is_json=is_json)


def read_as(kind: type[_Content], data: bytes, *, name: str, is_json: bool = False) -> _Content:
    """Read content of a given type as `read` does, with numbers exactly as written.

    Args:
        kind: the type, of msgspec.
        data: the bytes.
        name: what they are called in error messages.
        is_json: whether they are JSON; else they are TOML.

    Raises:
        ValueError: naming the file, and the line and field where possible.
    """
    from dporacle.claims import line_numbers

    if len(data) > MAX_BYTES:
        raise ValueError(f"{name}: a file of claims has at most {MAX_BYTES} bytes")
    try:
        text = data.decode("utf-8-sig")  # some editors begin a file with a byte order mark
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{name}: line {line}: not UTF-8") from None
    try:
        content = _json(text) if is_json else _toml(text)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    except RecursionError:
        raise ValueError(f"{name}: nested too deeply") from None
    if isinstance(content, dict) and str(content.get("format")).startswith(_CERTIFICATE):
        raise ValueError(
            f"{name}: a certificate, not a file of claims; `python tools/check_any_certificate.py "
            f"{name}` checks it"
        )
    try:
        return msgspec.convert(content, kind, dec_hook=_number)
    except msgspec.ValidationError:
        from dporacle.claims.content_errors import faults  # most content has none

        try:
            found = faults(kind, content, _number)
        except RecursionError:
            raise ValueError(f"{name}: nested too deeply") from None
    known = dict(line_numbers.json_places(text) if is_json else line_numbers.toml_places(text))
    shown = [f"{name}: {_placed(fault, known)}" for fault in found[:_MOST_FAULTS]]
    if len(found) > _MOST_FAULTS:
        shown.append(f"{name}: {len(found) - _MOST_FAULTS} more faults")
    raise ValueError("\n".join(shown))


def make(content: dict[str, Any]) -> Claim:
    """Make one claim of a mapping, as it would stand in a file; floats mean their exact value.

    Raises:
        ValueError: naming the field.
    """
    try:
        return _of_its_kinds(content)
    except (msgspec.ValidationError, LookupError, RecursionError, TypeError, ValueError):
        pass  # said below, with all else that is wrong
    try:
        return msgspec.convert(content, Claim, dec_hook=_number)
    except msgspec.ValidationError:
        from dporacle.claims.content_errors import faults

        found = faults(Claim, content, _number)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    raise ValueError("\n".join(_placed(fault) for fault in found))


def field(text: str) -> Any:
    """Return what a field says that is written outside a file: JSON, or else a word or a number.

    Raises:
        ValueError: if it is JSON that a file may not have.
    """
    try:
        return _loaded(text)
    except json.JSONDecodeError:
        return text
    except RecursionError:
        raise ValueError("nested too deeply") from None


_KINDS: Mapping[str, Mapping[str, Any]] = {
    "mechanism": MECHANISMS,
    "asserts": ASSERTIONS,
    "evidence": EVIDENCES,
}
"""What of a claim names a kind -> the kinds that there are."""


def _of_its_kinds(content: dict[str, Any]) -> Claim:
    """Make a claim of a mapping without looking at kinds that it does not name."""
    types: dict[str, Any] = {"id": Id, "source": Text}
    for name, kinds in _KINDS.items():
        if name in content:
            types[name] = kinds[content[name]["kind"]]
    read = {
        name: msgspec.convert(value, types[name], dec_hook=_number)
        for name, value in content.items()
    }
    return Claim(**read)


def _read_line(
    kinds: Mapping[str, type],
    data: bytes,
    ignored: Collection[str],
    left_out: Mapping[str, Mapping[str, Any]],
) -> Any:
    """Read one line of JSON as a record of its kind, with numbers exactly as written.

    Args:
        kinds: kind -> class, of msgspec.
        data: the line.
        ignored: fields that are passed over.
        left_out: kind -> what its fields are that are left out.

    Raises:
        ValueError: naming the field.
        RecursionError: if it is nested too deeply.
    """
    try:
        content = _loaded(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg}") from None
    if isinstance(content, dict):
        if ignored:
            content = {name: value for name, value in content.items() if name not in ignored}
        kind = content.get("kind")
        if isinstance(kind, str) and kind in kinds:  # looking through all kinds takes long
            content = {**left_out.get(kind, {}), **content}
            with suppress(msgspec.ValidationError):
                return msgspec.convert(content, kinds[kind], dec_hook=_number)
    from dporacle.claims.content_errors import faults

    known = functools.reduce(operator.or_, kinds.values())
    raise ValueError(_placed(faults(known, content, _number)[0]))


LineReading.line = staticmethod(_read_line)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a file of claims."""
    found: dict[str, Any] = json.loads(
        msgspec.json.encode(msgspec.json.schema(ClaimFile, schema_hook=_number_schema))
    )
    return found


def _json(text: str) -> Any:
    from dporacle.claims import line_numbers

    places: set[str] = set()
    for place, line in line_numbers.json_places(text):
        if place in places:
            raise ValueError(f"line {line}: the field {place.removeprefix('$.')} appears twice")
        places.add(place)
    try:
        return _loaded(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}: not JSON: {error.msg}") from None


def _constant(word: str) -> Any:
    raise ValueError(f"{word} is not a number")


def _pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
    # Escapes can spell one key in two ways, which the line by line search does not see.
    content = dict(items)
    if len(content) < len(items):
        raise ValueError("a field appears twice in one object")
    return content


def _integer(text: str) -> int | _Written:
    return int(text) if len(text) <= _MAX_NUMBER else _Written(text)


_JSON = json.JSONDecoder(
    parse_float=_Written, parse_int=_integer, parse_constant=_constant, object_pairs_hook=_pairs
)


def _loaded(text: str) -> Any:
    """Return the content of JSON, with numbers as they are written."""
    if text.startswith("\ufeff"):
        raise json.JSONDecodeError("Unexpected UTF-8 BOM (decode using utf-8-sig)", text, 0)
    return _JSON.decode(text)


def _toml(text: str) -> Any:
    if match := _LONG_KEY.search(text):
        line = text.count("\n", 0, match.start()) + 1
        raise ValueError(f"line {line}: a key of {_MAX_PARTS} or more parts")
    import tomllib

    try:
        return tomllib.loads(text, parse_float=_Written)
    except tomllib.TOMLDecodeError as error:
        if found := _yaml_line(text):
            raise ValueError(
                f"line {found}: not TOML, but YAML; write it as TOML (`dporacle audit --example "
                "dp-report` shows how) or as JSON in a file *.json"
            ) from None
        if text.lstrip()[:1] == "{":
            raise ValueError("not TOML, but JSON; call the file *.json") from None
        message = re.sub(
            r"(.*) \(at line (\d+), column \d+\)", r"line \2: not TOML: \1", str(error)
        )
        if place := re.match(r"line (\d+)", message):
            message += _bare_number(text.splitlines()[int(place[1]) - 1])
        # Messages may quote the file: at most one line of it, and nothing that moves a cursor.
        shown = "".join(c if c.isprintable() else "?" for c in message)
        raise ValueError(shown if len(shown) <= 200 else f"{shown[:200]}…") from None
    except (ValueError, OverflowError):
        raise ValueError("not TOML: a number or date out of range") from None


def _yaml_line(text: str) -> int | None:
    """Return the first line that YAML has and TOML has not; None if there is none."""
    for number, line in enumerate(text.splitlines(), 1):
        if _OF_TOML.match(line):
            return None
        if _OF_YAML.match(line):
            return number
    return None


def _bare_number(line: str) -> str:
    """Say how to write the first number of a line that TOML does not know; empty if it has none."""
    from dporacle.common.written_numbers import instead

    for name, value in _ENTRY.findall(line[:_LONGEST_LINE]):
        if _RATIO.fullmatch(value):
            return f'; write it as text: {name} = "{value}"'
        if not _OF_NUMBER.fullmatch(value) and (told := instead(value)):
            quoted = re.sub(r"write ([+-]?\d+/\d+)$", r'write "\1"', told)
            return f"; {name}{quoted.replace('; ', ': ', 1)}"
    return ""


def _number(kind: type, value: Any) -> Any:
    """Turn what stands in a file into the exact number that it says."""
    if kind is not Fraction:
        raise TypeError(f"expected {kind.__name__}, got {_shown(value)}")
    if isinstance(value, _Written | str):
        text = value if isinstance(value, str) else value.text.replace("_", "")
        if len(text) > _MAX_NUMBER:
            raise ValueError(f"a number of {len(text)} characters is too long")
        number = arguments.parse("the number", text)
    elif isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise ValueError(f"must be a number, got {_shown(value)}")
    else:
        number = arguments.exact("the number", value)
    sides = (number.numerator.bit_length(), number.denominator.bit_length())
    if number and (max(sides) > 4 * _REACH_BITS or abs(sides[0] - sides[1]) > _REACH_BITS):
        raise ValueError(f"the number must be 0 or between 2^-{_REACH_BITS} and 2^{_REACH_BITS}")
    return number


def _shown(value: object) -> str:
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    return arguments.show(value)


def _number_schema(kind: type) -> dict[str, Any]:
    if kind is not Fraction:
        raise NotImplementedError
    return {
        "anyOf": [{"type": "number"}, {"type": "string", "maxLength": _MAX_NUMBER}],
        "description": "Exactly what is written: 0.1 is one tenth; also text such as "
        '"3/7" or "0x1.8p-3".',
    }


def _placed(fault: "ContentFault", places: Mapping[str, int] = MappingProxyType({})) -> str:
    """Put line and field in front of what is wrong."""
    from dporacle.claims import line_numbers

    what, path = fault.message.replace("`_Written`", "a number"), fault.path
    # A field that is wrong in itself is named in the message of its record.
    if named := re.match(r"([a-z_.]+) (?:must|has)", what):
        path = f"{path}.{named[1]}"
    field = path.removeprefix("$").removeprefix(".")
    line = line_numbers.line_of(places, path)
    where = f"line {line}: " if line else ""
    return f"{where}{field}: {what}" if field else f"{where}{what}"
