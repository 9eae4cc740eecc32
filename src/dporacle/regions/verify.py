"""The second run: check an artefact without searching.

The boxes must tile every part, in exact arithmetic; balls must prove each of them as it stands;
the numbers of the lemmas are enclosed again; and the header must say what this version of the
project says of the theorem. A counterexample is certified again at its point.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dporacle.regions import artefact
from dporacle.regions.boxes import TilingError, prove_tiling
from dporacle.regions.engine import ProofRun
from dporacle.regions.theorem import ProofStatus, Theorem


@dataclass(frozen=True, slots=True)
class Verification:
    """What a check of an artefact found.

    Attributes:
        theorem: the theorem that the file is about.
        status: what the file proves; "undecided" if it proves nothing.
        boxes: how many boxes were proved again.
        faults: what is wrong with the file; empty if it proves what it says.
    """

    theorem: Theorem
    status: ProofStatus
    boxes: int
    faults: tuple[str, ...]


def verify(path: Path, progress: Callable[[int, int], None] | None = None) -> Verification:
    """Check an artefact.

    Args:
        path: the file.
        progress: called with the number of boxes proved so far, and of all.

    Raises:
        ArtefactError: if the file is no artefact.
        OSError: if it cannot be read.
    """
    found = artefact.read(path)
    faults = [] if found.same else ["the header says something else about this theorem"]
    count = 0
    if found.run.counterexample is not None:
        faults += recertify(found.run)
    elif gaps := tiling(found.run):
        faults += gaps  # a box may then be anything, and is not asked about
    else:
        faults += _lemmas(found.theorem)
        for count, leaf in enumerate(found.run.leaves, 1):
            outcome = found.theorem.parts[leaf.part].decide(leaf.box)
            if outcome.kind != "proved" or outcome.label != leaf.label:
                corners = " × ".join(f"[{low}, {high}]" for low, high in leaf.box)
                faults.append(f"balls do not prove the box {corners}")
                break
            if progress is not None:
                progress(count, len(found.run.leaves))
    if found.run.counterexample is not None:
        status = ProofStatus.REFUTED
    elif found.run.todo or found.run.given_up:
        status = ProofStatus.UNDECIDED
    else:
        status = ProofStatus.PROVED
    if found.status != status and (found.status, status) != ("running", "undecided"):
        faults.append(f"the header says {found.status}, the boxes say {status}")
    return Verification(
        found.theorem, ProofStatus.UNDECIDED if faults else status, count, tuple(faults)
    )


def tiling(run: ProofRun) -> list[str]:
    """Return where the boxes of a run do not tile the parts."""
    faults = []
    for index, part in enumerate(run.theorem.parts):
        boxes = [
            item.box for held in (run.leaves, run.todo, run.given_up) for item in held
            if item.part == index
        ]  # fmt: skip
        try:
            prove_tiling(part.box, boxes)
        except TilingError as error:
            faults.append(f"{part.name}: {error}")
    return faults


def _lemmas(theorem: Theorem) -> list[str]:
    faults = [f"not shown: {check.says}" for check in theorem.check_lemmas() if not check.holds]
    return faults if theorem.covered else [*faults, "the boxes do not cover the domain"]


def recertify(run: ProofRun) -> list[str]:
    """Return what is wrong with the counterexample of a run, if it has one."""
    counterexample = run.counterexample
    if counterexample is None:
        return []
    if set(counterexample.at) != {"epsilon", "delta"}:
        return ["the counterexample is not a point (ε, δ)"]
    for part in run.theorem.parts:
        try:
            again = part.certify(counterexample.at)
        except (ArithmeticError, ValueError):  # numbers out of the reach of the enclosures
            continue
        if again is not None:
            return [] if again == counterexample else ["the counterexample says something else"]
    return ["the counterexample is not certified"]
