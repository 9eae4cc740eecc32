"""The privacy profile of rank-one spherical noise in float64.

Notation and integrals are those of the elementary derivation: K = M − 1, distances in units of
the sensitivity, the curve {L = ε} run through by v (see `proofs_notes/rank_one_gaussian.md`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

__all__ = ["profile"]

_NEGLIGIBLE = 1e-19
_FAR = 1e-5  # ball around the input below which the second density is constant on it
_STEP = 1 / 16


def _nodes() -> tuple[Any, Any, Any]:
    """Return tanh-sinh nodes as distances from both ends of (0, 1), and weights."""
    t = np.arange(-3.25, 3.25 + _STEP / 2, _STEP)
    u = math.pi * np.sinh(t)
    from_low, from_high = special.expit(u), special.expit(-u)
    weights = _STEP * math.pi * np.cosh(t) * from_low * from_high
    return from_low, from_high, weights


_LOW, _HIGH, _WEIGHTS = _nodes()


def _integrate(function: Callable[[Any], Any], low: float, high: float) -> float:
    """Integrate over pieces of length at most 1; algebraic ends do no harm."""
    if not low < high:
        return 0.0
    pieces = max(1, math.ceil(high - low))
    edges = np.linspace(low, high, pieces + 1)
    width = (high - low) / pieces
    nodes = np.where(_LOW < 0.5, edges[:-1, None] + width * _LOW, edges[1:, None] - width * _HIGH)
    return float(np.sum(function(nodes) * _WEIGHTS) * width)


def _halve(keeps: Callable[[float], bool], low: float, high: float) -> float:
    for _ in range(70):
        middle = (low + high) / 2
        if keeps(middle):
            low = middle
        else:
            high = middle
    return (low + high) / 2


def profile(power: float, epsilon: float, s: float) -> float:
    """Return δ(ε) for one ε ≥ 0, one K ≥ 1 and one s = σ*/Δ²."""
    # 1/B(1/2, K/2), by the Pochhammer symbol (K/2)_{1/2}, which does not cancel for large K.
    per_norm = float(special.poch(power / 2, 0.5)) / math.sqrt(math.pi)
    if epsilon == 0:
        return _at_zero(power, s, per_norm)
    reach = (1 / (2 * s) - epsilon) / power
    if reach < 0 and math.exp(reach) * (power + 1 / s) < _FAR and epsilon * s > 80:
        # The first density is C r^−K and the second is constant on the ball around the input.
        return math.sqrt(2 / (math.pi * s)) * power / (power + 1) * math.exp(reach)
    value = _quadrature(power, epsilon, s, per_norm)
    return min(max(value, 0.0), 1.0)


def _edge(power: float, per_norm: float) -> float:
    """Return the c beyond which a Beta tail is negligible."""
    ratio = 2 / power * math.log(_NEGLIGIBLE * power / per_norm)
    return math.sqrt(-math.expm1(min(ratio, -1e-300)))


def _at_zero(power: float, s: float, per_norm: float) -> float:
    a = 1 / math.sqrt(8 * s)

    def function(u: Any) -> Any:
        c = np.exp(u)
        return c * special.erf(a / c) * (-np.expm1(2 * u)) ** ((power - 2) / 2)

    low = math.log(a) - 45 if a < 1 else -45.0
    return 2 * per_norm * _integrate(function, low, 0.0)


def _quadrature(power: float, epsilon: float, s: float, per_norm: float) -> float:
    width, twice = math.sqrt(2 * s), 2 * epsilon * s

    def at(v: Any) -> tuple[Any, ...]:
        x = np.exp(v)
        share = special.expit(-v)
        q = twice * special.expit(v)
        w = 2 * epsilon / power * share
        r2 = q / np.expm1(w)
        return x, share, q, w, r2

    def cosine(v: float) -> float:
        _, _, q, _, r2 = at(v)
        return float((1 - q) / (2 * np.sqrt(r2)))

    def falls(v: float) -> bool:
        x, _, q, w, _ = at(v)
        return bool(q + (1 - q) * (1 + x * w / -np.expm1(-w)) / 2 > 0)

    def far(v: float) -> bool:
        _, _, _, w, r2 = at(v)
        return bool(-r2 / (2 * s) + power * w / 2 < math.log(_NEGLIGIBLE))

    def terms(v: Any, *, inner: bool) -> Any:
        x, share, q, w, r2 = at(v)
        rho2 = r2 + q
        r, rho = np.sqrt(r2), np.sqrt(rho2)
        slope_q, slope_r2 = q * share, r2 * (1 + x * w / -np.expm1(-w)) * share
        c1 = (1 - q) / (2 * r)
        slope_c1 = -(slope_q + (1 - q) * slope_r2 / (2 * r2)) / (2 * r)
        slope_c2 = -(slope_q - (1 + q) * (slope_r2 + slope_q) / (2 * rho2)) / (2 * rho)
        square = (1 - c1) * (1 + c1)
        weight = np.where(square > 0, np.abs(square), 1.0) ** ((power - 2) / 2) * (square > 0)
        if inner:
            first = -special.erf(r / width)
            second = -np.exp(q / (2 * s)) * special.erf(rho / width)
        else:
            fade = np.exp(-r2 / (2 * s))
            first = fade * special.erfcx(r / width)
            second = fade * special.erfcx(rho / width)
        return weight * (first * slope_c1 - rho2 / r2 * second * slope_c2)

    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        edge = _edge(power, per_norm)
        low, high = -1.0, 1.0
        while not far(high) and high < 700:
            high *= 2
        while (far(low) or not cosine(low) > 1) and low > -700:
            low *= 2
        end = _halve(lambda v: not far(v), low, high)
        if cosine(end) > edge:
            return 1.0
        start = _halve(lambda v: cosine(v) > edge, low, end)
        lowest = _halve(falls, start, end)
        if cosine(lowest) > -edge:
            total = _integrate(lambda v: terms(v, inner=False), start, end)
            return 1 + per_norm * total
        before = _halve(lambda v: cosine(v) > -edge, start, lowest)
        after = _halve(lambda v: cosine(v) < -edge, lowest, end) if cosine(end) > -edge else end
        _, _, q, _, r2 = at(before)
        inner = bool(r2 < s and q < 2 * s)
        total = _integrate(lambda v: terms(v, inner=inner), start, before)
        total += _integrate(lambda v: terms(v, inner=False), after, end)
        return per_norm * total + (0.0 if inner else 1.0)
