"""The classical calibration, in float64.

Arguments, results and errors are those of `dporacle.fast.analytic_gaussian`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dporacle.fast._broadcast import Array
from dporacle.fast._kernels import by_kernel
from dporacle.fast.gaussian.compensated import two_product, two_sum
from dporacle.fast.gaussian.logarithm import logarithm
from dporacle.fast.gaussian.rounding import U, scaled_up, up
from dporacle.fast.tables import LN_1_25, LN_1_25_REST

_ERROR = 0.25 * U  # bound on the relative error before the rounding


@by_kernel("sigma", zero_is_range=True)
def classical_sigma(epsilon: Array, delta: Array, sensitivity: Array) -> Any:
    """Return σ = D√(2 ln(1.25/δ))/ε, rounded up (BW18.T1).

    The formula is evaluated for every ε > 0; the theorem that it gives (ε, δ)-DP
    covers only ε ≤ 1.
    """
    log, log_rest = logarithm(delta)
    head, low = two_sum(LN_1_25, -log)
    square = head + head
    square_rest = 2.0 * (low + (LN_1_25_REST - log_rest))
    root = np.sqrt(square)
    product, error = two_product(root, root)
    root_rest = (((square - product) - error) + square_rest) / (2.0 * root)
    d, d_exponent = np.frexp(sensitivity)
    k, exponent = np.frexp(epsilon)
    top, top_rest = two_product(d, root)
    top_rest = top_rest + d * root_rest
    head = top / k
    product, error = two_product(head, k)
    rest = (((top - product) - error) + top_rest) / k + head * _ERROR
    return scaled_up(up(head, rest), d_exponent - exponent, strict=True)
