"""Results that are functions of the geometry: δ, ln δ, the two tails and the two slopes.

Each is rounded up in magnitude, by a bound on its relative error.
"""

from typing import Any

from dporacle.fast.gaussian.compensated import two_product, two_sum
from dporacle.fast.gaussian.density import density
from dporacle.fast.gaussian.kernel import Kernel
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


def _rounded(kernel: Kernel, value: Value, n: Any, error: float = DELTA_ERROR) -> Any:
    result = up(kernel, value.head, value.rest + value.head * error)
    result = scaled_up(kernel, result, n - value.n)
    return kernel.where(result > 0.0, result, LEAST)


def _one_minus(kernel: Kernel, value: Value, error: float = DELTA_ERROR) -> Any:
    # Rounded up, and never above 1: what is subtracted is a lower bound.
    rest = kernel.scale(value.rest - value.head * error, -value.n)
    head, low = two_sum(1.0, -kernel.scale(value.head, -value.n))
    return up(kernel, head, low - rest)


def delta(kernel: Kernel, region: int, g: Geometry, n: Any) -> Any:
    """Return δ(ε), rounded up."""
    if region == BEYOND:
        return 0.0 * g.y + LEAST
    if region == CERTAIN:
        return 0.0 * g.y + 1.0
    value = Value(*profile(kernel, g, _REGIONS[region]))
    error = ERRORS[region]
    if region == ABOVE:
        return _one_minus(kernel, value, error)
    return _rounded(kernel, value, n, error)


def log_delta(kernel: Kernel, region: int, g: Geometry, n: Any) -> Any:
    """Return ln δ(ε), rounded up; the least finite number stands for everything below it."""
    if region == CERTAIN:
        return 0.0 * g.y
    if region == BEYOND:
        return _log_beyond(kernel, g, n)
    value = Value(*profile(kernel, g, _REGIONS[region]))
    if region == ABOVE:
        return _log_one_minus(kernel, value)
    head, rest = logarithm(kernel, value.head, value.rest, value.n - n)
    return up(kernel, head, rest - head * LOG_ERROR)


def _log_one_minus(kernel: Kernel, value: Value) -> Any:
    head, rest = two_sum(value.head, value.rest)
    head = kernel.scale(head, -value.n)
    rest = kernel.scale(rest, -value.n)
    # Small: −2 artanh of c/(2 − c), as −z(2 + …) with z = c/2 + c²/(4 − 2c).
    z = (head + rest) / (2.0 - head)
    zz = z * z
    series = (head * z + rest) + z * zz * (2.0 / 3.0 + zz * (0.4 + zz * (2.0 / 7.0)))
    small, small_rest = -head, -series
    total, low = two_sum(1.0, -head)
    large, large_rest = logarithm(kernel, total, low - rest)
    is_small = head < 2.0**-6
    head = kernel.where(is_small, small, large)
    rest = kernel.where(is_small, small_rest, large_rest)
    return kernel.where(head < 0.0, up(kernel, head, rest - head * LOG_ERROR), 0.0)


def _log_beyond(kernel: Kernel, g: Geometry, n: Any) -> Any:
    y = kernel.where(g.y < _LARGEST, g.y, _LARGEST)
    y_low = kernel.where(g.y < _LARGEST, g.y_low, 0.0)
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
    ratio = kernel.where(y < 2.0**100, (g.v / y) / g.w, 1.0)
    log, log_rest = logarithm(kernel, ratio, 0.0, -n)
    half = 0.5 * y
    square, square_low = two_product(half, half)
    head, low = two_sum(-2.0 * square, log - LN_SQRT_2PI)
    low = low + (((log_rest - LN_SQRT_2PI_REST) - c) - (2.0 * square_low + y * y_low))
    return up(kernel, head, low - head * LOG_ERROR)


def slope_mu(kernel: Kernel, region: int, g: Geometry, n: Any) -> Any:
    """Return ∂δ/∂μ = φ(y), rounded up."""
    # φ(±41) is far below the least positive number.
    inside = abs(g.y) < 41.0
    y = kernel.where(inside, g.y, 41.0)
    low = kernel.where(inside, g.y_low, 0.0)
    n, head, rest = density(kernel, y, low)
    return _rounded(kernel, Value(n, head, rest, head), 0)


def _tail(kernel: Kernel, y: Any, low: Any, x: Any, x_low: Any) -> Value:
    # φ(y)·m(x) for |y| < 41
    head, rest = mills(kernel, x, x_low)
    return Value(*density_times(kernel, y, low, 1.0, head, rest))


def upper_tail(kernel: Kernel, region: int, g: Geometry, n: Any) -> Any:
    """Return Φ(−y), rounded up."""
    if region == CERTAIN:
        return 0.0 * g.y + 1.0
    if region == BEYOND:
        return 0.0 * g.y + LEAST
    if region == ABOVE:
        return _one_minus(kernel, _tail(kernel, g.y, g.y_low, -g.y, -g.y_low))
    return _rounded(kernel, _tail(kernel, g.y, g.y_low, g.y, g.y_low), 0)


def lower_tail(kernel: Kernel, region: int, g: Geometry, n: Any) -> Any:
    """Return Φ(−w), rounded up."""
    inside = g.w < 41.0
    w = kernel.where(inside, g.w, 41.0)
    low = kernel.where(inside, g.w_low, 0.0)
    return _rounded(kernel, _tail(kernel, w, low, w, low), 0)


def slope_epsilon(kernel: Kernel, region: int, g: Geometry, n: Any) -> Any:
    """Return −∂δ/∂ε = φ(y)·m(w), rounded up."""
    inside = abs(g.y) < 41.0
    y = kernel.where(inside, g.y, 41.0)
    low = kernel.where(inside, g.y_low, 0.0)
    return _rounded(kernel, _tail(kernel, y, low, g.w, g.w_low), 0)


def twice_tail(kernel: Kernel, accuracy: Any, sigma: Any) -> Any:
    """Return 2Φ(−a/σ), rounded up, for a ≥ 0."""
    a, a_exponent = kernel.parts(accuracy)
    x, exponent = kernel.parts(sigma)
    y = a / x
    product, error = two_product(y, x)
    low = ((a - product) - error) / x
    # Beyond 2⁷ nothing is left; below 2⁻²⁰⁰ what is missing from 1 is lost in the rounding.
    shift = kernel.clip(a_exponent - exponent, -200, 7)
    y = kernel.scale(y, shift)
    inside = y < 41.0
    y = kernel.where(inside, y, 41.0)
    low = kernel.where(inside, kernel.scale(low, shift), 0.0)
    value = _tail(kernel, y, low, y, low)
    result = kernel.where(y == 0.0, 1.0, _rounded(kernel, value, 1))
    return kernel.where(result < 1.0, result, 1.0)
