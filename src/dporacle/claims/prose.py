"""A verdict as a paragraph for a report: claimed, proved, under which conditions, what would do."""

import json
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib import resources
from string import Formatter
from typing import Any

import msgspec
from msgspec import UNSET

from dporacle.claims import wording
from dporacle.claims.claim import Claim
from dporacle.claims.decision import NOTHING
from dporacle.claims.judge import AuditVerdict, plain
from dporacle.claims.mechanisms import Mechanism
from dporacle.claims.mechanisms.contribution import Statistic
from dporacle.claims.wording import readable
from dporacle.common.version import VERSION
from dporacle.verdicts import Verdict
from dporacle.vocabulary.relations import RELATIONS

_DIGITS = 6
_IDEAL = "the noise is drawn exactly, without any rounding"


@cache
def words() -> Mapping[str, dict[str, str]]:
    """Return how assertions, quantities and fields are said; see the file's `about`."""
    file = resources.files("dporacle.vocabulary") / "claim_words.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return {name: rows for name, rows in found.items() if name != "about"}


def paragraph(verdict: AuditVerdict) -> str:
    """Return what was claimed, what is proved, under which conditions, and what would do."""
    said = [_claimed(verdict.claim), _decided(verdict), _values(verdict), _conditions(verdict)]
    return plain(" ".join(filter(None, [*said, _would_do(verdict)])))


def _claimed(claim: Claim) -> str:
    source = f" ({claim.source})" if claim.source else ""
    asserts = _said_fields(claim.asserts)
    relation = asserts.pop("neighbours", "")
    asserts.pop("statistic", None)  # it is what the sentence is about
    said = _asserted(str(claim.asserts.__struct_config__.tag), asserts)
    about = claim.about or getattr(claim.asserts, "statistic", None)
    if about is not None:
        said = f"{_value(about)} {said}"
    means = RELATIONS[relation].meaning if relation else ""
    near = f", where two data sets are neighbours if {means}" if means else ""
    return f"The claim “{claim.id}”{source}: {said}{near}."


def _decided(verdict: AuditVerdict) -> str:
    by = f"dporacle {VERSION}"
    if verdict.verdict is Verdict.UNDECIDED:
        return f"{by} neither proves nor refutes it: {verdict.reason}."
    if verdict.verdict is Verdict.HOLDS:
        return f"{by} proves it: it {verdict.told}."
    return f"{by} refutes it: it is {verdict.verdict}."


def _values(verdict: AuditVerdict) -> str:
    if verdict.decided.proof == NOTHING:
        return ""
    low = wording.round_decimal(Decimal(verdict.low), _DIGITS, up=False)
    between = f"is at least {low}"
    if verdict.high != wording.INFINITE:
        high = wording.round_decimal(Decimal(verdict.high), _DIGITS, up=True)
        between = f"is {low}" if low == high else f"is between {low} and {high}"
    name = words()["quantities"][verdict.quantity]
    text = f"Proved: {name} {between}, where {readable(verdict.bound)} is claimed"
    if verdict.epsilon is not None:
        low = wording.round_decimal(verdict.epsilon.low, _DIGITS, up=False)
        text += f"; the least ε at this δ is at least {low}"
        if verdict.epsilon.high is not None:
            text += f" and at most {wording.round_decimal(verdict.epsilon.high, _DIGITS, up=True)}"
    return f"{text}. Margin: {verdict.margin}."


def _conditions(verdict: AuditVerdict) -> str:
    said = [each.says for each in verdict.hypotheses]
    if verdict.supposes:
        said.append(f"{verdict.supposes} (else nothing is broken)")
    if verdict.verdict is Verdict.HOLDS and verdict.claim.mechanism is not None:
        said.append(_IDEAL)
    if not said:
        return "" if verdict.verdict is Verdict.UNDECIDED else "No other condition is needed."
    return f"Conditions, besides what the claim states: {_listed(said)}."


def _would_do(verdict: AuditVerdict) -> str:
    """Say which noise would do; where a claim does not hold, also which ε is true of this noise."""
    most = verdict.epsilon.high if verdict.epsilon is not None else None
    true = ""
    if most is not None and verdict.verdict is not Verdict.HOLDS:
        true = f"ε = {wording.round_decimal(most, _DIGITS, up=True)} at the same δ"
    if not verdict.limit:
        return f"For this noise {true} would do." if true else ""
    first = verdict.limit[0].upper() if verdict.limit[0].isascii() else verdict.limit[0]
    also = f"; for the noise as it is, {true} would" if true else ""
    return f"{first}{verdict.limit[1:]}{also}."


def _said_fields(part: msgspec.Struct) -> dict[str, Any]:
    """Return what is said: the fields, by their names in a file, without what is left out."""
    every = ((each, getattr(part, each.name)) for each in msgspec.structs.fields(part))
    return {
        each.encode_name: value
        for each, value in every
        if each.required or (value is not UNSET and value != each.default)
    }


def _asserted(kind: str, fields: dict[str, Any]) -> str:
    text = words()["assertions"][kind]
    named = {name for _, name, _, _ in Formatter().parse(text) if name}
    said = text.format(**{name: _of(name, fields.pop(name)) for name in named})
    more = _in_words(fields)
    return f"{said} ({more})" if more else said


def _in_words(fields: Mapping[str, Any], kind: str = "") -> str:
    """Say fields, in the words of their kind where it has its own."""
    said = words()["fields"]
    own = {name: said.get(f"{kind}.{name}") or said[name] for name in fields}
    return ", ".join(own[name].format(_of(name, value)) for name, value in fields.items())


def _of(name: str, value: Any) -> str:
    """Say the value of a field."""
    if name == "at" and isinstance(value, Mapping):  # numbers by the names of their statement
        return ", ".join(f"{each} = {_value(number)}" for each, number in value.items())
    if name == "lines":  # of a ledger
        return str(len([line for line in value.split("\n") if line.strip()]))
    if name == "given":
        kind = words()["given"][str(value.__struct_config__.tag)]
        return f"{kind} ({_in_words(_said_fields(value))})"
    return _value(value)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Fraction):
        return readable(value)
    if isinstance(value, list | tuple):
        return _listed([_value(each) for each in value])
    if not isinstance(value, msgspec.Struct):
        return str(value)
    said = _said_fields(value)
    if said.keys() == {"from", "to"}:
        return f"from {_value(said['from'])} to {_value(said['to'])}"
    if not isinstance(value, Statistic | Mechanism):
        return _in_words(said)
    kind = str(value.__struct_config__.tag)
    if isinstance(value, Statistic):
        fields, name = _in_words(said, "statistics"), words()["statistics"][kind]
    else:
        fields, name = _in_words(said, kind), value.noun
    return f"{name} ({fields})" if fields else name


def _listed(texts: list[str]) -> str:
    if len(texts) == 1:
        return texts[0]
    return "; ".join(f"({number}) {text}" for number, text in enumerate(texts, 1))
