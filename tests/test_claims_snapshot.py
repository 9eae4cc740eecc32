"""Verdicts, words and certificates of claims of every kind stay what they were.

`python tests/test_claims_snapshot.py` writes the recorded ones anew, after a change that is meant.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from dporacle import claims
from dporacle.claims import judge
from support.claims import Content, draw

SNAPSHOT = Path(__file__).resolve().parent / "data" / "claims_snapshot.txt"
COUNT = 400
RARE = 6  # of so many claims about rank-one noise, whose roots take a second, one is asked


def asked() -> Iterator[Content]:
    rare = 0
    for claim in draw(COUNT):
        if "rank-one" in str(claim) or "r1smg" in str(claim):
            rare += 1
            if rare % RARE:
                continue
        yield claim


def line(claim: Content) -> str:
    """What was said of a claim, but for the digits that no reader is shown."""
    verdict = claims.audit(claim)
    certificate = claims.certificate(verdict)
    said = [
        judge.table([verdict])[1],
        *(verdict.proof, verdict.reason, str(verdict.bound)),
        *(certificate[name] for name in ("claim", "standalone", "witness")),
    ]
    digest = hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
    return f"{claim['id']}: {verdict.verdict} {digest[:16]}"


@pytest.mark.thorough("claims of every kind are audited")
def test_nothing_that_is_said_has_changed() -> None:
    recorded = SNAPSHOT.read_text(encoding="utf-8").splitlines()
    found = [line(claim) for claim in asked()]
    assert len(found) == len(recorded) > COUNT // 2
    assert [one for one in found if one not in recorded] == []


if __name__ == "__main__":
    SNAPSHOT.write_text("".join(f"{line(claim)}\n" for claim in asked()), encoding="utf-8")
