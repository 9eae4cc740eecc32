"""σ from (ε, δ, D): D/μ with the last step's correction, rounded up."""

import math
from typing import Any

from dporacle.fast.gaussian.compensated import two_product
from dporacle.fast.gaussian.implied import implied_many, implied_one
from dporacle.fast.gaussian.kernel import ARRAY, SCALAR
from dporacle.fast.gaussian.rounding import U, scaled_up, up

MU_ERROR = 0.62 * U
"""Bound on the relative error of μ, and of what is multiplied or divided by it."""


def expm1(s: Any) -> Any:
    """Return e^s − 1 for |s| ≤ 2⁻¹¹."""
    return s * (1.0 + s * (0.5 + s * (1.0 / 6.0 + s * (1.0 / 24.0))))


def _quotient(d: Any, v: Any, v_low: Any, s: Any, error: float) -> tuple[Any, Any]:
    # d/((v + v_low)·e^s) as head + rest; d and v are far from the ends of the range.
    head = d / v
    product, low = two_product(head, v)
    rest = (((d - product) - low) - head * v_low) / v
    return head, rest + (head + rest) * (expm1(-s) + error)


def sigma_one(k: float, delta: float, sensitivity: float) -> float:
    """Return σ for floats in the domain: 0 or inf when it is outside the range."""
    top = delta > 0.5
    v, v_low, s, n = implied_one(k, 1.0 - delta if top else delta, top)
    d, exponent = SCALAR.parts(sensitivity)
    head, rest = _quotient(d, v, v_low, s, MU_ERROR)
    sigma = head + rest  # rounded up as `up` does
    if rest > sigma - head:
        sigma = math.nextafter(sigma, math.inf)
    shift = exponent - n
    if -1000 < shift < 1000 and 2.0**-20 < sigma < 2.0**20:
        return math.ldexp(sigma, shift)
    return float(scaled_up(SCALAR, sigma, shift, strict=True))


def sigma_many(k: Any, delta: Any, sensitivity: Any) -> Any:
    """Return what `sigma_one` does, for arrays of one dimension."""
    top = delta > 0.5
    v, v_low, s, n = implied_many(k, ARRAY.where(top, 1.0 - delta, delta), top)
    d, exponent = ARRAY.parts(sensitivity)
    head, rest = _quotient(d, v, v_low, s, MU_ERROR)
    return scaled_up(ARRAY, up(ARRAY, head, rest), exponent - n, strict=True)
