"""Enclosures for equal (ε₀, δ₀) boxes and reports by randomised response (X.BOXES, X.REPORTS).

Of the boxes by their number of unlikely answers, of the reports by the powers of a polynomial;
every term is positive.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb, arb_poly

from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.interface import witness

_SHORT = 1 << 16  # bits of λ, in which it may be a float64


@witness
def box_composition_delta(
    *, epsilon: Fraction, box_epsilon: Fraction, box_delta: Fraction, releases: int, digits: int
) -> arb:
    """Enclose the least δ(ε) of k equal (ε₀, δ₀) boxes together, whatever is in them (X.BOXES).

    It is λ + (1−λ) Σ_j C(k,j) x^j (1+x)^{−k} (1 − e^{ε−(k−2j)ε₀}), x = e^{−ε₀}, over the j with
    (k−2j)ε₀ > ε; 1 − λ = (1−δ₀)^k.
    """
    gaps = _gaps(epsilon, box_epsilon, releases, 2)
    if not gaps and releases * box_delta.denominator.bit_length() < _SHORT:
        leaked = 1 - (1 - box_delta) ** releases  # rational, and short enough to be a point
        return tighten(lambda: ball(leaked), digits)

    def formula() -> arb:
        x = (-ball(box_epsilon)).exp()
        weight, total = arb(1), arb(0)
        for j, gap in enumerate(gaps):
            total += weight * _gain(gap)
            weight *= x * (releases - j) / (j + 1)
        kept = releases * (-ball(box_delta)).log1p()
        return -kept.expm1() + kept.exp() * total / (1 + x) ** releases

    return tighten(formula, digits)


@witness
def randomised_response_delta(
    *, epsilon: Fraction, report_epsilon: Fraction, kinds: int, releases: int, digits: int
) -> arb:
    """Enclose the least δ(ε) of n reports by randomised response on k values (X.REPORTS).

    By the coefficients of (1 + (k−2)x z + x z²)ⁿ, x = e^{−ε₀}: that of z^j belongs to the loss
    (n−j)ε₀.
    """
    gaps = _gaps(epsilon, report_epsilon, releases, 1)
    if not gaps:
        return arb(0)

    def formula() -> arb:
        x = (-ball(report_epsilon)).exp()
        powers = arb_poly([arb(1), (kinds - 2) * x, x]) ** releases
        total = sum((powers[j] * _gain(gap) for j, gap in enumerate(gaps)), arb(0))
        return total / (1 + (kinds - 1) * x) ** releases

    return tighten(formula, digits)


def _gaps(epsilon: Fraction, one: Fraction, releases: int, step: int) -> list[Fraction]:
    """How far the losses k·ε₀, (k − step)·ε₀, … are above ε, as long as they are."""
    found = []
    for net in range(releases, 0, -step):
        gap = net * one - epsilon
        if gap <= 0:
            break
        found.append(gap)
    return found


def _gain(gap: Fraction) -> arb:
    return -(-ball(gap)).expm1()
