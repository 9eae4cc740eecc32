"""Exponentials and probabilities whose argument is exact, or carries the digits that it loses."""

from collections.abc import Callable
from fractions import Fraction

from dporacle.reference.numerics.precision import Context, Real, freeze, real, working

Argument = Fraction | Real | Callable[[Context], tuple[Real, ...]]
"""An exact number, or the terms that add up to one, each correct to its last bits."""

_CERTAIN = 4  # Φ(x) is 1 from this times the precision on
_AHEAD = 48  # bits that are carried in advance: terms below some thousands need no more
_LARGE_BITS = 24  # magnitude of an exponent, in bits, that mpmath meets with a slow power


def fine(context: Context, argument: Argument, power: int = 0) -> Real:
    """Return what goes into a function, to an absolute 2^-(precision + 8)/max(1, |x|)^power.

    A number that is merely rounded to the precision, or a difference of such numbers, is not
    enough inside an exponential: two precisions that agree on it say nothing about its error.
    """
    spare = 16
    if callable(argument):
        with working(context.prec + _AHEAD) as finer:
            terms = argument(finer)
            size = max(0, *(finer.mag(term) for term in terms))
            if spare + (1 + power) * size <= _AHEAD:
                return freeze(finer.fsum(terms))
        with working(context.prec + spare + (1 + power) * size) as finer:
            return freeze(finer.fsum(argument(finer)))
    size = max(0, _mag(argument))
    with working(context.prec + spare + (1 + power) * size) as finer:
        return freeze(real(finer, argument))


def _mag(value: Fraction | Real) -> int:
    """Return an m with |value| < 2^m."""
    if isinstance(value, Fraction):
        return value.numerator.bit_length() - value.denominator.bit_length() + 1
    return int(value._mpf_[2] + value._mpf_[3])


def exp(context: Context, argument: Argument) -> Real:
    """Return e^x, in time that does not grow with its size, as 2^k e^(x − k ln 2)."""
    value = fine(context, argument)
    size = max(0, _mag(value))
    if size < _LARGE_BITS:
        return context.exp(value)
    with working(context.prec + size + 16) as finer:
        k = int(finer.nint(real(finer, value) / finer.ln2))
        rest = freeze(real(finer, value) - k * finer.ln2)
    return context.ldexp(context.exp(rest), k)


def expm1(context: Context, value: Fraction) -> Real:
    """Return e^x − 1."""
    if abs(value) > 1:
        return exp(context, value) - 1
    return context.expm1(real(context, value))


def npdf(context: Context, argument: Argument) -> Real:
    """Return φ(x) = e^{−x²/2}/√(2π)."""
    x = fine(context, argument, 1)
    return exp(context, lambda c: (-(c.mpf(x) * x) / 2,)) / context.sqrt(2 * context.pi)


def ncdf(context: Context, argument: Argument) -> Real:
    """Return Φ(x), correct in its last bits in the deep tail too.

    For x < 0 and large, φ(x)·Σ (−1)^k (2k−1)!!/|x|^{2k+1}, whose error is below its next term.
    """
    x = fine(context, argument, 1)
    if x > 0 or x * x < 2 * context.prec + 64:
        with working(context.prec + 2 * max(0, _mag(x)) + 16) as finer:
            return context.mpf(freeze(finer.ncdf(finer.mpf(min(x, _CERTAIN * context.prec)))))
    square = real(context, x) ** 2
    term, total, k = context.one, context.one, 1
    while abs(term) > context.ldexp(1, -context.prec):
        term *= -(2 * k - 1) / square
        total += term
        k += 1
    return npdf(context, x) / -real(context, x) * total


def log(context: Context, value: Fraction) -> Real:
    """Return ln x, next to x = 1 too."""
    if 2 * value > 1 and value < 2:
        return context.log1p(real(context, value - 1))
    return context.log(real(context, value))
