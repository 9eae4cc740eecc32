"""Composition and group privacy in float64 (X.COMP, X.GROUP).

Every result is at least the exact value and at most 2^-46 of it above (for n releases,
n ≤ 2^20); `group_delta_bound` at most 2^-40, since its exponent kε is up to 709.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dporacle.fast._broadcast import Number, above, integers, quiet, reals

__all__ = ["composed_mu", "group_delta_bound", "group_mu", "repeated_mu"]


@quiet
def composed_mu(*, sensitivities: Number, sigmas: Number) -> Any:
    """Return μ = √Σ(Dᵢ/σᵢ)² over the last axis (X.COMP).

    Args:
        sensitivities: the ℓ2-sensitivities Dᵢ, each in (0, ∞).
        sigmas: the standard deviations σᵢ, of the same shape.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    distances, scales = reals("sensitivities", sensitivities), reals("sigmas", sigmas)
    if distances.ndim == 0 or distances.shape != scales.shape:
        raise ValueError(
            f"sigmas must be as many as sensitivities, got {scales.shape} and {distances.shape}"
        )
    ratio = distances / scales
    largest = np.max(ratio, axis=-1)
    part = ratio / largest[..., None]
    return above(largest * np.sqrt(np.sum(part * part, axis=-1)), 24)


@quiet
def repeated_mu(*, mu: Number, releases: Number) -> Any:
    """Return μ√k, that of k equal releases (X.COMP).

    Args:
        mu: D/σ of one release, in (0, ∞).
        releases: k, integers from 1.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return above(reals("mu", mu) * np.sqrt(integers("releases", releases)), 2)


@quiet
def group_mu(*, mu: Number, size: Number) -> Any:
    """Return kμ, that of inputs which differ in k records (X.GROUP).

    Args:
        mu: D/σ, in (0, ∞).
        size: k, integers from 1.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return above(reals("mu", mu) * integers("size", size), 1)


@quiet
def group_delta_bound(*, epsilon: Number, delta: Number, size: Number) -> Any:
    """Return δ(e^{kε}−1)/(e^ε−1), the group privacy of any (ε,δ)-DP mechanism (X.GROUP).

    Args:
        epsilon: in [0, ∞); 0 gives kδ.
        delta: in (0, 1).
        size: k, integers from 1.

    Returns:
        The bound; it may be above 1, and is infinite where it overflows.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps = reals("epsilon", epsilon, low_allowed=True)
    target, k = reals("delta", delta, high=1.0), integers("size", size)
    some = np.where(eps > 0, eps, 1.0)
    # (e^{kε}−1)/(e^ε−1) = e^{(k−1)ε}·(1−e^{−kε})/(1−e^{−ε})
    series = np.exp((k - 1) * some) * (np.expm1(-k * some) / np.expm1(-some))
    return above(target * np.where(eps > 0, series, k), 2.0**11)
