"""Results that are functions of the geometry: δ, ln δ, the two tails and the two slopes.

Each is rounded up in magnitude, by a bound on its relative error.
"""

from typing import Any

import numpy as np

from dporacle.fast.gaussian.compensated import two_product, two_sum
from dporacle.fast.gaussian.density import density
from dporacle.fast.gaussian.logarithm import logarithm
from dporacle.fast.gaussian.loss import ABOVE, BEYOND, CERTAIN, NEARBY, WIDE
from dporacle.fast.gaussian.mills import mills
from dporacle.fast.gaussian.profile import (
    Geometry,
    Value,
    above,
    density_times,
    near,
    profile,
    wide,
)
from dporacle.fast.gaussian.rounding import LEAST, U, scaled_up, up
from dporacle.fast.tables import LN_SQRT_2PI, LN_SQRT_2PI_REST

DELTA_ERROR = 0.5 * U
"""Bound on the relative error of a tail or a slope."""

ERRORS = {WIDE: 1.15 * U, NEARBY: 0.45 * U, ABOVE: 0.15 * U}
"""Bound on the relative error of δ, or of 1 − δ above half: proved by a tool (see the note)."""

LOG_ERROR = 1.5 * U
"""Bound on the relative error of ln δ."""

_LARGEST = 1.896150381621835e154  # y²/2 is just below the largest float64

_REGIONS = {WIDE: wide, NEARBY: near, ABOVE: above}


def _rounded(value: Value, n: Any, error: float = DELTA_ERROR) -> Any:
    result = up(value.head, value.rest + value.head * error)
    result = scaled_up(result, n - value.n)
    return np.where(result > 0.0, result, LEAST)


def _one_minus(value: Value, error: float = DELTA_ERROR) -> Any:
    # Rounded up, and never above 1: what is subtracted is a lower bound.
    rest = np.ldexp(value.rest - value.head * error, -value.n)
    head, low = two_sum(1.0, -np.ldexp(value.head, -value.n))
    return up(head, low - rest)


def delta(region: int, g: Geometry, n: Any) -> Any:
    """Return δ(ε), rounded up."""
    if region == BEYOND:
        return 0.0 * g.y + LEAST
    if region == CERTAIN:
        return 0.0 * g.y + 1.0
    value = Value(*profile(g, _REGIONS[region]))
    error = ERRORS[region]
    if region == ABOVE:
        return _one_minus(value, error)
    return _rounded(value, n, error)


def log_delta(region: int, g: Geometry, n: Any) -> Any:
    """Return ln δ(ε), rounded up; the least finite number stands for everything below it."""
    if region == CERTAIN:
        return 0.0 * g.y
    if region == BEYOND:
        return _log_beyond(g, n)
    value = Value(*profile(g, _REGIONS[region]))
    if region == ABOVE:
        return _log_one_minus(value)
    head, rest = logarithm(value.head, value.rest, value.n - n)
    return up(head, rest - head * LOG_ERROR)


def _log_one_minus(value: Value) -> Any:
    head, rest = two_sum(value.head, value.rest)
    head = np.ldexp(head, -value.n)
    rest = np.ldexp(rest, -value.n)
    # Small: −2 artanh of c/(2 − c), as −z(2 + …) with z = c/2 + c²/(4 − 2c).
    z = (head + rest) / (2.0 - head)
    zz = z * z
    series = (head * z + rest) + z * zz * (2.0 / 3.0 + zz * (0.4 + zz * (2.0 / 7.0)))
    small, small_rest = -head, -series
    total, low = two_sum(1.0, -head)
    large, large_rest = logarithm(total, low - rest)
    is_small = head < 2.0**-6
    head = np.where(is_small, small, large)
    rest = np.where(is_small, small_rest, large_rest)
    return np.where(head < 0.0, up(head, rest - head * LOG_ERROR), 0.0)


