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

from dporacle.fast._broadcast import Array, Number, above, below, bisect, give, witness
from dporacle.fast._scaled import product, scaled_above
from dporacle.fast.analytic_gaussian import delta_at_epsilon, epsilon_at_delta
from dporacle.fast.gaussian.compensated import two_product

_DELTA_ULPS = 2.0**12  # e^−x has x times the relative error of x, and is a float for x < 746
_EPSILON_ULPS = 7
_FAR = 1e6  # e to minus half the square of this is no float


@witness
def gdp_tradeoff(*, alpha: Array, mu: Array) -> Any:
    """Return G_μ(α) = Φ(Φ⁻¹(1−α) − μ), the least type II error of a test of level α (X.GDP)."""
    return give(np.maximum(below(special.ndtr(-special.ndtri(alpha) - mu), _DELTA_ULPS), 0.0))


@witness
def gdp_delta(*, epsilon: Number, mu: Array) -> Any:
    """Return δ(ε) of μ-GDP (X.GDP), as `delta_at_epsilon` does."""
    m = give(mu)
    return delta_at_epsilon(epsilon=epsilon, sigma=1.0, sensitivity=m)


@witness
def gdp_epsilon(*, delta: Number, mu: Array) -> Any:
    """Return the smallest ε ≥ 0 for which μ-GDP gives (ε,δ)-DP, as `epsilon_at_delta` (X.GDP)."""
    m = give(mu)
    return epsilon_at_delta(delta=delta, sigma=1.0, sensitivity=m)


@witness
def rdp(*, order: Array, mu: Array) -> Any:
    """Return αμ²/2, the Rényi divergence of order α of the two outputs (X.RDP)."""
    return scaled_above(product(order, mu, mu, 0.5), 3)


@witness
def zcdp_rho(*, mu: Array) -> Any:
    """Return ρ = μ²/2 (X.ZCDP)."""
    return scaled_above(product(mu, mu, 0.5), 2)


@witness
def zcdp_sigma(*, rho: Array, sensitivity: Array) -> Any:
    """Return the least σ that is ρ-zCDP, D/√(2ρ) (X.ZCDP)."""
    # √ρ·√2 rather than √(2ρ), which may overflow.
    root = np.sqrt(rho) * np.sqrt(2.0)
    return above(sensitivity / root, 3)


@witness
def zcdp_delta(*, epsilon: Array, mu: Array) -> Any:
    """Return δ = e^{−(ε−ρ)²/4ρ}, ρ = μ²/2, or 1 if ε ≤ ρ (X.ZCDP)."""
    root = np.clip(_offset(epsilon, mu), 0.0, _FAR)
    return _delta(np.exp(-root * root / 2 * (1 - 2.0**-50)))


@witness
def zcdp_epsilon(*, rho: Array, delta: Array) -> Any:
    """Return ε = ρ + 2√(ρ ln(1/δ)), at which ρ-zCDP is (ε,δ)-DP (X.ZCDP)."""
    # Two roots and a logarithm of half an ulp each, their product and the sum: 3 ulp.
    return above(rho + 2 * np.sqrt(rho) * np.sqrt(-np.log(delta)), _EPSILON_ULPS)


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


@witness
def rdp_delta(*, epsilon: Array, mu: Array) -> Any:
    """Return min over α > 1 of e^{(α−1)(αρ−ε)}·(1−1/α)^α/(α−1), ρ = μ²/2 (X.RDP)."""
    eps, m = np.broadcast_arrays(epsilon, mu)
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
