"""The area under the curve of TPR over FPR (AUC): from a transform, or between two polygons.

TPR(α) = min over a of H(a) + aα. Above, the minimum over the places of a grid. Below, H lies above
a polygon, the lines through neighbouring places: then the minimum over the polygon's corners,
which are the next places of the grid where they count.
"""

import itertools
from collections.abc import Sequence
from fractions import Fraction
from statistics import NormalDist

from flint import arb

from dporacle.enclosures.arithmetic.balls import precision
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.tradeoff.curve import BITS, Node, TradeoffCurve

_FIRST = 24  # cells on either side of 0, at first
_ROUNDS = 24  # of new lines; it ends where the polygons give the digits
_MOST = 1500  # lines: each place is an inversion
_COARSE = 5  # digits that polygons give
_REACH = 4.0  # standard deviations of a loss, at first
_CLOSEST = 1 << 12  # of a first cell; a line through closer places is ruled by their errors
_UNIT = Fraction(1, 1 << 90)  # places are short fractions, so that equal ones are one
_NORMAL = NormalDist()

Line = tuple[arb, arb]
"""(a, h) of the line h + aα."""


def area(curve: TradeoffCurve, *, digits: int = 4) -> arb:
    """Enclose the area.

    Args:
        curve: H of the law with the record against that without it.
        digits: the ball is at most 10^-digits of it wide.

    Raises:
        ArithmeticError: if that takes too many values of the curve.
    """
    with precision(BITS):
        if curve.mu is not None:
            return normal_tail(-curve.mu / arb(2).sqrt())
    if curve.area is not None:
        try:
            return curve.area(max(digits, curve.digits))
        except ArithmeticError:
            if digits > _COARSE:
                raise
    with precision(BITS):
        if float(curve.advantage().mid()) == 0:
            return arb(1) / 2
    places = first_places(curve)
    step = places[1] - places[0]
    goal = 10.0**-digits / 2
    for _ in range(_ROUNDS):
        curve.prepare(places)
        nodes = [curve.at(x) for x in places]
        with precision(BITS):
            below, gains = corners(nodes)
            above = [(arb(0), arb(1)), *((node.a, node.height) for node in nodes)]
            value = _least(below).union(_most(above))
            if float(value.rad() / value.mid()) <= goal:
                return value
            share = goal / (8 * len(gains))
            wished = [a.log() for a, gain in gains if gain > share and a > 0]
        places = _with(places, [_rounded(x) for x in wished], step / _CLOSEST)
        if len(places) > _MOST:
            break
    raise ArithmeticError(f"no area of {digits} digits is enclosed")


def _with(places: list[Fraction], wished: list[Fraction], closest: Fraction) -> list[Fraction]:
    """Return places with those that are wished, but for what is next to one of them."""
    found: list[Fraction] = []
    kept = set(places)
    for x in sorted({*places, *wished}):
        if found and x - found[-1] < closest:
            if x not in kept:
                continue
            if found[-1] not in kept:
                found.pop()
        found.append(x)
    return found


def _rounded(x: arb) -> Fraction:
    return round(bounds(x.mid())[0] / _UNIT) * _UNIT


def first_places(curve: TradeoffCurve) -> list[Fraction]:
    """Return the logarithms of slopes at which a curve of this advantage is worth a look."""
    with precision(BITS):
        advantage = min(float(curve.advantage().mid()), 1 - 1e-15)
    mu = max(2 * _NORMAL.inv_cdf((1 + advantage) / 2), 1e-15)
    step = Fraction((mu * mu / 2 + _REACH * mu) / _FIRST)
    return [k * step for k in range(-_FIRST, _FIRST + 1)]


def corners(nodes: Sequence[Node]) -> tuple[list[Line], list[tuple[arb, float]]]:
    """Return the corners, from a = 0, of a polygon that H is nowhere below.

    Between two places it is the larger of the lines through the neighbours; before the first 1 − a
    is one of them. Beyond the last it is the line through the two before, as far as that is not 0.

    Returns:
        The corners, and those between two places, with about how much each costs the area.
    """
    points: list[Line] = [(arb(0), arb(1)), *((node.a, node.height) for node in nodes)]
    slopes = [
        (second[1] - first[1]) / (second[0] - first[0])
        for first, second in itertools.pairwise(points)
    ]
    found, gains = [points[0]], []
    for k, ((a, h), (b, g)) in enumerate(itertools.pairwise(points)):
        fall = slopes[k - 1] if k else arb(-1)
        rise = slopes[k + 1] if k + 1 < len(slopes) else arb(0)
        bend, width = rise - fall, b - a
        at = (h - g + rise * width) / bend if bend > 0 else width / 2
        at = at.mid()
        if not (at > 0 and at < width):
            at = (width / 2).mid()
        corner = (h + fall * at).min(g - rise * (width - at))
        found += [(a + at, corner), (b, g)]
        gains.append((a + at, float(((h + slopes[k] * at - corner) * abs(bend)).mid())))
    (a, h), slope = found[-1], slopes[-1]
    # Where the last slope is not told from 0, H is above 0.
    end = a - h / slope if slope < 0 and h > 0 else a
    found.append((end, arb(0)))
    gains.append((end, float((h * abs(slope)).mid())))
    return found, gains


def _breaks(lines: Sequence[Line]) -> list[arb]:
    """Return about where each line crosses the next one, from 1 down to 0."""
    found = [arb(1)]
    for (a, h), (b, g) in itertools.pairwise(lines):
        gap = b - a
        found.append(((h - g) / gap).mid().max(arb(0)).min(arb(1)) if gap > 0 else found[-1])
    return [*sorted(found, reverse=True), arb(0)]  # errors may turn two of them round


def _most(lines: Sequence[Line]) -> arb:
    """Bound the area under the least of lines above: in each part one of them is taken."""
    total = arb(0)
    for (a, h), (right, left) in zip(lines, itertools.pairwise(_breaks(lines)), strict=True):
        total += (right - left) * (h + a * (left + right) / 2)
    return total


def _least(lines: Sequence[Line]) -> arb:
    """Bound it below: the least of lines is concave, and lies above its chords."""
    breaks = [one for one, other in itertools.pairwise(_breaks(lines)) if one > other]
    breaks.append(arb(0))
    heights = []
    for alpha in breaks:
        least = lines[0][1] + lines[0][0] * alpha
        for a, h in lines:
            least = least.min(h + a * alpha)
        heights.append(least)
    parts = zip(itertools.pairwise(breaks), itertools.pairwise(heights), strict=True)
    return sum(((b - a) * (f + g) / 2 for (b, a), (f, g) in parts), arb(0))
