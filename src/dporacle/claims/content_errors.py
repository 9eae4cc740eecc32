"""All that is wrong with the content of a file, not only what is met first."""

import difflib
import re
import types
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
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
_WRONG = re.compile(r"Invalid (?:enum )?value (?:'([^']{0,40})'|(-?\d{1,40}))")
_MOST_WORDS = 40  # a longer list tells nobody what to write
_MOST_KINDS = 3
_CLOSE = 0.75  # of two spellings of one word; `learning_rate` and `sampling_rate` are at 0.69


@dataclass(frozen=True, slots=True)
class ContentFault:
    """Something wrong.

    Attributes:
        message: what.
        path: where, as msgspec writes it, `$.claims[0].mechanism.sigma`.
    """

    message: str
    path: str


def faults(
    kind: Any,
    value: Any,
    hook: Hook,
    path: str = "$",
    *,
    claim: Mapping[str, Any] = MappingProxyType({}),
) -> list[ContentFault]:
    """Return what is wrong with a value that is to be of a type.

    A field that is wrong in itself hides what is wrong with its record as a whole.

    Args:
        kind: the type, of msgspec.
        value: as it stands in the file.
        hook: makes what msgspec does not know, as for `msgspec.convert`.
        path: where the value stands.
        claim: the parts of the claim that it stands in, by their names.
    """
    from dporacle.claims.claim import Claim

    try:
        msgspec.convert(value, kind, dec_hook=hook)
    except msgspec.ValidationError as error:
        record = _record(kind, value)
        found = [] if record is None else list(_of_fields(record, value, path, claim))
        inside = value if record is Claim else claim
        for part, content, where in _parts(kind, value):
            wrong = faults(part, content, hook, path + where, claim=inside)
            square = _square(record, where.removeprefix("."), content)
            found += [replace(each, message=each.message + square) for each in wrong]
        return found or [_named(str(error), kind, path, value)]
    return []


def _square(record: type[msgspec.Struct] | None, name: str, content: Any) -> str:
    """Say that a root may be stated by its square, where the record has a field for that."""
    field = f"{name}_squared"
    if record is None or field not in record.__struct_fields__ or not isinstance(content, str):
        return ""
    from dporacle.common.written_numbers import squared

    square = squared(content)
    return f"; or state {field} = {square}" if square else ""


def _of_fields(
    record: type[msgspec.Struct], value: dict[str, Any], path: str, claim: Mapping[str, Any]
) -> Iterator[ContentFault]:
    """Yield the fields that are unknown, and those that are missing."""
    from dporacle.claims.unknown_words import MISSING

    fields = msgspec.structs.fields(record)
    tag = record.__struct_config__.tag_field
    known = {field.encode_name for field in fields}.union([tag] if tag else [])
    for name in value:
        if name not in known:
            told = guess(str(name), known, value) or _elsewhere(str(name), record, claim)
            yield ContentFault(f"unknown field `{name}`{told}", f"{path}.{name}")
    for field in fields:
        if field.required and field.encode_name not in value:
            words = _listed(_words(field.type), "a kind of" if _records(field.type) else "one of")
            if write := MISSING.get(f"{record.__struct_config__.tag}.{field.encode_name}"):
                words = f" ({write})"
            yield ContentFault(f"missing field `{field.encode_name}`{words}", path)


def guess(name: str, known: Collection[str], stated: Collection[str]) -> str:
    """Return which known name an unknown one may stand for; empty if none.

    Args:
        name: the unknown name.
        known: the names that could stand in its place.
        stated: those that stand there already.
    """
    from dporacle.claims.unknown_words import FIELDS

    word = re.sub(r"[-\s]+", "_", name.strip().lower())
    if word in known:
        return f"; `{word}` says this already" if word in stated else f"; is it `{word}`?"
    for meant, what in FIELDS.get(word, ()):
        if meant in known and meant in stated:
            return f"; `{meant}` says this already"
        if meant in known:
            return f"; is it `{meant}`, {what}?"
    free = sorted(set(known).difference(stated))
    close = difflib.get_close_matches(word, free, 1, _CLOSE)
    return f"; is it `{close[0]}`?" if close else ""


