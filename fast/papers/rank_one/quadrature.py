"""Nodes and ends of the integrals in the float64 profile of rank-one spherical noise.

Notation and integrals are those of the elementary derivation: K = M − 1, distances in units of
the sensitivity, the curve {L = ε} run through by v (see `proofs_notes/rank_one_gaussian.md`).
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

_NEGLIGIBLE = 1e-19  # a thousandth of the rounding of the whole
_TINY = 1e-5  # ball around the input below which the second density is constant on it

Cuts = tuple[float | None, float | None, float | None, float | None]
"""The v at which the integral starts, where a gap begins and ends (if there is one), its end."""


def nodes(step: float) -> tuple[Any, Any, Any]:
    """Return tanh-sinh nodes as distances from both ends of (0, 1), and weights."""
    t = np.arange(-3.25, 3.25 + step / 2, step)
    u = math.pi * np.sinh(t)
    from_low, from_high = special.expit(u), special.expit(-u)
    weights = step * math.pi * np.cosh(t) * from_low * from_high
    return from_low, from_high, weights


def _halve(keeps: Callable[[float], bool], low: float, high: float) -> float:
    for _ in range(70):
        middle = (low + high) / 2
        if keeps(middle):
            low = middle
        else:
            high = middle
    return (low + high) / 2


_GAMMA_RATIO = (1, -1 / 8, 1 / 128, 5 / 1024, -21 / 2**15, -399 / 2**18, 869 / 2**22, 39325 / 2**25)
"""Γ(x + ½)/Γ(x) = √x·(1 − 1/(8x) + …); from x = 60 on what is left out is below 2e-18 of it."""


def norm(power: float) -> float:
    """Return 1/B(1/2, K/2) = Γ((K+1)/2)/(√π·Γ(K/2)), to 1e-15 relatively."""
    x = power / 2
    if x >= 60:
        ratio = math.sqrt(x) * sum(c / x**i for i, c in enumerate(_GAMMA_RATIO))
    else:
        ratio = math.gamma(x + 0.5) / math.gamma(x)
    return ratio / math.sqrt(math.pi)


def near_and_far(power: float, epsilon: float, s: float) -> tuple[float, float] | None:
    """Return R₁ and R₂ if {L > ε} is a tiny ball, inside {r < 2R₁}, and a part of {r > R₂}.

    The largest loss G(r) at distance r falls up to r(r+1) = Ks and rises from there, so that it is
    below ε between two places where it is. At 2R₁ it is, as 2R₁(K + 1/s) is tiny; at R₂ it is seen.
    """
    log = (1 / (2 * s) - epsilon) / power
    if log >= 0 or math.exp(log) * (power + 1 / s) >= _TINY:
        return None
    near, far = math.exp(log), 0.9 * (epsilon * s - 0.5)
    least = 1.01 * power * math.log1p(1 / far) + (2 * far + 1) / (2 * s)
    is_rare = far * far > 90 * s  # to lie beyond R₂: less than 1e-19
    return (near, far) if is_rare and far > 2 * near and least < 0.99 * epsilon else None


def power_of_sine(power: float, c: Any) -> Any:
    """Return (1 − c²)^{(K−2)/2}, 0 where |c| ≥ 1; where c is small without rounding 1 − c²."""
    square = (1 - c) * (1 + c)
    kept = np.where(square > 0, square, 1.0)
    small = np.abs(c) < 0.7
    log = np.where(small, np.log1p(-np.where(small, c * c, 0.0)), np.log(kept))
    return np.exp((power - 2) / 2 * log) * (square > 0)


def _edge(power: float, per_norm: float) -> float:
    """Return the c beyond which a Beta tail is negligible."""
    ratio = 2 / power * math.log(_NEGLIGIBLE * power / per_norm)
    return math.sqrt(-math.expm1(min(ratio, -1e-300)))


def stretches(power: float, epsilon: float, s: float, per_norm: float) -> tuple[Cuts, bool]:
    """Return where to integrate, and whether the form for small radii is due before the gap.

    There is no start if |c₁| is never below 1 by more than the end of a Beta tail.
    """
    twice = 2 * epsilon * s

    def at(v: float) -> tuple[float, ...]:
        q = twice * special.expit(v)
        w = 2 * epsilon / power * special.expit(-v)
        return q, w, q / np.expm1(w)

    def cosine(v: float) -> float:
        q, _, r2 = at(v)
        return float((1 - q) / (2 * np.sqrt(r2)))

    def falls(v: float) -> bool:
        q, w, _ = at(v)
        return bool(q + (1 - q) * (1 + np.exp(v) * w / -np.expm1(-w)) / 2 > 0)

    def far(v: float) -> bool:
        _, w, r2 = at(v)
        return bool(-r2 / (2 * s) + power * w / 2 < math.log(_NEGLIGIBLE))

    edge = _edge(power, per_norm)
    low, high = -1.0, 1.0
    while not far(high) and high < 700:
        high *= 2
    while (far(low) or not cosine(low) > 1) and low > -700:
        low *= 2
    end = _halve(lambda v: not far(v), low, high)
    if cosine(end) > edge:
        return (None, None, None, end), False
    start = _halve(lambda v: cosine(v) > edge, low, end)
    lowest = _halve(falls, start, end)
    if cosine(lowest) > -edge:
        return (start, None, None, end), False
    before = _halve(lambda v: cosine(v) > -edge, start, lowest)
    after = _halve(lambda v: cosine(v) < -edge, lowest, end) if cosine(end) > -edge else end
    q, _, r2 = at(before)
    return (start, before, after, end), bool(r2 < s and q < 2 * s)