def _log_beyond(g: Geometry, n: Any) -> Any:
    y = np.where(g.y < _LARGEST, g.y, _LARGEST)
    y_low = np.where(g.y < _LARGEST, g.y_low, 0.0)
    # (m(y) − m(w))·yw/v = 1 − h₂ + 3h₄ − 15h₆ + …, hₘ = Σ aᵐ⁻ⁱbⁱ: enough against y²/2 > 760.
    a, b = 1.0 / y, 1.0 / g.w
    aa, bb, add = a * a, b * b, a + b
    power = b * bb
    h2 = aa + a * b + bb
    h4 = aa * h2 + power * add
    power = power * bb
    h6 = aa * h4 + power * add
    power = power * bb
    h8 = aa * h6 + power * add
    h10 = aa * h8 + power * bb * add
    c = h2 - 3.0 * h4 + 15.0 * h6 - 105.0 * h8 + 945.0 * h10
    c = c * (1.0 + c * (0.5 + c * (1.0 / 3.0 + c * 0.25)))
    # Where the quotient would underflow, a few hundred are nothing against y²/2.
    ratio = np.where(y < 2.0**100, (g.v / y) / g.w, 1.0)
    log, log_rest = logarithm(ratio, 0.0, -n)
    half = 0.5 * y
    square, square_low = two_product(half, half)
    head, low = two_sum(-2.0 * square, log - LN_SQRT_2PI)
    low = low + (((log_rest - LN_SQRT_2PI_REST) - c) - (2.0 * square_low + y * y_low))
    return up(head, low - head * LOG_ERROR)


def slope_mu(region: int, g: Geometry, n: Any) -> Any:
    """Return ∂δ/∂μ = φ(y), rounded up."""
    # φ(±41) is far below the least positive number.
    inside = abs(g.y) < 41.0
    y = np.where(inside, g.y, 41.0)
    low = np.where(inside, g.y_low, 0.0)
    n, head, rest = density(y, low)
    return _rounded(Value(n, head, rest, head), 0)


def _tail(y: Any, low: Any, x: Any, x_low: Any) -> Value:
    # φ(y)·m(x) for |y| < 41
    head, rest = mills(x, x_low)
    return Value(*density_times(y, low, 1.0, head, rest))


def upper_tail(region: int, g: Geometry, n: Any) -> Any:
    """Return Φ(−y), rounded up."""
    if region == CERTAIN:
        return 0.0 * g.y + 1.0
    if region == BEYOND:
        return 0.0 * g.y + LEAST
    if region == ABOVE:
        return _one_minus(_tail(g.y, g.y_low, -g.y, -g.y_low))
    return _rounded(_tail(g.y, g.y_low, g.y, g.y_low), 0)


def lower_tail(region: int, g: Geometry, n: Any) -> Any:
    """Return Φ(−w), rounded up."""
    inside = g.w < 41.0
    w = np.where(inside, g.w, 41.0)
    low = np.where(inside, g.w_low, 0.0)
    return _rounded(_tail(w, low, w, low), 0)


def slope_epsilon(region: int, g: Geometry, n: Any) -> Any:
    """Return −∂δ/∂ε = φ(y)·m(w), rounded up."""
    inside = abs(g.y) < 41.0
    y = np.where(inside, g.y, 41.0)
    low = np.where(inside, g.y_low, 0.0)
    return _rounded(_tail(y, low, g.w, g.w_low), 0)


def twice_tail(accuracy: Any, sigma: Any) -> Any:
    """Return 2Φ(−a/σ), rounded up, for a ≥ 0."""
    a, a_exponent = np.frexp(accuracy)
    x, exponent = np.frexp(sigma)
    y = a / x
    product, error = two_product(y, x)
    low = ((a - product) - error) / x
    # Beyond 2⁷ nothing is left; below 2⁻²⁰⁰ what is missing from 1 is lost in the rounding.
    shift = np.clip(a_exponent - exponent, -200, 7)
    y = np.ldexp(y, shift)
    inside = y < 41.0
    y = np.where(inside, y, 41.0)
    low = np.where(inside, np.ldexp(low, shift), 0.0)
    value = _tail(y, low, y, low)
    result = np.where(y == 0.0, 1.0, _rounded(value, 1))
    return np.where(result < 1.0, result, 1.0)
