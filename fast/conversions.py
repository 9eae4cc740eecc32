"""The other currencies of privacy in float64 (X.GDP, X.RDP, X.ZCDP).

What is spent (`rdp`, `zcdp_rho`, `zcdp_delta`, `rdp_delta`) is at least the exact value, and
`gdp_tradeoff`, the error that is guaranteed, at most. The distance is at most 2^-48 relatively for
the first two and 2^-38 for the others where they are above 1e-290, since their exponents are
up to 667.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from dporacle.fast._broadcast import (
    Array,
    Number,
    above,
    below,
    bisect,
    give,
    quiet,
    quiet_down,
    reals,
)
from dporacle.fast._scaled import product, scaled_above
from dporacle.fast.analytic_gaussian import delta_at_epsilon, epsilon_at_delta
from dporacle.fast.gaussian.compensated import two_product

__all__ = [
    "gdp_delta",
    "gdp_epsilon",
    "gdp_tradeoff",
    "rdp",
    "rdp_delta",
    "zcdp_delta",
    "zcdp_epsilon",
    "zcdp_rho",
    "zcdp_sigma",
]

_DELTA_ULPS = 2.0**12
_EPSILON_ULPS = 7
_FAR = 1e6  # e to minus half the square of this is no float


@quiet_down
def gdp_tradeoff(*, alpha: Number, mu: Number) -> Any:
    """Return G_μ(α) = Φ(Φ⁻¹(1−α) − μ), the least type II error of a test of level α (X.GDP).

    Args:
        alpha: type I error, in (0, 1).
        mu: D/σ, in (0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    level, m = reals("alpha", alpha, high=1.0), reals("mu", mu)
    return give(np.maximum(below(special.ndtr(-special.ndtri(level) - m), _DELTA_ULPS), 0.0))


@quiet
def gdp_delta(*, epsilon: Number, mu: Number) -> Any:
    """Return δ(ε) of μ-GDP (X.GDP), as `delta_at_epsilon` does.

    Args:
        epsilon: in [0, ∞).
        mu: in (0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    m = give(reals("mu", mu))
    return delta_at_epsilon(epsilon=epsilon, sigma=1.0, sensitivity=m)


@quiet
def gdp_epsilon(*, delta: Number, mu: Number) -> Any:
    """Return the smallest ε ≥ 0 for which μ-GDP gives (ε,δ)-DP, as `epsilon_at_delta` (X.GDP).

    Args:
        delta: in (0, 1].
        mu: in (0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    m = give(reals("mu", mu))
    return epsilon_at_delta(delta=delta, sigma=1.0, sensitivity=m)


@quiet
def rdp(*, order: Number, mu: Number) -> Any:
    """Return αμ²/2, the Rényi divergence of order α of the two outputs (X.RDP).

    Args:
        order: α, in (0, ∞).
        mu: D/σ, in (0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    m = reals("mu", mu)
    return scaled_above(product(reals("order", order), m, m, 0.5), 3)


@quiet
def zcdp_rho(*, mu: Number) -> Any:
    """Return ρ = μ²/2 (X.ZCDP).

    Args:
        mu: D/σ, in (0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    m = reals("mu", mu)
    return scaled_above(product(m, m, 0.5), 2)


@quiet
def zcdp_sigma(*, rho: Number, sensitivity: Number = 1) -> Any:
    """Return the least σ that is ρ-zCDP, D/√(2ρ) (X.ZCDP).

    Args:
        rho: in (0, ∞).
        sensitivity: ℓ2-sensitivity D, in (0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    # √ρ·√2 rather than √(2ρ), which may overflow.
    root = np.sqrt(reals("rho", rho)) * np.sqrt(2.0)
    return above(reals("sensitivity", sensitivity) / root, 3)


@quiet
def zcdp_delta(*, epsilon: Number, mu: Number) -> Any:
    """Return δ = e^{−(ε−ρ)²/4ρ}, ρ = μ²/2, or 1 if ε ≤ ρ (X.ZCDP).

    Args:
        epsilon: in [0, ∞).
        mu: D/σ, in (0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, m = reals("epsilon", epsilon, low_allowed=True), reals("mu", mu)
    root = np.clip(_offset(eps, m), 0.0, _FAR)
    return _delta(np.exp(-root * root / 2 * (1 - 2.0**-50)))


@quiet
def zcdp_epsilon(*, rho: Number, delta: Number) -> Any:
    """Return ε = ρ + 2√(ρ ln(1/δ)), at which ρ-zCDP is (ε,δ)-DP (X.ZCDP).

    Args:
        rho: in (0, ∞).
        delta: in (0, 1).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    r, target = reals("rho", rho), reals("delta", delta, high=1.0)
    # Two roots and a logarithm of half an ulp each, their product and the sum: 3 ulp.
    return above(r + 2 * np.sqrt(r) * np.sqrt(-np.log(target)), _EPSILON_ULPS)


def _offset(eps: Array, m: Array) -> Array:
    """ε/μ − μ/2, to 2^-51 of itself: from ε − μ²/2 with the rounding error of μ²."""
    mantissa, exponent = np.frexp(m)
    square, error = two_product(mantissa, mantissa)
    level = np.ldexp(eps, np.clip(-2 * exponent, -2200, 2200))
    gap = np.where(np.isinf(level), np.inf, (level - square / 2) - error / 2)
    # Where that overflows, μ/2 is nothing beside ε/μ.
    return np.where(np.isinf(level), eps / m, np.ldexp(gap / mantissa, exponent))


def _delta(value: Array) -> Any:
    return give(np.minimum(above(value, _DELTA_ULPS), 1.0))


@quiet
def rdp_delta(*, epsilon: Number, mu: Number) -> Any:
    """Return min over α > 1 of e^{(α−1)(αρ−ε)}·(1−1/α)^α/(α−1), ρ = μ²/2 (X.RDP).

    Arguments and errors as for `zcdp_delta`.
    """
    eps, m = reals("epsilon", epsilon, low_allowed=True), reals("mu", mu)
    eps, m = np.broadcast_arrays(eps, m)
    offset = np.clip(_offset(eps, m), -_FAR, _FAR)

    # With s = (α − 1)μ no square of μ is formed: (α−1)(αρ−ε) = s(s/2 − (ε/μ − μ/2)).
    def excess(u: Array) -> Array:
        s = np.exp(u)
        return s - offset - np.where(m < 1e-9 * s, 1 / s, np.log1p(m / s) / m)

    s = np.exp(bisect(excess, np.full(eps.shape, -700.0), np.full(eps.shape, 20.0)))
    t = s / m
    # Any order gives a bound; near the best one this one is flat.
    large = t > 1e9
    logs = np.where(large, np.log(s) - np.log(m), np.log1p(t))
    logs = logs + np.where(large, 1 - 1 / (2 * t), t * np.log1p(1 / np.maximum(t, 1e-300)))
    slack = (s * (s + np.abs(offset)) + logs) * 2.0**-50
    return _delta(np.exp(s * (s / 2 - offset) - logs + slack))
