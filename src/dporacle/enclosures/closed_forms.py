"""Enclosures for the closed-form calibrations and their exact regions.

BW18.T1 (its exact region), BW18.T4, BW18.O1, BW18.C1, GMA.R1, GN.T1 and X.CF. The linear
calibrations and their regions stand in modules of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from typing import Any

from flint import arb

from dporacle.enclosures.arithmetic import normal
from dporacle.enclosures.arithmetic.balls import ball, precision, tighten
from dporacle.enclosures.arithmetic.roots import decreasing_root
from dporacle.enclosures.linear.calibration import (
    classical,
    classical_epsilon_max,
    dwork_2006_epsilon_max,
    dwork_2006_sigma,
    dwork_roth_epsilon_max,
    dwork_roth_sigma,
)
from dporacle.enclosures.linear.thresholds import (
    classical_epsilon_threshold,
    dwork_2006_epsilon_threshold,
    dwork_roth_epsilon_threshold,
    mills_of,
    prove_negative,
)
from dporacle.interface import witness

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


__all__ = [
    "classical_epsilon_max",
    "classical_epsilon_threshold",
    "dwork_2006_epsilon_max",
    "dwork_2006_epsilon_threshold",
    "dwork_2006_sigma",
    "dwork_roth_epsilon_max",
    "dwork_roth_epsilon_threshold",
    "dwork_roth_sigma",
    "low_privacy_threshold",
    "low_privacy_threshold_closed",
    "low_privacy_threshold_misquoted",
    "plrv_tail_sigma",
    "rho_epsilon",
    "rho_sigma",
    "variance_half_boundary",
    "variance_third_boundary",
    "vinterbo_sigma",
]

_HALF = Fraction(1, 2)

Tail = Callable[[Fraction], arb]
"""A number z' ≥ z = −Φ⁻¹(δ), from δ."""


def _tail_sigma(
    tail: Tail, epsilon: Fraction, delta: Fraction, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose D/√(2ε)·e^{asinh(z'/√(2ε))}, which is (z' + √(z'²+2ε))·D/(2ε) (note).

    Of either sign of z' nothing cancels, where the sum that the reference uses would.
    """

    def formula() -> arb:
        root = (2 * ball(epsilon)).sqrt()
        return ball(sensitivity) / root * (tail(delta) / root).asinh().exp()

    return tighten(formula, digits)


@witness
def vinterbo_sigma(
    *, epsilon: Fraction, delta: Fraction, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose σ = (√(az+ε) + s√(az))·D/(ε√2), z = −ln(4δ(1−δ)) (X.CF, Vinterbo 2020).

    (a, s) = (1, 1) for δ ≤ 1/2 and (π/4, −1) above. Private for every ε > 0 and δ ∈ (0, 1).
    """
    return _tail_sigma(_vinterbo_tail, epsilon, delta, sensitivity, digits)


def _vinterbo_tail(target: Fraction) -> arb:
    """√(2ζ) for δ ≤ 1/2, else −√(πζ/2); ζ = −ln(2δ) − ln(2(1−δ))."""
    zeta = -(ball(2 * target).log() + ball(2 * (1 - target)).log()) if target != _HALF else arb(0)
    return (2 * zeta).sqrt() if target <= _HALF else -(arb.pi() / 2 * zeta).sqrt()


@witness
def plrv_tail_sigma(
    *, epsilon: Fraction, delta: Fraction, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose the σ at which Pr[L ≥ ε] = δ: (z+√(z²+2ε))·D/(2ε), z = −Φ⁻¹(δ) (BW18.O1, X.CF).

    Private for every ε > 0 and δ ∈ (0, 1), and always more than is needed.
    """
    return _tail_sigma(_normal_tail_point, epsilon, delta, sensitivity, digits)


def _normal_tail_point(target: Fraction) -> arb:
    """−Φ⁻¹(δ)."""
    if target == _HALF:
        return arb(0)
    size = arb(2).sqrt() * ball(2 * min(target, 1 - target)).erfcinv()
    return size if target < _HALF else -size


@witness
def rho_epsilon(*, rho: Fraction, delta: Fraction, digits: int) -> arb:
    """Enclose ε = ρ/2 + √(2ρ ln(1/δ)), for which noise of σ = D/√ρ is (ε,δ)-DP (GN.T1).

    Deprecated: use `zcdp_epsilon`, whose ρ is that of zCDP, half of this one.
    """

    def formula() -> arb:
        mu = ball(rho).sqrt()
        return mu * (mu / 2 + _chernoff_tail(delta))

    return tighten(formula, digits)


def _chernoff_tail(target: Fraction) -> arb:
    """√(2 ln(1/δ))."""
    return (2 * (1 / ball(target)).log()).sqrt()


@witness
def rho_sigma(*, epsilon: Fraction, delta: Fraction, sensitivity: Fraction, digits: int) -> arb:
    """Enclose the σ = D/√ρ at which ρ/2 + √(2ρ ln(1/δ)) = ε (GN.T1 as a calibration)."""
    return _tail_sigma(_chernoff_tail, epsilon, delta, sensitivity, digits)


@witness
def low_privacy_threshold(*, epsilon: Fraction, digits: int) -> arb:
    """Enclose τ(ε) = 1/2 − e^ε Φ(−√(2ε)): σ ≥ D/√(2ε) is needed iff δ ≤ τ(ε) (BW18.T4)."""

    def formula() -> arb:
        return (1 - normal.mills((2 * ball(epsilon)).sqrt()) * (2 / arb.pi()).sqrt()) / 2

    return tighten(formula, digits)


@witness
def low_privacy_threshold_closed(*, epsilon: Fraction, digits: int) -> arb:
    """Enclose 1/2 − 1/√(4πε) < τ(ε), a closed form that is valid (BW18.T4)."""
    return tighten(lambda: (1 - (arb.pi() * ball(epsilon)).rsqrt()) / 2, digits)


@witness
def low_privacy_threshold_misquoted(*, epsilon: Fraction, digits: int) -> arb:
    """Enclose 1/2 − e^{−3ε}/√(4πε), a form that is false (BW18.T4)."""

    def formula() -> arb:
        return (1 - ball(-3 * epsilon).exp() * (arb.pi() * ball(epsilon)).rsqrt()) / 2

    return tighten(formula, digits)
