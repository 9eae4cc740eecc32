"""Verdicts as JSON and Markdown."""

import json
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from dporacle.claims import wording
from dporacle.claims.certificate import certificate
from dporacle.claims.judge import AuditVerdict
from dporacle.claims.quantities import Ends
from dporacle.exit_status import ExitStatus
from dporacle.verdicts import Verdict

_SHORT_DIGITS = 6
_LONG_DIGITS = 12
EPSILON = "ε at this δ"
UNDER = "proved under"
_HEADINGS = (
    "claim",
    "verdict",
    "exact value",
    "claimed at most",
    EPSILON,
    "margin",
    "limit",
    UNDER,
)


def exit_status(verdicts: Sequence[AuditVerdict]) -> int:
    """Return 1 if a claim is violated, else 3 if one is undecided, else 0."""
    seen = {verdict.verdict for verdict in verdicts}
    if Verdict.VIOLATED in seen:
        return ExitStatus.FINDING
    return ExitStatus.NO_ANSWER if Verdict.UNDECIDED in seen else ExitStatus.FINE


def summary(verdicts: Sequence[AuditVerdict]) -> str:
    """Return how many claims have which verdict."""
    counts = Counter(verdict.verdict for verdict in verdicts)
    return ", ".join(f"{counts[kind]} {kind}" for kind in Verdict if counts[kind])


def exact_text(value: Fraction) -> str:
    """Write a number exactly: as a decimal where a short one is, else as a ratio."""
    shown = wording.round_decimal(value, 40, up=True)
    return shown if Fraction(shown) == value else f"{value.numerator}/{value.denominator}"


def short(verdict: AuditVerdict) -> str:
    """Return the exact value to a few digits, as an interval."""
    low = wording.round_decimal(Decimal(verdict.low), _SHORT_DIGITS, up=False)
    if verdict.high == wording.INFINITE:
        return f"[{low}, ∞)"
    high = wording.round_decimal(Decimal(verdict.high), _SHORT_DIGITS, up=True)
    return low if low == high else f"[{low}, {high}]"


def plain(text: str) -> str:
    """Return a text of a file without what moves a cursor or ends a line."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )


def in_words(verdict: AuditVerdict) -> str:
    """Return how far off a claim is, why it is undecided, and what a violation supposes."""
    margin = "; ".join(filter(None, (verdict.reason, verdict.margin)))
    return f"{margin}; this supposes that {verdict.supposes}" if verdict.supposes else margin


def table(verdicts: Sequence[AuditVerdict]) -> list[tuple[str, ...]]:
    """Return headings and a row for each verdict.

    ε and the hypotheses have a column where one verdict has them.
    """
    rows = [_HEADINGS, *(_cells(verdict) for verdict in verdicts)]
    bare = {
        heading
        for heading in (EPSILON, UNDER)
        if not any(row[_HEADINGS.index(heading)] for row in rows[1:])
    }
    kept = [at for at, heading in enumerate(_HEADINGS) if heading not in bare]
    return [tuple(row[at] for at in kept) for row in rows]


def _cells(verdict: AuditVerdict) -> tuple[str, ...]:
    return (
        plain(verdict.claim.id),
        verdict.told,
        _value(verdict),
        wording.round_decimal(verdict.bound, _SHORT_DIGITS, up=False),
        wording.interval(verdict.epsilon),
        plain(in_words(verdict)),
        plain(verdict.limit),
        "; ".join(each.says for each in verdict.hypotheses),
    )


def _value(verdict: AuditVerdict) -> str:
    """Return what is proved of the quantity; of a refutation that leaves it open, no end of 1."""
    claimed = wording.round_decimal(verdict.bound, _SHORT_DIGITS, up=False)
    if verdict.verdict is Verdict.VIOLATED and short(verdict) == f"[{claimed}, 1]":
        return f"{verdict.quantity} > {claimed}"
    value = short(verdict)
    return f"{verdict.quantity} {'∈' if value.startswith('[') else '='} {value}"


def record(verdict: AuditVerdict) -> dict[str, Any]:
    """Return a verdict as a JSON object."""
    return {
        "id": verdict.claim.id,
        "source": verdict.claim.source,
        "verdict": str(verdict.verdict),
        "quantity": verdict.quantity,
        "claimed_at_most": exact_text(verdict.bound),
        "enclosure": [verdict.low, verdict.high],
        "epsilon": _ends(verdict.epsilon),
        "digits": verdict.digits,
        "proof": verdict.proof,
        "margin": verdict.margin,
        "limit": verdict.limit,
        "reason": verdict.reason,
        "supposes": verdict.supposes,
        "hypotheses": [{"id": each.id, "says": each.says} for each in verdict.hypotheses],
        "certificate": certificate(verdict),
    }


def _ends(found: Ends | None) -> list[str | None] | None:
    if found is None:
        return None
    high = None
    if found.high is not None:
        high = wording.round_decimal(found.high, _LONG_DIGITS, up=True)
    return [wording.round_decimal(found.low, _LONG_DIGITS, up=False), high]


def to_json(verdicts: Sequence[AuditVerdict]) -> str:
    """Return verdicts as one JSON document."""
    content = {"format": "dporacle-audit/1", "verdicts": [record(verdict) for verdict in verdicts]}
    return json.dumps(content, indent=2, ensure_ascii=False)


def to_markdown(verdicts: Sequence[AuditVerdict]) -> str:
    """Return verdicts as a Markdown table."""
    headings, *rows = table(verdicts)
    rows = [headings, tuple("---" for _ in headings), *rows]
    lines = ["| " + " | ".join(_escape(cell) for cell in row) + " |" for row in rows]
    return "\n".join([*lines, "", summary(verdicts)])


def _escape(cell: str) -> str:
    for letter in "\\`*_|<>[]":
        cell = cell.replace(letter, f"\\{letter}")
    return cell
