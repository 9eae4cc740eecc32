"""Accuracy of many queries at once in float64 (GN.S1, GN.L1, GN.A1).

Scalars or arrays that broadcast. Every result is at least the exact value, and above it by at
most 16·2^-52 relatively; by 64·2^-52 for `max_error_quantile` (the logarithm of 1−β is up to 36)
and by 2^-40 for the probabilities (whose exponent t²/2σ² is up to 700), or to the smallest
subnormal. A sample size is the exact one, or one more where the exact quotient lies within 2^-46
below an integer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from dporacle.fast._broadcast import Array, Number, above, give, integers, quiet, reals
from dporacle.fast._scaled import length, product, scaled_above

__all__ = [
    "max_error_bound",
    "max_error_probability",
    "max_error_quantile",
    "noise_tail",
    "noise_tail_bound",
    "projected_sigma",
    "sample_size",
    "sample_size_bound",
    "workload_sensitivity",
]

_ULPS = 7
_TAIL_ULPS = 2.0**11
_QUANTILE_ULPS = 40


def _tail_above(value: Array) -> Any:
    """An upper bound of a probability."""
    return give(np.minimum(above(value, _TAIL_ULPS), 1.0))


@quiet
def workload_sensitivity(*, queries: Number, records: Number) -> Any:
    """Return √k/n, the ℓ2-sensitivity of k counting queries on n records (GN.S1).

    Args:
        queries: k, integers from 1.
        records: n, integers from 1.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return above(np.sqrt(integers("queries", queries)) / integers("records", records), 1)


@quiet
def projected_sigma(*, sigma: Number, vector: Number) -> Any:
    """Return σ‖v‖ for the vectors v along the last axis (GN.L1).

    Args:
        sigma: standard deviation of the noise per coordinate, in (0, ∞).
        vector: entries along the last axis, not all zero.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    scale = reals("sigma", sigma)
    entries = np.abs(reals("vector", vector, low=-np.inf))
    if not np.all(np.max(entries, axis=-1) > 0):
        raise ValueError("vector must not be zero")
    norm, power = length(entries, np.zeros(entries.shape, np.int64))
    mantissa, exponent = product(scale, norm)
    return scaled_above((mantissa, exponent + power), 4 + np.log2(entries.shape[-1]))


@quiet
def noise_tail(*, error: Number, sigma: Number) -> Any:
    """Return Pr[Z > t] = Φ(−t/σ) (GN.L1).

    Args:
        error: t, in [0, ∞).
        sigma: standard deviation of Z, in (0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return _tail_above(special.ndtr(-_ratio(error, sigma)))


@quiet
def noise_tail_bound(*, error: Number, sigma: Number) -> Any:
    """Return e^{−t²/2σ²} (GN.L1); arguments and errors as for `noise_tail`."""
    ratio = _ratio(error, sigma)
    return _tail_above(np.exp(-ratio * ratio / 2))


def _ratio(error: Any, sigma: Any) -> Array:
    return reals("error", error, low_allowed=True) / reals("sigma", sigma)


@quiet
def max_error_probability(*, queries: Number, error: Number, sigma: Number) -> Any:
    """Return Pr[max |Zᵢ| > a] = 1 − erf(a/(σ√2))^k (GN.A1).

    Args:
        queries: k, integers from 1.
        error: a, in [0, ∞).
        sigma: standard deviation of the noise per query, in (0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    k, x = integers("queries", queries), _ratio(error, sigma) * np.sqrt(0.5)
    log = np.where(x > 0.5, np.log1p(-special.erfc(x)), np.log(special.erf(x)))
    return _tail_above(-np.expm1(k * log))


@quiet
def max_error_quantile(*, queries: Number, beta: Number, sigma: Number) -> Any:
    """Return the a that the largest of k errors exceeds with probability β (GN.A1).

    Args:
        queries: k, integers from 1.
        beta: in (0, 1).
        sigma: standard deviation of the noise per query, in (0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return above(_quantile(queries, beta) * reals("sigma", sigma), _QUANTILE_ULPS)


def _quantile(queries: Any, beta: Any) -> Array:
    k, level = integers("queries", queries), reals("beta", beta, high=1.0)
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


@quiet
def max_error_bound(*, queries: Number, beta: Number, sigma: Number) -> Any:
    """Return σ√(2 ln(2k/β)) (GN.A1); arguments and errors as for `max_error_quantile`."""
    return above(_bound(queries, beta) * reals("sigma", sigma), _ULPS)


def _bound(queries: Any, beta: Any) -> Array:
    k, level = integers("queries", queries), reals("beta", beta, high=1.0)
    root: Array = np.sqrt(2 * (np.log(2 * k) - np.log(level)))
    return root


@quiet
def sample_size(*, queries: Number, error: Number, beta: Number, noise_multiplier: Number) -> Any:
    """Return the least n for which k counting queries all err by at most a, but for β (GN.A1).

    Args:
        queries: k, integers from 1.
        error: a, in (0, ∞).
        beta: in (0, 1).
        noise_multiplier: σ per unit of sensitivity, in (0, ∞).

    Returns:
        n as float64, since it may be above 2^63.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return _least(_quantile(queries, beta), queries, error, noise_multiplier)


@quiet
def sample_size_bound(
    *, queries: Number, error: Number, beta: Number, noise_multiplier: Number
) -> Any:
    """Return the n of the union bound (GN.A1); arguments and errors as for `sample_size`."""
    return _least(_bound(queries, beta), queries, error, noise_multiplier)


def _least(quantile: Array, queries: Any, error: Any, multiplier: Any) -> Any:
    root = np.sqrt(integers("queries", queries))
    scale, allowed = reals("noise_multiplier", multiplier), reals("error", error)
    size = product(root, quantile, scale, over=(allowed,))
    return give(np.ceil(scaled_above(size, _QUANTILE_ULPS)))
