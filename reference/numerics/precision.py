"""Arbitrary precision without a global setting, and formulas that settle.

A formula is written as in the paper, as a function of an mpmath context. `settle` evaluates it
at rising precision until two precisions agree, so that cancellation costs time, never digits.
"""

import math
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from fractions import Fraction
from typing import Any

import mpmath

Real = Any
"""An mpmath `mpf` (mpmath has no type information)."""

Context = Any
"""An mpmath `MPContext`: the functions of the formula and the precision that they use."""

Formula = Callable[[Context], Real | tuple[Real, ...]]
"""What a quantity is in a given context: its value, or the terms that add up to it."""

ZERO: Real = mpmath.mp.zero

_GUARD_BITS = 32
_MAX_BITS = 1 << 20  # about 300,000 digits: a sum that cancels all of them may be zero

_idle = threading.local()


def bits_for(digits: int) -> int:
    """Return a binary precision that holds so many decimal digits."""
    return math.ceil(digits * math.log2(10))


class _Lent:
    """As a generator under `contextlib.contextmanager` would do it, at a third of the cost."""

    __slots__ = ("_bits", "_context", "_stack")

    def __init__(self, bits: int) -> None:
        self._bits = bits

    def __enter__(self) -> Context:
        self._stack = _idle.__dict__.setdefault("stack", [])
        self._context = self._stack.pop() if self._stack else mpmath.MPContext()
        self._context.prec = self._bits
        return self._context

    def __exit__(self, *_: object) -> None:
        self._stack.append(self._context)


def working(bits: int) -> AbstractContextManager[Context]:
    """Lend a context of its own to the caller, at a given binary precision.

    Making a context takes a millisecond, so that each thread keeps those it is not using.
    """
    return _Lent(bits)


def freeze(value: Real) -> Real:
    """Return the same number as an `mpmath.mpf`, whatever the context that made it."""
    return mpmath.mp.make_mpf(value._mpf_)


def real(context: Context, value: Fraction | Real) -> Real:
    """Return an exact argument in a context, rounded to its precision."""
    if isinstance(value, Fraction):
        return context.mpf(value.numerator) / context.mpf(value.denominator)
    return +context.mpf(value)


def once(formula: Formula, digits: int) -> Real:
    """Return a nonzero quantity from one evaluation whose bits cover what the terms cancel.

    For the steps of an iteration that is checked in the end; `settle` is for answers.

    Raises:
        ArithmeticError: if about 300,000 digits are not enough.
    """
    wanted = bits_for(max(digits, 12)) + 4
    bits = wanted + _GUARD_BITS
    while bits <= _MAX_BITS:
        value, kept = _evaluate(formula, bits)
        if kept >= wanted:
            return value
        # A sum that is not zero tells how much is missing.
        bits += max(64, bits // 4) if value is None else max(64, wanted - kept + 8)
    raise ArithmeticError(f"no {digits} digits at {_MAX_BITS} bits")


def settle(formula: Formula, digits: int) -> Real:
    """Return a nonzero quantity to `digits` correct digits.

    The formula gives the quantity, or the terms whose sum it is. The precision rises until

    - the bits that the sum of the terms cancels are there on top of those asked for, and
    - two successive precisions agree (zero, the look of complete cancellation, never does).

    The second alone is not enough: where the terms are rounded to a grid on which a short number
    near the sum lies exactly, every coarse precision gives that same wrong number. For the same
    reason what stands inside a function is not computed at the formula's own precision:
    `numerics.functions` takes exact numbers, or terms.

    Raises:
        ArithmeticError: if about 300,000 digits are not enough.
    """
    wanted = bits_for(max(digits, 12)) + 4
    bits = bits_for(digits) + _GUARD_BITS
    previous = None
    while bits <= _MAX_BITS:
        value, kept = _evaluate(formula, bits)
        if value is not None:
            if previous is not None and kept >= wanted:
                with working(bits) as context:
                    gap = abs(real(context, value) - real(context, previous))
                    if gap <= context.ldexp(abs(real(context, value)), -wanted):
                        return value
            previous = value
        # Other bits are enough to see whether two precisions agree; cancellation needs more.
        bits += 64 if kept >= wanted else max(64, bits // 4)
    raise ArithmeticError(f"no agreement on {digits} digits at {_MAX_BITS} bits")


def _evaluate(formula: Formula, bits: int) -> tuple[Real | None, int]:
    """Return the sum of a formula's terms, None if it is zero, and the bits that are left of it."""
    with working(bits) as context:
        result = formula(context)
        terms = result if isinstance(result, tuple) else (result,)
        value = context.fsum(terms)
        if not context.isfinite(value) or value == 0:
            return None, -1
        lost = max(context.mag(term) for term in terms) - context.mag(value)
        return freeze(value), bits - lost
