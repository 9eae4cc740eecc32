"""Ball arithmetic at a rising precision.

A ball is a python-flint `arb`: a midpoint and a radius that is proved to cover the exact value.
python-flint keeps its precision in one global setting, so every computation holds one lock and
puts the setting back.
"""

import math
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from fractions import Fraction

from flint import arb, ctx, fmpq

# 79,000 digits: one erfc of so many takes half a second, and a formula calls several.
MAX_BITS = 1 << 18

_lock = threading.RLock()


def bits_for(digits: int) -> int:
    """Return a binary precision that holds so many decimal digits."""
    return math.ceil(digits * math.log2(10))


class _Precision:
    """As `flint.ctx.workprec` under the lock, at a fifth of the cost: it is entered everywhere."""

    __slots__ = ("_before", "_bits")

    def __init__(self, bits: int) -> None:
        self._bits = bits

    def __enter__(self) -> None:
        _lock.acquire()
        self._before = ctx.prec
        ctx.prec = self._bits

    def __exit__(self, *_: object) -> None:
        ctx.prec = self._before
        _lock.release()


def precision(bits: int) -> AbstractContextManager[None]:
    """Work at a binary precision; the global setting is the caller's again afterwards."""
    return _Precision(bits)


def ball(value: Fraction) -> arb:
    """Return the ball of an exact number at the working precision."""
    return arb(fmpq(value.numerator, value.denominator))


def join(first: arb, second: arb, digits: int) -> arb:
    """Return a ball that contains two others, without loss at a number of digits.

    `arb.union` rounds to the working precision, which outside `precision` is the caller's.
    """
    with precision(bits_for(digits) + 64):
        return first.union(second)


def tighten(formula: Callable[[], arb], digits: int, *, spare: int = 0) -> arb:
    """Return a ball whose radius is at most 10^-digits of its midpoint, or exactly zero.

    Args:
        formula: computes the ball at the working precision; any precision gives a true ball.
        digits: the tightness asked for.
        spare: bits that the formula is known to lose, on top of those that are always there.

    Raises:
        ArithmeticError: if the precision reaches 2^18 bits before.
    """
    wanted = bits_for(digits) + 2
    bits = wanted + 32 + spare
    while bits <= MAX_BITS:
        with precision(bits):
            value = formula()
        if value.is_zero() or value.rel_accuracy_bits() >= wanted:
            return value
        bits += bits // 2 + 64
    raise ArithmeticError(f"no ball of {digits} digits at {MAX_BITS} bits")
