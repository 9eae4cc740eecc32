"""Sums divided by the size of the drawn batch, of two data sets of as many records (X.AVG.DRAWN).

A record is zeroed out or replaced: the size K has one law. Told K, a step is a batch of a fixed
size K of n: its curve dominates, and with K told the sum of these curves does. From below stand
others that contribute against the record, where many coordinates tell K, or in one coordinate.
`proofs_notes/averaging.md` has the proofs.
"""

from __future__ import annotations

import contextlib
import functools
import math
from dataclasses import replace
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.batches import deterministic
from dporacle.enclosures.batches.curves import BITS
from dporacle.enclosures.batches.drawn_divisor import LEFT_OUT, DrawnDivisor, drawn_sizes, misread
from dporacle.enclosures.batches.fixed_size import Steps, curve
from dporacle.enclosures.batches.labelled import EqualLaws, LabelledCurve, OneCurve
from dporacle.enclosures.batches.one_coordinate import SizedLaws, cells_of_line
from dporacle.enclosures.batches.repeated_step import (
    Product,
    deviations,
    nested,
    reachable,
    reached_by_half_lines,
    reached_by_tests,
)
from dporacle.enclosures.batches.scheme import Epochs, designed

ADJACENCIES = ("zero-out", "replace")

_LABELS = 64  # sizes that are told apart from above; more are told in groups
_LINES = 400  # likelihood ratios, at which half lines are tested
_FINE = 2000  # cells of the lattice in a standard deviation of the loss
_MOST_TAILS = 120_000  # of normal laws, which the half lines may need
_SPARE = 1e-8  # of δ: losses beyond those of so much are not tested


def epsilon(
    steps: DrawnDivisor, delta: Fraction, adjacency: str
) -> tuple[Fraction, Fraction | None]:
    """Return proved ends of the ε at a δ in (0, 1); None where the upper one is out of reach.

    Raises:
        ArithmeticError: if either would need too much work.
    """
    assert adjacency in ADJACENCIES
    designed(steps.sigma)
    if steps.rate * steps.times <= delta:  # the record is in no batch but with so small a chance
        return Fraction(0), Fraction(0)
    if steps.rate == 1:  # every batch has all records, in both data sets
        found = deterministic.epsilon(Epochs(steps.sigma, 1, steps.times), delta, adjacency)
        return found.low, found.high
    try:
        high = max(each.epsilon(delta) for each in _dominating(steps, float(delta), adjacency))
    except ArithmeticError:  # with little noise it is above what the lattice can hold
        low = _in_few_dimensions(steps, delta, adjacency)
        if not low:
            raise
        return low, None
    low = Fraction(0)
    with contextlib.suppress(ArithmeticError):
        low = _told(steps, delta, adjacency, high)
    return min(low or _in_few_dimensions(steps, delta, adjacency), high), high


def _in_few_dimensions(steps: DrawnDivisor, delta: Fraction, adjacency: str) -> Fraction:
    with contextlib.suppress(ArithmeticError):
        made = _in_one_dimension(replace(steps, dimension=None), float(delta), adjacency)
        return max(each.epsilon(delta) for each in made)
    return Fraction(0)


