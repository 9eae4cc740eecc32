"""Where a third or a half of the variance is saved (BW18.C1, BW18.C2): one boundary, proved."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, partial
from typing import Any

from flint import arb

from dporacle.enclosures.arithmetic import normal
from dporacle.enclosures.arithmetic.balls import ball, precision, tighten
from dporacle.enclosures.arithmetic.roots import decreasing_root
from dporacle.enclosures.linear.calibration import classical
from dporacle.enclosures.linear.thresholds import mills_of, prove_negative
from dporacle.interface import witness

_HALF = Fraction(1, 2)
_TURNS = {Fraction(3, 2): 3.51, Fraction(2): 2.9}
"""Quotient of the variances -> a c beyond which the excess rises for every ε ≤ 1 (note)."""


def _excess(quotient: Fraction, c: Any) -> Any:
    """ln(δ(1)/δ) at σ = D·c/√q and δ = 1.25·e^{−c²/2}, q the quotient of the variances."""
    k = c / ball(quotient).sqrt()
    gap = mills_of(k - 1 / (2 * k)) - mills_of(k + 1 / (2 * k))
    level = arb(0.5) - (2 * arb.pi()).log() / 2 - classical()
    return gap.log() + (c * c - k * k) / 2 - 1 / (8 * k * k) + level


@cache
def _prove_one_boundary(quotient: Fraction) -> None:
    """Prove that as much is saved for all ε ≤ 1 up to the c beyond which the excess rises."""
    with precision(96):
        prove_negative(
            partial(_excess, quotient), (2 * classical()).sqrt().lower(), arb(_TURNS[quotient])
        )


@witness
def variance_third_boundary(*, epsilon: Fraction, digits: int) -> arb:
    """Enclose the δ below which the exact σ² is more than 2/3 of the classical σ² (BW18.C1).

    That there is one such boundary is proved too (see the note).
    """
    return _boundary(Fraction(3, 2), epsilon, digits)


@witness
def variance_half_boundary(*, epsilon: Fraction, digits: int) -> arb:
    """Enclose the δ below which the exact σ² is more than half of the classical σ² (BW18.C2)."""
    return _boundary(Fraction(2), epsilon, digits)


def _boundary(quotient: Fraction, eps: Fraction, digits: int) -> arb:
    _prove_one_boundary(quotient)

    def odds(u: arb) -> tuple[arb, arb, arb]:
        # r = δ(ε)/(δ(ε) + δ) at σ = D·c/(ε√q), c = −u; it passes 1/2 once (note).
        c = -u
        k = c / ball(quotient).sqrt()
        half = ball(eps) / (2 * k)
        gap = normal.mills(k - half) - normal.mills(k + half)
        ratio = (
            ((c * c - k * k) / 2 + ball(eps) / 2 - half * half / 2).exp()
            * gap
            / ((2 * arb.pi()).sqrt() * arb(5) / 4)
        )
        value, rest = ratio / (1 + ratio), 1 / (1 + ratio)
        return value, rest, value * rest * (2 * half / (c * gap) - c)

    with precision(64):
        start = -(100 - 8 * ball(eps).log()).sqrt()
    low, high = decreasing_root(
        odds,
        target=_HALF,
        start=start.mid(),
        scale=lambda _: arb(1),
        tolerance=lambda u: arb(10) ** -(digits + 3) / abs(u),
    )
    return tighten(
        lambda: (arb(5) / 4 * (-low * low / 2).exp()).union(arb(5) / 4 * (-high * high / 2).exp()),
        digits,
    )
