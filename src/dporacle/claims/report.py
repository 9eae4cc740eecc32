"""Verdicts as JSON, as Markdown and as the status of a command."""

import json
from collections.abc import Sequence
from typing import Any

from dporacle.claims import wording
from dporacle.claims.certificate import certificate
from dporacle.claims.judge import EPSILON as EPSILON
from dporacle.claims.judge import UNDER as UNDER
from dporacle.claims.judge import VERDICT_AT as VERDICT_AT
from dporacle.claims.judge import AuditVerdict
from dporacle.claims.judge import ending as ending
from dporacle.claims.judge import in_words as in_words
from dporacle.claims.judge import plain as plain
from dporacle.claims.judge import summary as summary
from dporacle.claims.judge import table as table
from dporacle.claims.quantities import Ends
from dporacle.claims.wording import exact_text as exact_text
from dporacle.exit_status import ExitStatus
from dporacle.verdicts import Verdict

_SHORT_DIGITS = 6
_LONG_DIGITS = 12


def exit_status(verdicts: Sequence[AuditVerdict]) -> int:
    """Return 1 if a claim is violated, else 3 if one is undecided, else 0."""
    seen = {verdict.verdict for verdict in verdicts}
    if Verdict.VIOLATED in seen:
        return ExitStatus.FINDING
    return ExitStatus.NO_ANSWER if Verdict.UNDECIDED in seen else ExitStatus.FINE


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
