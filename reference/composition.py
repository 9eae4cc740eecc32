"""Composition and group privacy (X.COMP, X.GROUP).

Gaussian releases compose without loss: together they tell as much as one release whose μ is the
Euclidean norm of theirs. This answers, for this family, the closing question of BW18.
"""

from __future__ import annotations

from typing import Any

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.reference._precision import Context, Real, real, settle

__all__ = ["composed_mu", "group_delta_bound", "group_mu", "repeated_mu"]


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
        e = real(ctx, eps)
        return real(ctx, target) * (ctx.expm1(k * e) / ctx.expm1(e) if eps else k)

    return settle(formula, arguments.digits(digits))
