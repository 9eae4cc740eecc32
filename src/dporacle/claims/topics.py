"""The topics on which NIST SP 800-226 evaluates a guarantee, and what claims settle of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from msgspec import UNSET

from dporacle.claims.assertions.assertion import AboutMechanism
from dporacle.claims.judge import AuditVerdict
from dporacle.claims.mechanisms import Mechanism
from dporacle.verdicts import Verdict


class TopicStatus(StrEnum):
    """What is known of a topic."""

    PROVED = "proved"
    STATED = "stated"
    MISSING = "missing"
    OUT_OF_REACH = "out of reach"


@dataclass(frozen=True)
class Topic:
    """What is known of a topic, and why."""

    name: str
    level: TopicStatus
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
_ON_INTEGERS = {"discrete-gaussian", "integer-noise"}
_MOST_SHOWN = 20  # of the others there is a count


def of_claims(verdicts: Sequence[AuditVerdict]) -> list[Topic]:
    """Return what verdicts on claims settle of each topic."""
    mechanisms = [each.claim.mechanism for each in verdicts if each.claim.mechanism is not None]
    kinds = sorted({str(each.__struct_config__.tag) for each in mechanisms})
    relations = sorted({*filter(None, map(_relation, verdicts))})
    private = [each for each in verdicts if each.claim.asserts.__struct_config__.tag in _OF_PRIVACY]
    composed = [
        each for each in private if each.claim.mechanism and each.claim.mechanism.count() > 1
    ]
    discrete = kinds and set(kinds) <= _ON_INTEGERS
    named = f"{', '.join(kinds)}, with the parameters of the claims"
    return [
        _unit_of_privacy(mechanisms),
        _stated("neighbours", ", ".join(relations), QUESTIONS["neighbours"]),
        _judged("ε and δ", private),
        _stated("mechanism", named if kinds else "", QUESTIONS["mechanism"]),
        _composition(private, composed),
        Topic("floating point", TopicStatus.STATED, f"noise on the integers; {_FLOATS}")
        if discrete
        else Topic("floating point", TopicStatus.OUT_OF_REACH, _FLOATS),
        Topic("side channels", TopicStatus.OUT_OF_REACH, QUESTIONS["side channels"]),
    ]


def _relation(verdict: AuditVerdict) -> str:
    """Return the relation of what a claim asserts; with that of its sensitivity, if another."""
    about, said = verdict.claim.mechanism, verdict.claim.asserts
    if about is None or not isinstance(said, AboutMechanism):
        return ""
    asserted = said.about_relation(about)
    if asserted is None:  # the claim is about errors; its mechanism may state a relation
        stated = getattr(about, "neighbours", "")
        return stated if isinstance(stated, str) else ""
    return asserted if about.knows(asserted) else f"{asserted} (sensitivity for {about.relation()})"


def _composition(private: Sequence[AuditVerdict], composed: Sequence[AuditVerdict]) -> Topic:
    """Say what is proved of several releases together, and of which no total is claimed."""
    name = "composition"
    found = [each.claim.mechanism for each in private if each.claim.mechanism is not None]
    distinct = [each for place, each in enumerate(found) if each not in found[:place]]
    apart = [one for one in distinct if not any(_has(other, one) for other in distinct)]
    if len(apart) > 1:
        kinds = ", ".join(str(one.__struct_config__.tag) for one in apart[:_MOST_SHOWN])
        more = f" and {len(apart) - _MOST_SHOWN} more" if len(apart) > _MOST_SHOWN else ""
        return Topic(
            name,
            TopicStatus.MISSING,
            f"{len(apart)} mechanisms in claims of their own ({kinds}{more}): if they are about "
            "the same people, their total ε and δ is in no claim; a `composition` states it",
        )
    if composed:
        return _judged(name, composed)
    return _stated(name, "one release" if found else "", QUESTIONS[name])


def _has(whole: Mechanism, part: Mechanism) -> bool:
    """Tell whether a mechanism has another among its releases."""
    parts: Sequence[Mechanism] = getattr(whole, "releases", ())
    return any(_same(each, part) or _has(each, part) for each in parts)


def _same(release: Mechanism, alone: Mechanism) -> bool:
    """Tell whether a release is a mechanism of its own claim: it may say how often it is made."""
    if release.__struct_config__.tag != alone.__struct_config__.tag:
        return False
    fields = alone.__struct_fields__
    if "times" not in fields and getattr(release, "times", UNSET) not in (UNSET, 1):
        return False
    return all(getattr(release, name) == getattr(alone, name) for name in fields)


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
    return (
        Topic(name, TopicStatus.STATED, text)
        if text
        else Topic(name, TopicStatus.MISSING, question)
    )


def _judged(name: str, verdicts: Sequence[AuditVerdict]) -> Topic:
    """Say that a topic is proved if every claim about it holds."""
    if not verdicts:
        return Topic(name, TopicStatus.MISSING, QUESTIONS[name])
    told = "; ".join(f"{each.claim.id}: {each.told}" for each in verdicts[:_MOST_SHOWN])
    told += f"; {len(verdicts) - _MOST_SHOWN} more" if len(verdicts) > _MOST_SHOWN else ""
    holds = all(each.verdict is Verdict.HOLDS for each in verdicts)
    return Topic(name, TopicStatus.PROVED if holds else TopicStatus.STATED, told)


def to_text(topics: Sequence[Topic]) -> str:
    """Return a line for each topic."""
    return "\n".join(f"{each.name:16} {each.level:13} {each.note}" for each in topics)
