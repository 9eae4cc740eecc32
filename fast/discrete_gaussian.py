"""The discrete Gaussian mechanism in float64 (X.DG).

Scalars or arrays that broadcast (element by element: the sums have as many terms as σ asks for).
δ, σ and the accuracy are at least the exact value; δ is at most 2^-36 above it (relatively, above
1e-290, for ε up to 10⁴), σ at most 2^-34. The tail and the variance are within 2^-40 relatively.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dporacle.fast._broadcast import Array, Number, above, give, integers, quiet, reals

__all__ = [
    "discrete_accuracy",
    "discrete_calibrate_sigma",
    "discrete_delta_at_epsilon",
    "discrete_tail",
    "discrete_variance",
]

MAX_SIGMA = 1e4

_DELTA_ULPS = 2.0**14
_REACH = 40.0  # e^{−40²/2} is below float64's range


def _sigma(sigma: Any) -> Array:
    return reals("sigma", sigma, high=MAX_SIGMA, high_allowed=True)


def _each(function: Any, *arrays: Array) -> Any:
    """Apply a function of floats to every element."""
    arrays = tuple(np.broadcast_arrays(*arrays))
    found = [
        function(*(float(each) for each in row)) for row in zip(*map(np.ravel, arrays), strict=True)
    ]
    return give(np.array(found).reshape(arrays[0].shape))


def _norm(sigma: float) -> float:
    """Z = Σ e^{−x²/2σ²} over the integers."""
    x = np.arange(1, math.ceil(_REACH * sigma) + 2)
    return 1 + 2 * float(np.sum(np.exp(-((x / sigma) ** 2) / 2)[::-1]))


@quiet
def discrete_delta_at_epsilon(*, epsilon: Number, sigma: Number, sensitivity: Number = 1) -> Any:
    """Return δ(ε) = Pr[Y > εσ²/D − D/2] − e^ε·Pr[Y > εσ²/D + D/2] (X.DG).

    Args:
        epsilon: in [0, ∞).
        sigma: the parameter of the noise Y ~ N_ℤ(0, σ²), in (0, 10⁴].
        sensitivity: D, integers from 1 to 10⁶.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, s = reals("epsilon", epsilon, low_allowed=True), _sigma(sigma)
    value = _each(_delta, eps, s, integers("sensitivity", sensitivity, most=10**6))
    return give(np.minimum(above(np.asarray(value), _DELTA_ULPS), 1.0))


def _delta(eps: float, sigma: float, distance: float) -> float:
    """Σ p(x)(1 − e^{ε − (2x+D)D/2σ²}) over the x at which the bracket is positive."""
    centre = sigma * (eps * sigma / distance) - distance / 2
    if centre > _REACH * sigma:
        return 5e-324
    first = math.floor(centre)
    x = np.arange(first, max(first, 0) + math.ceil(_REACH * sigma) + 2, dtype=np.float64)
    gain = -np.expm1(np.minimum(eps - (distance / sigma) * ((2 * x + distance) / sigma) / 2, 0.0))
    return float(np.sum((np.exp(-((x / sigma) ** 2) / 2) * gain)[::-1])) / _norm(sigma)


@quiet
def discrete_calibrate_sigma(*, epsilon: Number, delta: Number, sensitivity: Number = 1) -> Any:
    """Return the least σ from which on every σ is private (X.DG).

    δ(ε) does not always fall as σ rises: a smaller σ may be private too.

    Args:
        epsilon: in [0, ∞).
        delta: in (0, 1).
        sensitivity: D, integers from 1 to 10⁶.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number, or for a σ that
            would be above 10⁴.
    """
    eps, target = reals("epsilon", epsilon, low_allowed=True), reals("delta", delta, high=1.0)
    value = _each(_calibrate, eps, target, integers("sensitivity", sensitivity, most=10**6))
    return above(np.asarray(value), 2.0**16)


def _calibrate(eps: float, target: float, distance: float) -> float:
    """Down from a σ above which all are private, in steps of 1/256, then by bisection."""
    log = -math.log(target)
    high = distance / (2 * target)
    if eps > 0:
        high = min(high, distance * (math.sqrt(log + eps) + math.sqrt(log)) / (math.sqrt(2) * eps))
    if high > MAX_SIGMA:
        raise ValueError(f"sigma could be above {MAX_SIGMA:g} at epsilon = {eps}, delta = {target}")
    high *= 1 + 2.0**-40
    low = high
    while _delta(eps, low, distance) <= target:
        low, high = low * (1 - 2.0**-8), low
    for _ in range(56):
        middle = (low + high) / 2
        if _delta(eps, middle, distance) > target:
            low = middle
        else:
            high = middle
    return high


@quiet
def discrete_tail(*, error: Number, sigma: Number) -> Any:
    """Return Pr[|Y| > a], Y ~ N_ℤ(0, σ²) (X.DG).

    Args:
        error: a, integers from 0.
        sigma: in (0, 10⁴].

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return _each(_tail, integers("error", error, least=0), _sigma(sigma))


def _tail(error: float, sigma: float) -> float:
    x = np.arange(error + 1, max(error + 2, math.ceil(_REACH * sigma) + 2))
    return 2 * float(np.sum(np.exp(-((x / sigma) ** 2) / 2)[::-1])) / _norm(sigma)


@quiet
def discrete_accuracy(*, alpha: Number, sigma: Number) -> Any:
    """Return the least integer a with Pr[|Y| > a] ≤ α (X.DG), or the next one within 2^-40 of α.

    Args:
        alpha: significance level, in (0, 1].
        sigma: in (0, 10⁴].

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return _each(_accuracy, reals("alpha", alpha, high=1.0, high_allowed=True), _sigma(sigma))


def _accuracy(alpha: float, sigma: float) -> float:
    x = np.arange(1, math.ceil(_REACH * sigma) + 2)
    tails = 2 * np.cumsum(np.exp(-((x / sigma) ** 2) / 2)[::-1])[::-1] / _norm(sigma)
    return float(np.count_nonzero(tails * (1 + 2.0**-40) > alpha))


@quiet
def discrete_variance(*, sigma: Number) -> Any:
    """Return E[Y²], less than σ² (X.DG).

    Args:
        sigma: in (0, 10⁴].

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return _each(_variance, _sigma(sigma))


def _variance(sigma: float) -> float:
    x = np.arange(1, math.ceil(_REACH * sigma) + 2)
    return 2 * float(np.sum((x * x * np.exp(-((x / sigma) ** 2) / 2))[::-1])) / _norm(sigma)
