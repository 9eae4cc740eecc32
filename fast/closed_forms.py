"""Closed-form calibrations and their exact regions in float64.

Scalars or arrays that broadcast. A σ or an ε that is spent is at least the exact value and at
most 16·2^-52 of it above (`rho_epsilon`, `*_sigma`); a largest ε is at most the exact value and
at most 2^-43 of it below (`*_epsilon_max`, `*_epsilon_threshold`). Thresholds of δ are within
16·2^-53 absolutely and `variance_third_boundary` within 2^-40 relatively, above 1e-290.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize, special

from dporacle.fast._broadcast import Array, above, below, bisect, give, witness
from dporacle.fast._scaled import product, scaled_above
from dporacle.fast.gaussian.moments import mills_gap

_CLASSICAL = 1.25  # of Theorem A.1 of Dwork and Roth, as it is stated
# Of their proof, which needs less than 1.25 (GMA.R1).
_DWORK_ROTH = float(np.sqrt(2 * np.exp(8 / 9) / np.pi))
_DWORK_2006 = 2.0  # of σ = D√(2 ln(2/δ))/ε

_SIGMA_ULPS = 7
_EPSILON_ULPS = 2.0**8


def _c(constant: float, delta: Array) -> Array:
    return np.sqrt(2 * (np.log(constant) - np.log(delta)))


def _linear_sigma(constant: float, epsilon: Array, delta: Array, sensitivity: Array) -> Any:
    return scaled_above(product(_c(constant, delta), sensitivity, over=(epsilon,)), _SIGMA_ULPS)


@witness
def dwork_roth_sigma(*, epsilon: Array, delta: Array, sensitivity: Array) -> Any:
    """Return σ = D√(2 ln(√(2e^{8/9}/π)/δ))/ε (GMA.R1)."""
    return _linear_sigma(_DWORK_ROTH, epsilon, delta, sensitivity)


@witness
def dwork_2006_sigma(*, epsilon: Array, delta: Array, sensitivity: Array) -> Any:
    """Return σ = D√(2 ln(2/δ))/ε (X.CF)."""
    return _linear_sigma(_DWORK_2006, epsilon, delta, sensitivity)


@witness
def vinterbo_sigma(*, epsilon: Array, delta: Array, sensitivity: Array) -> Any:
    """Return Vinterbo's closed form (X.CF)."""
    off = 1 - 2 * delta
    z = np.where(np.abs(off) < 0.7, -np.log1p(-off * off), -np.log(4 * delta) - np.log1p(-delta))
    return _from_tail(np.sqrt(2 * np.where(off < 0, np.pi / 4, 1.0) * z), off, epsilon, sensitivity)


@witness
def plrv_tail_sigma(*, epsilon: Array, delta: Array, sensitivity: Array) -> Any:
    """Return the σ at which Pr[L ≥ ε] = δ (BW18.O1, X.CF)."""
    size = np.abs(special.ndtri(delta))
    return _from_tail(size, 1 - 2 * delta, epsilon, sensitivity)


def _from_tail(size: Array, off: Array, eps: Array, distance: Array) -> Any:
    """The σ at which Φ(μ/2 − ε/μ) is Φ(∓z), the sign from that of 1/2 − δ; not below it."""
    both = np.hypot(size, np.sqrt(2.0) * np.sqrt(eps)) + size  # 2ε may overflow
    head, tail = product(distance, over=(both,)), product(distance, both, 0.5, over=(eps,))
    above_half = off < 0
    parts = np.where(above_half, head[0], tail[0]), np.where(above_half, head[1], tail[1])
    return scaled_above(parts, _SIGMA_ULPS)


@witness
def rho_epsilon(*, rho: Array, delta: Array) -> Any:
    """Return ε = ρ/2 + √(2ρ ln(1/δ)) (GN.T1).

    Deprecated: use `zcdp_epsilon`, whose ρ is that of zCDP, half of this one.
    """
    return above(rho / 2 + np.sqrt(rho) * np.sqrt(-2 * np.log(delta)), _SIGMA_ULPS)


@witness
def rho_sigma(*, epsilon: Array, delta: Array, sensitivity: Array) -> Any:
    """Return the σ at which ρ/2 + √(2ρ ln(1/δ)) = ε (GN.T1)."""
    tail = np.sqrt(-2 * np.log(delta))
    return _from_tail(tail, np.ones(()), epsilon, sensitivity)


@witness
def classical_epsilon_max(*, delta: Array) -> Any:
    """Return the largest ε for which σ = D√(2 ln(1.25/δ))/ε is (ε,δ)-DP (X.CFMAX)."""
    return below(_epsilon_max(_CLASSICAL, delta), _EPSILON_ULPS)


