"""The claim that a formula is private over whole ranges of ε and δ, decided by region proofs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from flint import arb

from dporacle import arguments
from dporacle.claims.assertions.assertion import Assertion
from dporacle.claims.assertions.formula import Formula, check_constant
from dporacle.claims.decision import FIRST_DIGITS, NOTHING, Decided
from dporacle.claims.mechanisms import Mechanism, Strict
from dporacle.claims.mechanisms.mechanism import ATTAINED
from dporacle.claims.wording import compare
from dporacle.verdicts import Verdict
from dporacle.vocabulary.formulas import FORMULAS as NAMED

BOXES: Final = "boxes over the whole range"
"""The proof of a range that holds."""

_COUNTEREXAMPLE = "counterexample at "
_DEPTH, _MOST_BOXES = 200, 4000  # some seconds


class Span(Strict, frozen=True, kw_only=True, rename={"low": "from", "high": "to"}):
    """A range of numbers, in a file `{from = …, to = …}`."""

    low: Fraction
    high: Fraction

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.high or self.high == 0:
            shown = f"{arguments.show(self.low)} and {arguments.show(self.high)}"
            raise ValueError(f"from and to must rise from 0 or above, got {shown}")


if TYPE_CHECKING:  # mypy reads no computed Literal
    RangeName = str
else:
    RangeName = Literal[tuple(row.name for row in NAMED.values() if row.claimed and row.ranged)]


class FormulaRange(Assertion, frozen=True, kw_only=True, tag="formula-range"):
    """The noise that a named formula gives is (ε,δ)-DP at every ε and δ of two ranges.

    Both ends of a range are included, but for 0 and for δ = 1: these stand for open ends.

    Attributes:
        constant: the c of `linear`, at least 1.
    """

    needless: ClassVar[str] = "the formula determines it"

    name: RangeName
    epsilon: Span
    delta: Span
    constant: Fraction | None = None

    def __post_init__(self) -> None:
        if self.delta.high > 1 or self.delta.low == 1:
            raise ValueError("delta must range from 0 to 1 at most")
        if (self.constant is None) == (self.name == "linear"):
            raise ValueError("constant must be given for linear, and only for it")
        check_constant(self.constant)

    def subject(self) -> tuple[str, Fraction]:
        """Return that δ over the claimed δ is at most 1."""
        return "delta/claimed", Fraction(1)

    def decide(self, about: Mechanism | None) -> Decided:
        """Decide it by boxes; where it fails at a point, by the exact δ there."""
        from dporacle.arguments import decimal
        from dporacle.regions import Limits, formulas

        found = formulas.decide_formula(
            self.name,
            epsilon=(self.epsilon.low, self.epsilon.high),
            delta=(self.delta.low, self.delta.high),
            constant=self.constant,
            limits=Limits(depth=_DEPTH, boxes=_MOST_BOXES),
        )
        if found.counterexample is not None:
            epsilon, delta = (found.counterexample.at[name] for name in ("epsilon", "delta"))
            point = Formula(name=self.name, epsilon=epsilon, delta=delta, constant=self.constant)
            place = f"ε = {decimal(epsilon)}, δ = {decimal(delta)}"
            return replace(point.decide(None), proof=_COUNTEREXAMPLE + place)
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

    def describe(self, about: Mechanism | None, decided: Decided) -> tuple[str, str]:
        """Return what was shown of the range."""
        if decided.verdict is Verdict.HOLDS:
            return "private at every point of the range", ""
        place = decided.proof.removeprefix(_COUNTEREXAMPLE)
        return f"at {place}, {compare('true δ', decided)}", ""

    def supposes(self, about: Mechanism | None) -> str:
        """Say which pair of neighbours is supposed to exist."""
        return ATTAINED

    def missing_elsewhere(self, about: Mechanism | None, decided: Decided) -> str:
        """Say that the stand-alone program has no boxes."""
        return "the checker has no proofs over ranges; `dporacle prove` writes their boxes"
