"""Integers with equal noises of several parties, in float64 (X.PARTIES).

Scalars or arrays that broadcast. Every result is at least the exact one: each loss is taken to be
as large as its error allows. It is at most 2^-32 of it above in the usual ranges, or next to it
among the subnormal numbers; δ below all floats is the least one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from dporacle.fast._broadcast import Array, above, give, witness
from dporacle.fast.gaussian.rounding import LEAST
from dporacle.fast.laplace import shortfall

_U = 2.0**-53
_DEEP = 760.0  # e^−760 is below all floats
_MARGIN = 2.0**18  # in units of 2^-52: what a mass may lose, an exponential of up to 760


def _gained(logs: Array, gaps: Array, slip: Array) -> float:
    """Σ p(y − Δ)(1 − e^{ε−L(y)})₊, from ln p(y − Δ) and L − ε, known to within `slip`."""
    return float(np.sum(np.exp(logs) * -np.expm1(-np.maximum(gaps + slip, 0.0))))


def _up(value: Array) -> Any:
    # What is left out lies below the least float.
    return np.minimum(np.maximum(above(value, _MARGIN), LEAST), 1.0)


@witness
def discrete_laplace_sum_delta(
    *, epsilon: Array, scale: Array, parties: Array, sensitivity: Array
) -> Any:
    """Return δ(ε) of an integer with discrete Laplace noise of n parties (X.PARTIES)."""
    value = np.vectorize(_laplace, otypes=[float])(epsilon, scale, parties, sensitivity)
    pure = ~(shortfall(epsilon, scale, sensitivity) > 0)
    return give(np.where(pure, 0.0, _up(value)))


_NARROW = 2.0**-11  # e^−2048 is below all floats: of narrower noise all is at 0


def _laplace(epsilon: float, scale: float, parties: float, distance: float) -> float:
    """From the first output whose loss is above ε, a part of the outputs after the other."""
    n, d = int(parties), int(distance)
    half = 1 / (2 * max(scale, _NARROW))
    whole = n * float(np.log1p(-2 * np.exp(-2 * half) / (1 + np.exp(-2 * half))))
    if scale > 1:
        whole = n * math.log(math.tanh(half))
    share = float(np.exp(-4 * half) / -np.expm1(-4 * half))  # a²/(1 − a²)

    def parts(y: Array) -> tuple[Array, Array]:
        """Ln C(n−1+y, n−1), and ln of Pfaff's sum over it."""
        term, total = np.ones_like(y), np.ones_like(y)
        for i in range(n - 1):
            term = term * ((n + i) * (n - 1 - i) / (i + 1)) * (share / (y + 1 + i))
            total = total + term
        return sum((np.log1p(y / j) for j in range(1, n)), np.zeros_like(y)), np.log(total)

    def masses(y: Array) -> Array:
        return whole - 2 * half * y + sum(parts(y))

    def gaps(y: Array) -> tuple[Array, Array]:
        """L(y) − ε and its error, y above Δ/2."""
        moved = np.abs(y - d)
        first = shortfall(np.float64(epsilon), np.float64(scale), y - moved)
        falls = [np.log1p((moved - y) / (j + y)) for j in range(1, n)]
        count = sum(falls, np.zeros_like(y))
        rest = parts(moved)[1] - parts(y)[1] if n > 1 else np.zeros_like(y)
        slip = _U * (8 * np.abs(first) + 16 * np.abs(count) + (12 * n * (n > 1)))
        return first + count + rest, slip

    def gains(y: float) -> bool:
        gap, slip = gaps(np.array([y]))
        return bool(gap[0] + slip[0] > 0)

    below, above_ = float(d // 2), float(d // 2 + 1)
    while not gains(above_):
        below, above_ = above_, 2 * above_
        if masses(np.array([abs(below - d)]))[0] < -_DEEP and below > 2 * d + n * scale:
            return 0.0
    while above_ - below > 1:
        middle = (below + above_) // 2
        below, above_ = (below, middle) if gains(middle) else (middle, above_)
    total, start, length = 0.0, above_, math.ceil(4 * scale) + d + 8
    while True:
        y = start + np.arange(length)
        logs = masses(np.abs(y - d))
        found = _gained(logs, *gaps(y))
        total, start = total + found, start + length
        # The mass at y and y + 1, beyond which the ratio falls to a at most: what is left.
        fall = float(logs[-1] - logs[-2]) if y[-2] > d else 0.0
        if fall < 0 and logs[-1] - math.log(-math.expm1(fall)) < max(
            math.log(max(total, 1e-320)) - 45, -_DEEP
        ):
            return total


@witness
def discrete_gaussian_sum_delta(
    *, epsilon: Array, sigma: Array, parties: Array, sensitivity: Array
) -> Any:
    """Return δ(ε) of an integer with discrete Gaussian noise of n parties (X.PARTIES)."""
    value = np.vectorize(_gaussian, otypes=[float])(epsilon, sigma, parties, sensitivity)
    return give(_up(value))


_SMOOTH = 5.0  # from this variance on, the sum is one discrete Gaussian to within 2^-60


def _gaussian(epsilon: float, sigma: float, parties: float, distance: float) -> float:
    """With p(y) ∝ w(y mod n)·e^{−y²/2nv}."""
    n, d, variance = int(parties), int(distance), sigma * sigma
    whole = n * variance
    weights = _weights(variance, n) if variance < _SMOOTH else np.zeros(n)
    last = math.ceil(math.sqrt(2 * _DEEP * whole)) + n + 1

    def logs(y: Array) -> Array:
        return weights[y.astype(np.int64) % n] - y * y / (2 * whole)

    norm = math.log(1 + 2 * float(np.sum(np.exp(logs(np.arange(1.0, last)) - weights[0]))))
    norm += float(weights[0])
    y = np.arange(float(d // 2 + 1), last + d)
    loss = d * (2 * y - d) / (2 * whole)
    bend = weights[np.abs(y - d).astype(np.int64) % n] - weights[y.astype(np.int64) % n]
    size = float(np.max(np.abs(weights)))
    slip = _U * (8 * (loss + epsilon) + 4 * n * (size + 4) * (size > 0))
    return _gained(logs(np.abs(y - d)) - norm, loss - epsilon + bend, slip)


def _weights(variance: float, n: int) -> Array:
    """Return ln w of n noises, up to a constant, noise by noise; w(0) of one noise is 1."""
    logs = np.zeros(1)
    reach = math.ceil(math.sqrt(80 * variance)) + 3  # around the largest term, next to the centre
    for k in range(1, n):
        y = np.arange(k + 1)[:, None]
        x = (y * k) // (k + 1) + np.arange(-reach, reach + 1)
        away = x - y * (k / (k + 1))
        terms = logs[x % k] - away * away * ((k + 1) / (2 * variance * k))
        most = terms.max(axis=1)
        logs = most + np.log(np.exp(terms - most[:, None]).sum(axis=1))
    return logs


@witness
def skellam_delta(*, epsilon: Array, variance: Array, sensitivity: Array) -> Any:
    """Return δ(ε) of an integer with Skellam noise, of however many parties (X.PARTIES)."""
    return give(_up(np.vectorize(_skellam, otypes=[float])(epsilon, variance, sensitivity)))


def _skellam(epsilon: float, variance: float, distance: float) -> float:
    """With the ratios r of masses, and 1 − r, from far above downwards."""
    d, last = int(distance), 8.0
    while last * math.asinh(last / variance) - math.hypot(last, variance) + variance < _DEEP:
        last *= 1.1
    last = math.ceil(last)
    far, kept = last + d, 0.0
    while kept < 45:  # by r² each the error of the first ratio falls
        kept += 2 * math.asinh(far / variance)
        far += 1
    ratio = variance / (far + 0.5 + math.hypot(far + 1.5, variance))
    rest = 1 - ratio
    ratios, rests = [], []
    for at in range(far, 0, -1):
        a = 2 * at / variance
        ratio = 1 / (a + ratio)
        rest = (a - rest) / (a + 1 - rest)
        ratios.append(ratio)
        rests.append(rest)
    r, q = np.array(ratios)[::-1], np.array(rests)[::-1]
    steps = np.where(r < 0.6, np.log(r), np.log1p(-q))[: last + d]  # ln p(y+1) − ln p(y)
    sums = np.concatenate([[0.0], _sums(steps)])
    y = np.arange(d // 2 + 1, last + d)
    moved = np.abs(y - d)
    loss = sums[moved] - sums[y]
    if d < 64:
        # As few steps, not as a difference of long sums.
        loss = -sum(
            (np.where(y - j - 1 >= 0, 1.0, -1.0) * steps[_step(y, j)] for j in range(d)),
            np.zeros(len(y)),
        )
        slip = _U * (16 * d + (d + 2) * np.abs(loss) + 2 * epsilon)
    else:
        slip = _U * (16 * d + 1024 * np.abs(sums[y]) + 2 * epsilon)
    first = math.log(float(special.ive(0, variance)))
    return _gained(first + sums[moved], loss - epsilon, slip)


def _step(y: Array, j: int) -> Array:
    """Where in the list of steps the one from y − j − 1 to y − j stands, or its mirror image."""
    below = y - j - 1
    return np.where(below >= 0, below, -below - 1)


_BLOCK = 256


def _sums(steps: Array) -> Array:
    """Partial sums, in two levels: an error of (256 + their number/256) roundings."""
    rows = np.concatenate([steps, np.zeros(-len(steps) % _BLOCK)]).reshape(-1, _BLOCK)
    inner = np.cumsum(rows, axis=1)
    before = np.concatenate([[0.0], np.cumsum(inner[:, -1])[:-1]])
    return (inner + before[:, None]).ravel()[: len(steps)]
