"""The meshes of the trapezoid rules, chosen in float64. A bad mesh only widens a ball."""

import math
from collections.abc import Callable
from dataclasses import replace

from dporacle.enclosures.subsampled.cut import Cut
from dporacle.enclosures.subsampled.estimates import Estimate, log_normal_tail
from dporacle.enclosures.subsampled.transform import Mesh

_NODES = 600  # of an estimate, at most


def bound_mesh(each: Estimate, c: float, margin: float) -> Mesh:
    """Choose the mesh of an upper bound of M(c), so far below which its error is no matter."""
    found = line_mesh(each, c, each.log_bound(c) + margin, sides=False)
    return replace(found, height=0.0)


def line_mesh(
    each: Estimate, c: float, log_tolerance: float, cut: Cut | None = None, *, sides: bool = True
) -> Mesh:
    """Choose the mesh of M(c + iu), u ≥ 0, and of M₀, for an absolute tolerance.

    Args:
        each: the kind of step.
        c: the real part.
        log_tolerance: the logarithm of the tolerance.
        cut: M₀ is the transform with its weight χ₀.
        sides: whether what the ends of a window contribute has to be below it too.
    """
    if each.plain:
        return Mesh(1.0, 1.0, 1, 1, 1.0)
    negative = min(each.powers(c)) < 0
    limit = math.pi * each.sigma / (4 if negative else 2)
    best: tuple[float, float, float] | None = None
    narrow = [_no_weight] if cut is None else [_no_weight, _small(cut, 0.0)]
    least = max(_log_mass(each, c, 1.0, weight, cut) for weight in narrow)
    for part in (0.97, 0.8, 0.6, 0.4, 0.25, 0.12, 0.05, 0.02, 0.005, 0.001, 2e-4, 4e-5):
        b = min(part * limit, 6.0 * part)
        most = _spacing(b, least + 2 * b * b, log_tolerance)
        if best is not None and most <= best[1]:
            continue
        cosine = math.cos(2 * b / each.sigma)
        weights = [_no_weight] if cut is None else [_no_weight, _small(cut, 2 * b)]
        ends = 2 * b * b + math.log(6 * b)
        if not sides:
            if ends > 1:
                continue
        elif max(_log_sides(each, c, cosine, at) for at in weights) + ends > log_tolerance:
            continue
        bound = max(_log_mass(each, c, cosine, weight, cut) for weight in weights) + 2 * b * b
        spacing = _spacing(b, bound, log_tolerance)
        if best is None or spacing > best[1]:
            best = (b, spacing, bound)
    if best is None:
        raise ArithmeticError("the window is too narrow for a mesh")
    b, spacing, _ = best
    goal = log_tolerance - b * b / 2
    return _ends(each, c, b, b, spacing, goal, math.cos(2 * b / each.sigma))


def tail_mesh(
    each: Estimate, c: float, u: float, log_tolerance: float, cut: Cut | None = None
) -> Mesh:
    """Choose the line and the mesh of the tail bound."""
    if each.plain:
        return Mesh(1.0, 1.0, 1, 1, 1.0)
    height = each.tail(c, u, cut)[1]
    grown = height * height / 2 * (1 + (0.0 if cut is None else cut.steepness**2))
    best: tuple[float, float] | None = None
    narrow = _no_weight if cut is None else _large(cut, 0.0)
    least = _log_mass(each, c, math.cos(height / each.sigma), narrow, cut) + grown
    for part in (0.97, 0.8, 0.6, 0.4, 0.2, 0.05, 0.01, 0.002):
        a = min(part * (math.pi * each.sigma / 2 - height), 6.0 * part)
        if best is not None and _spacing(a, least + a * a / 2, log_tolerance) <= best[1]:
            continue
        cosine = math.cos((a + height) / each.sigma)
        weight = _no_weight if cut is None else _large(cut, a)
        sides = _log_sides(each, c, cosine, weight) + math.log(3 * (a + height))
        if sides + a * a / 2 + grown > log_tolerance:
            continue
        bound = _log_mass(each, c, cosine, weight, cut) + a * a / 2 + grown
        spacing = _spacing(a, bound, log_tolerance)
        if best is None or spacing > best[1]:
            best = (a, spacing)
    if best is None:
        raise ArithmeticError("the window is too narrow for a mesh")
    a, spacing = best
    cosine = math.cos((a + height) / each.sigma)
    weight = _no_weight if cut is None else _large(cut, a)
    return _ends(each, c, height, a, spacing, log_tolerance - grown, cosine, weight)


