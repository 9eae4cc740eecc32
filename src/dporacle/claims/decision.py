"""A decision on a claim, before it is put into words."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from dporacle.verdicts import Decision, Verdict, decide_at_most

FIRST_DIGITS = 20

_SHARES = {"delta", "alpha", "tpr", "advantage", "success", "auc", "regret"}  # at most 1

EXACT = "exact value"
"""The proof that encloses the quantity itself."""
INNER_BALL = "inner ball"
"""The proof that (1 − e^ε λ^{1−M})·erf(Δ/(√(2σ*)·(1+λ))) ≤ δ(ε), λ being its `proof_at` (X.R1)."""
NOTHING = "none"
"""The proof of nothing: out of reach."""
DOUBLED = (
    "replacing a record changes the answer by up to twice the sensitivity for adding one, "
    "and for twice the claim fails; state the sensitivity for replace-one"
)
"""Why a claim about replaced records may be open where the sensitivity is that of adding one."""


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision, what it is about and what proves it.

    Attributes:
        verdict: what was proved.
        quantity: what the assertion bounds from above.
        bound: what it was compared with.
        below: encloses a number that the quantity is not below.
        above: encloses a number that it is not above; often the same ball.
        digits: the balls' digits.
        doubled: whether twice the stated sensitivity was used.
        proof: what proves it.
        proof_at: the number that the proof is made with, where it has one.
        reason: why nothing was proved; empty otherwise.
    """

    verdict: Verdict
    quantity: str
    bound: Fraction
    below: arb
    above: arb
    digits: int
    doubled: bool = False
    proof: str = EXACT
    proof_at: Fraction | None = None
    reason: str = ""

    @property
    def is_between(self) -> bool:
        """Whether two numbers are enclosed, between which the quantity is."""
        return self.below is not self.above


def exactly(
    decision: Decision, quantity: str, bound: Fraction, *, doubled: bool = False
) -> Decided:
    """Return what a ball around the quantity itself decides."""
    undecided = decision.verdict is Verdict.UNDECIDED
    return Decided(
        decision.verdict,
        quantity,
        bound,
        decision.enclosure,
        decision.enclosure,
        decision.digits,
        doubled,
        reason=f"the exact value agrees with the bound to {decision.digits} digits"
        if undecided
        else "",
    )


def decide_probability(
    enclose: Callable[[int], arb], quantity: str, bound: Fraction, *, doubled: bool = False
) -> Decided:
    """Decide whether a probability, never 0, is at most a bound from 0 to 1."""
    if bound.denominator == 1 and bound in {0, 1}:  # balls at 0 or 1 would never tell
        verdict = Verdict.HOLDS if bound else Verdict.VIOLATED
        try:
            value = enclose(FIRST_DIGITS)
        except ArithmeticError:
            return Decided(verdict, quantity, bound, arb(0), arb(1), FIRST_DIGITS, doubled)
        decision = Decision(verdict, value, FIRST_DIGITS)
    else:
        decision = decide_at_most(enclose, bound)
    return exactly(decision, quantity, bound, doubled=doubled)


def out_of_reach(
    quantity: str, bound: Fraction, error: ArithmeticError, *, doubled: bool = False
) -> Decided:
    """Return the decision on a number that the enclosures do not reach."""
    most = arb(1) if quantity in _SHARES else arb("inf")
    return Decided(
        Verdict.UNDECIDED,
        quantity,
        bound,
        arb(0),
        most,
        FIRST_DIGITS,
        doubled,
        proof=NOTHING,
        reason=f"out of reach of the enclosures: {error}",
    )
