"""The largest ‖Σ Cⱼ ⊗ uⱼ‖² over vectors |uⱼ| ≤ 1, for the columns of one pattern.

It is max{⟨G, X⟩: X ⪰ 0, Xⱼⱼ ≤ 1}. Where signs make all products of columns nonnegative it is
Σ|Gᵢⱼ|. Otherwise vectors give a lower end, and a diagonal y with diag(y) ⪰ G the upper end Σyⱼ;
both are found in float64 and proved in balls.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import precision
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.matrix.strategies import WORK_BITS

_SWEEPS = 400  # at most: a search ends where a sweep moves nothing
_WORK = 4e6  # products of numbers that one search may take
_STILL = 1e-14  # some last places of a unit vector: the sweep has moved nothing
# From below the rounding of float64, 2^-53, upwards: the least shift that is proved is taken.
_SHIFTS = 60

_Matrix = Sequence[Sequence[int]]


def balanced(gram: _Matrix) -> bool:
    """Return whether signs of the columns make all their products nonnegative."""
    signs: dict[int, int] = {}
    for root in range(len(gram)):
        if root in signs:
            continue
        signs[root] = 1
        stack = [root]
        while stack:
            i = stack.pop()
            for j, product in enumerate(gram[i]):
                if i == j or not product:
                    continue
                sign = signs[i] if product > 0 else -signs[i]
                if j not in signs:
                    signs[j] = sign
                    stack.append(j)
                elif signs[j] != sign:
                    return False
    return True


def largest(gram: _Matrix) -> tuple[Fraction, Fraction]:
    """Enclose the maximum; both ends are one where signs decide it."""
    total = Fraction(sum(abs(each) for row in gram for each in row))
    if balanced(gram):
        return total, total
    scale = max(gram[i][i] for i in range(len(gram)))
    near = [[float(Fraction(each, scale)) for each in row] for row in gram]
    vectors = _ascend(near)
    with precision(WORK_BITS):
        exact = [[arb(each) for each in row] for row in gram]
        low = bounds(_value(exact, vectors))[0]
        pulls = [
            sum(map(float.__mul__, row, (_dot(one, other) for other in vectors)))
            for row, one in zip(near, vectors, strict=True)
        ]
        shift = 2.0**-_SHIFTS * len(gram)
        for _ in range(2 * _SHIFTS):
            diagonal = [Fraction(pull + shift) * scale for pull in pulls]
            if _dominates(diagonal, exact):
                return low, min(total, sum(diagonal, Fraction(0)))
            shift *= 2
    return low, total


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return math.fsum(map(float.__mul__, one, other))


def _ascend(near: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return unit vectors, each in the end along the sum that the others pull it to."""
    count = len(near)
    rank = min(count, math.isqrt(2 * count) + 2)  # enough for a largest value (Pataki)
    draw = random.Random(0)
    vectors = [_unit([draw.gauss(0, 1) for _ in range(rank)]) for _ in range(count)]
    sweeps = max(8, min(_SWEEPS, int(_WORK / (count * count * rank))))
    for _ in range(sweeps):
        moved = 0.0
        for i, row in enumerate(near):
            others = [0.0 if j == i else weight for j, weight in enumerate(row)]
            pull = [_dot(others, axis) for axis in zip(*vectors, strict=True)]
            if not any(pull):
                continue
            new = _unit(pull)
            moved = max(moved, *(abs(a - b) for a, b in zip(new, vectors[i], strict=True)))
            vectors[i] = new
        if moved < _STILL:
            break
    return vectors


def _unit(vector: Sequence[float]) -> list[float]:
    length = math.hypot(*vector)
    return [each / length for each in vector]


def _value(gram: Sequence[Sequence[arb]], vectors: Sequence[Sequence[float]]) -> arb:
    """Enclose Σ Gᵢⱼ⟨uᵢ, uⱼ⟩/(|uᵢ||uⱼ|)."""
    balls = [[arb(each) for each in vector] for vector in vectors]
    unit = []
    for vector in balls:
        length = sum((each * each for each in vector), arb(0)).sqrt()
        unit.append([each / length for each in vector])
    total = arb(0)
    for k in range(len(unit[0])):
        for i, row in enumerate(gram):
            pull = sum((g * other[k] for g, other in zip(row, unit, strict=True)), arb(0))
            total += pull * unit[i][k]
    return total


def _dominates(diagonal: Sequence[Fraction], gram: Sequence[Sequence[arb]]) -> bool:
    """Prove diag(y) − G positive definite: all pivots of its LDLᵀ are."""
    count = len(gram)
    rest = [[-each for each in row] for row in gram]
    for i, each in enumerate(diagonal):
        rest[i][i] += arb(each.numerator) / each.denominator
    for i in range(count):
        pivot = rest[i][i]
        if not pivot > 0:
            return False
        for j in range(i + 1, count):
            factor = rest[j][i] / pivot
            for k in range(i + 1, j + 1):
                rest[j][k] -= factor * rest[k][i]
    return True
