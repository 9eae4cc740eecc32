"""Counts released at or above a threshold, in float64 (X.TAU, X.LAPTAU, X.INTTAU).

Scalars or arrays that broadcast. A threshold is at least the exact one, and above it by at most
2^-45 of 1 and of what the noise adds, since it is their sum and they may cancel; a probability by
at most 2^-39 of it where it is above 1e-290. Beyond the largest float64 a threshold is infinite.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from dporacle.fast._broadcast import ULP, Array, above, give, witness
from dporacle.fast._scaled import Parts, product, scaled

_ULPS = 64
_COUNTS = 1000  # beyond so many 1 − δ is no float where p is near 1/2
_TAIL_ULPS = 2.0**12  # Φ(z) has z² times the relative error of z: up to 1500 times
_LEAST_LEVEL = 1e-290  # of one count: below 2.2e-308 the probability would lose digits
_DEEP = np.log(_LEAST_LEVEL)
_NEAR = 0.1  # ln 2p below which 1 − 2p is better known than p


@witness
def count_threshold(*, delta: Array, sigma: Array, contributions: Array) -> Any:
    """Return the least τ that one of k counts of 1 reaches with probability δ at most (X.TAU)."""
    hidden, log = _hidden(delta, contributions)
    z = np.where(log > 0, -special.ndtri(-np.expm1(hidden)), special.ndtri(np.exp(hidden)))
    z = np.where(np.abs(log) < _NEAR, np.sqrt(2) * special.erfinv(np.expm1(log)), z)
    # A probability for each count that is no full float64: δ/k to far more digits than there are.
    z = np.where(
        delta < _LEAST_LEVEL * contributions,
        -special.ndtri_exp(np.log(delta) - np.log(contributions)),
        z,
    )
    return _threshold(product(sigma), z)


def _hidden(target: Array, count: Array) -> tuple[Array, Array]:
    """Ln p and ln 2p, p the probability that one count of 1 is not shown.

    The second is as accurate where p is near 1/2, as 2^k(1 − δ) and what it is above 1 are exact.
    """
    hidden: Array = np.log1p(-target) / count
    power = np.ldexp(1 - target, np.minimum(count, _COUNTS).astype(np.int32))
    excess = np.where(count == 1, 1 - 2 * target, power - 1)
    log = np.where(np.abs(excess) < 0.5, np.log1p(excess), np.log(power)) / count
    return hidden, np.where(count > _COUNTS, hidden + np.log(2), log)


def _threshold(scale: Parts, height: Array) -> Any:
    """1 + bh, and what its parts may be wrong by; a term that overflows to −∞ is no bound."""
    head, power = scale
    noise = scaled((head * height, power))
    slack = _ULPS * ULP * (1 + np.abs(noise))
    above = np.nextafter(np.where(np.isinf(noise), noise, (1 + noise) + slack), np.inf)
    return give(np.where(height == 0, 1.0, above))


@witness
def count_threshold_delta(*, threshold: Array, sigma: Array, contributions: Array) -> Any:
    """Return 1 − Φ((τ−1)/σ)^k, the probability that one of k counts of 1 reaches τ (X.TAU)."""
    z = (threshold - 1) / sigma
    hidden = np.where(z > 0.5, np.log1p(-special.ndtr(-z)), special.log_ndtr(z))
    return _probability(contributions, special.log_ndtr(-z), hidden)


def _probability(count: Array, shown: Array, hidden: Array) -> Any:
    """1 − (1−p)^k from ln p and ln(1−p); kp where p is no full float64."""
    value = np.where(shown < _DEEP, np.exp(shown + np.log(count)), -np.expm1(count * hidden))
    return give(np.minimum(above(value, _TAIL_ULPS), 1.0))


@witness
def laplace_count_threshold(*, epsilon: Array, delta: Array, contributions: Array) -> Any:
    """Return the least τ at which k counts with Laplace noise k/ε are (ε,δ)-DP (X.LAPTAU)."""
    hidden, log = _hidden(delta, contributions)
    shown = np.where(log < _NEAR, np.log1p(-np.expm1(log)), np.log(-2 * np.expm1(hidden)))
    height = np.where(log > 0, -shown, log)
    tiny = delta < _LEAST_LEVEL * contributions
    height = np.where(tiny, np.log(contributions) - np.log(delta) - np.log(2), height)
    return _threshold(product(contributions, over=(epsilon,)), height)


@witness
def laplace_count_threshold_delta(*, threshold: Array, epsilon: Array, contributions: Array) -> Any:
    """Return the probability that one of k counts of 1 with noise k/ε reaches τ (X.LAPTAU)."""
    power = scaled(product(threshold - 1, epsilon, over=(contributions,)))
    hidden = np.where(power > 0, np.log1p(-np.exp(-power) / 2), power - np.log(2))
    return _probability(contributions, -power - np.log(2), hidden)


@witness
def integer_count_threshold_delta(*, threshold: Array, scale: Array, contributions: Array) -> Any:
    """Return the probability that one of k counts of 1 with whole noise reaches τ (X.INTTAU)."""
    far = threshold - 1
    rest = np.log1p(np.exp(-scaled(product(np.ones_like(far), over=(scale,)))))
    tail = -scaled(product(np.where(far > 0, far, 1 - far), over=(scale,))) - rest
    other = np.log1p(-np.exp(tail))
    return _probability(
        contributions, np.where(far > 0, tail, other), np.where(far > 0, other, tail)
    )
