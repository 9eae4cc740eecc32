"""Whole numbers that a real quantity decides, at a precision at which the decision is settled."""

from collections.abc import Callable
from fractions import Fraction

from dporacle import arguments
from dporacle.reference.numerics.precision import Real, bits_for, real, working

Digits = Callable[[int], Real]
"""Returns a quantity to so many correct digits."""

# The first tells nearly all; each has four times the digits, so that all cost as the last.
_TRIED = (20, 80, 320)
# The same, for a quantity that may be an integer to many digits.
_CEILING_TRIED = (40, 160, 640, 2560)


def is_above(quantity: Digits, level: Fraction, *, failure: str) -> bool:
    """Return whether a positive quantity is above a positive number.

    Raises:
        ArithmeticError: saying `failure`, if they agree to some 300 digits.
    """
    for digits in _TRIED:
        value = quantity(digits)
        with working(bits_for(digits) + 24) as ctx:
            gap = real(ctx, value) / real(ctx, level) - 1
            if abs(gap) > ctx.mpf(10) ** (1 - digits):
                return bool(gap > 0)
    raise ArithmeticError(failure)


def least_integer(holds: Callable[[int], bool], guess: int) -> int:
    """Return the least integer ≥ 0 from which on a condition holds: in doubling steps, then back.

    Args:
        holds: the condition; from some integer on it holds, and before it does not.
        guess: where to start, at least 0.
    """
    step = 1
    if holds(guess):
        low, high = guess - 1, guess
        while low >= 0 and holds(low):
            low, high, step = max(low - step, -1), low, 2 * step
    else:
        low, high = guess, guess + 1
        while not holds(high):
            low, high, step = high, high + step, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def ceiling(quantity: Digits, *, failure: str) -> int:
    """Return ⌈x⌉ of a positive quantity.

    Raises:
        ArithmeticError: saying `failure`, if it agrees with an integer to some 2500 digits.
    """
    for digits in _CEILING_TRIED:
        value = arguments.exact("the quantity", quantity(digits))
        width = value / 10 ** (digits - 2)
        low, high = -(-(value - width) // 1), -(-(value + width) // 1)
        if low == high:
            return int(high)
    raise ArithmeticError(failure)
