"""Accuracy of many queries at once in float64 (GN.S1, GN.L1, GN.A1).

Scalars or arrays that broadcast. Every result is at least the exact value, and as near as its row
says: the logarithm of 1−β in `max_error_quantile` is up to 36, and the exponent t²/2σ² of a
probability up to 700; or it is the smallest subnormal. A sample size is the exact one, or one more
where the exact quotient lies within 2^-46 below an integer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from dporacle.fast._broadcast import Array, above, give, witness
from dporacle.fast._scaled import length, product, scaled_above

_ULPS = 7
_TAIL_ULPS = 2.0**11  # e^{−z²/2} has z² < 1490 times the relative error of z
_QUANTILE_ULPS = 40  # a quantile of scipy is within 16 (measured); its argument loses a few


def _tail_above(value: Array) -> Any:
    """An upper bound of a probability."""
    return give(np.minimum(above(value, _TAIL_ULPS), 1.0))


@witness
def workload_sensitivity(*, queries: Array, records: Array) -> Any:
    """Return √k/n, the ℓ2-sensitivity of k counting queries on n records (GN.S1)."""
    return above(np.sqrt(queries) / records, 1)


@witness
def projected_sigma(*, sigma: Array, vector: Array) -> Any:
    """Return σ‖v‖ for the vectors v along the last axis (GN.L1)."""
    entries = np.abs(vector)
    if not entries.ndim:
        raise TypeError("vector must be a sequence of real numbers, got one number")
    if not np.all(np.max(entries, axis=-1) > 0):
        raise ValueError("vector must not be zero")
    norm, power = length(entries, np.zeros(entries.shape, np.int64))
    mantissa, exponent = product(sigma, norm)
    return scaled_above((mantissa, exponent + power), 4 + np.log2(entries.shape[-1]))


@witness
def noise_tail(*, error: Array, sigma: Array) -> Any:
    """Return Pr[Z > t] = Φ(−t/σ) (GN.L1)."""
    return _tail_above(special.ndtr(-error / sigma))


@witness
def noise_tail_bound(*, error: Array, sigma: Array) -> Any:
    """Return e^{−t²/2σ²} (GN.L1); arguments and errors as for `noise_tail`."""
    ratio = error / sigma
    return _tail_above(np.exp(-ratio * ratio / 2))


@witness
def max_error_probability(*, queries: Array, error: Array, sigma: Array) -> Any:
    """Return Pr[max |Zᵢ| > a] = 1 − erf(a/(σ√2))^k (GN.A1)."""
    x = error / sigma * np.sqrt(0.5)
    log = np.where(x > 0.5, np.log1p(-special.erfc(x)), np.log(special.erf(x)))
    return _tail_above(-np.expm1(queries * log))


@witness
def max_error_quantile(*, queries: Array, beta: Array, sigma: Array) -> Any:
    """Return the a that the largest of k errors exceeds with probability β (GN.A1)."""
    return above(_quantile(queries, beta) * sigma, _QUANTILE_ULPS)


def _quantile(k: Array, level: Array) -> Array:
    log = np.log1p(-level) / k
    root: Array = np.where(
        log > -0.5,
        -special.ndtri(np.minimum(-np.expm1(log) / 2, 0.5)),
        special.erfinv(np.exp(log)) * np.sqrt(2),
    )
    # A level per query that is no full float64: β/k to far more digits than there are.
    tiny = level < 1e-290 * k
    deep: Array = np.where(tiny, -special.ndtri_exp(np.log(level) - np.log(2 * k)), root)
    return deep


@witness
def max_error_bound(*, queries: Array, beta: Array, sigma: Array) -> Any:
    """Return σ√(2 ln(2k/β)) (GN.A1); arguments and errors as for `max_error_quantile`."""
    return above(_bound(queries, beta) * sigma, _ULPS)


def _bound(k: Array, level: Array) -> Array:
    root: Array = np.sqrt(2 * (np.log(2 * k) - np.log(level)))
    return root


@witness
def sample_size(*, queries: Array, error: Array, beta: Array, noise_multiplier: Array) -> Any:
    """Return the least n for which k counting queries err by more than a with chance ≤ β (GN.A1).

    Returns:
        n as float64, since it may be above 2^63.
    """
    return _least(_quantile(queries, beta), queries, error, noise_multiplier)


@witness
def sample_size_bound(*, queries: Array, error: Array, beta: Array, noise_multiplier: Array) -> Any:
    """Return the n of the union bound (GN.A1); arguments and errors as for `sample_size`."""
    return _least(_bound(queries, beta), queries, error, noise_multiplier)


def _least(quantile: Array, queries: Array, allowed: Array, scale: Array) -> Any:
    size = product(np.sqrt(queries), quantile, scale, over=(allowed,))
    return give(np.ceil(scaled_above(size, _QUANTILE_ULPS)))
