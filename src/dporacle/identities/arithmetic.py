"""What the identities share: exact numbers in mpmath, and the inverse of erfc."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

Real = Any
Context = Any
Given = Mapping[str, Fraction]

Identity = Callable[[Context, Given], Real]
"""A quantity by an mpmath context and the exact inputs, at the context's precision."""


def real(ctx: Context, value: Fraction) -> Real:
    """Return an exact number, rounded to the context."""
    return ctx.mpf(value.numerator) / value.denominator


def reals(ctx: Context, given: Given, *names: str) -> tuple[Real, ...]:
    """Return the named inputs, rounded to the context."""
    return tuple(real(ctx, given[name]) for name in names)


def erfc_inverse(ctx: Context, value: Real) -> Real:
    """Return the x > 0 with erfc(x) = value < 1, by Newton's method on the logarithm."""
    x = ctx.sqrt(-ctx.log(value))
    for _ in range(8 + ctx.prec.bit_length() * 2):
        ratio = ctx.erfc(x) / value
        step = ctx.log(ratio) * ctx.erfc(x) * ctx.sqrt(ctx.pi) * ctx.exp(x * x) / 2
        x += step
        if abs(step) < x * ctx.ldexp(1, 8 - ctx.prec):
            break
    return x
