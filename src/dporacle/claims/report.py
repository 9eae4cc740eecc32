"""Verdicts as JSON and as Markdown."""

import json
from collections.abc import Sequence
from typing import Any

from dporacle.claims import wording
from dporacle.claims.certificate import certificate
from dporacle.claims.judge import AuditVerdict, summary, table
from dporacle.claims.quantities import Ends
from dporacle.claims.wording import exact_text

_SHORT_DIGITS = 6
_LONG_DIGITS = 12


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
