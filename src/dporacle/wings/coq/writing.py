"""Verdicts as a file of theorems, one for each verdict that Coq's kernel can check."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import msgspec

from dporacle.claims.claim import Claim
from dporacle.claims.judge import AuditVerdict
from dporacle.verdicts import Verdict
from dporacle.wings.coq.propositions import NotCoveredError, OutOfReachError
from dporacle.wings.coq.statements import Evidence, proposition_of

_CHECKERS = {False: "FastChecker", True: "PureChecker"}
_MACHINE_INTEGERS = (
    "by_events",
    "by_inner_ball",
    "by_losses",
    "by_moments",
    "by_order",
    "by_sums",
    "by_tail",
)  # tactics that compute with them
_HEADER = """\
(* Verdicts on written claims, as theorems about the definitions of Definitions.v.
   To check them: dporacle audit --coq-check, or coqc -R DEVELOPMENT Dporacle on this file. *)

From Coq Require Import Reals ZArith List Psatz.
From Dporacle Require Import Definitions PrivacyProfile {files}.
Import ListNotations.
Open Scope R_scope.
"""


@dataclass(frozen=True, slots=True)
class TheoremRow:
    """A verdict and its theorem.

    Attributes:
        claim: the id of the claim.
        verdict: the verdict.
        name: what the theorem is called.
        statement: what it states; empty if none is written.
        proof: its proof.
        reason: why none is written; empty if one is.
        needs: the files of the development that it needs beside the usual ones.
    """

    claim: str
    verdict: Verdict
    name: str
    statement: str = ""
    proof: str = ""
    reason: str = ""
    needs: tuple[str, ...] = ()

    @property
    def covered(self) -> bool:
        """Whether there is a theorem."""
        return not self.reason


def theorems(verdicts: Iterable[AuditVerdict], *, pure: bool = False) -> tuple[TheoremRow, ...]:
    """Return the theorem of each verdict, or why it has none.

    Args:
        verdicts: the verdicts.
        pure: whether they are to be proved without machine integers.
    """
    numbered = enumerate(verdicts, 1)
    return tuple(_row(f"claim_{number:04}", one, pure=pure) for number, one in numbered)


def theorem_file(rows: Sequence[TheoremRow], *, pure: bool = False) -> str:
    """Return the text of a file with all theorems, which ends with the axioms they rest on.

    Args:
        rows: the theorems; rows without one become a comment.
        pure: whether to compute with the integers of Coq's library, which is slow, and not with
            machine integers, which have axioms of their own.
    """
    needed = sorted({name for row in rows for name in row.needs})
    parts = [_HEADER.format(files=" ".join([_CHECKERS[pure], *needed]))]
    for row in rows:
        head = f"{_harmless(row.claim)}: {row.verdict}"
        if row.covered:
            text = f"Theorem {row.name} :\n  {row.statement}.\nProof. {row.proof} Qed.\n"
            parts.append(f"(* {head} *)\n{text}")
        else:
            parts.append(f"(* {head}. No theorem: {_harmless(row.reason)} *)\n")
    names = [row.name for row in rows if row.covered]
    if names:
        tuple_ = f"({', '.join(names)})" if len(names) > 1 else names[0]
        parts.append(f"Definition verdicts := {tuple_}.\nPrint Assumptions verdicts.\n")
    return "\n".join(parts)


def _row(name: str, audited: AuditVerdict, *, pure: bool) -> TheoremRow:
    claim, verdict = audited.claim, audited.verdict
    if verdict is Verdict.UNDECIDED:
        return TheoremRow(claim.id, verdict, name, reason=f"there is no verdict: {audited.reason}")
    holds = verdict is Verdict.HOLDS
    try:
        evidence = Evidence(holds, audited.decided.proof, audited.decided.proof_at)
        proposition = proposition_of(exact_data(claim), evidence)
        proof = proposition.proof()
        if pure and proof.startswith(_MACHINE_INTEGERS):
            raise NotCoveredError("this theorem needs machine integers")
    except (NotCoveredError, OutOfReachError) as error:
        return TheoremRow(claim.id, verdict, name, reason=str(error))
    statement = proposition.text if holds else proposition.negated()
    return TheoremRow(claim.id, verdict, name, statement, proof, needs=proposition.needs)


def exact_data(claim: Claim) -> dict[str, Any]:
    """Return a claim as plain data, every number exact."""
    data = msgspec.to_builtins(claim, enc_hook=_exact)
    assert isinstance(data, dict)
    return data


def _exact(value: Any) -> str:
    if not isinstance(value, Fraction):
        raise NotImplementedError
    return str(value)


def _harmless(text: str) -> str:
    """Return a text without what could end a comment of Coq, or begin a string in one."""
    return re.sub(r"[^\w .,:;/+=^-]", "_", text, flags=re.ASCII)
