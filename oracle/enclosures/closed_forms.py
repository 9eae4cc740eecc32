"""Enclosures for the closed-form calibrations and their exact regions.

BW18.T1 (its exact region), BW18.T4, BW18.O1, BW18.C1, GMA.R1, GN.T1 and X.CF.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from typing import Any

from flint import arb, arb_series

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures import _gaussian
from dporacle.enclosures._balls import ball, bits_for, precision, tighten
from dporacle.enclosures._roots import decreasing_root

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
    "variance_third_boundary",
    "vinterbo_sigma",
]

Constant = Callable[[], arb]
"""The a in c = √(2 ln(a/δ)), at the working precision."""

_HALF = Fraction(1, 2)
_MAX_BOXES = 100_000


def _classical() -> arb:
    return arb(5) / 4


def _dwork_roth() -> arb:
    return (2 * (arb(8) / 9).exp() / arb.pi()).sqrt()


def _dwork_2006() -> arb:
    return arb(2)


def _c(constant: Constant, target: Fraction) -> arb:
    return (2 * (constant() / ball(target)).log()).sqrt()


def _linear_sigma(
    constant: Constant, epsilon: Exact, delta: Exact, sensitivity: Exact, digits: int
) -> arb:
    eps, target = arguments.positive("epsilon", epsilon), arguments.delta(delta)
    distance = arguments.positive("sensitivity", sensitivity)
    return tighten(lambda: _c(constant, target) * ball(distance / eps), arguments.digits(digits))


def dwork_roth_sigma(
    *, epsilon: Exact, delta: Exact, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose σ = D√(2 ln(√(2e^{8/9}/π)/δ))/ε (GMA.R1).

    Args:
        epsilon: in (0, ∞); see `dwork_roth_epsilon_max` for where it is private.
        delta: in (0, 1).
        sensitivity: ℓ2-sensitivity D, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return _linear_sigma(_dwork_roth, epsilon, delta, sensitivity, digits)


def dwork_2006_sigma(
    *, epsilon: Exact, delta: Exact, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose σ = D√(2 ln(2/δ))/ε, the calibration of Dwork et al. 2006 (X.CF).

    Arguments and errors as for `dwork_roth_sigma`; private up to `dwork_2006_epsilon_max`.
    """
    return _linear_sigma(_dwork_2006, epsilon, delta, sensitivity, digits)


