"""A function at a square root, which is known to as many digits as the function asks for."""

import math
from collections.abc import Callable
from fractions import Fraction

from dporacle.reference.numerics.precision import Real, real, settle

_SPARE = 12
_MOST_DIGITS = 100_000


def at_square_root(
    function: Callable[[Real, int], Real],
    square: Fraction,
    digits: int,
    magnified: Callable[[Real], Fraction],
) -> Real:
    """Return f(√square) to so many correct digits.

    Args:
        function: f, of its argument and the digits wanted.
        square: positive.
        digits: correct decimal digits wanted.
        magnified: how much f makes of a relative error of its argument, at a value of f.

    Raises:
        ArithmeticError: if some 100,000 digits of the root are not enough.
    """
    asked = digits + 2
    known = asked + _SPARE
    while known < _MOST_DIGITS:
        root = settle(lambda ctx: ctx.sqrt(real(ctx, square)), known)
        value = function(root, asked)
        needed = asked + 2 + len(str(math.ceil(magnified(value))))
        if known >= needed:
            return value
        known = needed + 8
    raise ArithmeticError(f"no {digits} digits")
