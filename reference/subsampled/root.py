"""Where a falling function of an exact argument passes 0."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from dporacle import arguments
from dporacle.reference.numerics.precision import Context, Real, bits_for, freeze, real, working
from dporacle.reference.subsampled.moments import Plan

_ROUGH = 4  # digits that are found first, by values of few digits


def falling_root(
    excess: Callable[[Fraction, int], Real], low: Fraction, high: Fraction, digits: int
) -> Real:
    """Return where a falling function, negative at high, passes 0.

    Values of many digits are dear: they are only taken near the root of a rough one.
    """
    excess = cache(excess)
    with working(2 * bits_for(digits) + 64) as ctx:
        root = _illinois(ctx, lambda x: excess(x, _ROUGH + 4), low, high, _ROUGH)
        near = abs(root) * ctx.mpf(10) ** (1 - _ROUGH)
        ends = [_exact(root - near), _exact(root + near)]
        if low < ends[0] and excess(ends[0], digits + 4) > 0:
            low = ends[0]
        if ends[1] < high and excess(ends[1], digits + 4) < 0:
            high = ends[1]
        return freeze(_illinois(ctx, lambda x: excess(x, digits + 4), low, high, digits))


def bracketed(
    delta: Callable[[Fraction, int], Real], target: Fraction, plan: Plan, way: str, digits: int
) -> Real:
    """Return the ε of one or two steps, from their δ(ε) to so many digits."""

    def excess(epsilon: Fraction, digits: int) -> Real:
        with working(bits_for(digits) + 64) as ctx:
            found = delta(epsilon, digits)
            if not found:
                return freeze(-ctx.one)
            return freeze(ctx.log(real(ctx, found) / real(ctx, target)))

    if excess(Fraction(0), 12) <= 0:
        with working(64) as ctx:
            return freeze(ctx.zero)
    high = Fraction(1)
    if way == "add":
        with working(64) as ctx:
            most = -sum(steps * ctx.log(1 - real(ctx, rate)) for _, rate, steps in plan)
            most *= 1 - ctx.mpf(2) ** -40
            high = min(high, arguments.exact("epsilon", freeze(most)))
    else:
        while excess(high, 8) > 0:
            high *= 2
    return falling_root(excess, Fraction(0), high, digits)


def _exact(value: Real) -> Fraction:
    return arguments.exact("root", freeze(value))


def _illinois(
    ctx: Context, excess: Callable[[Fraction], Real], low: Fraction, high: Fraction, digits: int
) -> Real:
    """Return the root by false position, where an end that stays twice counts half.

    Near it the logarithm that `excess` is falls about as fast as the root grows, so that a value
    below 10^−(digits + 2) ends it; so does a bracket as narrow.
    """
    a, b = real(ctx, low), real(ctx, high)
    at_a, at_b = real(ctx, excess(low)), real(ctx, excess(high))
    middle, before = b, 0
    for _ in range(200):
        if abs(b - a) <= abs(b) * ctx.mpf(10) ** -(digits + 1):
            break
        weighed = ctx.isfinite(at_a) and ctx.isfinite(at_b)
        middle = a + (b - a) * at_a / (at_a - at_b) if weighed else (a + b) / 2
        value = real(ctx, excess(_exact(middle)))
        if abs(value) < ctx.mpf(10) ** -(digits + 2):
            break
        side = 1 if value > 0 else -1
        if side > 0:
            a, at_a, at_b = middle, value, at_b / 2 if before == side else at_b
        else:
            b, at_b, at_a = middle, value, at_a / 2 if before == side else at_a
        before = side
    return middle