def vinterbo_sigma(
    *, epsilon: Exact, delta: Exact, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose σ = (√(az+ε) + s√(az))·D/(ε√2), z = −ln(4δ(1−δ)) (X.CF, Vinterbo 2020).

    (a, s) = (1, 1) for δ ≤ 1/2 and (π/4, −1) above. Private for every ε > 0 and δ ∈ (0, 1).

    Arguments and errors as for `dwork_roth_sigma`.
    """
    eps, target = arguments.positive("epsilon", epsilon), arguments.delta(delta)
    distance = arguments.positive("sensitivity", sensitivity)

    def formula() -> arb:
        if target == _HALF:
            return ball(distance) / (2 * ball(eps)).sqrt()
        z = -ball(4 * target * (1 - target)).log()
        if target < _HALF:
            return ((z + ball(eps)).sqrt() + z.sqrt()) * ball(distance / eps) / arb(2).sqrt()
        az = arb.pi() / 4 * z
        return ball(distance) / ((2 * (az + ball(eps))).sqrt() + (2 * az).sqrt())

    return tighten(formula, arguments.digits(digits))


def plrv_tail_sigma(
    *, epsilon: Exact, delta: Exact, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose the σ at which Pr[L ≥ ε] = δ: (z+√(z²+2ε))·D/(2ε), z = −Φ⁻¹(δ) (BW18.O1, X.CF).

    Private for every ε > 0 and δ ∈ (0, 1), and always more than is needed.

    Arguments and errors as for `dwork_roth_sigma`.
    """
    eps, target = arguments.positive("epsilon", epsilon), arguments.delta(delta)
    distance = arguments.positive("sensitivity", sensitivity)

    def formula() -> arb:
        least = min(target, 1 - target)
        z = arb(0) if target == _HALF else arb(2).sqrt() * ball(2 * least).erfcinv()
        both = (z * z + 2 * ball(eps)).sqrt() + z
        return both * ball(distance / (2 * eps)) if target <= _HALF else ball(distance) / both

    return tighten(formula, arguments.digits(digits))


def rho_epsilon(*, rho: Exact, delta: Exact, digits: int = 50) -> arb:
    """Enclose ε = ρ/2 + √(2ρ ln(1/δ)), for which noise of σ = D/√ρ is (ε,δ)-DP (GN.T1).

    Args:
        rho: the lecture's ρ = μ², in (0, ∞).
        delta: in (0, 1).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    r, target = arguments.positive("rho", rho), arguments.delta(delta)

    def formula() -> arb:
        return ball(r / 2) + (-2 * ball(r) * ball(target).log()).sqrt()

    return tighten(formula, arguments.digits(digits))


def rho_sigma(*, epsilon: Exact, delta: Exact, sensitivity: Exact = 1, digits: int = 50) -> arb:
    """Enclose the σ = D/√ρ at which ρ/2 + √(2ρ ln(1/δ)) = ε (GN.T1 as a calibration).

    Arguments and errors as for `dwork_roth_sigma`.
    """
    eps, target = arguments.positive("epsilon", epsilon), arguments.delta(delta)
    distance = arguments.positive("sensitivity", sensitivity)

    def formula() -> arb:
        tail = -2 * ball(target).log()
        return (tail.sqrt() + (tail + 2 * ball(eps)).sqrt()) * ball(distance / (2 * eps))

    return tighten(formula, arguments.digits(digits))


def classical_epsilon_max(*, delta: Exact, digits: int = 50) -> arb:
    """Enclose the largest ε for which σ = D√(2 ln(1.25/δ))/ε is (ε,δ)-DP (BW18.T1).

    Args:
        delta: in (0, 1).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return _epsilon_max(_classical, delta, digits)


def dwork_roth_epsilon_max(*, delta: Exact, digits: int = 50) -> arb:
    """Enclose the largest ε for which `dwork_roth_sigma` is (ε,δ)-DP (GMA.R1).

    Arguments and errors as for `classical_epsilon_max`.
    """
    return _epsilon_max(_dwork_roth, delta, digits)


def dwork_2006_epsilon_max(*, delta: Exact, digits: int = 50) -> arb:
    """Enclose the largest ε for which `dwork_2006_sigma` is (ε,δ)-DP (X.CF).

    Arguments and errors as for `classical_epsilon_max`.
    """
    return _epsilon_max(_dwork_2006, delta, digits)


def _epsilon_max(constant: Constant, delta: Exact, digits: int) -> arb:
    target, asked = arguments.delta(delta), arguments.digits(digits)

    def profile(u: arb) -> tuple[arb, arb, arb]:
        # ε = e^{−u}; δ(ε) at μ = ε/c rises with ε (a lemma of the note), so it falls with u.
        eps, c = (-u).exp(), _c(constant, target)
        y, w = c - eps / (2 * c), c + eps / (2 * c)
        slope = -eps * _gaussian.normal_density(y) * (1 / c - _gaussian.mills(w))
        return *_gaussian.profile(y, w), slope

    low, high = decreasing_root(
        profile,
        target=target,
        start=arb(-1.5),
        scale=lambda _: arb(1),
        tolerance=lambda _: arb(10) ** -(asked + 2),
    )
    return tighten(lambda: (-low).exp().union((-high).exp()), asked)


def classical_epsilon_threshold(*, digits: int = 50) -> arb:
    """Enclose the smallest `classical_epsilon_max` over all δ: up to it, BW18.T1 needs no δ.

    A proof over the continuum of all δ: see `_epsilon_threshold`.

    Args:
        digits: the ball's radius is at most 10^-digits of its midpoint.
    """
    return _epsilon_threshold(_classical, (3.79, 0.82), digits)


def dwork_roth_epsilon_threshold(*, digits: int = 50) -> arb:
    """Enclose the smallest `dwork_roth_epsilon_max` over all δ (GMA.R1)."""
    return _epsilon_threshold(_dwork_roth, (3.75, 0.81), digits)


def dwork_2006_epsilon_threshold(*, digits: int = 50) -> arb:
    """Enclose the smallest `dwork_2006_epsilon_max` over all δ (X.CF)."""
    return _epsilon_threshold(_dwork_2006, (6.37, 1.55), digits)


def _excess(constant: Constant, eps: arb, c: Any) -> Any:
    """ln(δ(ε)/δ) at μ = ε/c and δ = a·e^{−c²/2}; negative where the calibration is private.

    c is a ball or a power series.
    """
    y, w = c - eps / (2 * c), c + eps / (2 * c)
    gap = _mills_of(y) - _mills_of(w)
    return (
        gap.log() - eps * eps / (8 * c * c) + (eps / 2 - (constant() * (2 * arb.pi()).sqrt()).log())
    )


def _mills_of(x: Any) -> Any:
    """m(x), for a moderate x that may be a power series."""
    return (x * x / 2).exp() * (x / arb(2).sqrt()).erfc() * (arb.pi() / 2).sqrt()


def _jet(constant: Constant, eps: arb, c: arb, length: int) -> list[arb]:
    """The Taylor coefficients of the excess in c; over a ball c they hold all its points'."""
    series = _excess(constant, eps, arb_series([c, 1], length))
    return [series[index] for index in range(length)]


def _epsilon_threshold(constant: Constant, start: tuple[float, float], digits: int) -> arb:
    """Prove two bounds on min over δ of ε_max(δ), 10^-digits apart.

    Above: at one c, the excess is positive at the upper ε. Below: at the lower ε the excess is
    negative for every c from √(2 ln a) on. Near its maximum it is concave, by the sign of its
    second derivative over an interval; elsewhere by subdivision; and beyond c = 5 because
    m(y) − m(w) ≤ (w−y)/(1+y²), which falls there.
    """
    asked = arguments.digits(digits)
    bits = bits_for(asked) + 64
    with precision(2 * bits):
        eps, c = arb(start[0]), arb(start[1])
        for _ in range(8 + asked.bit_length()):
            value, slope, half_bend = _jet(constant, eps, c, 3)
            c = (c - slope / (2 * half_bend)).mid()
            value = _jet(constant, eps, c, 1)[0]
            rise = (_excess(constant, eps * (1 + arb(2) ** -bits), c) - value) / (
                eps * arb(2) ** -bits
            )
            eps = (eps - value / rise).mid()
        margin = arb(10) ** -(asked + 2)
        low, high = (eps - margin).mid(), (eps + margin).mid()
        if not _excess(constant, high, c) > 0:
            raise ArithmeticError("the threshold has no upper bound")
        reach = arb(1) / 4096
        near = c + arb(0, reach)
        value, slope = _jet(constant, low, c, 2)
        if not (_jet(constant, low, near, 3)[2] < 0 and value + abs(slope) * reach < 0):
            raise ArithmeticError("the threshold has no lower bound near the maximum")
    with precision(96):
        least = (2 * constant().log()).sqrt().lower()
        excess = partial(_excess, constant, low)
        _prove_negative(excess, least, (c - reach).mid())
        _prove_negative(excess, (c + reach).mid(), arb(5))
        y = 5 - low / 10
        bound = low / 2 + (low / 5 / (1 + y * y) / (constant() * (2 * arb.pi()).sqrt())).log()
        if not (y > 0 and bound < 0):
            raise ArithmeticError("the threshold has no lower bound at large c")
    with precision(bits):
        return low.union(high)


def _prove_negative(excess: Callable[[Any], Any], low: arb, high: arb) -> None:
    """Prove that a function of c is negative over an interval, by the mean value theorem."""
    boxes = [(low, high)]
    for _ in range(_MAX_BOXES):
        if not boxes:
            return
        left, right = boxes.pop()
        if not left < right:
            continue
        middle, radius = ((left + right) / 2).mid(), ((right - left) / 2).upper()
        try:
            slope = excess(arb_series([middle + arb(0, radius), 1], 2))[1]
        except ValueError:  # a box too wide for the logarithm or the quotient
            slope = arb("nan")
        if excess(middle) + abs(slope) * radius < 0:
            continue
        boxes += [(left, middle), (middle, right)]
    raise ArithmeticError("the calibration is not proved private by so many boxes")


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
        return (1 - _gaussian.mills((2 * ball(eps)).sqrt()) * (2 / arb.pi()).sqrt()) / 2

    return tighten(formula, arguments.digits(digits))


def low_privacy_threshold_closed(*, epsilon: Exact, digits: int = 50) -> arb:
    """Enclose 1/2 − 1/√(4πε) < τ(ε), a closed form that is valid (BW18.T4).

    Arguments and errors as for `low_privacy_threshold`.
    """
    eps = arguments.positive("epsilon", epsilon)
    return tighten(
        lambda: arb(0.5) - 1 / (4 * arb.pi() * ball(eps)).sqrt(), arguments.digits(digits)
    )


def low_privacy_threshold_misquoted(*, epsilon: Exact, digits: int = 50) -> arb:
    """Enclose 1/2 − e^{−3ε}/√(4πε), a form in circulation that is false (BW18.T4).

    Arguments and errors as for `low_privacy_threshold`.
    """
    eps = arguments.positive("epsilon", epsilon)

    def formula() -> arb:
        return arb(0.5) - ball(-3 * eps).exp() / (4 * arb.pi() * ball(eps)).sqrt()

    return tighten(formula, arguments.digits(digits))


def _third_excess(c: Any) -> Any:
    """ln(δ(1)/δ) at σ = √(2/3)·D·c and δ = 1.25·e^{−c²/2}."""
    k = c * (arb(2) / 3).sqrt()
    gap = _mills_of(k - 1 / (2 * k)) - _mills_of(k + 1 / (2 * k))
    level = arb(0.5) - ((2 * arb.pi()).sqrt() * _classical()).log()
    return gap.log() + c * c / 6 - 1 / (8 * k * k) + level


@cache
def _prove_one_third_boundary() -> None:
    """Prove that a third is saved for all ε ≤ 1 and c < 3.51, beyond which the excess rises."""
    with precision(96):
        _prove_negative(_third_excess, (2 * _classical().log()).sqrt().lower(), arb(3.51))


def variance_third_boundary(*, epsilon: Exact, digits: int = 50) -> arb:
    """Enclose the δ below which the exact σ² is more than 2/3 of the classical σ² (BW18.C1).

    That there is one such boundary is proved too (see the note).

    Args:
        epsilon: in (0, 1], the domain of the classical theorem.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, asked = arguments.positive("epsilon", epsilon), arguments.digits(digits)
    if eps > 1:
        raise ValueError(f"epsilon must be at most 1, got {arguments.show(epsilon)}")
    _prove_one_third_boundary()

    def odds(u: arb) -> tuple[arb, arb, arb]:
        # r = δ(ε)/(δ(ε) + δ) at σ = √(2/3)·D·c/ε, c = −u; it passes 1/2 once (note).
        c = -u
        k = c * (arb(2) / 3).sqrt()
        half = ball(eps) / (2 * k)
        gap = _gaussian.mills(k - half) - _gaussian.mills(k + half)
        ratio = (
            (c * c / 6 + ball(eps) / 2 - half * half / 2).exp()
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
        tolerance=lambda u: arb(10) ** -(asked + 3) / abs(u),
    )
    return tighten(
        lambda: (arb(5) / 4 * (-low * low / 2).exp()).union(arb(5) / 4 * (-high * high / 2).exp()),
        asked,
    )
