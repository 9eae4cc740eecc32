"""The exact condition (BW18.T8) and its inverses, in float64.

M is (ε, δ)-DP exactly when δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ) ≤ δ, with μ = D/σ for an
ℓ2-sensitivity D and a noise of standard deviation σ per coordinate.

Every function takes Python floats and ints, numpy scalars, or arrays that broadcast (lists and
tuples are read as arrays). Inputs are taken as the exact numbers they are. A float comes back
when all arguments are scalars, else an array: of float64, or of float32 when every array
argument is float32. Results are rounded to the private side, also to float32.

Errors, for all of them: `TypeError` for what is not a real number (bool, str, complex,
object); `ValueError` for NaN, infinities, numbers outside the domain or not exact in float64,
empty arrays and shapes that do not broadcast; `OverflowError` for a result outside the range
of float64; `FloatingPointError` where another library has changed how the processor rounds.
Messages name the argument, and the index in an array.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from dporacle.fast._broadcast import Array
from dporacle.fast._kernels import by_kernel
from dporacle.fast.gaussian import compiled
from dporacle.fast.gaussian import delta as _delta
from dporacle.fast.gaussian.calibrate import sigma_many
from dporacle.fast.gaussian.compensated import two_product
from dporacle.fast.gaussian.epsilon import epsilon_many
from dporacle.fast.gaussian.loss import of_loss
from dporacle.fast.gaussian.rounding import scaled_up, up


def _sigma_of_numbers(*, epsilon: Any, delta: Any, sensitivity: Any = 1) -> float:
    return compiled.sigma_one(epsilon, delta, sensitivity)


@by_kernel("sigma", zero_is_range=True, single=_sigma_of_numbers)
def calibrate_sigma(epsilon: Array, delta: Array, sensitivity: Array) -> Any:
    """Return the smallest σ for (ε, δ)-DP, rounded up (BW18.T8, BW18.T9).

    Never below the exact σ, and at most 2.24 units in the last place above it.
    """
    return compiled.many("sigma_many", sigma_many, epsilon, delta, sensitivity)


def _delta_of_numbers(*, epsilon: Any, sigma: Any, sensitivity: Any = 1) -> float:
    return compiled.delta_one(epsilon, sigma, sensitivity)


@by_kernel("delta", single=_delta_of_numbers)
def delta_at_epsilon(epsilon: Array, sigma: Array, sensitivity: Array) -> Any:
    """Return δ(ε), the smallest δ for which M is (ε, δ)-DP, rounded up (BW18.T8).

    Never below the exact δ(ε), never above 1, and never 0: a positive δ(ε) below the smallest
    float64 gives 5e-324.
    """
    formula = functools.partial(of_loss, _delta.delta)
    return compiled.many("delta_many", formula, epsilon, sigma, sensitivity)


def _epsilon_of_numbers(*, delta: Any, sigma: Any, sensitivity: Any = 1) -> float:
    return compiled.epsilon_one(delta, sigma, sensitivity)


@by_kernel("epsilon", single=_epsilon_of_numbers)
def epsilon_at_delta(delta: Array, sigma: Array, sensitivity: Array) -> Any:
    """Return the smallest ε ≥ 0 with δ(ε) ≤ δ, rounded up (X.EPS).

    Never below the exact ε, never negative, and 0 only when 0 is exact.
    """
    return compiled.many("epsilon_many", epsilon_many, delta, sigma, sensitivity)


@by_kernel("log delta")
def log_delta_at_epsilon(epsilon: Array, sigma: Array, sensitivity: Array) -> Any:
    """Return ln δ(ε), rounded up (BW18.T8), also where δ(ε) itself is below 5e-324.

    At most 0. Below −1.79e308, the range of float64, about that number is returned.
    """
    return of_loss(_delta.log_delta, epsilon, sigma, sensitivity)


@by_kernel("slope")
def delta_slope_mu(epsilon: Array, sigma: Array, sensitivity: Array) -> Any:
    """Return ∂δ/∂μ = φ(μ/2 − ε/μ) > 0, rounded up (BW18.L7)."""
    return of_loss(_delta.slope_mu, epsilon, sigma, sensitivity)


@by_kernel("slope")
def delta_slope_epsilon(epsilon: Array, sigma: Array, sensitivity: Array) -> Any:
    """Return ∂δ/∂ε = −e^ε Φ(−μ/2 − ε/μ) < 0, rounded away from 0 (BW18.L7)."""
    return -of_loss(_delta.slope_epsilon, epsilon, sigma, sensitivity)


@by_kernel("sigma", zero_is_range=True)
def pinsker_sigma(delta: Array, sensitivity: Array) -> Any:
    """Return σ = D/(2δ), which is enough for (0, δ)-DP, rounded up (BW18.T2).

    The result is the smallest float64 that is not below D/(2δ).
    """
    d, d_exponent = np.frexp(sensitivity)
    x, exponent = np.frexp(delta)
    head = d / x
    product, low = two_product(head, x)
    rounded = up(head, (d - product) - low)  # the remainder's sign is all that matters
    return scaled_up(rounded, d_exponent - exponent - 1, strict=True)
