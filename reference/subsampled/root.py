"""Where a falling function of an exact argument passes 0."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from dporacle import arguments
from dporacle.reference.numerics.precision import Real, bits_for, freeze, real, working

__all__ = ["falling_root"]


def falling_root(
    excess: Callable[[Fraction, int], Real], low: Fraction, high: Fraction, digits: int
) -> Real:
    """Return where a falling function passes 0 by the secant, kept inside a bracket."""
    at_low, at_high = excess(low, digits + 4), excess(high, digits + 4)
    with working(2 * bits_for(digits) + 64) as ctx:
        a, b = real(ctx, low), real(ctx, high)
        fa, fb = real(ctx, at_low), real(ctx, at_high)
        for turn in range(200):
            middle = (a + b) / 2 if turn % 4 == 3 else a + (b - a) * fa / (fa - fb)
            value = real(ctx, excess(arguments.exact("root", freeze(middle)), digits + 4))
            close = abs(b - a) <= abs(b) * ctx.mpf(10) ** -(digits + 1)
            if value == 0 or close:
                break
            if value > 0:
                a, fa, fb = middle, value, fb / 2
            else:
                b, fb, fa = middle, value, fa / 2
            if abs(value) < ctx.mpf(10) ** -(digits + 2):
                break
    return freeze(middle)
