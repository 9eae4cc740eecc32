"""The Laplace mechanism in float64 (X.LAP, X.LAPRDP).

Scalars or arrays that broadcast. Every result is on the private side of the exact one, at most
16·2^-52 of it away (64·2^-52 for `laplace_max_error_quantile`), or next to it among the subnormal
numbers (k times as far for k queries); `laplace_epsilon_at_delta`, a difference, by at most
2^-50·D/b. Beyond the largest float64 a result is infinite.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dporacle.fast._broadcast import Array, above, below, give, witness
from dporacle.fast.gaussian.compensated import two_product, two_sum
from dporacle.fast.gaussian.rounding import LEAST

_ULPS = 4  # a few operations, each within 2^-52
_MORE_ULPS = 8  # a sum of sixteen terms, or a tail that was rounded up before
# Of 2: so much smaller, one of the two terms is far below the last bit of the other.
_LARGEST_POWER = 200
_NODES, _WEIGHTS = (each / 2 for each in np.polynomial.legendre.leggauss(16))


@witness
def laplace_delta_at_epsilon(*, epsilon: Array, scale: Array, sensitivity: Array) -> Any:
    """Return δ(ε) = max(0, 1 − e^{(ε − D/b)/2}), not below it (X.LAP)."""
    gap = shortfall(epsilon, scale, sensitivity)
    return give(np.where(gap > 0, np.minimum(above(-np.expm1(-gap / 2), _ULPS), 1.0), 0.0))


def shortfall(eps: Array, scale: Array, sensitivity: Array, times: Array = 1.0) -> Array:
    """Return times·D/b − ε to a few 2^-53 of itself, whatever cancels."""
    d, p = np.frexp(sensitivity)
    b, r = np.frexp(scale)
    e, q = np.frexp(eps)
    whole, whole_rest = two_product(d, times)
    part, part_rest = two_product(e, b)
    shift = np.where(eps == 0, 0, np.clip(q + r - p, -_LARGEST_POWER, _LARGEST_POWER))
    head, rest = two_sum(whole, -np.ldexp(part, shift))
    gap = (head + (rest + (whole_rest - np.ldexp(part_rest, shift)))) / b
    value = np.where(shift < _LARGEST_POWER, np.ldexp(gap, p - r), -eps)
    return np.where(gap > 0, np.maximum(value, LEAST), value)


@witness
def laplace_epsilon_at_delta(*, delta: Array, scale: Array, sensitivity: Array) -> Any:
    """Return the smallest ε ≥ 0 with (ε,δ)-DP, max(0, D/b + 2 ln(1−δ)), not below it (X.LAP)."""
    m = sensitivity / scale
    spent = -2 * np.log1p(-delta)
    # Below 0 by more than its error, the difference is 0 for certain.
    value = (m - spent) + 2.0**-51 * m
    return give(np.where(value >= 0, np.nextafter(value, np.inf), 0.0))


@witness
def laplace_calibrate_scale(*, epsilon: Array, delta: Array, sensitivity: Array) -> Any:
    """Return the least b that is (ε,δ)-DP, D/(ε − 2 ln(1−δ)), not below it (X.LAP)."""
    if np.any((epsilon == 0) & (delta == 0)):
        raise ValueError("epsilon must be positive where delta is 0, got 0: no scale gives both")
    return above(sensitivity / (epsilon - 2 * np.log1p(-delta)), _ULPS)


@witness
def laplace_accuracy(*, alpha: Array, scale: Array) -> Any:
    """Return the a that one error exceeds with probability α, b·ln(1/α), not below it (X.LAP)."""
    return give(np.where(alpha == 1, 0.0, above(scale * -np.log(alpha), _ULPS)))


@witness
def laplace_alpha_at_accuracy(*, accuracy: Array, scale: Array) -> Any:
    """Return α = Pr[|y − f(x)| > a] = e^{−a/b}, not below it (X.LAP)."""
    return give(_tail(accuracy, scale))


@witness
def laplace_scale_at_accuracy(*, accuracy: Array, alpha: Array) -> Any:
    """Return the largest b with accuracy a at significance α, a/ln(1/α), not above it (X.LAP)."""
    return give(np.maximum(below(accuracy / -np.log(alpha), _ULPS), 0.0))


@witness
def laplace_max_error_probability(*, queries: Array, error: Array, scale: Array) -> Any:
    """Return Pr[max |Xᵢ| > a] = 1 − (1 − e^{−a/b})^k, not below it (X.LAP)."""
    tail, ratio = _tail(error, scale), error / scale
    inside = np.where(tail < 0.5, np.log1p(-tail), np.log(-np.expm1(-ratio)))
    return give(np.minimum(above(-np.expm1(queries * inside), _MORE_ULPS), 1.0))


@witness
def laplace_max_error_quantile(*, queries: Array, beta: Array, scale: Array) -> Any:
    """Return the a that the largest of k errors exceeds with probability β, not below it (X.LAP).

    a = −b·ln(1 − (1−β)^{1/k}).
    """
    whole = np.log1p(-beta)
    inside = whole / queries
    share = np.exp(inside)
    tail = np.where(share < 0.5, np.log1p(-share), np.log(-np.expm1(inside)))
    tail = np.where(inside > -1e-200, np.log(-whole) - np.log(queries), tail)  # 1 − e^x is −x
    # ln(1−β) is at least −37, and its error multiplies that of the share.
    return above(scale * -tail, 48)


@witness
def laplace_rdp(*, order: Array, scale: Array, sensitivity: Array) -> Any:
    """Return the Rényi divergence of order α, not below it (X.LAPRDP)."""
    value = _divergence(order, np.maximum(sensitivity / scale, LEAST))
    # Where D/b is beyond the floats, the divergence is D/b, or α/(1−α) of it below α = 1/2.
    d, p = np.frexp(sensitivity)
    w, q = np.frexp(scale)
    share, n = np.frexp(np.where(order < 0.5, order / (1 - order), 1.0))
    return above(
        np.where(np.isinf(sensitivity / scale), np.ldexp(d * share / w, p - q + n), value),
        _MORE_ULPS,
    )


@witness
def laplace_zcdp_rho(*, scale: Array, sensitivity: Array) -> Any:
    """Return the least ρ of zCDP, m − 1 + e^{−m}, not below it (X.LAPRDP)."""
    m = sensitivity / scale
    return above(_divergence(np.ones_like(m), m), _MORE_ULPS)


def _divergence(order: Array, m: Array) -> Array:
    """R_α = m − v·ln(1 + z)/z, z = (1−α)v; where that cancels, ∫₀^m αv/(1 + z), all positive.

    Below α = 1/2 it is R_{1−α}·α/(1−α).
    """
    order, m = np.broadcast_arrays(order, m)
    low = order < 0.5
    lack = np.where(low, order, 1 - order)  # 1 − α of the order that is computed
    half = np.where(low, 0.5 - order, order - 0.5)  # twice that may be beyond the floats
    v = m * _mean_exponential(2 * (half * m))
    z = lack * v
    far = m - v * np.where(z == 0, 1.0, np.log1p(z) / z)
    t = m[..., None] * (0.5 + _NODES)
    v = t * _mean_exponential(2 * (half[..., None] * t))
    near = m * np.sum(_WEIGHTS * ((1 - lack)[..., None] * v) / (1 + lack[..., None] * v), axis=-1)
    value = np.where((1 - lack) * m < 1, near, np.where(np.isinf(m), m, far))
    return np.where(low, value * (order / (1 - order)), value)


def _mean_exponential(x: Array) -> Array:
    """(1 − e^{−x})/x."""
    return np.where(x == 0, 1.0, -np.expm1(-x) / x)


def _tail(bound: Array, scale: Array) -> Any:
    """e^{−a/b}, not below it, with the quotient's rounding error put right."""
    a, p = np.frexp(bound)
    b, q = np.frexp(scale)
    head = a / b
    product, low = two_product(head, b)
    rest = ((a - product) - low) / b
    ratio = np.ldexp(head, p - q)
    small = np.where(np.isfinite(ratio) & (ratio < 800), np.ldexp(rest, p - q), 0.0)
    return np.minimum(above(np.exp(-ratio) * (1 - small), _ULPS), 1.0)