def _elsewhere(name: str, record: type[msgspec.Struct], claim: Mapping[str, Any]) -> str:
    """Return which part of a claim has a field of this name or meaning; empty if none does."""
    from dporacle.claims.assertions.audit_bound import AuditBound
    from dporacle.claims.claim import Claim
    from dporacle.claims.evidence import AuditEvidence
    from dporacle.claims.unknown_words import FIELDS

    own, of_audits = "", () if "evidence" in claim else (AuditBound, AuditEvidence)
    for meant in (name, *(meant for meant, _ in FIELDS.get(name.lower(), ()))):
        for part in msgspec.structs.fields(Claim):
            records = _records(part.type)
            tags = sorted(
                repr(one.__struct_config__.tag)
                for one in records
                if not issubclass(one, of_audits)
                and any(meant == field.encode_name for field in msgspec.structs.fields(one))
            )
            if not tags:
                continue
            which = f" of kind {' or '.join(tags)}" if len(tags) <= _MOST_KINDS else ""
            said = claim.get(part.encode_name)
            if record in records:  # it stands in this part, of another kind
                others = which or f" of other kinds of {part.encode_name}"
                here = repr(record.__struct_config__.tag)
                own = own or f"; `{meant}` is a field{others}, not of {here}"
            elif isinstance(said, dict) and meant in said:
                return f"; `{meant}` stands in `{part.encode_name}` already"
            else:
                return f"; `{meant}` belongs in `{part.encode_name}`{which}"
    return own


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


def _named(message: str, kind: Any, path: str, value: Any) -> ContentFault:
    """Turn a message of msgspec, which ends with a path, into a fault; name the valid words."""
    from dporacle.claims.unknown_words import FIELDS, MEANT

    match = _PATH.fullmatch(message)
    what, inner = (match[1], match[2]) if match else (message, "")
    if wrong := _WRONG.fullmatch(what):
        word = wrong[2] or wrong[1]
        what = f"unknown word {word!r}{_instead(word, kind)}"
    elif (expected := _TYPE.fullmatch(what)) and not inner and expected[1] in _TYPES:
        end = f", {_ENDS[expected[2]]} {expected[3]}" if expected[2] else ""
        what = f"must be {_TYPES[expected[1]]}{end}, got {_shown(value)}"
    elif what == "Object missing required field `kind`":
        what = f"missing field `kind`{_listed(words := _words(kind))}"
        said = [v for k, v in value.items() if "kind" in dict(FIELDS.get(str(k), ()))]
        if said and isinstance(said[0], str):
            meant = MEANT.get(said[0].lower(), said[0].lower())
            what += f"; is it kind = '{meant}'?" if meant in words else ""
    return ContentFault(what, path + inner)


def _shown(value: Any) -> str:
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    return str(getattr(value, "text", arguments.show(value)))  # a number as it was written


def _words(kind: Any) -> list[str]:
    """Return the words that may stand for a type: the tags of its records, or what it lists."""
    tags = [str(one.__struct_config__.tag) for one in _records(kind)]
    listed = [str(word) for one in _alternatives(kind) for word in get_args(one)
              if get_origin(one) is Literal]  # fmt: skip
    return sorted(tags + listed)


def _listed(words: list[str], how: str = "one of") -> str:
    if how == "one of" and len(words) == 1:
        return f" (must be {words[0]})"
    return f" ({how} {', '.join(words)})" if 0 < len(words) <= _MOST_WORDS else ""


def _instead(wrong: str, kind: Any) -> str:
    """Say which words are valid, and which was meant or is nearest.

    What is out of scope is a mechanism or an assertion: the same word of a field means another
    thing, as the "uniform" of how batches are drawn is no noise.
    """
    from dporacle.claims.unknown_words import ALONE, MEANT, OUT_OF_SCOPE

    words, word = _words(kind), wrong.lower()
    spelt = word.replace("_", "-").replace(" ", "-")
    text = _listed(words)
    meant = [one for one in (word, MEANT.get(word), MEANT.get(spelt)) if one in words]
    also = [other for other, known in MEANT.items() if known in words]
    close = difflib.get_close_matches(spelt, words + also, 1)
    meant = meant or [MEANT.get(one, one) for one in close]
    absent = OUT_OF_SCOPE.get(spelt) if _records(kind) else None
    if "composition" in words and (alone := ALONE.get(MEANT.get(word, word))) is not None:
        absent = alone
        text = ""  # the word is known, only not here
    if absent is not None and MEANT.get(word) not in words:
        return f"{text}; {absent}"
    return f"{text}; is it '{meant[0]}'?" if meant else text
