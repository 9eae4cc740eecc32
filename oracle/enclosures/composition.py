"""Enclosures for composition and group privacy (X.COMP, X.GROUP)."""

from __future__ import annotations

from typing import Any

from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures._balls import ball, tighten

__all__ = ["composed_mu", "group_delta_bound", "group_mu", "repeated_mu"]


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
