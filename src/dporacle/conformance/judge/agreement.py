"""Whether a library's answers fit each other, apart from whether each of them is true.

A relation is broken only far beyond rounding: answers may be a percent off each other's order
or scale, so that no calibrator with a sensible tolerance is accused.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import msgspec

from dporacle.conformance import protocol
from dporacle.conformance.ask.fresh import ConsistencyRule
from dporacle.conformance.judge.harm import level_of
from dporacle.conformance.judge.outcomes import JudgedCase, Outcome
from dporacle.conformance.protocol import ProtocolError
from dporacle.vectors.notes import everyday

_SLACK = Fraction(1, 100)  # far above all rounding: what a grade calls a broken promise
_KNOWN = 0.9  # the share of everyday vectors that somebody answers who claims to cover them
_COMPARED = frozenset({"random", "random-typed", "monotone"})
_FRESH = 3  # fresh inputs below this number say nothing about what is covered


def consistent(
    judged: Sequence[JudgedCase], relations: Sequence[ConsistencyRule]
) -> list[JudgedCase]:
    """Return the judged cases, `inconsistent` instead of a pass where a relation is broken."""
    answers = {v.case: number for v in judged if (number := _number(v)) is not None}
    broken = {r.second.id: text for r in relations if (text := _complaint(r, answers))}
    broken |= _declines_the_known(judged, relations, answers)
    broken |= _refuses_the_unknown(judged)
    return [
        msgspec.structs.replace(
            v,
            outcome=Outcome.INCONSISTENT,
            level=level_of(Outcome.INCONSISTENT, None),
            message=broken[v.case],
        )
        if v.case in broken and not v.flawed
        else v
        for v in judged
    ]


def _number(judged: JudgedCase) -> Fraction | None:
    if judged.answer is None:
        return None
    try:
        number = protocol.read_number(judged.answer)
    except ProtocolError:
        return None
    return number if isinstance(number, Fraction) else None


def _complaint(relation: ConsistencyRule, answers: Mapping[str, Fraction]) -> str:
    first, second = answers.get(relation.first.id), answers.get(relation.second.id)
    if first is None or second is None:
        return ""
    expected = first * Fraction(relation.factor)
    slack = _SLACK * max(abs(expected), abs(second)) + Fraction(relation.slack)
    off = (second - expected) * relation.side if relation.side else abs(second - expected)
    if off <= slack:
        return ""
    if relation.side:
        due = f"at {'most' if relation.side > 0 else 'least'} {_brief(first)}"
    else:
        due = (
            _brief(first) if relation.factor == 1 else f"{relation.factor:g} times {_brief(first)}"
        )
    return f"the answer is {_brief(second)}; the answer to {relation.first.id} makes {due} due here"


def _declines_the_known(
    judged: Sequence[JudgedCase],
    relations: Sequence[ConsistencyRule],
    answers: Mapping[str, Fraction],
) -> dict[str, str]:
    """Return complaints about somebody who does not answer again what was answered."""
    declined = {
        v.case: v.outcome for v in judged if v.outcome in (Outcome.REFUSES_VALID, Outcome.SKIPPED)
    }
    return {
        r.second.id: f"declined, where the same was answered to {r.first.id}"
        for r in relations
        if r.rule == "repeat" and r.second.id in declined and r.first.id in answers
    }


def _refuses_the_unknown(judged: Sequence[JudgedCase]) -> dict[str, str]:
    """Return complaints about somebody who answers the vectors and refuses their neighbours."""
    once = [v for v in judged if "repeat" not in v.flags]
    vectors = [v for v in once if everyday(v.flags) and v.outcome is not Outcome.SKIPPED]
    fresh = [v for v in once if not _COMPARED.isdisjoint(v.flags)]
    refused = [v for v in fresh if v.outcome is Outcome.REFUSES_VALID]
    answered = sum(v.answer is not None for v in vectors)
    if len(fresh) < _FRESH or answered < _KNOWN * len(vectors) or 2 * len(refused) <= len(fresh):
        return {}
    text = f"refused, as {len(refused)} of {len(fresh)} fresh inputs, unlike the vectors around it"
    return {v.case: text for v in refused}


def _brief(number: Fraction) -> str:
    """Return six digits of a number, which may be beyond the floats."""
    try:
        return f"{float(number):.6g}"
    except OverflowError:
        return "a number above every float64" if number > 0 else "one below every float64"