def _spacing(height: float, bound: float, log_tolerance: float) -> float:
    """Return the spacing with which a rule whose integrand has a bound at a height is so exact.

    The bound rises with the height: that at height 0 tells which heights need no look.
    """
    return 2 * math.pi * height / max(bound + math.log(8) - log_tolerance, 1.0)


_Weight = Callable[[float], float]  # t -> the logarithm of a bound of a weight


def _no_weight(_: float) -> float:
    return 0.0


def _small(cut: Cut, height: float) -> _Weight:
    """Estimate the bound of |χ₀| at so much height."""
    steepness = cut.steepness
    return lambda t: _weight(steepness * (t - cut.place), steepness * height)


def _large(cut: Cut, height: float) -> _Weight:
    """Estimate the bound of |χ₁|."""
    steepness = cut.steepness
    return lambda t: _weight(steepness * (cut.place - t), steepness * height)


def _weight(x: float, height: float) -> float:
    growth = height * height / 2
    other = growth + log_normal_tail(-x)
    return min(growth + log_normal_tail(x), math.log1p(math.exp(other)) if other < 40 else other)


def _log_mass(each: Estimate, c: float, cosine: float, weight: _Weight, cut: Cut | None) -> float:
    """Estimate ln ∫ φ·sup|integrand/φ| as the enclosure bounds it."""
    low, high, spacing = each.range(c, cut)
    spacing = max(2 * spacing, (high - low) / _NODES)
    raising, falling = each.powers(c)
    points = [j * spacing for j in range(int(low / spacing), int(high / spacing) + 1)]
    # A steep weight is largest at its place, between any two of them.
    if cut is not None:
        points.append(cut.place)
    logs = [weight(t) - t * t / 2 + _log_at(each, raising, falling, t, cosine) for t in points]
    top = max(logs)
    return top + math.log(sum(math.exp(each - top) for each in logs) * spacing)


def _log_sides(each: Estimate, c: float, cosine: float, weight: _Weight) -> float:
    """Estimate the logarithm of the integrand at the ends of a window."""
    if math.isinf(each.window):
        return -math.inf
    raising, falling = each.powers(c)
    sides = [
        weight(t) + _log_at(each, raising, falling, t, cosine) for t in (each.window, -each.window)
    ]
    return max(sides) - each.window**2 / 2 + 2


def _log_at(each: Estimate, raising: float, falling: float, t: float, cosine: float) -> float:
    """Estimate ln sup |w(t)|^raising·|w(−t)|^falling over a strip."""
    log = 0.0
    for power, at in ((raising, t), (falling, -t)):
        if power:
            part = 1.0 if power > 0 else cosine
            log += power * each.log_sup(at, part)
    return log


def _ends(
    each: Estimate,
    c: float,
    height: float,
    strip: float,
    spacing: float,
    goal: float,
    cosine: float,
    weight: _Weight = _no_weight,
) -> Mesh:
    if math.isfinite(each.window):
        count = max(int(each.window / spacing) + 1, 4)
        return Mesh(height, spacing, count, count, strip)
    raising, falling = each.powers(c)
    right = _end(each, raising, falling, goal, cosine, _no_weight)
    left = _end(each, falling, raising, goal, cosine, lambda t: weight(-t))
    return Mesh(height, spacing, int(left / spacing) + 1, int(right / spacing) + 1, strip)


def _end(
    each: Estimate, own: float, other: float, goal: float, cosine: float, weight: _Weight
) -> float:
    shift = max(own, 0) / each.sigma

    def size(end: float) -> float:
        log = weight(end)
        for power, at in ((own, end), (other, -end)):
            if power:
                part = 1.0 if power > 0 else cosine
                if power < 0 and at < 0:
                    log += power * each.log_rest
                else:
                    log += power * each.log_sup(at, part)
        return log - end * end / 2 - math.log(1 + end - shift)

    end = shift + 0.25
    while size(end) > goal - 2.5 and end < 1e6:
        end += max(0.25, 0.01 * end)
    return end
