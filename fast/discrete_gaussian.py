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

from dporacle.fast._broadcast import Array, Number, above, below, give, reals, witness
from dporacle.fast.discrete import profile, tails
from dporacle.fast.discrete.calibration import MAX_SIGMA, calibrated
from dporacle.fast.discrete.lattice import REACH, WIDE, norm

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


@witness
def discrete_delta_at_epsilon(*, epsilon: Array, sigma: Number, sensitivity: Array) -> Any:
    """Return δ(ε) = Pr[Y > εσ²/D − D/2] − e^ε·Pr[Y > εσ²/D + D/2] (X.DG).

    Args:
        sigma: the parameter of the noise, in (0, 1e150].
    """
    s = _sigma(sigma)
    value = _each(profile.delta, epsilon, s, sensitivity)
    return give(np.minimum(above(np.asarray(value), _DELTA_ULPS), 1.0))


@witness
def discrete_calibrate_sigma(*, epsilon: Array, delta: Array, sensitivity: Array) -> Any:
    """Return the least σ from which on every σ is private (X.DG).

    δ(ε) does not always fall as σ rises: a smaller σ may be private too.
    """
    value = _each(calibrated, epsilon, delta, sensitivity)
    return above(np.asarray(value), 2.0**16)


@witness
def discrete_tail(*, error: Array, sigma: Number) -> Any:
    """Return Pr[|Y| > a], Y ~ N_ℤ(0, σ²), rounded up and never 0 (X.DG).

    Args:
        sigma: the parameter of the noise, in (0, 1e150].
    """
    value = np.asarray(_each(tails.tail, error, _sigma(sigma)))
    # A sum of subnormal numbers has lost a few units of the last place.
    return give(np.minimum(above(value, _DELTA_ULPS) + 2.0**-1068, 1.0))


@witness
def discrete_accuracy(*, alpha: Array, sigma: Number) -> Any:
    """Return the least integer a with Pr[|Y| > a] ≤ α (X.DG), or that of a level 2^-39 below it.

    Args:
        sigma: the parameter of the noise, in (0, 1e150].
    """
    return _each(tails.accuracy, alpha, _sigma(sigma))


@witness
def discrete_sigma_at_accuracy(*, error: Array, alpha: Array) -> Any:
    """Return the largest σ with Pr[|Y| > a] ≤ α, rounded down (X.DGACC)."""
    # The tail is within 2^-40, and its logarithm rises by 1/2 and more where σ rises by e.
    return below(_each(tails.sigma_at, error, alpha), 2.0**15)


@witness
def discrete_variance(*, sigma: Number) -> Any:
    """Return E[Y²], less than σ² (X.DG).

    Args:
        sigma: the parameter of the noise, in (0, 1e150].
    """
    return _each(_variance, _sigma(sigma))


def _variance(sigma: float) -> float:
    if sigma >= WIDE:
        return sigma * sigma  # less by the part e^{−2π²σ²}
    x = np.arange(1, math.ceil(REACH * sigma) + 2)
    return 2 * float(np.sum((x * x * np.exp(-((x / sigma) ** 2) / 2))[::-1])) / norm(sigma)
