"""Laplace releases together, and together with Gaussian ones, in float64 (X.LAPCOMP, X.LAPGAUSS).

Every result is at least the exact one; `laplace_repeated_delta` is at most 2^-39 of it above.
`laplace_gaussian_delta` is at most the exact one of inputs that are 2^-48 of themselves on the
less private side, times e^{2^-49(ε + μ²)}, or the least positive float64.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from scipy import special

from dporacle.fast._broadcast import Array, above, give, witness
from dporacle.fast.analytic_gaussian import delta_at_epsilon, log_delta_at_epsilon
from dporacle.fast.laplace import laplace_delta_at_epsilon, shortfall

_MARGIN = 2.0**12  # in units of 2^-52
_STRETCH = 8.0  # e^{−x} over this length is a polynomial of degree 31, to 10^-20
_FAR = 500.0  # less than 10^-30 of the measure lies beyond, and δ is almost 1 there


@witness
def laplace_repeated_delta(
    *, epsilon: Array, scale: Array, releases: Array, sensitivity: Array
) -> Any:
    """Return δ(ε) of k equal Laplace releases together, not below it (X.LAPCOMP)."""
    gap, m = shortfall(epsilon, scale, sensitivity, releases), sensitivity / scale
    one = laplace_delta_at_epsilon(epsilon=epsilon, scale=scale, sensitivity=sensitivity)
    several = np.vectorize(_repeated, otypes=[float])(releases, gap / 2, m)
    # Half of the gap may be no float, and δ is positive all the same.
    return give(np.where(releases == 1, one, np.minimum(above(several, _MARGIN), gap > 0)))


def _repeated(releases: float, top: float, m: float) -> float:
    """δ = ∫₀^T e^{−x}(1 − e^{−2(T−x)}) dU, U the k-fold convolution of (δ₀ + 1_(0,m) + δ_m)/2.

    All terms are positive.
    """
    k = int(releases)
    if top <= 0:
        return 0.0
    if not math.isfinite(top):
        return 1.0
    ends = m * np.arange(min(k, math.ceil(min(top / m, k))) + 1)
    ends = ends[ends < top]
    shares = special.binom(k, np.arange(len(ends))) * 2.0**-k
    total = np.sum(shares * np.exp(-ends) * -np.expm1(-2 * (top - ends)))
    lengths = np.minimum(top - ends, m)
    last = len(ends) - 1
    kept = int(np.sum(ends < _FAR))
    # The pieces of length m have the same nodes; the last one may be shorter.
    for low, high in ((0, min(last, kept)), (last, min(last + 1, kept))):
        if low < high:
            offsets, weights = _nodes(min(float(lengths[low]), _FAR), k // 2 + 16)
            density = _density(k, m, high, offsets)[low:]
            x = ends[low:high, None] + offsets
            total += np.sum(weights * density * np.exp(-x) * -np.expm1(-2 * (top - x)))
    return float(total)


def _density(k: int, m: float, pieces: int, offsets: Array) -> Array:
    """The density of U at x = jm + offset, j < pieces: Σ_d C(k,d)·N_d * (δ₀ + δ_m)^{k−d}/2^k.

    N_d, the d-fold convolution of 1_(0,m), by the B-splines' recursion; the sum by Horner's rule.
    """
    steps = np.arange(pieces)[:, None]
    spline = np.where(steps == 0, np.ones_like(offsets), 0.0)
    total = np.zeros_like(spline)
    for d in range(1, k + 1):
        if d > 1:
            up, down = steps * m + offsets, np.maximum((d - steps) * m - offsets, 0.0)
            spline = (up * spline + down * _moved(spline)) / (d - 1)
        total = total + _moved(total) + special.binom(k, d) * 2.0**-k * spline
    return total


def _moved(rows: Array) -> Array:
    return np.concatenate([np.zeros_like(rows[:1]), rows[:-1]])


def _nodes(length: float, degree: int) -> tuple[Array, Array]:
    """Nodes and weights over (0, length), Gauss and Legendre's on short parts of it."""
    parts = max(1, math.ceil(length / _STRETCH))
    nodes, weights = _legendre(degree)
    part = length / parts
    starts = part * np.arange(parts)[:, None]
    return (starts + part * nodes).ravel(), np.tile(part * weights, parts)


@functools.lru_cache(maxsize=8)
def _legendre(degree: int) -> tuple[Array, Array]:
    nodes, weights = special.roots_legendre(degree)
    return (nodes + 1) / 2, weights / 2


@witness
def laplace_gaussian_delta(*, epsilon: Array, scale: Array, mu: Array, sensitivity: Array) -> Any:
    """Return δ(ε) of a Laplace release and Gaussian releases together, not below it (X.LAPGAUSS).

    With G the profile of μ/2-GDP, s = (ε−m)/2 − μ²/8 and t = (ε+m)/2 + μ²/8, it is
    G(s) + e^s·G(t).
    """
    eps, b, g, distance = np.broadcast_arrays(epsilon, scale, mu, sensitivity)
    bend = g * (g / 8)
    s, t = -shortfall(eps, b, distance) / 2 - bend, eps / 2 + distance / b / 2 + bend
    certain = ~(s > -45)  # δ ≥ 1 − e^s
    s, t = np.where(certain, 0.0, s), np.where(certain, 0.0, t)
    slip = 2.0**-51 * (np.abs(s) + bend)
    low, t = s - np.where(certain, 0.0, slip), t * (1 - 2.0**-51)
    # G(s) = 1 − e^s + e^s·G(−s)
    whole = np.maximum(-np.expm1(low), 0.0)
    first = _gaussian(delta_at_epsilon, np.abs(low), g)
    power = np.minimum(s + slip, 700.0)
    first = np.where(low < 0, np.exp(power) * first, first)
    # e^s may be beyond the floats where e^s·G is not.
    second = np.exp(s + slip + _gaussian(log_delta_at_epsilon, t, g) * (1 - 2.0**-52))
    total = above(whole + first + second, 2.0**11)
    return give(np.where(certain, 1.0, np.minimum(total, 1.0)))


def _gaussian(profile: Any, eps: Array, mu: Array) -> Array:
    return profile(epsilon=np.atleast_1d(eps), sigma=2.0, sensitivity=np.atleast_1d(mu)).reshape(
        np.shape(eps)
    )
