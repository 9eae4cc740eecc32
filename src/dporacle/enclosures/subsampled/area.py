"""The area under the curve of TPR over FPR of composed steps, from one transform (X.RISK.AUC).

A loss of P less one of Q, independent, is the loss of P × Q against Q × P. Its transform
K(s)K(−1−s) is |K|² on Re s = −½, and the area is (1 + δ(0))/2 of that pair: the Poisson summation
of `inversion`, with one Chernoff bound for the aliases of both sides.
"""

import math
from collections.abc import Sequence

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, bits_for, precision
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.subsampled.cutting import log_kappa
from dporacle.enclosures.subsampled.design import MAX_NODES, MAX_WORK
from dporacle.enclosures.subsampled.estimates import Effort, Estimate
from dporacle.enclosures.subsampled.inversion import kappa, series
from dporacle.enclosures.subsampled.meshes import bound_mesh, line_mesh, tail_mesh
from dporacle.enclosures.subsampled.transform import Step

_LN10 = math.log(10)
_MARGINS = (3.0, 12.0)  # of the logarithm of the tolerance, one after the other
# Where aliases are bounded: the one with the shortest period is taken.
_POWERS = [math.exp(0.25 * k) for k in range(-16, 26)]
_MIDDLE = -0.5  # of the line: as far as can be from both poles, 0 and −1


def area(steps: Sequence[Step], digits: int) -> arb:
    """Enclose the area, to a radius of 10^-digits.

    Raises:
        ArithmeticError: if that would need too much work.
    """
    alone = len(steps) == 1 and steps[0].times == 1 and not steps[0].antipodal
    for margin in _MARGINS:
        found = _alone(steps[0], digits) if alone else _composed(steps, digits, margin)
        if found.rad() * 10**digits <= 1:
            return found
    raise ArithmeticError(f"no area of {digits} digits is enclosed")


def _alone(step: Step, digits: int) -> arb:
    """Enclose the chance that the output with the record is the larger one."""
    with precision(bits_for(digits) + 64):
        moved = step.moved(lambda shift: normal_tail(-shift / arb(2).sqrt()))
        return ball(1 - step.rate) / 2 + moved


def _composed(steps: Sequence[Step], digits: int, margin: float) -> arb:
    effort = Effort()
    kinds = [Estimate(step, effort) for step in steps]
    goal = -digits * _LN10 - margin

    def log_square(c: float) -> float:
        return sum(k.times * (k.log_transform(c) + k.log_transform(-1 - c)) for k in kinds)

    def period(p: float) -> float:
        return max(log_kappa(p) + log_square(p) - goal, 1.0) / (p + 0.5)

    right = min(_POWERS, key=period)
    spacing = 2 * math.pi / period(right)
    nodes = int(_frequency(kinds, goal, spacing * MAX_NODES) / spacing) + 4
    size = log_square(_MIDDLE)
    line, above, below, far = [], [], [], []
    for each in kinds:
        share = math.log(2 * each.times * len(steps))
        wanted = goal - 3.0 - max(size, goal) - share
        line.append(line_mesh(each, _MIDDLE, min(wanted, -3.0) + each.log_transform(_MIDDLE)))
        above.append(bound_mesh(each, right, -7.0 - share))
        below.append(bound_mesh(each, -1 - right, -7.0 - share))
        last = spacing * nodes
        tail = each.log_tail(_MIDDLE, last, None)
        far.append(tail_mesh(each, _MIDDLE, last, tail - 7.0 - share))
    if sum(mesh.left + mesh.right for mesh in line) * nodes > MAX_WORK:
        raise ArithmeticError("the area needs too much work")
    high = max(mesh.height for mesh in line)
    spare = math.log2(sum(each.times for each in kinds)) + 2 * high * high
    with precision(int(-goal / math.log(2) + spare) + 80):
        between, c = 2 * arb.pi() / arb(spacing), arb(_MIDDLE)
        values, beyond, aliases = [arb(1)] * (nodes + 1), arb(1), kappa(arb(right))
        for k, step in enumerate(steps):
            (powers,) = step.transform(line[k], c, arb(spacing), nodes + 1)
            squares = (abs(p) ** 2 for p in powers)
            values = [v * p**step.times for v, p in zip(values, squares, strict=True)]
            end = arb(spacing) * nodes
            beyond *= step.tail(far[k], c, end) ** (2 * step.times)
            for mesh, at in ((above[k], arb(right)), (below[k], -1 - arb(right))):
                aliases *= step.tail(mesh, at, arb(0)) ** step.times
        # 1/s(s + 1) is −1/(1/4 + u²) there.
        terms = (v / (arb(0.25) + (arb(spacing) * n) ** 2) for n, v in enumerate(values))
        total = sum(terms, -values[0] * 2)
        left = (beyond / (arb.pi() * end)).abs_upper()
        delta = 1 - 2 * total / between + 2 * series(c * between) + arb(0, left)
        both = 2 * aliases * series((c - arb(right)) * between)
        return ((1 + delta - both.abs_upper().union(arb(0))) / 2).min(arb(1))


def _frequency(kinds: Sequence[Estimate], goal: float, limit: float) -> float:
    """Estimate from which frequency on the transform does not count."""
    high = 1e-3
    while True:
        tail = sum(each.times * each.log_tail(_MIDDLE, high, None) for each in kinds)
        if 2 * tail - math.log(math.pi * high) < goal:
            return high
        high *= 1.25
        if high > limit:
            raise ArithmeticError("the transform does not die out soon enough")
