"""How far one record moves a statistic of bounded records, in float64 (X.SENS).

Scalars or arrays that broadcast. Every result is at least the exact one and at most 16·2^-52 of it
above; 0 is 0. Beyond the largest float64 a result is infinite.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dporacle.fast._broadcast import Array, above, give, witness
from dporacle.fast._scaled import Parts, product, scaled_above

_ULPS = 4  # at most eight operations, each within 2^-53
_MORE_ULPS = 8  # a root and its cube besides
_FAR = 2.0**1000  # a number beyond which the difference of two may leave the floats


def _range(lower: Array, upper: Array) -> Parts:
    """Return U − L, rounded once, as a number and a power of two."""
    wrong = lower > upper
    if np.any(wrong):
        low, high = (np.broadcast_to(each, np.shape(wrong))[wrong] for each in (lower, upper))
        raise ValueError(f"lower must be at most upper, {high.flat[0]}, got {low.flat[0]}")
    shift = np.where(np.maximum(np.abs(lower), np.abs(upper)) > _FAR, 2, 0)
    return np.ldexp(upper, -shift) - np.ldexp(lower, -shift), shift


def _above(parts: Parts, shift: Array = 0, ulps: int = _ULPS) -> Any:
    """Return a product rounded up; 0 stays 0."""
    mantissa, power = parts
    found = scaled_above((mantissa, power + shift), ulps)
    return give(np.where(mantissa == 0, 0.0, found))


@witness
def sum_sensitivity(*, lower: Array, upper: Array) -> Any:
    """Return max(−L, U), the largest size of a record, exactly (X.SENS.MEAN)."""
    _range(lower, upper)
    return give(np.maximum(-lower, upper))


@witness
def sum_sensitivity_replace(*, lower: Array, upper: Array) -> Any:
    """Return U − L (X.SENS.MEAN)."""
    span, shift = _range(lower, upper)
    return _above(product(span), shift)


@witness
def mean_sensitivity(*, lower: Array, upper: Array, records: Array) -> Any:
    """Return (U − L)/N (X.SENS.MEAN)."""
    span, shift = _range(lower, upper)
    return _above(product(span, over=(records,)), shift)


@witness
def public_mean_sensitivity(*, lower: Array, upper: Array, records: Array) -> Any:
    """Return max(−L, U)/n (X.SENS.MEAN)."""
    _range(lower, upper)
    return _above(product(np.maximum(-lower, upper), over=(records,)))


@witness
def variance_sensitivity(*, lower: Array, upper: Array, records: Array, ddof: Array) -> Any:
    """Return R·(R/N), of which (N−1)/N where the divisor is N (X.SENS.VAR)."""
    span, shift = _range(lower, upper)
    return _above(product(span, span, _share(records, ddof), over=(records,)), 2 * shift)


def _share(records: Array, ddof: Array) -> Array:
    return np.where(ddof == 0, (records - 1) / records, 1.0)


@witness
def squared_deviations_sensitivity(*, lower: Array, upper: Array, records: Array) -> Any:
    """Return R·R·(N−1)/N (X.SENS.VAR)."""
    span, shift = _range(lower, upper)
    return _above(product(span, span, _share(records, 0)), 2 * shift)


@witness
def covariance_sensitivity(*, clipping_norm: Array, records: Array, ddof: Array) -> Any:
    """Return 2C·(2C/N), of which (N−1)/N where the divisor is N (X.SENS.VAR)."""
    share = _share(records, ddof)
    return _above(product(4.0, clipping_norm, clipping_norm, share, over=(records,)))


@witness
def regression_sensitivity_squared(*, clipping_norm: Array, target_bound: Array) -> Any:
    """Return C²(C² + Y²), by the larger of C and Y and their quotient (X.SENS.MOMENT)."""
    most = np.maximum(clipping_norm, target_bound)
    ratio = np.minimum(clipping_norm, target_bound) / most
    return _above(product(clipping_norm, clipping_norm, most, most, 1 + ratio * ratio))


@witness
def regression_sensitivity_squared_replace(
    *, clipping_norm: Array, target_bound: Array, dimension: Array
) -> Any:
    """Return the same of a row that is replaced (X.SENS.MOMENT).

    C⁴ times a number while C decides, else (2CY)². Where one formula takes over from the other
    the first has the slope of the second, or is compared with it.
    """
    ratio = target_bound / clipping_norm
    r = np.minimum(ratio * ratio, 4.0)
    s = np.sqrt(np.maximum(1 - 2 * r, 0.0))
    single = np.where(2 * r <= 1, (3 - s) ** 3 * (1 + s) / 16, 0.0)
    of_norm = np.where(dimension > 1, np.where(r <= 2, 2 * (1 + r / 2) ** 2, 0.0), single)
    near = of_norm >= 4 * r
    first = product(*[clipping_norm] * 4, np.where(near, of_norm, 1.0))
    second = product(4.0, clipping_norm, clipping_norm, target_bound, target_bound)
    chosen = np.where(near, first[0], second[0]), np.where(near, first[1], second[1])
    return _above(chosen, ulps=_MORE_ULPS)


@witness
def counts_sensitivity(*, l0: Array, linf: Array, total: Array, dimension: Array) -> Any:
    """Return min(l0·linf, total) (X.SENS.COUNT)."""
    return above(np.minimum(np.minimum(l0, dimension) * linf, total), _ULPS)


@witness
def counts_sensitivity_replace(*, l0: Array, linf: Array, total: Array, dimension: Array) -> Any:
    """Return the sum of two such, of persons with no count in common (X.SENS.COUNT)."""
    few, many = _halves(l0, dimension)
    return above(np.minimum(few * linf, total) + np.minimum(many * linf, total), _ULPS)


@witness
def counts_sensitivity_squared(*, l0: Array, linf: Array, total: Array, dimension: Array) -> Any:
    """Return linf² times how many counts are full, and the square of the rest (X.SENS.COUNT)."""
    unit = np.minimum(linf, total)
    return _above(product(unit, unit, _filled(np.minimum(l0, dimension), linf, total)))


@witness
def counts_sensitivity_squared_replace(
    *, l0: Array, linf: Array, total: Array, dimension: Array
) -> Any:
    """Return the sum of two such, of persons with no count in common (X.SENS.COUNT)."""
    unit = np.minimum(linf, total)
    filled = sum(_filled(each, linf, total) for each in _halves(l0, dimension))
    return _above(product(unit, unit, filled))


def _halves(l0: Array, dimension: Array) -> tuple[Array, Array]:
    few = np.minimum(l0, np.floor(dimension / 2))
    return few, np.minimum(l0, dimension - np.floor(dimension / 2))


def _filled(places: Array, linf: Array, total: Array) -> Array:
    """Return Σ(count/unit)² of the longest counts, with the lesser of linf and total as the unit.

    A quotient that is rounded up to a whole number leaves a rest of about 0: the sum of squares is
    continuous there.
    """
    full = np.minimum(np.floor(total / linf), places)
    unit = np.minimum(linf, total)
    rest = np.where(full < places, np.clip((total - full * linf) / unit, 0.0, 1.0), 0.0)
    return full + rest * rest


@witness
def quantile_score_sensitivity(*, quantile: Array) -> Any:
    """Return max(q, 1−q) (X.SENS.RANK)."""
    return above(np.maximum(quantile, 1 - quantile), 1)


@witness
def quantile_score_range(*, quantile: Array) -> Any:
    """Return 2·max(q, 1−q) (X.SENS.RANK)."""
    return above(2 * np.maximum(quantile, 1 - quantile), 1)


_MOST_STEPS = 1 << 16  # of the grid that a norm may have
_FREE = 9  # coordinates from which on what a level leaves is always spent


@witness
def rounded_norm_squared(*, clipping_norm: Array, grid: Array, dimension: Array) -> Any:
    """Return the largest squared norm of a rounded vector of norm C (X.SENS.GRID).

    The number of grid steps is found in whole numbers, so that no floor is one too many.

    Raises:
        ValueError: if clipping_norm is more than 65,536 steps of the grid.
    """
    norm, step, size = np.broadcast_arrays(clipping_norm, grid, dimension)
    found = [_steps(*each) for each in zip(norm.flat, step.flat, size.flat, strict=True)]
    return _above(product(step, step, np.reshape(found, norm.shape)))


def _steps(norm: float, grid: float, dimension: float) -> float:
    (top, under), (up, down) = norm.as_integer_ratio(), grid.as_integer_ratio()
    if top * down > _MOST_STEPS * up * under:
        raise ValueError(f"clipping_norm must be at most 65536 steps of grid, {grid}, got {norm}")
    budget = (2 * top * down) ** 2 // (up * under) ** 2
    places = min(int(dimension), budget)
    return float(
        max((_raised(k, budget) for k in range(max(1, places - 7), places + 1)), default=0)
    )


def _raised(places: int, budget: int) -> int:
    """Return Σm² where all places are at m ≥ 1 and are raised while the budget lasts.

    To raise one from m costs 8m of the budget and brings 2m + 1: the cheapest go first. What is
    left is spent by moving two of a level apart, if that can be done.
    """
    eighths = (budget - places) // 8
    level = (math.isqrt(8 * (eighths // places) + 1) + 1) // 2
    if places == 1:
        return level**2
    rest = eighths - places * (level * (level - 1) // 2)
    higher = rest // level
    most = places + 2 * eighths + places * (level - 1) + higher
    if places >= _FREE:
        return most
    raised = places * (level - 1) + higher
    lack = 0
    while True:
        for idle in range(lack // 2 + 1):
            total = raised - lack + 2 * idle
            if (
                eighths >= idle
                and total >= 0
                and _apart(places, total, 2 * (eighths - idle) - total)
            ):
                return most - lack
        lack += 1


def _apart(places: int, total: int, squares: int) -> bool:
    """Whether so many numbers from 0 on have a sum and a sum of squares; all thirds at once."""
    spread = places * squares - total * total
    if spread < 0:
        return False
    low = max(0, (total - math.isqrt((places - 1) * spread)) // places)
    if places > _AT_ONCE:
        firsts = range(total // places, low - 1, -1)
        return any(_apart(places - 1, total - t, squares - t * t) for t in firsts)
    first = np.arange(low, total // places + 1) if places == _AT_ONCE else np.zeros(1, np.int64)
    two, of_two = total - first, squares - first * first
    gap = 2 * of_two - two * two
    root = np.rint(np.sqrt(np.maximum(gap, 0))).astype(np.int64)
    return bool(np.any((root * root == gap) & (root <= two) & ((two - root) % 2 == 0)))


_AT_ONCE = 3  # places of which the first is an array
