"""ε from (δ, σ, D): the y with this δ at this μ, and ε = μ(y + μ/2), rounded up."""

from typing import Any

import numpy as np

from dporacle.fast.gaussian.compensated import split, two_product, two_sum
from dporacle.fast.gaussian.logarithm import logarithm
from dporacle.fast.gaussian.loss import mu
from dporacle.fast.gaussian.mills import FAR, mills
from dporacle.fast.gaussian.profile import (
    NEAR,
    Geometry,
    Region,
    Value,
    above,
    density_times,
    from_mu,
    near,
    wide,
)
from dporacle.fast.gaussian.rounding import LEAST, U, scaled_up, up
from dporacle.fast.gaussian.start import quantile_start
from dporacle.fast.gaussian.step import difference, log_ratio
from dporacle.fast.tables import LN_SQRT_2PI

PROFILE_ERROR = 0.3 * U
"""Bound on the relative error of the profile; what it is worth in ε is dε/d ln δ."""

PRODUCT_ERROR = 2.0**-75
"""Bound on the relative error of everything else."""

_STEPS = 200  # the certified vectors take five at most
_ROUGH_STEPS = 2  # after them two exact ones reach the last digit of nearly all
SURE = 0.3  # δ(0) = 2Φ(μ/2) − 1 > μφ(μ/2) > 0.31μ for μ ≤ 1.4: a δ below this times μ is reached
CLOSE = 2.0**-16  # of δ: a step has four orders, so that it leaves about 2^-64 of it


def _geometry(y: Any, v: Any, v_low: Any) -> Geometry:
    t, t_low = 0.5 * v, 0.5 * v_low
    h, h_low = two_sum(y, t)
    w, w_low = two_sum(y, v)
    return Geometry(y, 0.0, w, w_low + v_low, h, h_low + t_low, t, v, v_low)


def _step(g: Geometry, target: Any, region: Region) -> tuple[Any, Any, Any]:
    """Return the change of y, |dy/d ln f| and whether the change is the last.

    With f = δ or 1 − δ as a function of y at fixed μ, |f′| = μφ(y)m(w); x = dy/d ln f = f/f′,
    and y as a function of ln f has the derivatives x, xA with A = 1 − xb, b = d ln|f′|/dy =
    −y − c, and x(A(1 − 2xb) − x²b′) with b′ = −c/m(w), where c = 1/m(w) − w.
    """
    far = mills(g.w, g.w_low)
    bracket = near(g) if region is near else region(g, far)
    value = Value(*density_times(g.y, g.y_low, g.v, *bracket))
    inverse = 1.0 / (far[0] + far[1])
    z = difference(target, value)
    x = value.ratio * inverse * (1.0 if region is above else -1.0)
    w = np.where(g.w > FAR, g.w, FAR)
    c = np.where(g.w > FAR, (1.0 - 2.0 / (w * w)) / w, inverse - g.w)
    xb = x * (-g.y - c)
    a = 1.0 - xb
    third = a * (1.0 - 2.0 * xb) + (x * c) * (x * inverse)
    log = log_ratio(z)
    change = x * log * (1.0 + log * (0.5 * a + log * (third / 6.0)))
    far = abs(z) > 0.02
    if np.any(far):
        scaled, scaled_low = logarithm(target, 0.0, -value.n)
        log = (scaled - logarithm(value.head)[0]) + scaled_low
        change = np.where(far, x * log, change)
    return change, abs(x), abs(z) <= CLOSE


def _finish(g: Geometry, change: Any, slope: Any, n: Any) -> Any:
    # ε = μ·h, with h = y + change + t normalised first: its parts may nearly cancel.
    low = g.h_low + change
    h, h_low = two_sum(g.h, low)
    v, exponent = np.frexp(g.v)
    v_low = np.ldexp(g.v_low, -exponent)
    head, error = two_product(v, h)
    rest = (error + (v * h_low + v_low * h)) + (
        v * slope * PROFILE_ERROR + abs(head) * PRODUCT_ERROR
    )
    total, rest = two_sum(head, rest)
    result = scaled_up(up(total, rest), exponent + n)
    # An ε that may be 0 but is not known to be.
    return np.where(result > 0.0, result, LEAST)


def _inputs(delta: Any, sigma: Any, sensitivity: Any) -> tuple[Any, ...]:
    v, v_low, n = mu(sigma, sensitivity)
    # Where μ < 2⁻¹⁰⁰ only ratios matter.
    below = np.where(n < 0, -n, 0)
    return v, v_low, n, np.ldexp(delta, below)


