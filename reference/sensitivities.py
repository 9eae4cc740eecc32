"""How far one record moves a statistic of bounded records (X.SENS).

Sums, means, variances, covariances, second moments, counts, ranks and rounded vectors. An answer
ending in `_sensitivity` is the largest distance of the statistic on neighbouring data sets; one
ending in `_squared` is the square of an ℓ2 distance. All are rational but for regression on one
feature. `_replace` is about a record that is replaced; where a function has no such ending and no
other relation is named, the value is the same for both relations.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

from dporacle import arguments
from dporacle.interface import witness
from dporacle.reference.numerics.precision import ZERO, Context, Real, real, settle


def _rational(value: Fraction | int, digits: int) -> Real:
    return settle(lambda ctx: real(ctx, Fraction(value)), digits) if value else ZERO


def _range(lower: Fraction, upper: Fraction) -> Fraction:
    arguments.at_most("upper", upper, "lower", lower)
    return upper - lower


@witness
def sum_sensitivity(*, lower: Fraction, upper: Fraction, digits: int) -> Real:
    """Return max(|L|, |U|): a record of a sum is added or removed, or set to 0 (X.SENS.MEAN)."""
    _range(lower, upper)
    return _rational(max(abs(lower), abs(upper)), digits)


@witness
def sum_sensitivity_replace(*, lower: Fraction, upper: Fraction, digits: int) -> Real:
    """Return U − L: a record of a sum is replaced (X.SENS.MEAN)."""
    return _rational(_range(lower, upper), digits)


@witness
def mean_sensitivity(*, lower: Fraction, upper: Fraction, records: int, digits: int) -> Real:
    """Return (U − L)/N: a mean divides by its own number of records (X.SENS.MEAN)."""
    return _rational(_range(lower, upper) / records, digits)


@witness
def public_mean_sensitivity(*, lower: Fraction, upper: Fraction, records: int, digits: int) -> Real:
    """Return max(|L|, |U|)/n: a record is set to 0, and the divisor is public (X.SENS.MEAN)."""
    _range(lower, upper)
    return _rational(max(abs(lower), abs(upper)) / records, digits)


@witness
def variance_sensitivity(
    *, lower: Fraction, upper: Fraction, records: int, ddof: int, digits: int
) -> Real:
    """Return R²(N−1)/N² of the variance with divisor N, R²/N with N − 1 (X.SENS.VAR)."""
    square = _range(lower, upper) ** 2
    return _rational(square / records if ddof else square * (records - 1) / records**2, digits)


@witness
def squared_deviations_sensitivity(
    *, lower: Fraction, upper: Fraction, records: int, digits: int
) -> Real:
    """Return R²(N−1)/N of the sum of squared deviations from the mean (X.SENS.VAR)."""
    return _rational(_range(lower, upper) ** 2 * (records - 1) / records, digits)


@witness
def covariance_sensitivity(
    *, clipping_norm: Fraction, records: int, ddof: int, digits: int
) -> Real:
    """Return 4C²(N−1)/N² of the covariance matrix with divisor N, 4C²/N with N − 1 (X.SENS.VAR).

    The distance is Frobenius's, of whole matrices.
    """
    square = 4 * clipping_norm**2
    return _rational(square / records if ddof else square * (records - 1) / records**2, digits)


@witness
def regression_sensitivity_squared(
    *, clipping_norm: Fraction, target_bound: Fraction, digits: int
) -> Real:
    """Return C²(C² + Y²): a row of (X'X, X'y) is added or removed, or set to 0 (X.SENS.MOMENT)."""
    return _rational(clipping_norm**2 * (clipping_norm**2 + target_bound**2), digits)


@witness
def regression_sensitivity_squared_replace(
    *, clipping_norm: Fraction, target_bound: Fraction, dimension: int, digits: int
) -> Real:
    """Return that of a row of (X'X, X'y) that is replaced (X.SENS.MOMENT).

    With r = Y²/C² it is C⁴ times 2(1 + r/2)² for r ≤ 2, else 4r. Of one feature it is C⁴ times the
    larger of 4r and, for r ≤ 1/2, (3 − s)³(1 + s)/16, s = √(1 − 2r).
    """
    fourth, r = clipping_norm**4, (target_bound / clipping_norm) ** 2
    if dimension > 1:
        return _rational(fourth * (2 * (1 + r / 2) ** 2 if r <= 2 else 4 * r), digits)
    if 2 * r > 1:
        return _rational(4 * fourth * r, digits)

    def formula(ctx: Context) -> Real:
        s = ctx.sqrt(real(ctx, 1 - 2 * r))
        return real(ctx, fourth) * max((3 - s) ** 3 * (1 + s) / 16, real(ctx, 4 * r))

    return settle(formula, digits)


@witness
def counts_sensitivity(
    *, l0: int, linf: Fraction, total: Fraction, dimension: int, digits: int
) -> Real:
    """Return the largest ℓ1 norm of a person's counts, min(l0·linf, total) (X.SENS.COUNT)."""
    return _rational(_sum(min(l0, dimension), linf, total), digits)


