"""Enclosures for composition and group privacy (X.COMP, X.GROUP)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures.analytic_gaussian import (
    calibrate_sigma,
    delta_at_epsilon,
    epsilon_at_delta,
)
from dporacle.enclosures.arithmetic.balls import ball, bits_for, join, tighten
from dporacle.enclosures.arithmetic.rounding import bounds

__all__ = [
    "composed_mu",
    "group_delta_bound",
    "group_mu",
    "repeated_delta",
    "repeated_epsilon",
    "repeated_mu",
    "repeated_rho",
    "repeated_sigma",
    "repeated_zcdp_epsilon",
]

_MAX_DIGITS = 20_000


def composed_mu(*, sensitivities: Any, sigmas: Any, digits: int = 50) -> arb:
    """Enclose μ = √Σ(Dᵢ/σᵢ)², that of all the releases together (X.COMP).

    Args:
        sensitivities: the ℓ2-sensitivities Dᵢ, each in (0, ∞).
        sigmas: the standard deviations σᵢ, as many.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    distances = arguments.vector("sensitivities", sensitivities, most=4096)
    scales = arguments.vector("sigmas", sigmas, most=4096)
    if len(distances) != len(scales):
        raise ValueError(
            f"sigmas must be as many as sensitivities, got {len(scales)} and {len(distances)}"
        )
    ratios = [
        arguments.positive(f"sensitivities[{i}]", d) / arguments.positive(f"sigmas[{i}]", s)
        for i, (d, s) in enumerate(zip(distances, scales, strict=True))
    ]
    return tighten(
        lambda: sum((ball(each) ** 2 for each in ratios), arb(0)).sqrt(), arguments.digits(digits)
    )


def repeated_mu(*, mu: Exact, releases: int, digits: int = 50) -> arb:
    """Enclose μ√k, that of k equal releases (X.COMP).

    Args:
        mu: D/σ of one release, in (0, ∞).
        releases: k, at least 1.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    m, k = arguments.positive("mu", mu), arguments.count("releases", releases)
    return tighten(lambda: ball(m) * arb(k).sqrt(), arguments.digits(digits))


def repeated_delta(
    *, epsilon: Exact, sigma: Exact, releases: int, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose δ(ε) of k equal releases together: that of one with μ = √k·D/σ (X.COMP).

    Args:
        epsilon: in [0, ∞), for all releases together.
        sigma: standard deviation of each release's noise, in (0, ∞).
        releases: k, at least 1.
        sensitivity: ℓ2-sensitivity D of each release, in (0, ∞), in the unit of sigma.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, square = arguments.epsilon(epsilon), _repeated_square(sigma, sensitivity, releases)
    return _at_root(
        lambda mu, digits: delta_at_epsilon(epsilon=eps, sigma=1, sensitivity=mu, digits=digits),
        square,
        arguments.digits(digits),
    )


def repeated_epsilon(
    *, delta: Exact, sigma: Exact, releases: int, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose the smallest ε ≥ 0 for which k equal releases together are (ε,δ)-DP (X.COMP).

    Args:
        delta: in (0, 1], for all releases together.
        sigma: standard deviation of each release's noise, in (0, ∞).
        releases: k, at least 1.
        sensitivity: ℓ2-sensitivity D of each release, in (0, ∞), in the unit of sigma.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: if δ and δ(0) agree to about 20,000 digits.
    """
    target = arguments.delta(delta, one_allowed=True)
    square = _repeated_square(sigma, sensitivity, releases)
    return _at_root(
        lambda mu, digits: epsilon_at_delta(delta=target, sigma=1, sensitivity=mu, digits=digits),
        square,
        arguments.digits(digits),
    )


def repeated_sigma(
    *, epsilon: Exact, delta: Exact, releases: int, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose the least σ of each of k equal releases that are (ε,δ)-DP together (X.COMP).

    Args:
        epsilon: in [0, ∞), for all releases together.
        delta: in (0, 1), for all releases together.
        releases: k, at least 1.
        sensitivity: ℓ2-sensitivity D of each release, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    k, asked = arguments.count("releases", releases), arguments.digits(digits)
    one = calibrate_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity, digits=asked + 4)
    return tighten(lambda: one * arb(k).sqrt(), asked)


def _repeated_square(sigma: Exact, sensitivity: Exact, releases: int) -> Fraction:
    """μ² = kD²/σ², exactly."""
    distance = arguments.positive("sensitivity", sensitivity)
    ratio = distance / arguments.positive("sigma", sigma)
    return arguments.count("releases", releases) * ratio * ratio


def _at_root(function: Callable[[Fraction, int], arb], square: Fraction, digits: int) -> arb:
    """Enclose f(√square) for a function that rises: by its values at two rational ends."""
    known = digits + 12
    while known < _MAX_DIGITS:
        low, high = bounds(tighten(lambda: ball(square).sqrt(), known))
        value = join(function(low, digits + 2), function(high, digits + 2), digits + 4)
        if value.is_zero() or value.rel_accuracy_bits() >= bits_for(digits):
            return value
        known *= 2
    raise ArithmeticError(f"no ball of {digits} digits")


def repeated_rho(*, mu: Exact, releases: int, digits: int = 50) -> arb:
    """Enclose ρ = kμ²/2, for which k equal releases together are ρ-zCDP (X.ZCOMP).

    Args:
        mu: D/σ of one release, in (0, ∞).
        releases: k, at least 1.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    k = arguments.count("releases", releases)
    value = arguments.positive("mu", mu) ** 2 * k / 2
    return tighten(lambda: ball(value), arguments.digits(digits))


def repeated_zcdp_epsilon(*, delta: Exact, mu: Exact, releases: int, digits: int = 50) -> arb:
    """Enclose ρ + 2√(ρ ln(1/δ)), the ε that the total ρ = kμ²/2 of zCDP proves (X.ZCOMP).

    Args:
        delta: in (0, 1), for all releases together.
        mu: D/σ of one release, in (0, ∞).
        releases: k, at least 1.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    target, k = arguments.delta(delta), arguments.count("releases", releases)
    m = arguments.positive("mu", mu)

    def formula() -> arb:
        together = ball(m) * arb(k).sqrt()
        log = ball(target - 1).log1p() if 2 * target > 1 else ball(target).log()
        return together * (together / 2 + (-2 * log).sqrt())

    return tighten(formula, arguments.digits(digits))


def group_mu(*, mu: Exact, size: int, digits: int = 50) -> arb:
    """Enclose kμ, that of inputs which differ in k records (X.GROUP).

    Args:
        mu: D/σ, in (0, ∞).
        size: k, at least 1.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    m = arguments.positive("mu", mu) * arguments.count("size", size)
    return tighten(lambda: ball(m), arguments.digits(digits))


def group_delta_bound(*, epsilon: Exact, delta: Exact, size: int, digits: int = 50) -> arb:
    """Enclose δ(e^{kε}−1)/(e^ε−1), the group privacy of any (ε,δ)-DP mechanism (X.GROUP).

    Args:
        epsilon: in [0, ∞); 0 gives kδ.
        delta: in (0, 1).
        size: k, at least 1.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, target = arguments.epsilon(epsilon), arguments.delta(delta)
    k = arguments.count("size", size)

    def formula() -> arb:
        return ball(target) * (ball(k * eps).expm1() / ball(eps).expm1() if eps else k)

    return tighten(formula, arguments.digits(digits))
