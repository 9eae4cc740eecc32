"""A verdict on a claim about one number: proved, refuted, or at equality.

An enclosure is asked for at rising precision until it lies on one side of the claimed bound.
Only exact equality, or a distance below the cap, leaves a claim undecided.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic import rounding

_START_DIGITS = 20
_CAP_DIGITS = 1500


class Verdict(StrEnum):
    """What has been proved about a claim."""

    HOLDS = "HOLDS"
    VIOLATED = "VIOLATED"
    UNDECIDED = "UNDECIDED"


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict and the enclosure that proves it.

    Attributes:
        verdict: what was proved.
        enclosure: the ball that proves it; it contains the exact value.
        digits: the tightness that was asked for.
    """

    verdict: Verdict
    enclosure: arb
    digits: int

    def _repr_html_(self) -> str:
        from dporacle.common import notebook  # which an audit does without

        shown = self.enclosure.str(self.digits)
        return notebook.facts((("verdict", self.verdict), ("enclosure", shown)))


def decide_at_most(enclose: Callable[[int], arb], bound: Fraction) -> Decision:
    """Decide whether a quantity is ≤ a bound.

    Args:
        enclose: digits -> an enclosure of the quantity.
        bound: the exact bound.
    """
    return _decide(enclose, bound, holds_below=True)


def decide_at_least(enclose: Callable[[int], arb], bound: Fraction) -> Decision:
    """Decide whether a quantity is ≥ a bound; arguments as for `decide_at_most`."""
    return _decide(enclose, bound, holds_below=False)


def _decide(enclose: Callable[[int], arb], bound: Fraction, *, holds_below: bool) -> Decision:
    digits = _START_DIGITS
    while True:
        enclosure = enclose(digits)
        side = rounding.side(enclosure, bound)
        if side == 0 and rounding.is_point(enclosure):
            return Decision(Verdict.HOLDS, enclosure, digits)  # equal, and both sides allow it
        if side != 0:
            holds = (side < 0) == holds_below
            return Decision(Verdict.HOLDS if holds else Verdict.VIOLATED, enclosure, digits)
        if digits >= _CAP_DIGITS:
            return Decision(Verdict.UNDECIDED, enclosure, digits)
        digits = min(4 * digits, _CAP_DIGITS)