@witness
def dwork_roth_epsilon_max(*, delta: Array) -> Any:
    """Return the largest ε of `dwork_roth_sigma` (GMA.R1)."""
    return below(_epsilon_max(_DWORK_ROTH, delta), _EPSILON_ULPS)


@witness
def dwork_2006_epsilon_max(*, delta: Array) -> Any:
    """Return the largest ε of `dwork_2006_sigma` (X.CFMAX)."""
    return below(_epsilon_max(_DWORK_2006, delta), _EPSILON_ULPS)


def _epsilon_max(constant: float, delta: Array) -> Array:
    """The root of δ(ε) = δ at μ = ε/c, with y, w = c ∓ ε/2c.

    For δ ≤ 1/2 from ln(δ(ε)/δ) = ε/2 − ε²/8c² + ln(m(y) − m(w)) − ln(a√(2π)), above from 1 − δ.
    """
    c = _c(constant, delta)
    level = np.log(constant * np.sqrt(2 * np.pi))

    def excess(eps: Array) -> Array:
        half = eps / (2 * c)
        low = eps / 2 - half * half / 2 + np.log(mills_gap(c, half)) - level
        rest = special.ndtr(c - half) + np.exp(eps) * special.ndtr(-c - half)
        return np.where(delta <= 0.5, low, np.log(1 - delta) - np.log(rest))

    return bisect(excess, np.full_like(c, 0.5), np.full_like(c, 40.0))


@witness
def classical_epsilon_threshold() -> float:
    """Return the smallest `classical_epsilon_max` over all δ (X.CFMAX)."""
    return _threshold(_CLASSICAL)


@witness
def dwork_roth_epsilon_threshold() -> float:
    """Return the smallest `dwork_roth_epsilon_max` over all δ (GMA.R1)."""
    return _threshold(_DWORK_ROTH)


@witness
def dwork_2006_epsilon_threshold() -> float:
    """Return the smallest `dwork_2006_epsilon_max` over all δ (X.CFMAX)."""
    return _threshold(_DWORK_2006)


def _threshold(constant: float) -> float:
    found = optimize.minimize_scalar(
        lambda delta: float(_epsilon_max(constant, np.asarray(delta))),
        bounds=(0.1, 1.0),
        method="bounded",
        options={"xatol": 1e-9},
    )
    return float(below(found.fun, _EPSILON_ULPS))


@witness
def low_privacy_threshold(*, epsilon: Array) -> Any:
    """Return τ(ε) = 1/2 − e^ε Φ(−√(2ε)): σ ≥ D/√(2ε) is needed iff δ ≤ τ(ε) (BW18.T4)."""
    root = np.sqrt(epsilon)
    near = np.exp(epsilon) * special.erf(root) - np.expm1(epsilon)
    return give(np.where(root < 0.5, near, 1 - special.erfcx(root)) / 2)


@witness
def low_privacy_threshold_closed(*, epsilon: Array) -> Any:
    """Return 1/2 − 1/√(4πε) (BW18.T4); arguments and errors as for `low_privacy_threshold`.

    Below ε = 1/π it is negative; its error is then relative.
    """
    return give(0.5 - 1 / (2 * np.sqrt(np.pi) * np.sqrt(epsilon)))


@witness
def low_privacy_threshold_misquoted(*, epsilon: Array) -> Any:
    """Return 1/2 − e^{−3ε}/√(4πε), which is false (BW18.T4)."""
    return give(0.5 - np.exp(-3 * epsilon) / (2 * np.sqrt(np.pi) * np.sqrt(epsilon)))


@witness
def variance_third_boundary(*, epsilon: Array) -> Any:
    """Return the δ below which the exact σ² is more than 2/3 of the classical σ² (BW18.C1)."""
    return _boundary(1.5, 3.55, epsilon)


@witness
def variance_half_boundary(*, epsilon: Array) -> Any:
    """Return the δ below which the exact σ² is more than half of the classical σ² (BW18.C2)."""
    return _boundary(2.0, 2.9, epsilon)


def _boundary(quotient: float, start: float, eps: Array) -> Any:
    """The δ at which the classical variance is `quotient` times the exact one."""
    level = np.log(_CLASSICAL * np.sqrt(2 * np.pi))

    def excess(c: Array) -> Array:
        k = c / np.sqrt(quotient)
        half = eps / (2 * k)
        gap = np.log(mills_gap(k, half))
        return (c * c - k * k) / 2 + eps / 2 - half * half / 2 + gap - level

    c = bisect(excess, np.full_like(eps, start), np.full_like(eps, 90.0))
    return give(_CLASSICAL * np.exp(-c * c / 2))
