"""σ from (ε, δ, D): D/μ with the last step's correction, rounded up."""

from typing import Any

import numpy as np

from dporacle.fast.gaussian.compensated import two_product
from dporacle.fast.gaussian.implied import implied_many
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


def sigma_many(k: Any, delta: Any, sensitivity: Any) -> Any:
    """Return σ for arrays in the domain: 0 or inf where it is outside the range."""
    top = delta > 0.5
    v, v_low, s, n = implied_many(k, np.where(top, 1.0 - delta, delta), top)
    d, exponent = np.frexp(sensitivity)
    head, rest = _quotient(d, v, v_low, s, MU_ERROR)
    return scaled_up(up(head, rest), exponent - n, strict=True)
