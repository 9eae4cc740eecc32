"""Enclosures for how far one record moves a statistic of bounded records (X.SENS).

Each is computed from what one record does: where the reference has a formula in the range R, here
the record lies at one end and the others' mean at the other.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

from flint import arb

from dporacle import arguments
from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.interface import witness


def _rational(value: Fraction | int, digits: int) -> arb:
    return tighten(lambda: ball(Fraction(value)), digits)


def _middle(lower: Fraction, upper: Fraction) -> tuple[Fraction, Fraction]:
    """Return the middle of an interval and half its width."""
    arguments.at_most("upper", upper, "lower", lower)
    return (lower + upper) / 2, (upper - lower) / 2


@witness
def sum_sensitivity(*, lower: Fraction, upper: Fraction, digits: int) -> arb:
    """Enclose |middle| + half the width, the largest size of a record (X.SENS.MEAN)."""
    return _rational(largest_size(lower, upper), digits)


def largest_size(lower: Fraction, upper: Fraction) -> Fraction:
    """Return max(|L|, |U|)."""
    middle, half = _middle(lower, upper)
    return abs(middle) + half


@witness
def sum_sensitivity_replace(*, lower: Fraction, upper: Fraction, digits: int) -> arb:
    """Enclose the distance of the two ends, each half the width from the middle (X.SENS.MEAN)."""
    _, half = _middle(lower, upper)
    return _rational(2 * half, digits)


@witness
def mean_sensitivity(*, lower: Fraction, upper: Fraction, records: int, digits: int) -> arb:
    """Enclose the step (x − m)/N of a mean m whose record x is opposite (X.SENS.MEAN)."""
    middle, half = _middle(lower, upper)
    first, last = middle - half, middle + half
    return _rational((last + (records - 1) * first) / records - first, digits)


@witness
def public_mean_sensitivity(*, lower: Fraction, upper: Fraction, records: int, digits: int) -> arb:
    """Enclose the larger of |middle ± half the width| over n (X.SENS.MEAN)."""
    moved = largest_size(lower, upper)
    return _rational(moved / records, digits)


@witness
def variance_sensitivity(
    *, lower: Fraction, upper: Fraction, records: int, ddof: int, digits: int
) -> arb:
    """Enclose the squared deviations' step over their divisor, N or N − 1 (X.SENS.VAR)."""
    _, half = _middle(lower, upper)
    return _rational(deviations_step(2 * half, records) / (records - ddof), digits)


@witness
def squared_deviations_sensitivity(
    *, lower: Fraction, upper: Fraction, records: int, digits: int
) -> arb:
    """Enclose the step of the sum of squared deviations (X.SENS.VAR)."""
    _, half = _middle(lower, upper)
    return _rational(deviations_step(2 * half, records), digits)


def deviations_step(distance: Fraction, records: int) -> Fraction:
    """Return d² − d²/N: a record at a distance d from all others, about the mean of all."""
    square = distance * distance
    return square - square / records


@witness
def covariance_sensitivity(*, clipping_norm: Fraction, records: int, ddof: int, digits: int) -> arb:
    """Enclose the step of the covariance matrix in one direction of the ball (X.SENS.VAR).

    All records but one are at −C of it, and that one moves from −C to C, or is added there.
    """
    return _rational(deviations_step(2 * clipping_norm, records) / (records - ddof), digits)


@witness
def regression_sensitivity_squared(
    *, clipping_norm: Fraction, target_bound: Fraction, digits: int
) -> arb:
    """Enclose ‖xx'‖² + ‖xy‖² of the longest row (X.SENS.MOMENT)."""
    return _rational(row_squared(clipping_norm, target_bound), digits)


def row_squared(clipping_norm: Fraction, target_bound: Fraction) -> Fraction:
    """Return the largest ‖xx'‖² + ‖xy‖² of a row."""
    return clipping_norm**4 + (clipping_norm * target_bound) ** 2


@witness
def regression_sensitivity_squared_replace(
    *, clipping_norm: Fraction, target_bound: Fraction, dimension: int, digits: int
) -> arb:
    """Enclose ‖xx' − zz'‖² + ‖xy − zw‖² at its largest (X.SENS.MOMENT).

    Both rows are as long as they may be and their targets are opposite: it is
    2C⁴ + 2C²Y² − 2c² + 2Y²c at the scalar product c of the rows. Of one feature, z is one of the
    ends and of the roots of a quadratic equation.
    """
    norm, y = clipping_norm, target_bound
    if dimension > 1:
        return _rational(rows_apart_squared(norm, y), digits)
    apart = norm * norm - 2 * y * y  # the discriminant of z² − Cz + Y²/2, times … of the first root

    def of(z: arb) -> arb:
        return (ball(norm) + z) ** 2 * ((ball(norm) - z) ** 2 + ball(y * y))

    def formula() -> arb:
        most = of(ball(norm))
        if apart < 0:
            return most
        inner = of((ball(norm) - ball(apart).sqrt()) / 2)
        return inner if inner > most else most if most > inner else inner.union(most)

    return tighten(formula, digits)


def rows_apart_squared(clipping_norm: Fraction, target_bound: Fraction) -> Fraction:
    """Return the largest ‖xx' − zz'‖² + ‖xy − zw‖² of rows of two features or more."""
    along = rows_along(clipping_norm, target_bound)
    both = row_squared(clipping_norm, target_bound) - along**2 + target_bound**2 * along
    return 2 * both


