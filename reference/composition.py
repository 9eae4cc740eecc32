"""Composition and group privacy (X.COMP, X.GROUP).

Gaussian releases compose without loss: together they tell as much as one release whose μ is the
Euclidean norm of theirs. This answers, for this family, the closing question of BW18.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.reference.analytic_gaussian import (
    calibrate_sigma,
    delta_at_epsilon,
    epsilon_at_delta,
)
from dporacle.reference.numerics.functions import expm1, log
from dporacle.reference.numerics.precision import Context, Real, real, settle
from dporacle.reference.numerics.square_roots import at_square_root

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


def composed_mu(*, sensitivities: Any, sigmas: Any, digits: int = 50) -> Real:
    """Return μ = √Σ(Dᵢ/σᵢ)², that of all the releases together (X.COMP).

    Args:
        sensitivities: the ℓ2-sensitivities Dᵢ, each in (0, ∞).
        sigmas: the standard deviations σᵢ, as many.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    square = _square(sensitivities, sigmas)
    return settle(lambda ctx: ctx.sqrt(real(ctx, square)), arguments.digits(digits))


def _square(sensitivities: Any, sigmas: Any) -> Any:
    distances, scales = (
        [
            arguments.positive(f"{name}[{index}]", each)
            for index, each in enumerate(arguments.vector(name, values, most=4096))
        ]
        for name, values in (("sensitivities", sensitivities), ("sigmas", sigmas))
    )
    if len(distances) != len(scales):
        raise ValueError(
            f"sigmas must be as many as sensitivities, got {len(scales)} and {len(distances)}"
        )
    return sum((d / s) ** 2 for d, s in zip(distances, scales, strict=True))


def repeated_mu(*, mu: Exact, releases: int, digits: int = 50) -> Real:
    """Return μ√k, that of k equal releases (X.COMP).

    Args:
        mu: D/σ of one release, in (0, ∞).
        releases: k, at least 1.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    m, k = arguments.positive("mu", mu), arguments.count("releases", releases)
    return settle(lambda ctx: real(ctx, m) * ctx.sqrt(k), arguments.digits(digits))


def repeated_delta(
    *, epsilon: Exact, sigma: Exact, releases: int, sensitivity: Exact = 1, digits: int = 50
) -> Real:
    """Return δ(ε) of k equal releases together: that of one with μ = √k·D/σ (X.COMP).

    Args:
        epsilon: in [0, ∞), for all releases together.
        sigma: standard deviation of each release's noise, in (0, ∞).
        releases: k, at least 1.
        sensitivity: ℓ2-sensitivity D of each release, in (0, ∞), in the unit of sigma.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, square = arguments.epsilon(epsilon), _repeated_square(sigma, sensitivity, releases)
    return at_square_root(
        lambda mu, digits: delta_at_epsilon(epsilon=eps, sigma=1, sensitivity=mu, digits=digits),
        square,
        arguments.digits(digits),
        # ∂ ln δ/∂ ln μ is at most w² + 3, w = ε/μ + μ/2.
        lambda _: eps * eps / square + eps + square / 4 + 3,
    )


def repeated_epsilon(
    *, delta: Exact, sigma: Exact, releases: int, sensitivity: Exact = 1, digits: int = 50
) -> Real:
    """Return the smallest ε ≥ 0 for which k equal releases together are (ε,δ)-DP (X.COMP).

    Args:
        delta: in (0, 1], for all releases together.
        sigma: standard deviation of each release's noise, in (0, ∞).
        releases: k, at least 1.
        sensitivity: ℓ2-sensitivity D of each release, in (0, ∞), in the unit of sigma.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    target = arguments.delta(delta, one_allowed=True)
    square = _repeated_square(sigma, sensitivity, releases)
    return at_square_root(
        lambda mu, digits: epsilon_at_delta(delta=target, sigma=1, sensitivity=mu, digits=digits),
        square,
        arguments.digits(digits),
        # ∂ε/∂ ln μ is μ/m(w), at most μ(w + 1) by m(w) > 1/(w + 1) for w = ε/μ + μ/2.
        lambda eps: 3 + (square + 1) / Fraction(*eps.as_integer_ratio()) if eps else Fraction(1),
    )


def repeated_sigma(
    *, epsilon: Exact, delta: Exact, releases: int, sensitivity: Exact = 1, digits: int = 50
) -> Real:
    """Return the least σ of each of k equal releases that are (ε,δ)-DP together (X.COMP).

    It is √k times that of one release.

    Args:
        epsilon: in [0, ∞), for all releases together.
        delta: in (0, 1), for all releases together.
        releases: k, at least 1.
        sensitivity: ℓ2-sensitivity D of each release, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    k, asked = arguments.count("releases", releases), arguments.digits(digits)
    one = calibrate_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity, digits=asked + 4)
    return settle(lambda ctx: real(ctx, one) * ctx.sqrt(k), asked)


def _repeated_square(sigma: Exact, sensitivity: Exact, releases: int) -> Fraction:
    """μ² = kD²/σ², exactly."""
    distance = arguments.positive("sensitivity", sensitivity)
    ratio = distance / arguments.positive("sigma", sigma)
    return arguments.count("releases", releases) * ratio * ratio


def repeated_rho(*, mu: Exact, releases: int, digits: int = 50) -> Real:
    """Return ρ = kμ²/2, for which k equal releases together are ρ-zCDP (X.ZCOMP).

    Args:
        mu: D/σ of one release, in (0, ∞).
        releases: k, at least 1.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    k = arguments.count("releases", releases)
    value = arguments.positive("mu", mu) ** 2 * k / 2
    return settle(lambda ctx: real(ctx, value), arguments.digits(digits))


def repeated_zcdp_epsilon(*, delta: Exact, mu: Exact, releases: int, digits: int = 50) -> Real:
    """Return ρ + 2√(ρ ln(1/δ)), the ε that the total ρ = kμ²/2 of zCDP proves (X.ZCOMP).

    Args:
        delta: in (0, 1), for all releases together.
        mu: D/σ of one release, in (0, ∞).
        releases: k, at least 1.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    target, k = arguments.delta(delta), arguments.count("releases", releases)
    rho = k * arguments.positive("mu", mu) ** 2 / 2

    def formula(ctx: Context) -> Real:
        total = real(ctx, rho)
        return total + 2 * ctx.sqrt(-total * log(ctx, target))

    return settle(formula, arguments.digits(digits))


def group_mu(*, mu: Exact, size: int, digits: int = 50) -> Real:
    """Return kμ: inputs that differ in k records are at distance up to kD (X.GROUP).

    Args:
        mu: D/σ, in (0, ∞).
        size: k, at least 1.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    m = arguments.positive("mu", mu) * arguments.count("size", size)
    return settle(lambda ctx: real(ctx, m), arguments.digits(digits))


def group_delta_bound(*, epsilon: Exact, delta: Exact, size: int, digits: int = 50) -> Real:
    """Return δ(e^{kε}−1)/(e^ε−1): any (ε,δ)-DP mechanism is (kε, that)-DP for k records (X.GROUP).

    Args:
        epsilon: in [0, ∞); 0 gives kδ.
        delta: in (0, 1).
        size: k, at least 1.
        digits: correct decimal digits wanted.

    Returns:
        The bound; it may be above 1.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, target = arguments.epsilon(epsilon), arguments.delta(delta)
    k = arguments.count("size", size)

    def formula(ctx: Context) -> Real:
        return real(ctx, target) * (expm1(ctx, k * eps) / expm1(ctx, eps) if eps else k)

    return settle(formula, arguments.digits(digits))