def _at_zero(v: Any, v_low: Any, target: Any, region: Region) -> tuple[Any, Any]:
    """Return whether δ(0) is certainly at most δ, and the y where the tangent reaches δ."""
    g = from_mu(0.0 * v, v, v_low)
    change, slope, _ = _step(g, target, region)
    return change <= -PROFILE_ERROR * slope, g.y + change


def _rough(y: Any, v: Any, target: Any) -> Any:
    """Return a y nearer to the one with this δ, from one above it, by Newton's steps on ln δ.

    With m(x) ≈ 1/d(x), d(x) = 0.661x + 0.339√(x² + 5.51), to a percent (Boyd), no difference of two
    Mills ratios cancels: m(y) − m(w) ≈ v·r/(d(y)·d(w)), r = 0.661 + 0.339(y + w)/(√… + √…). It only
    decides how many exact steps follow.
    """
    goal = logarithm(target)[0] + LN_SQRT_2PI
    for _ in range(_ROUGH_STEPS):
        w = y + v
        root, root_far = np.sqrt(y * y + 5.51), np.sqrt(w * w + 5.51)
        near, far = 0.661 * y + 0.339 * root, 0.661 * w + 0.339 * root_far
        rise = 0.661 + 0.339 * (y + w) / (root + root_far)
        value = logarithm((v * rise) / (near * far))[0] - 0.5 * y * y
        y = np.maximum(y + (value - goal) * (rise / near), -0.74)
    return y


_REGIONS = (near, wide, above)


def epsilon_many(delta: Any, sigma: Any, sensitivity: Any) -> Any:
    """Return ε for arrays in the domain: inf where it is outside the range."""
    v, v_low, n, scaled = _inputs(delta, sigma, sensitivity)
    top = delta > 0.5
    result = np.zeros(delta.shape)
    result[(n > 0) & (delta < 1.0)] = np.inf
    unsolved = (n <= 0) & (delta < 1.0)
    unsolved &= np.where(top, v > 1.3, ~((scaled >= 0.5) & (n < 0)))
    for is_top in (False, True):
        chosen = np.flatnonzero(unsolved & (top == is_top))
        if chosen.size:
            target = 1.0 - delta[chosen] if is_top else scaled[chosen]
            result[chosen] = _solve_many(target, v[chosen], v_low[chosen], n[chosen], is_top)
    return result


def _solve_many(target: Any, v: Any, v_low: Any, n: Any, top: bool) -> Any:
    zero = np.zeros(v.shape, bool)
    if top:
        y = -0.5 * v
        regions = np.where(v < 80.0, 2, 3)
    else:
        y = quantile_start(target)
        t = 0.5 * v
        regions = np.where(t <= NEAR * 1.75, 0, np.where(t <= 0.7, 1, 3))
        sure = (regions == 3) | (target < SURE * v)
        part = np.flatnonzero(sure)
        y[part] = _rough(np.maximum(y[part], -0.74), v[part], target[part])
        regions[part] = 3
    for code, region in enumerate(_REGIONS):
        part = np.flatnonzero(regions == code)
        if part.size:
            zero[part], tangent = _at_zero(v[part], v_low[part], target[part], region)
            if not top:
                y[part] = np.minimum(y[part], tangent)
    least = -quantile_start(0.5 * target) - 0.001 if top else -0.74
    y = split(np.maximum(y, least))
    result = np.zeros(v.shape)
    left = np.flatnonzero(~zero)
    for _ in range(_STEPS):
        if left.size == 0:
            return result
        t = 0.5 * v[left]
        is_near = np.zeros(left.size, bool) if top else t <= NEAR * ((y[left] + t) + 1.75)
        change, done = np.empty(left.size), np.empty(left.size, bool)
        for flags, region in ((is_near, near), (~is_near, above if top else wide)):
            part = np.flatnonzero(flags)
            if part.size == 0:
                continue
            at = left[part]
            some = _geometry(y[at], v[at], v_low[at])
            change[part], slope, done[part] = _step(some, target[at], region)
            last = np.flatnonzero(done[part])
            ready = Geometry(*(x if isinstance(x, float) else x[last] for x in some))
            result[at[last]] = _finish(ready, change[part][last], slope[last], n[at[last]])
        y_next = split(y[left] + change)
        y[left] = np.minimum(y_next, 0.5) if top else np.maximum(y_next, -0.74)
        left = left[~done]
    raise AssertionError(f"no convergence at {target[left[0]]!r}, mu={v[left[0]]!r}")
