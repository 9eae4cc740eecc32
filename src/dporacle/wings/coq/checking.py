"""Coq's kernel on a file of verdicts, theorem by theorem."""

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dporacle.wings.coq import development
from dporacle.wings.coq.development import CoqError
from dporacle.wings.coq.writing import TheoremRow, theorem_file

REALS = frozenset(
    {
        "ClassicalDedekindReals.sig_not_dec",
        "ClassicalDedekindReals.sig_forall_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }
)
"""The axioms of Coq's library of the reals and of the analysis on it."""

MACHINE_INTEGERS = ("PrimInt63.", "Uint63.")
"""Where the axioms of the primitive 63-bit integers are."""

_SECONDS = 120  # for the libraries, and a first theorem
_SECONDS_EACH = 60
_PLACE = re.compile(r'^File "[^"]*", line (\d+)', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Checked:
    """What the kernel says about the theorems of a file.

    Attributes:
        rows: the verdicts.
        refused: the names of the theorems that it refuses, with what Coq said.
        axioms: those that the others rest on.
    """

    rows: tuple[TheoremRow, ...]
    refused: dict[str, str]
    axioms: frozenset[str]

    def word(self, row: TheoremRow) -> str:
        """Return what is known about a row, in a word or a sentence."""
        if not row.covered:
            return f"not covered: {row.reason}"
        return "REFUSED" if row.name in self.refused else "PROVED"


def check(rows: Sequence[TheoremRow], *, pure: bool = False, cache: Path | None = None) -> Checked:
    """Let Coq's kernel check the theorems; those that it refuses are left out and named.

    Args:
        rows: the verdicts.
        pure: whether to compute with the integers of Coq's library.
        cache: where the compiled development is kept; the usual place if None.

    Raises:
        CoqError: if Coq is not installed, takes too long, or uses an axiom that is not expected.
    """
    left, refused = list(rows), dict[str, str]()
    if not any(row.covered for row in left):
        return Checked(tuple(rows), {}, frozenset())
    folder = development.compiled(cache)
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "Verdicts.v"
        while any(row.covered for row in left):
            text = theorem_file(left, pure=pure)
            file.write_text(text, encoding="utf-8")
            seconds = _SECONDS + _SECONDS_EACH * len(left)
            done = development.run(file, development=folder, seconds=seconds)
            if done.returncode == 0:
                found = axioms(done.stdout)
                _expect(found, pure=pure)
                return Checked(tuple(rows), refused, found)
            row = _at_fault(left, text, done.stderr)
            refused[row.name] = done.stderr.strip()
            # What stands before it was proved, and is proved once more at last only.
            at = left.index(row)
            left = left[at + 1 :] + left[:at]
    return Checked(tuple(rows), refused, frozenset())


def axioms(printed: str) -> frozenset[str]:
    """Return the names in what `Print Assumptions` printed."""
    _, found, text = printed.partition("Axioms:\n")
    return frozenset(re.findall(r"^([\w.']+)\s*(?::|$)", text, re.MULTILINE) if found else ())


def _expect(found: frozenset[str], *, pure: bool) -> None:
    allowed = () if pure else MACHINE_INTEGERS
    strange = sorted(name for name in found - REALS if not (allowed and name.startswith(allowed)))
    if strange:
        raise CoqError(f"the theorems rest on axioms that are not expected: {', '.join(strange)}")


def _at_fault(rows: Sequence[TheoremRow], text: str, said: str) -> TheoremRow:
    """Return the theorem in which Coq stopped."""
    place = _PLACE.search(said)
    if place is not None:
        before = "\n".join(text.splitlines()[: int(place[1])])
        names = re.findall(r"^Theorem (\w+) :", before, re.MULTILINE)
        for row in rows:
            if names and row.name == names[-1] and "\nDefinition verdicts" not in before:
                return row
    raise CoqError(f"coqc failed:\n{said.strip()}")


def summary(checked: Checked) -> str:
    """Return how many verdicts the kernel proved and refused, and how many are not covered."""
    covered = sum(row.covered for row in checked.rows)
    refused = len(checked.refused)
    parts = [f"{covered - refused} proved by Coq's kernel"]
    if refused:
        parts.append(f"{refused} refused")
    if left := len(checked.rows) - covered:
        parts.append(f"{left} not covered")
    return f"{len(checked.rows)} verdicts: {', '.join(parts)}"
