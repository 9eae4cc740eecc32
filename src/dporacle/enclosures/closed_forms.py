"""Enclosures for the closed-form calibrations and their exact regions.

BW18.T1 (its exact region), BW18.T4, BW18.O1, BW18.C1, GMA.R1, GN.T1 and X.CF. The calibrations that
follow from a sufficient tail stand here; the linear ones, their regions and the saved third in
modules of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures.arithmetic import normal
from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.enclosures.linear.calibration import (
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
)
from dporacle.enclosures.linear.variance_third import (
    variance_half_boundary,
    variance_third_boundary,
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


def _tail_sigma(tail: Tail, epsilon: Exact, delta: Exact, sensitivity: Exact, digits: int) -> arb:
    """Enclose D/√(2ε)·e^{asinh(z'/√(2ε))}, which is (z' + √(z'²+2ε))·D/(2ε) (note).

    Of either sign of z' nothing cancels, where the sum that the reference uses would.
    """
    eps, target = arguments.positive("epsilon", epsilon), arguments.delta(delta)
    distance = arguments.positive("sensitivity", sensitivity)

    def formula() -> arb:
        root = (2 * ball(eps)).sqrt()
        return ball(distance) / root * (tail(target) / root).asinh().exp()

    return tighten(formula, arguments.digits(digits))


def vinterbo_sigma(
    *, epsilon: Exact, delta: Exact, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose σ = (√(az+ε) + s√(az))·D/(ε√2), z = −ln(4δ(1−δ)) (X.CF, Vinterbo 2020).

    (a, s) = (1, 1) for δ ≤ 1/2 and (π/4, −1) above. Private for every ε > 0 and δ ∈ (0, 1).

    Args:
        epsilon: in (0, ∞).
        delta: in (0, 1).
        sensitivity: ℓ2-sensitivity D, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return _tail_sigma(_vinterbo_tail, epsilon, delta, sensitivity, digits)


def _vinterbo_tail(target: Fraction) -> arb:
    """√(2ζ) for δ ≤ 1/2, else −√(πζ/2); ζ = −ln(2δ) − ln(2(1−δ))."""
    zeta = -(ball(2 * target).log() + ball(2 * (1 - target)).log()) if target != _HALF else arb(0)
    return (2 * zeta).sqrt() if target <= _HALF else -(arb.pi() / 2 * zeta).sqrt()


def plrv_tail_sigma(
    *, epsilon: Exact, delta: Exact, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose the σ at which Pr[L ≥ ε] = δ: (z+√(z²+2ε))·D/(2ε), z = −Φ⁻¹(δ) (BW18.O1, X.CF).

    Private for every ε > 0 and δ ∈ (0, 1), and always more than is needed.

    Arguments and errors as for `vinterbo_sigma`.
    """
    return _tail_sigma(_normal_tail_point, epsilon, delta, sensitivity, digits)


def _normal_tail_point(target: Fraction) -> arb:
    """−Φ⁻¹(δ)."""
    if target == _HALF:
        return arb(0)
    size = arb(2).sqrt() * ball(2 * min(target, 1 - target)).erfcinv()
    return size if target < _HALF else -size


def rho_epsilon(*, rho: Exact, delta: Exact, digits: int = 50) -> arb:
    """Enclose ε = ρ/2 + √(2ρ ln(1/δ)), for which noise of σ = D/√ρ is (ε,δ)-DP (GN.T1).

    Deprecated in favour of `zcdp_epsilon`, which is the same in the ρ of zCDP, half of this one.

    Args:
        rho: the lecture's ρ = μ², in (0, ∞).
        delta: in (0, 1).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    r, target = arguments.positive("rho", rho), arguments.delta(delta)

    def formula() -> arb:
        mu = ball(r).sqrt()
        return mu * (mu / 2 + _chernoff_tail(target))

    return tighten(formula, arguments.digits(digits))


def _chernoff_tail(target: Fraction) -> arb:
    """√(2 ln(1/δ))."""
    return (2 * (1 / ball(target)).log()).sqrt()


def rho_sigma(*, epsilon: Exact, delta: Exact, sensitivity: Exact = 1, digits: int = 50) -> arb:
    """Enclose the σ = D/√ρ at which ρ/2 + √(2ρ ln(1/δ)) = ε (GN.T1 as a calibration).

    Arguments and errors as for `vinterbo_sigma`.
    """
    return _tail_sigma(_chernoff_tail, epsilon, delta, sensitivity, digits)


def low_privacy_threshold(*, epsilon: Exact, digits: int = 50) -> arb:
    """Enclose τ(ε) = 1/2 − e^ε Φ(−√(2ε)): σ ≥ D/√(2ε) is needed iff δ ≤ τ(ε) (BW18.T4).

    Args:
        epsilon: in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps = arguments.positive("epsilon", epsilon)

    def formula() -> arb:
        return (1 - normal.mills((2 * ball(eps)).sqrt()) * (2 / arb.pi()).sqrt()) / 2

    return tighten(formula, arguments.digits(digits))


def low_privacy_threshold_closed(*, epsilon: Exact, digits: int = 50) -> arb:
    """Enclose 1/2 − 1/√(4πε) < τ(ε), a closed form that is valid (BW18.T4).

    Arguments and errors as for `low_privacy_threshold`.
    """
    eps = arguments.positive("epsilon", epsilon)
    return tighten(lambda: (1 - (arb.pi() * ball(eps)).rsqrt()) / 2, arguments.digits(digits))


def low_privacy_threshold_misquoted(*, epsilon: Exact, digits: int = 50) -> arb:
    """Enclose 1/2 − e^{−3ε}/√(4πε), a form that is false (BW18.T4).

    Arguments and errors as for `low_privacy_threshold`.
    """
    eps = arguments.positive("epsilon", epsilon)

    def formula() -> arb:
        return (1 - ball(-3 * eps).exp() * (arb.pi() * ball(eps)).rsqrt()) / 2

    return tighten(formula, arguments.digits(digits))
