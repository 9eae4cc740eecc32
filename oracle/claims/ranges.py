"""Claims that a formula is private over whole ranges of ε and δ, decided by region proofs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Final

from flint import arb

from dporacle.claims.assertions import Formula, FormulaRange
from dporacle.claims.decided import FIRST_DIGITS, NOTHING, Decided
from dporacle.claims.words import compare
from dporacle.regions import Limits, formulas
from dporacle.regions._text import decimal
from dporacle.verdicts import Verdict

__all__ = ["BOXES", "decide_range", "describe_range"]

BOXES: Final = "boxes over the whole range"
"""The proof of a range that holds."""

_COUNTEREXAMPLE = "counterexample at "
_LIMITS = Limits(depth=200, boxes=4000)  # some seconds


def decide_range(said: FormulaRange, decide_point: Callable[[Formula], Decided]) -> Decided:
    """Decide a range; where it fails at a point, by the exact δ there.

    Args:
        said: the assertion.
        decide_point: decides a formula at one point.
    """
    found = formulas.decide_formula(
        said.name,
        epsilon=(said.epsilon.low, said.epsilon.high),
        delta=(said.delta.low, said.delta.high),
        constant=said.constant,
        limits=_LIMITS,
    )
    if found.counterexample is not None:
        epsilon, delta = (found.counterexample.at[name] for name in ("epsilon", "delta"))
        point = Formula(name=said.name, epsilon=epsilon, delta=delta, constant=said.constant)
        place = f"ε = {decimal(epsilon)}, δ = {decimal(delta)}"
        return replace(decide_point(point), proof=_COUNTEREXAMPLE + place)
    left = len(found.run.given_up)
    held = found.verdict is Verdict.HOLDS
    return Decided(
        found.verdict,
        "delta/claimed",
        Fraction(1),
        arb(0),
        arb(1) if held else arb("inf"),
        FIRST_DIGITS,
        proof=BOXES if held else NOTHING,
        reason="" if held else f"{left} boxes of the range are not decided",
    )


def describe_range(decided: Decided) -> str:
    """Return what was shown of a range, in words."""
    if decided.verdict is Verdict.HOLDS:
        return "private at every point of the range"
    place = decided.proof.removeprefix(_COUNTEREXAMPLE)
    return f"at {place}, {compare('true δ', decided)}"