def labelled(steps: DrawnDivisor, target: float, adjacency: str) -> LabelledCurve:
    """Return what dominates a step about a δ, told the size of its batch.

    Raises:
        ArithmeticError: if the sizes are too many.
    """
    rows, left = _rows(steps, target)
    parts: list[tuple[arb, OneCurve]] = [(mass, EqualLaws()) for k, mass in rows if not k]
    among = [row for row in rows if row[0]]
    several = -(-len(among) // _LABELS)
    with precision(BITS):
        for k in range(0, len(among), several):
            some = among[k : k + several]
            mass = sum((each for _, each in some), arb(0))
            largest = Fraction(some[-1][0], steps.records)  # the curves rise with the rate
            parts.append((mass, curve(Steps(steps.sigma, largest, 1), adjacency)))
    return LabelledCurve(parts, left, steps.times, target)


@functools.lru_cache(maxsize=8)
def _dominating(steps: DrawnDivisor, target: float, adjacency: str) -> tuple[Product, ...]:
    return labelled(steps, target, adjacency).products()


def _rows(steps: DrawnDivisor, target: float) -> tuple[list[tuple[int, arb]], arb]:
    """Return the sizes and their chances, and a bound of the chance of all others."""
    sizes = drawn_sizes(steps, target * LEFT_OUT / steps.times)
    with precision(BITS):
        rows = [(k, mass) for k, mass, _ in sizes.labels()]
        left = (1 - sizes.kept).abs_upper()
        if not sizes.all_drawn < target * LEFT_OUT / steps.times:
            rows.append((steps.records, sizes.all_drawn))
            left = (1 - sizes.kept - sizes.all_drawn).abs_upper()
        return rows, left


def _told(steps: DrawnDivisor, delta: Fraction, adjacency: str, most: Fraction) -> Fraction:
    """Return what is reached where so many coordinates tell the size; 0 if they do not."""
    if steps.dimension is None:
        return Fraction(0)
    rows, left = _rows(steps, float(delta))
    with precision(BITS):
        wrong = left + misread([row for row in rows if row[0]], steps.dimension - 1)
        lost = steps.times * wrong * (1 + ball(most).exp())
        if not lost < ball(delta) / 2:
            return Fraction(0)
        mantissa = Fraction(float(lost.abs_upper())) * 2  # far above the rounding to a float
    made = _reached(steps, float(delta), adjacency)
    return max(each.epsilon(delta + mantissa) for each in made)


@functools.lru_cache(maxsize=8)
def _reached(steps: DrawnDivisor, target: float, adjacency: str) -> tuple[Product, Product]:
    """Return what is reached with the size told: half lines of each size, of one ratio."""
    rows, left = _rows(steps, target)
    sigma, n = float(steps.sigma), steps.records
    gap = 2 / sigma
    reach = deviations(target * _SPARE) + gap
    highest = gap * reach
    lines = min(_LINES, _MOST_TAILS // (3 * len(rows)))
    if lines < 60:
        raise ArithmeticError("the sizes of a batch are too many")
    tests = []
    with precision(BITS):
        noise = ball(steps.sigma)
        for j in range(lines):
            # Dense about the ratio 1, where most of the losses are.
            log = -highest / 8 + highest * 9 / 8 * (j / (lines - 1)) ** 2 if j else -highest
            p = q = arb(0)
            for k, mass in rows:
                if not k:
                    continue
                share = arb(k) / n
                t = arb(_threshold(log, k / n, sigma, adjacency))
                none, near, far = (normal_tail(t - m / noise) for m in (0, 1, 2))
                p += mass * ((1 - share) * none + share * far)
                moved = share * (near if adjacency == "zero-out" else none)
                q += mass * ((1 - share) * none + moved)
            tests.append((q + left.union(arb(0)), p))
    return reached_by_half_lines(tests, steps.times, target, _FINE)


def _threshold(log: float, share: float, sigma: float, adjacency: str) -> float:
    """Estimate where the ratio of a size has a logarithm; it rises with that."""
    a, gap = math.exp(min(log, 600.0)), 1 / sigma
    if adjacency == "replace":
        ahead = (a - 1 + share) / share
        return (math.log(max(ahead, 1e-300)) + 2 * gap * gap) / (2 * gap)
    # y²e^{−2g²} − aye^{−g²/2} = (a − 1)(1 − s)/s at y = e^{gt}; below 1 that of a = 1 moves on.
    if a <= 1:
        return 1.5 * gap + log / gap
    half, rest = a * math.exp(min(1.5 * gap * gap, 600.0)) / 2, (a - 1) * (1 - share) / share
    root = half + math.sqrt(half * half + rest * math.exp(min(2 * gap * gap, 600.0)))
    return math.log(root) / gap


@functools.lru_cache(maxsize=8)
def _in_one_dimension(
    steps: DrawnDivisor, target: float, adjacency: str
) -> tuple[Product, Product]:
    """Return what is reached in one coordinate, so that it is in any number."""
    reachable(steps.times, target)
    rows, left = _rows(steps, target)
    n, none = steps.records, arb(0)
    with precision(BITS):
        laws = []
        for k, mass in rows:
            still, moved = mass * (n - k) / n, mass * k / n
            second = (still, moved, none) if adjacency == "zero-out" else (mass, none, none)
            if k:
                laws.append(SizedLaws(k, (still, none, moved), second))
        atoms = [(mass, mass) for k, mass in rows if not k]
        cells = cells_of_line(laws, steps.sigma, steps.times, target, atoms)
        tests = nested([*cells, *atoms], left)
        one, other = (
            reached_by_tests(tests, steps.times, target, swapped=each) for each in (False, True)
        )
        return one, other
