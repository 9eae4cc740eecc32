"""The topics on which NIST SP 800-226 evaluates a guarantee, and what claims settle of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from dporacle.claims.judge import AuditVerdict
from dporacle.verdicts import Verdict


class Level(StrEnum):
    """What is known of a topic."""

    PROVED = "proved"
    STATED = "stated"
    MISSING = "missing"
    OUT_OF_REACH = "out of reach"


@dataclass(frozen=True)
class Topic:
    """What is known of a topic, and why."""

    name: str
    level: Level
    note: str


QUESTIONS = {
    "unit of privacy": "Whose data, and how much of it, does the guarantee protect?",
    "neighbours": "Which two data sets are neighbours?",
    "ε and δ": "What are ε and δ, and what do they cover?",
    "mechanism": "Which noise, at which scale, on a query of which sensitivity?",
    "composition": "Which releases are there about one unit, and how do they compose?",
    "floating point": "How is the noise drawn, and what protects it from rounding?",
    "side channels": "What is known of time, errors and memory that depend on the data?",
}
"""Topic -> what its deployer is asked, where nothing is said."""

_FLOATS = "claims are about ideal noise; `dporacle sample` audits what a program draws"
_OF_PRIVACY = {"privacy", "zcdp", "gdp", "rdp", "conversion", "formula", "formula-range"}
_ON_INTEGERS = {"discrete-gaussian"}


def of_claims(verdicts: Sequence[AuditVerdict]) -> list[Topic]:
    """Return what verdicts on claims settle of each topic."""
    mechanisms = [each.claim.mechanism for each in verdicts if each.claim.mechanism is not None]
    kinds = sorted({str(each.__struct_config__.tag) for each in mechanisms})
    relations = sorted({each.relation() for each in mechanisms})
    many = [each for each in mechanisms if each.count() > 1]
    private = [each for each in verdicts if each.claim.asserts.__struct_config__.tag in _OF_PRIVACY]
    composed = [each for each in private if each.claim.mechanism in many]
    discrete = kinds and set(kinds) <= _ON_INTEGERS
    named = f"{', '.join(kinds)}, with scale and sensitivity as written"
    return [
        _unit_of_privacy(mechanisms),
        _stated("neighbours", ", ".join(relations), QUESTIONS["neighbours"]),
        _judged("ε and δ", private),
        _stated("mechanism", named if kinds else "", QUESTIONS["mechanism"]),
        _judged("composition", composed)
        if many
        else _stated("composition", "one release" if mechanisms else "", QUESTIONS["composition"]),
        Topic("floating point", Level.STATED, f"noise on the integers; {_FLOATS}")
        if discrete
        else Topic("floating point", Level.OUT_OF_REACH, _FLOATS),
        Topic("side channels", Level.OUT_OF_REACH, QUESTIONS["side channels"]),
    ]


_UNITS = {"records_per_user": "a user with at most {} records", "group": "a group of {} records"}


def _unit_of_privacy(mechanisms: Sequence[object]) -> Topic:
    """Say whose data is protected, where a claim names a group or a user."""
    units = {
        told.format(size)
        for each in mechanisms
        for field, told in _UNITS.items()
        if isinstance(size := getattr(each, field, None), int)
    }
    name = "unit of privacy"
    one_record = f"claims are about one record unless they name a group. {QUESTIONS[name]}"
    return _stated(name, "; ".join(sorted(units)), one_record)


def _stated(name: str, text: str, question: str) -> Topic:
    return Topic(name, Level.STATED, text) if text else Topic(name, Level.MISSING, question)


def _judged(name: str, verdicts: Sequence[AuditVerdict]) -> Topic:
    """Say that a topic is proved if every claim about it holds."""
    if not verdicts:
        return Topic(name, Level.MISSING, QUESTIONS[name])
    told = "; ".join(f"{each.claim.id}: {each.verdict}" for each in verdicts[:20])
    told += f"; {len(verdicts) - 20} more" if len(verdicts) > 20 else ""
    holds = all(each.verdict is Verdict.HOLDS for each in verdicts)
    return Topic(name, Level.PROVED if holds else Level.STATED, told)


def to_text(topics: Sequence[Topic]) -> str:
    """Return a line for each topic."""
    return "\n".join(f"{each.name:16} {each.level:13} {each.note}" for each in topics)
