"""The privacy loss of the Gaussian mechanism, L ~ N(η, 2η), in float64.

Arguments, results and errors are those of `dporacle.fast.analytic_gaussian`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dporacle.fast._broadcast import Array
from dporacle.fast._kernels import by_kernel
from dporacle.fast.gaussian.compensated import two_product, two_sum
from dporacle.fast.gaussian.delta import lower_tail, upper_tail
from dporacle.fast.gaussian.loss import of_loss
from dporacle.fast.gaussian.rounding import LEAST, scaled_up, up


@by_kernel("eta")
def loss_mean(sigma: Array, sensitivity: Array) -> Any:
    """Return η = D²/(2σ²), the mean of L and half its variance, rounded up (BW18.L3)."""
    d, d_exponent = np.frexp(sensitivity)
    s, exponent = np.frexp(sigma)
    head = d / s
    product, error = two_product(head, s)
    low = ((d - product) - error) / s
    square, square_low = two_product(head, head)
    rest = square_low + 2.0 * head * low + square * 2.0**-100
    total, rest = two_sum(square, rest)
    result = scaled_up(up(total, rest), 2 * (d_exponent - exponent) - 1)
    return np.where(result > 0.0, result, LEAST)


@by_kernel("tail")
def loss_upper_tail(epsilon: Array, sigma: Array, sensitivity: Array) -> Any:
    """Return Pr[L ≥ ε] = Φ(D/(2σ) − εσ/D), rounded up (BW18.L6)."""
    return of_loss(upper_tail, epsilon, sigma, sensitivity)


@by_kernel("tail")
def loss_lower_tail(epsilon: Array, sigma: Array, sensitivity: Array) -> Any:
    """Return Pr[L′ ≤ −ε] = Φ(−D/(2σ) − εσ/D), rounded up, of the reverse loss L′ (BW18.L6)."""
    return of_loss(lower_tail, epsilon, sigma, sensitivity)
