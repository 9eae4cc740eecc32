"""All that is wrong with the content of a file, not only what is met first."""

import difflib
import re
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from dporacle import arguments

Hook = Callable[[type, Any], Any]

_PATH = re.compile(r"(.*) - at `\$([^`]*)`", re.DOTALL)
_TYPE = re.compile(r"Expected `([a-z]+)(?: \| null)?`(?:, got `[A-Za-z_]+`| ([<>]=?) (\d+))")
_ENDS = {">=": "at least", "<=": "at most", ">": "above", "<": "below"}
_TYPES = {
    "int": "a whole number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
}
_WRONG = re.compile(r"Invalid (?:enum )?value '([^']{1,40})'")
_MOST_WORDS = 40
_MOST_KINDS = 3


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong.

    Attributes:
        message: what.
        path: where, as msgspec writes it, `$.claims[0].mechanism.sigma`.
    """

    message: str
    path: str


def faults(kind: Any, value: Any, hook: Hook, path: str = "$") -> list[Fault]:
    """Return what is wrong with a value that is to be of a type.

    A field that is wrong in itself hides what is wrong with its record as a whole.

    Args:
        kind: the type, of msgspec.
        value: as it stands in the file.
        hook: makes what msgspec does not know, as for `msgspec.convert`.
        path: where the value stands.
    """
    try:
        msgspec.convert(value, kind, dec_hook=hook)
    except msgspec.ValidationError as error:
        record = _record(kind, value)
        found = [] if record is None else list(_of_fields(record, value, path))
        for part, content, where in _parts(kind, value):
            found += faults(part, content, hook, path + where)
        return found or [_named(str(error), kind, path, value)]
    return []


def _of_fields(record: type[msgspec.Struct], value: dict[str, Any], path: str) -> Iterator[Fault]:
    """Yield the fields that are unknown, and those that are missing."""
    from dporacle.claims.unknown_words import FIELDS, MISSING, OTHER_FIELDS

    fields = msgspec.structs.fields(record)
    known = {field.encode_name for field in fields} | {record.__struct_config__.tag_field}
    for name in value:
        if name not in known:
            close = difflib.get_close_matches(str(name), [one for one in known if one], 1)
            guess = f"; is it `{close[0]}`?" if close else ""
            for names in (OTHER_FIELDS, FIELDS):
                meant, what = names.get(str(name).lower(), ("", ""))
                if meant in known and meant not in value:
                    guess = f"; is it `{meant}`, {what}?"
                elif meant and meant in value:
                    guess = f"; `{meant}` says this already"
            guess = guess or _elsewhere(str(name))
            yield Fault(f"unknown field `{name}`{guess}", f"{path}.{name}")
    for field in fields:
        if field.required and field.encode_name not in value:
            words = _listed(_words(field.type), "a kind of" if _records(field.type) else "one of")
            told = MISSING.get(f"{record.__struct_config__.tag}.{field.encode_name}")
            if told is not None:
                words = f" ({told})"
            yield Fault(f"missing field `{field.encode_name}`{words}", path)


def _elsewhere(name: str) -> str:
    """Return which part of a claim has a field of this name or meaning; empty if none does."""
    from dporacle.claims.claim import Claim
    from dporacle.claims.unknown_words import FIELDS, OTHER_FIELDS

    tables = (FIELDS, OTHER_FIELDS)
    meanings = [table[name.lower()][0] for table in tables if name.lower() in table]
    for meant in (name, *meanings):
        for part in msgspec.structs.fields(Claim):
            records = [one for one in _records(part.type) if meant in one.__struct_fields__]
            tags = sorted(repr(one.__struct_config__.tag) for one in records)
            if tags:
                which = f" of kind {' or '.join(tags)}" if len(tags) <= _MOST_KINDS else ""
                return f"; `{meant}` belongs in `{part.encode_name}`{which}"
    return ""


def _parts(kind: Any, value: Any) -> Iterator[tuple[Any, Any, str]]:
    """Yield the type, the content and the place of each part of a value."""
    record = _record(kind, value)
    if record is not None:
        for field in msgspec.structs.fields(record):
            if field.encode_name in value:
                yield field.type, value[field.encode_name], f".{field.encode_name}"
        return
    for one in _alternatives(kind):
        if get_origin(one) is tuple and isinstance(value, list):
            for place, item in enumerate(value):
                yield get_args(one)[0], item, f"[{place}]"


def _alternatives(kind: Any) -> tuple[Any, ...]:
    """Return the members of a union, or the type itself."""
    while get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    return get_args(kind) if get_origin(kind) in {Union, types.UnionType} else (kind,)


def _records(kind: Any) -> list[type[msgspec.Struct]]:
    return [
        one
        for one in _alternatives(kind)
        if isinstance(one, type) and issubclass(one, msgspec.Struct)
    ]


def _record(kind: Any, value: Any) -> type[msgspec.Struct] | None:
    """Return the record that a value is meant to be, if its tag says so."""
    if not isinstance(value, dict):
        return None
    for one in _records(kind):
        field, tag = one.__struct_config__.tag_field, one.__struct_config__.tag
        if field is None or value.get(field) == tag:
            return one
    return None


def _named(message: str, kind: Any, path: str, value: Any) -> Fault:
    """Turn a message of msgspec, which ends with a path, into a fault; name the valid words."""
    from dporacle.claims.unknown_words import FIELDS, MEANT

    match = _PATH.fullmatch(message)
    what, inner = (match[1], match[2]) if match else (message, "")
    if wrong := _WRONG.fullmatch(what):
        what = f"unknown word {wrong[1]!r}{_instead(wrong[1], _words(kind))}"
    elif (expected := _TYPE.fullmatch(what)) and not inner and expected[1] in _TYPES:
        end = f", {_ENDS[expected[2]]} {expected[3]}" if expected[2] else ""
        what = f"must be {_TYPES[expected[1]]}{end}, got {_shown(value)}"
    elif what == "Object missing required field `kind`":
        what = f"missing field `kind`{_listed(words := _words(kind))}"
        said = [v for k, v in value.items() if FIELDS.get(str(k), "")[:1] == ("kind",)]
        if said and isinstance(said[0], str):
            meant = MEANT.get(said[0].lower(), said[0].lower())
            what += f"; is it kind = '{meant}'?" if meant in words else ""
    return Fault(what, path + inner)


def _shown(value: Any) -> str:
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    return str(getattr(value, "text", arguments.show(value)))  # a number as it was written


def _words(kind: Any) -> list[str]:
    """Return the words that may stand for a type: the tags of its records, or what it lists."""
    tags = [str(one.__struct_config__.tag) for one in _records(kind)]
    listed = [word for one in _alternatives(kind) for word in get_args(one)
              if get_origin(one) is Literal]  # fmt: skip
    return sorted(tags + listed)


def _listed(words: list[str], how: str = "one of") -> str:
    return f" ({how} {', '.join(words)})" if 0 < len(words) <= _MOST_WORDS else ""


def _instead(wrong: str, words: list[str]) -> str:
    """Say which words are valid, and which was meant or is nearest."""
    from dporacle.claims.unknown_words import ALONE, MEANT, OUT_OF_SCOPE

    word = wrong.lower()
    spelt = word.replace("_", "-").replace(" ", "-")
    text = _listed(words)
    meant = [one for one in (word, MEANT.get(word), MEANT.get(spelt)) if one in words]
    also = [other for other, known in MEANT.items() if known in words]
    close = difflib.get_close_matches(spelt, words + also, 1)
    meant = meant or [MEANT.get(one, one) for one in close]
    absent = OUT_OF_SCOPE.get(spelt)
    if "composition" in words:
        absent = ALONE.get(MEANT.get(word, word), absent)
    if absent is not None and MEANT.get(word) not in words:
        return f"{text}; {absent}"
    return f"{text}; is it '{meant[0]}'?" if meant else text
