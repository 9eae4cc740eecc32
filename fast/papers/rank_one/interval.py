"""A float64 interval around the privacy profile of rank-one noise.

Tanh-sinh quadrature between the ends of `quadrature`, and beside each value a bound of its error:

- what is cut off, by the caps and tails of the note (proved, given the next line);
- roundings, carried through the integrand to first order from the stated accuracy of the
  elementary functions;
- the quadrature's own error, measured as the change when the step is halved.

`proofs_notes/rank_one_gaussian.md` has the derivation. The names are those of `quadrature`.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from dporacle.fast.papers.rank_one.quadrature import (
    Cuts,
    near_and_far,
    nodes,
    norm,
    power_of_sine,
    stretches,
)

LEAST, MOST = 1e-6, 1e20
"""The σ*/Δ² between which the interval was compared with enclosures."""

_LEAST_EPSILON, _MOST_EPSILON = 1e-8, 1e4  # between which it was, and at 0
_ROUNDED = 1 - 2.0**-51  # σ*/Δ² was rounded three times


def around(power: float, epsilon: float, s: float) -> tuple[float, float]:
    """Return numbers that δ(ε) lies between, for one ε ≥ 0, one K ≥ 1 and one s = σ*/Δ²."""
    tiny = epsilon < _LEAST_EPSILON
    near = 0.0 if tiny else min(epsilon, _MOST_EPSILON)
    low, high = interval(power, near, min(max(s, LEAST), MOST))
    if tiny:  # δ(0) − (e^ε − 1) ≤ δ(ε)
        low = max(0.0, low - 2 * epsilon)
    beyond = s > MOST or epsilon > _MOST_EPSILON
    return 0.0 if beyond else low, 1.0 if s < LEAST else high


def delta_above(power: float, epsilon: float, s: float) -> float:
    """Return a number not below δ(ε) for one ε ≥ 0, one K ≥ 1 and one rounded s = σ*/Δ²."""
    return around(power, epsilon, s * _ROUNDED)[1]


_UNIT = 2.0**-53  # the most that one rounding changes, relatively
_CALL = 8.0  # units that an elementary function may be off, a product or quotient included
_LOW, _HIGH, _WEIGHTS = nodes(1 / 32)


class _Point(NamedTuple):
    """The curve at v, and the relative errors of q (also w's) and r², the absolute one of c₁."""

    x: Any
    share: Any
    q: Any
    w: Any
    r2: Any
    rest: Any
    c1: Any
    error_q: Any
    error_r2: Any
    error_rest: Any
    error_c1: Any


def _point(power: float, epsilon: float, s: float, v: Any) -> _Point:
    x, share = np.exp(v), special.expit(-v)
    q = 2 * epsilon * s * special.expit(v)
    w = 2 * epsilon / power * share
    r2 = q / np.expm1(w)
    rest = 1 - q
    c1 = rest / (2 * np.sqrt(r2))
    # A node may be off by a unit of |v|, and so may everything that depends on it.
    error_q = (2 * _CALL + 2 * np.abs(v)) * _UNIT
    error_r2 = error_q * (2 + w) + 2 * _CALL * _UNIT
    error_rest = q * error_q + np.abs(rest) * _UNIT
    error_c1 = error_rest / (2 * np.sqrt(r2)) + np.abs(c1) * (error_r2 / 2 + 4 * _UNIT)
    return _Point(x, share, q, w, r2, rest, c1, error_q, error_r2, error_rest, error_c1)


def _terms(power: float, epsilon: float, s: float, v: Any, *, inner: bool) -> tuple[Any, Any]:
    """Return the integrand and a bound of its rounding error."""
    p, width = _point(power, epsilon, s, v), math.sqrt(2 * s)
    rho2 = p.r2 + p.q
    r, rho = np.sqrt(p.r2), np.sqrt(rho2)
    slope_q = p.q * p.share
    slope_r2 = p.r2 * (1 + p.x * p.w / -np.expm1(-p.w)) * p.share
    tilt = slope_r2 / (2 * p.r2)
    slope_c1 = -(slope_q + p.rest * tilt) / (2 * r)
    error_slope = p.error_q * (3 + p.w) + p.error_r2 + 4 * _CALL * _UNIT
    error_c1 = ((slope_q + np.abs(p.rest) * tilt) * error_slope + p.error_rest * tilt) / (2 * r)
    swing = (1 + p.q) * (slope_r2 + slope_q) / (2 * rho2)
    slope_c2 = -(slope_q - swing) / (2 * rho)
    error_c2 = (slope_q + swing) * (error_slope + p.error_r2) / (2 * rho)
    square = (1 - p.c1) * (1 + p.c1)
    kept = np.where(square > 0, square, 1.0)
    log = np.abs(np.log1p(-np.minimum(p.c1 * p.c1, 1 - _UNIT)))
    drift = 2 * np.abs(p.c1) * p.error_c1 / kept + _CALL * log * _UNIT
    drift += np.where(np.abs(p.c1) < 0.7, 0.0, 3 * _UNIT)
    weight = power_of_sine(power, p.c1)
    error_weight = abs(power - 2) / 2 * drift + _CALL * _UNIT
    if inner:
        first = special.erf(r / width)
        second = np.exp(p.q / (2 * s)) * special.erf(rho / width)
        error_tail = p.error_q * (1 + p.q / (2 * s)) + p.error_r2 + 2 * _CALL * _UNIT
    else:
        fade = np.exp(-p.r2 / (2 * s))
        first = fade * special.erfcx(r / width)
        second = fade * special.erfcx(rho / width)
        error_tail = p.error_r2 * (1 + p.r2 / (2 * s)) + p.error_q + 2 * _CALL * _UNIT
    sign, ratio = -1 if inner else 1, rho2 / p.r2
    value = sign * weight * (first * slope_c1 - ratio * second * slope_c2)
    size = first * np.abs(slope_c1) + ratio * second * np.abs(slope_c2)
    carried = first * error_c1 + ratio * second * error_c2
    relative = error_weight + error_tail + p.error_r2 + p.error_q + 8 * _UNIT
    return value, weight * (carried + size * relative)


def _integrate(terms: Any, low: float, high: float) -> tuple[float, float]:
    """Return an integral and the bound of its errors, the ends' excepted."""
    if not low < high:
        return 0.0, 0.0
    pieces = max(1, math.ceil(high - low))
    edges = np.linspace(low, high, pieces + 1)
    width = (high - low) / pieces
    v = np.where(_LOW < 0.5, edges[:-1, None] + width * _LOW, edges[1:, None] - width * _HIGH)
    value, error = terms(v)
    value, error = value * _WEIGHTS * width, error * _WEIGHTS * width
    total = float(np.sum(value))
    change = abs(total - 2 * float(np.sum(value[:, ::2])))
    summed = float(np.sum(np.abs(value))) * (_CALL + 24) * _UNIT
    return total, change + summed + float(np.sum(error))


def _cap(power: float, per_norm: float, p: _Point) -> float:
    """Bound 1 − F(c) beyond the |c₁| of a cut, 1 if it is not known to be inside (0, 1)."""
    c = abs(float(p.c1)) - float(p.error_c1)
    y = 1 - float(p.c1) ** 2 + 2 * float(p.error_c1) + 4 * _UNIT
    if not c > 0:
        return 1.0
    if not y > 0:
        return 0.0
    return float(min(1.0, y ** (power / 2) * per_norm / (power * min(c, 1.0)) * 1.01))


def _left_out(
    power: float, epsilon: float, s: float, per_norm: float, cuts: Cuts, *, inner: bool
) -> float:
    """Bound what lies before the start, in the gap and beyond the end (the note, The cuts)."""
    start, before, after, end = cuts
    assert start is not None
    assert end is not None
    total = 0.0
    p = _point(power, epsilon, s, start)
    rho = math.sqrt(float(p.r2 + p.q))
    if inner:
        tail = math.exp(float(p.q) / (2 * s))
    else:
        tail = math.exp(-float(p.r2) / (2 * s)) * float(special.erfcx(rho / math.sqrt(2 * s)))
    total += _cap(power, per_norm, p) * (1 + tail + math.sqrt(2 / (math.pi * s)) * rho)
    if before is not None and after is not None:
        p, other = _point(power, epsilon, s, before), _point(power, epsilon, s, after)
        ratio = math.sqrt(float((p.r2 + p.q) / p.r2))
        growth = math.exp(float(p.q) / (2 * s)) if inner else 0.0
        cap = max(_cap(power, per_norm, p), _cap(power, per_norm, other) if after < end else 0.0)
        total += cap * (5 + growth + ratio)
    p = _point(power, epsilon, s, end)
    fade, gain = float(p.r2) / (2 * s) * (1 - float(p.error_r2)), power * float(p.w) / 2
    return total + math.exp(-fade) + math.exp(gain * (1 + float(p.error_q)) - fade)


def _near(
    power: float, epsilon: float, s: float, radii: tuple[float, float]
) -> tuple[float, float]:
    """Enclose δ where {L > ε} is a tiny ball around the input and a far tail."""
    factor = math.sqrt(2 / (math.pi * s)) * power / (power + 1)
    radius = 2 * radii[0]
    fade = radius * radius / (2 * s)

    def share(rho: float, extra: float) -> float:
        return factor * rho * math.exp((rho * rho / (2 * s) - epsilon - extra) / power)

    spare = (64 + 4 * (1 / (2 * s) + epsilon) / power) * _UNIT
    low = math.exp(-fade) * share(1 - radius, fade) * (1 - spare)
    return low, share(1 + radius, 0) * (1 + spare) + 1.01 * math.erfc(radii[1] / math.sqrt(2 * s))


def _at_zero(power: float, s: float, per_norm: float) -> tuple[float, float]:
    """δ(0) = 2 ∫ erf(a/c) f(c) dc, c = e^u: the node nearest to u = 0 is exact."""
    a = 1 / math.sqrt(8 * s)
    start = math.log(a) - 45 if a < 1 else -45.0

    def terms(u: Any) -> tuple[Any, Any]:
        c, square = np.exp(u), -np.expm1(2 * u)
        wide = square > 0.5
        log = np.where(wide, np.log1p(-np.minimum(c * c, 0.5)), np.log(square))
        value = c * special.erf(a / c) * np.exp((power - 2) / 2 * log)
        units = np.where(wide, 4 * c * c * (np.abs(u) + _CALL), 2 * _CALL) + _CALL * np.abs(log)
        relative = 4 * (np.abs(u) + _CALL) + abs(power - 2) / 2 * units
        return value, value * relative * _UNIT

    value, error = _integrate(terms, start, 0.0)
    last = 2 * float(_HIGH[-1])  # at least 1 − c² at the last node; pieces are at most 1 long
    before, after = 2 * math.exp(start), last ** (power / 2) / power * 1.01
    spare = 2 * per_norm * (error + before + after)
    value *= 2 * per_norm
    return value - spare - 64 * _UNIT * value, value + spare + 64 * _UNIT * value


def _outwards(low: float, high: float) -> tuple[float, float]:
    """Return the ends a float64 further out, inside [0, 1]: δ is never 0."""
    return min(max(math.nextafter(low, 0), 0.0), 1.0), min(math.nextafter(high, 2), 1.0)


def interval(power: float, epsilon: float, s: float) -> tuple[float, float]:
    """Return numbers that δ(ε) lies between, for one ε ≥ 0, one K ≥ 1 and one s = σ*/Δ²."""
    if epsilon == 0:
        with np.errstate(all="ignore"):
            low, high = _at_zero(power, s, norm(power))
        return _outwards(low, high)
    radii = near_and_far(power, epsilon, s)
    if radii is not None:
        low, high = _near(power, epsilon, s, radii)
        return _outwards(low, high)
    per_norm = norm(power)
    with np.errstate(all="ignore"):
        cuts, inner = stretches(power, epsilon, s, per_norm)
        start, before, after, end = cuts
        assert end is not None
        if start is None:  # nearly all outputs up to the end have a larger loss
            start, cuts = end, (end, None, None, end)
        value, error = 0.0, 0.0
        if before is None or after is None:
            pieces = [(start, end, False)]
        else:
            pieces = [(start, before, inner), (after, end, False)]
        for low, high, kind in pieces:
            part, wrong = _integrate(
                lambda v, kind=kind: _terms(power, epsilon, s, v, inner=kind), low, high
            )
            value, error = value + part, error + wrong
        error = per_norm * error * (1 + 64 * _UNIT)
        error += _left_out(power, epsilon, s, per_norm, cuts, inner=inner)
    value = per_norm * value + (0.0 if inner and before is not None else 1.0)
    error += 64 * _UNIT * (abs(value) + 1 - (inner and before is not None))
    if not math.isfinite(value + error):
        return 0.0, 1.0
    return _outwards(value - error, value + error)
