"""The μ that an (ε, δ) implies: the implied volatility of a normalised option.

δ as a function of ε and μ is the normalised price of a call with log-strike ε and total
volatility μ, so that calibration is the problem of implied volatility: a good start, then one
step of high order on the logarithm of the price. An element whose start was not good enough
takes further steps, by itself.
"""

from typing import Any

import numpy as np

from dporacle.fast.gaussian.compensated import split
from dporacle.fast.gaussian.mills import LEAST
from dporacle.fast.gaussian.profile import (
    NEAR,
    Geometry,
    Lengths,
    Region,
    above,
    from_loss,
    from_short_mu,
    near,
    profile,
    wide,
)
from dporacle.fast.gaussian.start import TABLE_END, mu_start, quantile_start
from dporacle.fast.gaussian.step import difference, log_mu_step

_STEPS = 100  # far more than any element takes
CLOSE = 2.0**-14  # z² of a last step, for the logarithm's series,
SHORT = 2.0**-11  # its length, for the exponential's,
SMALL = 2.0**-60  # and |step|·z⁴, which measures what the step's series leaves out
TINY = 2.0**-60  # below this ε and δ matter through their ratio alone
_HUGE = 2.0**900  # above it 2^400 is kept as an exponent, so that no product overflows


def _step(g: Lengths, target: Any, region: Region) -> tuple[Any, Any]:
    value = profile(g, region)
    z = difference(target, value)
    x = -value[3] if region is above else value[3]
    step = log_mu_step(g, x, z)
    size, zz = abs(step), z * z
    done = (zz <= CLOSE) & (size <= SHORT) & (size * (zz * zz) <= SMALL)
    # What the tables do not hold is no last step.
    done = done & ((g[0] <= -LEAST) if region is above else (g[0] >= LEAST))
    far = zz > 0.01
    if np.any(far):
        step = np.where(far, 2.0 * x * z, step)
    return step, done


def _next_mu(v: Any, step: Any) -> Any:
    return split(v * (1.0 + step * (1.0 + 0.5 * step)))


def _next_loss(g: Geometry, step: Any, top: bool) -> Any:
    y = split(g.y - g.w * step)
    # The regions' formulas hold on either side of these.
    edge = 0.5 if top else -0.74
    return np.where((y > edge) if top else (y < edge), edge, y)


def _is_near(k: Any, v: Any) -> Any:
    return 0.5 * v <= NEAR * (k / v + 1.75)


def _loss_start(target: Any, top: bool) -> Any:
    y = quantile_start(target)
    return split(-y if top else y)


def _top_start(k: Any, rest: Any) -> Any:
    # 1 − δ lies between Φ(y) and 2Φ(y).
    y = quantile_start(0.7 * rest)
    return split(y + np.sqrt(y * y + 2.0 * k))


def implied_many(k: Any, target: Any, top: Any) -> tuple[Any, Any, Any, Any]:
    """Return v, v_low, s, n with μ = (v + v_low)·e^s·2ⁿ, for ε = k ≥ 0.

    Args:
        k: ε ≥ 0.
        target: δ ≤ 1/2, or 1 − δ < 1/2.
        top: whether the target is 1 − δ.
    """
    n = np.zeros(k.shape, np.int32)
    huge = k > _HUGE
    if huge.any():
        k = np.where(huge, k * 2.0**-400, k)
        n[huge] = 200
    larger = np.maximum(k, target)
    tiny = (larger < TINY) & ~top
    if tiny.any():
        n[tiny] = np.frexp(larger[tiny])[1] + 60
        k = np.where(tiny, np.ldexp(k, -n), k)
        target = np.where(tiny, np.ldexp(target, -n), target)
    v, v_low, s = np.empty(k.shape), np.zeros(k.shape), np.empty(k.shape)
    beyond = k > TABLE_END
    for flags, is_top, is_beyond in (
        (~(top | beyond), False, False),
        (top & ~beyond, True, False),
        (~top & beyond, False, True),
        (top & beyond, True, True),
    ):
        chosen = np.flatnonzero(flags)
        if chosen.size == 0:
            continue
        part = slice(None) if chosen.size == k.size else chosen
        if is_beyond:
            v[part], v_low[part], s[part] = _beyond_many(k[part], target[part], is_top)
        else:
            v[part], s[part] = _table_many(k[part], target[part], is_top)
    return v, v_low, s, n


def _beyond_many(k: Any, target: Any, top: bool) -> tuple[Any, Any, Any]:
    v, v_low, s = np.empty(k.shape), np.empty(k.shape), np.empty(k.shape)
    left = np.arange(k.size)
    y = _loss_start(target, top)
    for _ in range(_STEPS):
        g = from_loss(k, y)
        step, done = _step(g, target, above if top else wide)
        v[left], v_low[left], s[left] = g.v, g.v_low, step
        todo = np.flatnonzero(~done)
        if todo.size == 0:
            return v, v_low, s
        y = _next_loss(g, step, top)[todo]
        k, target, left = k[todo], target[todo], left[todo]
    raise AssertionError(f"no convergence at epsilon={k[0]!r}, target={target[0]!r}")


def _table_many(k: Any, target: Any, top: bool) -> tuple[Any, Any]:
    v = _top_start(k, target) if top else mu_start(k, target)
    s = np.empty(k.shape)
    left = np.arange(k.size)
    for _ in range(_STEPS):
        k_left, v_left, target_left = k.take(left), v.take(left), target.take(left)
        step, done = np.empty(left.size), np.empty(left.size, bool)
        if top:
            step, done = _step(from_short_mu(k_left, v_left), target_left, above)
        else:
            is_near = _is_near(k_left, v_left)
            for flags, region in ((is_near, near), (~is_near, wide)):
                part = np.flatnonzero(flags)
                if part.size:
                    g = from_short_mu(k_left.take(part), v_left.take(part))
                    step[part], done[part] = _step(g, target_left.take(part), region)
        s[left] = step
        todo = np.flatnonzero(~done)
        if todo.size == 0:
            return v, s
        left = left.take(todo)
        v[left] = _next_mu(v.take(left), step.take(todo))
    raise AssertionError(f"no convergence at epsilon={k[left[0]]!r}, target={target[left[0]]!r}")
