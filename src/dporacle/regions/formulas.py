"""Decide whether a formula is private for every ε in [a, b] and every δ in [c, d]."""

from concurrent.futures import Executor
from dataclasses import dataclass

from dporacle.arguments import Exact
from dporacle.regions.engine import Limits, ProofRun, run
from dporacle.regions.theorem import Counterexample
from dporacle.regions.theorems.formula import Range, theorem
from dporacle.verdicts import Verdict

__all__ = ["FormulaVerdict", "decide_formula", "theorem"]

_DEPTH = 200
_BOXES = 20_000


@dataclass(frozen=True, slots=True)
class FormulaVerdict:
    """What was proved about a formula over a rectangle.

    Attributes:
        verdict: HOLDS, VIOLATED at the counterexample, or UNDECIDED.
        run: the boxes; `regions.artefact.write` makes them a file.
    """

    verdict: Verdict
    run: ProofRun

    @property
    def counterexample(self) -> Counterexample | None:
        """A point of the rectangle at which the formula is not private, if one was found."""
        return self.run.counterexample


def decide_formula(
    name: str,
    *,
    epsilon: Range,
    delta: Range,
    constant: Exact | None = None,
    executor: Executor | None = None,
    workers: int = 1,
    limits: Limits | None = None,
) -> FormulaVerdict:
    """Prove or refute that a closed-form calibration is private over a whole rectangle.

    Args:
        name: of the calibration: a key of `calibrations.CALIBRATIONS`, or "linear".
        epsilon: the two ends, 0 ≤ first ≤ second; both included, but for 0.
        delta: the two ends, 0 ≤ first ≤ second ≤ 1; both included, but for 0 and 1.
        constant: the a ≥ 1 of "linear", σ = D√(2 ln(a/δ))/ε.
        executor: where boxes are decided; by default here.
        workers: how many processes, if no executor is given.
        limits: when to give up; 20,000 boxes by default.

    Raises:
        TypeError, ValueError: naming the argument that is wrong.
    """
    claim = theorem(name, epsilon=epsilon, delta=delta, constant=constant)
    found = run(
        ProofRun.start(claim),
        executor=executor,
        workers=workers,
        limits=limits or Limits(depth=_DEPTH, boxes=_BOXES),
    )
    verdict = {"proved": Verdict.HOLDS, "refuted": Verdict.VIOLATED}.get(found.status)
    return FormulaVerdict(verdict or Verdict.UNDECIDED, found)
