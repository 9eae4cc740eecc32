"""The discrete Gaussian mechanism in float64 (X.DG).

Scalars or arrays that broadcast, element by element: below σ = 2000 by sums with as many terms as σ
asks for, from there on by the continuous noise and Euler and Maclaurin's corrections.
δ, σ and the accuracy are at least the exact value; δ is at most 2^-36 above it (relatively, above
1e-290, for ε up to 10⁴), σ at most 2^-34.
The tail and the variance are within 2^-40 relatively. σ at an accuracy is at most the exact value,
and at most 2^-36 below it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dporacle.fast._broadcast import (
    Array,
    Number,
    above,
    below,
    give,
    integers,
    quiet,
    quiet_down,
    reals,
)
from dporacle.fast.discrete import profile, tails
from dporacle.fast.discrete.calibration import MAX_SIGMA, calibrated
from dporacle.fast.discrete.lattice import REACH, WIDE, norm

__all__ = [
    "discrete_accuracy",
    "discrete_calibrate_sigma",
    "discrete_delta_at_epsilon",
    "discrete_sigma_at_accuracy",
    "discrete_tail",
    "discrete_variance",
]

_DELTA_ULPS = 2.0**14


def _sigma(sigma: Any) -> Array:
    return reals("sigma", sigma, high=MAX_SIGMA, high_allowed=True)


def _each(function: Any, *arrays: Array) -> Any:
    """Apply a function of floats to every element."""
    arrays = tuple(np.broadcast_arrays(*arrays))
    found = [
        function(*(float(each) for each in row)) for row in zip(*map(np.ravel, arrays), strict=True)
    ]
    return give(np.array(found).reshape(arrays[0].shape))


@quiet
def discrete_delta_at_epsilon(*, epsilon: Number, sigma: Number, sensitivity: Number = 1) -> Any:
    """Return δ(ε) = Pr[Y > εσ²/D − D/2] − e^ε·Pr[Y > εσ²/D + D/2] (X.DG).

    Args:
        epsilon: in [0, ∞).
        sigma: the parameter of the noise Y ~ N_ℤ(0, σ²), in (0, 1e150].
        sensitivity: D, integers from 1 to 10⁶.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, s = reals("epsilon", epsilon, low_allowed=True), _sigma(sigma)
    value = _each(profile.delta, eps, s, integers("sensitivity", sensitivity, most=10**6))
    return give(np.minimum(above(np.asarray(value), _DELTA_ULPS), 1.0))


@quiet
def discrete_calibrate_sigma(*, epsilon: Number, delta: Number, sensitivity: Number = 1) -> Any:
    """Return the least σ from which on every σ is private (X.DG).

    δ(ε) does not always fall as σ rises: a smaller σ may be private too.

    Args:
        epsilon: in [0, ∞).
        delta: in (0, 1).
        sensitivity: D, integers from 1 to 10⁶.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, target = reals("epsilon", epsilon, low_allowed=True), reals("delta", delta, high=1.0)
    value = _each(calibrated, eps, target, integers("sensitivity", sensitivity, most=10**6))
    return above(np.asarray(value), 2.0**16)


@quiet
def discrete_tail(*, error: Number, sigma: Number) -> Any:
    """Return Pr[|Y| > a], Y ~ N_ℤ(0, σ²), rounded up and never 0 (X.DG).

    Args:
        error: a, integers from 0.
        sigma: in (0, 1e150].

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    value = np.asarray(_each(tails.tail, integers("error", error, least=0), _sigma(sigma)))
    # A sum of subnormal numbers has lost a few units of the last place.
    return give(np.minimum(above(value, _DELTA_ULPS) + 2.0**-1068, 1.0))


@quiet
def discrete_accuracy(*, alpha: Number, sigma: Number) -> Any:
    """Return the least integer a with Pr[|Y| > a] ≤ α (X.DG), or that of a level 2^-39 below it.

    Args:
        alpha: significance level, in (0, 1].
        sigma: in (0, 1e150].

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return _each(tails.accuracy, reals("alpha", alpha, high=1.0, high_allowed=True), _sigma(sigma))


@quiet_down
def discrete_sigma_at_accuracy(*, error: Number, alpha: Number) -> Any:
    """Return the largest σ with Pr[|Y| > a] ≤ α, rounded down (X.DGACC).

    Args:
        error: a, integers from 0.
        alpha: significance level, in (0, 1).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    a, level = integers("error", error, least=0), reals("alpha", alpha, high=1.0)
    # The tail is within 2^-40, and its logarithm rises by 1/2 and more where σ rises by e.
    return below(_each(tails.sigma_at, a, level), 2.0**15)


@quiet
def discrete_variance(*, sigma: Number) -> Any:
    """Return E[Y²], less than σ² (X.DG).

    Args:
        sigma: in (0, 1e150].

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return _each(_variance, _sigma(sigma))


def _variance(sigma: float) -> float:
    if sigma >= WIDE:
        return sigma * sigma  # less by the part e^{−2π²σ²}
    x = np.arange(1, math.ceil(REACH * sigma) + 2)
    return 2 * float(np.sum((x * x * np.exp(-((x / sigma) ** 2) / 2))[::-1])) / norm(sigma)