@witness
def counts_sensitivity_replace(
    *, l0: int, linf: Fraction, total: Fraction, dimension: int, digits: int
) -> Real:
    """Return the largest ℓ1 distance of two persons' counts (X.SENS.COUNT)."""
    return _rational(sum(_sum(n, linf, total) for n in _halves(l0, dimension)), digits)


@witness
def counts_sensitivity_squared(
    *, l0: int, linf: Fraction, total: Fraction, dimension: int, digits: int
) -> Real:
    """Return the largest squared ℓ2 norm of a person's counts (X.SENS.COUNT).

    As many counts as the total has room for are linf, and one is the rest.
    """
    return _rational(_square(min(l0, dimension), linf, total), digits)


@witness
def counts_sensitivity_squared_replace(
    *, l0: int, linf: Fraction, total: Fraction, dimension: int, digits: int
) -> Real:
    """Return the largest squared ℓ2 distance of two persons' counts (X.SENS.COUNT)."""
    return _rational(sum(_square(n, linf, total) for n in _halves(l0, dimension)), digits)


def _halves(l0: int, dimension: int) -> tuple[int, int]:
    """Return how many counts each of two persons has, none of them in common."""
    return min(l0, (dimension + 1) // 2), min(l0, dimension // 2)


def _sum(number: int, linf: Fraction, total: Fraction) -> Fraction:
    return min(number * linf, total)


def _square(number: int, linf: Fraction, total: Fraction) -> Fraction:
    full = total // linf
    if number <= full:
        return number * linf**2
    return full * linf**2 + (total - full * linf) ** 2


@witness
def quantile_score_sensitivity(*, quantile: Fraction, digits: int) -> Real:
    """Return max(q, 1−q): how far one score of a quantile moves (X.SENS.RANK).

    The score of a candidate o is −|#{x < o} − qn|, and a record is added or removed.
    """
    return _rational(max(quantile, 1 - quantile), digits)


@witness
def quantile_score_range(*, quantile: Fraction, digits: int) -> Real:
    """Return 2·max(q, 1−q): how far two scores of a quantile move against each other (X.SENS.RANK).

    Some scores rise while others fall: they are not monotonic.
    """
    return _rational(2 * max(quantile, 1 - quantile), digits)


_MOST_STEPS = 1 << 16  # of the grid that a norm may have
_ALWAYS = 9  # coordinates from which on the bound is reached (four squares)


@witness
def rounded_norm_squared(
    *, clipping_norm: Fraction, grid: Fraction, dimension: int, digits: int
) -> Real:
    """Return the largest squared norm of a vector of norm C whose coordinates are rounded to g.

    To the nearest grid point, ties away from 0; no other way with ties gives more (X.SENS.GRID).

    Raises:
        ValueError: if clipping_norm is more than 65,536 steps of the grid.
    """
    arguments.at_most("65536 steps of grid", _MOST_STEPS * grid, "clipping_norm", clipping_norm)
    budget = math.floor(4 * (clipping_norm / grid) ** 2)
    active = min(dimension, budget)
    most = max((_filled(k, budget) for k in range(max(1, active - 7), active + 1)), default=0)
    return _rational(grid**2 * most, digits)


def _filled(coordinates: int, budget: int) -> int:
    """Return the largest Σm² of so many coordinates m ≥ 1 with Σ(2m−1)² within a budget.

    With t = m − 1 it is their number and Σt(t+1) + Σt, where Σt(t+1)/2 is at most an eighth of what
    the budget leaves. A bound is 2A + S with A all of it and S the most that t can add up to.
    """
    left = (budget - coordinates) // 8
    level = (math.isqrt(8 * (left // coordinates) + 1) - 1) // 2
    above = (left - coordinates * level * (level + 1) // 2) // (level + 1)
    most = coordinates * level + above
    if coordinates == 1:
        return (level + 1) ** 2
    if coordinates >= _ALWAYS:
        return coordinates + 2 * left + most
    for short in itertools.count():
        for unspent in range(short // 2 + 1):
            spent, total = left - unspent, most - (short - 2 * unspent)
            if min(spent, total) >= 0 and _exist(coordinates, total, 2 * spent - total):
                return coordinates + 2 * left + most - short
    raise AssertionError


def _exist(number: int, total: int, squares: int) -> bool:
    """Whether so many whole numbers from 0 on have this sum and this sum of squares."""
    spread = number * squares - total * total  # Σ of the squared differences of any two
    if spread < 0:
        return False
    if number == 1:
        return spread == 0
    root = math.isqrt(spread)
    if number == 2:
        return root * root == spread and root <= total and (total - root) % 2 == 0
    largest = (total + math.isqrt((number - 1) * spread)) // number
    return any(
        _exist(number - 1, total - t, squares - t * t)
        for t in range(-(-total // number), min(largest, total) + 1)
    )