def rows_along(clipping_norm: Fraction, target_bound: Fraction) -> Fraction:
    """Return the scalar product of two rows that are farthest apart, with opposite targets."""
    return min(target_bound**2 / 2, clipping_norm**2)


@witness
def counts_sensitivity(
    *, l0: int, linf: Fraction, total: Fraction, dimension: int, digits: int
) -> arb:
    """Enclose the sum of a person's largest counts (X.SENS.COUNT)."""
    return _rational(counted(1, l0, linf, total, dimension), digits)


@witness
def counts_sensitivity_replace(
    *, l0: int, linf: Fraction, total: Fraction, dimension: int, digits: int
) -> arb:
    """Enclose the ℓ1 distance of two persons with no count in common (X.SENS.COUNT)."""
    return _rational(counted_of_two(1, l0, linf, total, dimension), digits)


@witness
def counts_sensitivity_squared(
    *, l0: int, linf: Fraction, total: Fraction, dimension: int, digits: int
) -> arb:
    """Enclose the sum of squares of a person's largest counts (X.SENS.COUNT)."""
    return _rational(counted(2, l0, linf, total, dimension), digits)


@witness
def counts_sensitivity_squared_replace(
    *, l0: int, linf: Fraction, total: Fraction, dimension: int, digits: int
) -> arb:
    """Enclose the squared ℓ2 distance of two persons with no count in common (X.SENS.COUNT)."""
    return _rational(counted_of_two(2, l0, linf, total, dimension), digits)


def counted(power: int, l0: int, linf: Fraction, total: Fraction, dimension: int) -> Fraction:
    """Return Σcount^power of the longest counts: what is left fills one place after the other."""
    spent = min(total, min(l0, dimension) * linf)
    rest = spent % linf
    return (spent - rest) / linf * linf**power + rest**power


def counted_of_two(
    power: int, l0: int, linf: Fraction, total: Fraction, dimension: int
) -> Fraction:
    """Return the most that two persons reach who share the places evenly."""
    few = dimension // 2
    halves = (counted(power, l0, linf, total, places) for places in (few, dimension - few))
    return sum(halves, Fraction())


@witness
def quantile_score_sensitivity(*, quantile: Fraction, digits: int) -> arb:
    """Enclose ½ + |q − ½| (X.SENS.RANK)."""
    half = Fraction(1, 2)
    return _rational(half + abs(quantile - half), digits)


@witness
def quantile_score_range(*, quantile: Fraction, digits: int) -> arb:
    """Enclose 1 + |2q − 1| (X.SENS.RANK)."""
    return _rational(1 + abs(2 * quantile - 1), digits)


_MOST_STEPS = 1 << 16  # of the grid that a norm may have


@witness
def rounded_norm_squared(
    *, clipping_norm: Fraction, grid: Fraction, dimension: int, digits: int
) -> arb:
    """Enclose the largest squared norm of a rounded vector of norm C (X.SENS.GRID).

    A coordinate reaches m grid steps from 2m − 1 half steps on: odd numbers a with Σa² ≤ 4C²/g² are
    sought of which Σ(a+1)²/4 is largest.

    Raises:
        ValueError: if clipping_norm is more than 65,536 steps of the grid.
    """
    return _rational(rounded_squared(clipping_norm, grid, dimension), digits)


def rounded_squared(clipping_norm: Fraction, grid: Fraction, dimension: int) -> Fraction:
    """Return the largest squared norm of a rounded vector."""
    arguments.at_most("65536 steps of grid", _MOST_STEPS * grid, "clipping_norm", clipping_norm)
    budget = math.floor((2 * clipping_norm / grid) ** 2)
    places = min(dimension, budget)
    most = max((_odd(n, budget) for n in range(max(1, places - 7), places + 1)), default=0)
    return grid * grid * most


def _odd(number: int, budget: int) -> int:
    """Return the largest Σ(a+1)²/4 of so many odd numbers with Σa² within a budget.

    Σa² is their number and a multiple of 8. Σa is largest where they are next to each other; from
    there on it is lowered until there are such numbers.
    """
    if number == 1:
        return ((math.isqrt(budget) + 1) // 2) ** 2
    squares = budget - (budget - number) % 8
    total = _longest(number, squares)
    if number > 8:
        return (squares + 2 * total + number) // 4
    for less in itertools.count():
        for idle in range(less // 2 + 1):
            fewer = total - 2 * (less - 2 * idle)
            if squares >= 8 * idle and any(_odd_numbers(number, fewer, squares - 8 * idle)):
                return (squares + 2 * total + number) // 4 - less
    raise AssertionError


def _longest(number: int, squares: int) -> int:
    """Return the largest sum of so many odd numbers with a sum of squares: the chord below it."""
    low = math.isqrt(squares // number)
    low -= 1 - low % 2
    return number * low + 2 * ((squares - number * low * low) // (4 * low + 4))


def _odd_numbers(number: int, total: int, squares: int) -> Iterator[bool]:
    """Yield True if so many odd numbers have a sum and a sum of squares: the least goes first."""
    variance = number * squares - total * total
    if variance < 0:
        return
    if number == 2:  # (total ± apart)/2, both odd
        apart = math.isqrt(variance)
        if apart * apart == variance and total > apart and (total - apart) % 4 == 2:
            yield True
        return
    deepest = (total - math.isqrt((number - 1) * variance) - number) // number
    first = total // number
    first -= 1 - first % 2
    for a in range(first, max(0, deepest), -2):
        yield from _odd_numbers(number - 1, total - a, squares - a * a)
