"""An exact number against a ball: on which proved side it lies, and how far off it is."""

from fractions import Fraction

from flint import arb, ctx, fmpq

__all__ = ["around", "middle", "mirrored", "nearest_end", "show", "side", "ulp"]

_ENCLOSING = 256  # bits: an enclosure of 45 digits loses nothing
_REACH = 8192  # binary exponents that are worth writing out as fractions


def side(ball: arb, value: Fraction) -> int:
    """Return −1 if the value is proved below everything in the ball, 1 if above, else 0."""
    bits = max(64, value.numerator.bit_length() + value.denominator.bit_length())
    with ctx.workprec(bits):
        gap = arb(fmpq(value.numerator, value.denominator)) - ball
        return -1 if gap < 0 else 1 if gap > 0 else 0


def around(low: Fraction, high: Fraction) -> arb:
    """Return a ball that contains both numbers, tight to far more digits than are compared."""
    with ctx.workprec(_ENCLOSING):
        ends = (arb(fmpq(end.numerator, end.denominator)) for end in (low, high))
        return arb.union(*ends)


def middle(ball: arb) -> Fraction:
    """Return the ball's midpoint, or 2^±8192 in place of a midpoint beyond that."""
    mantissa, exponent = (int(part) for part in ball.mid().man_exp())
    if not mantissa:
        return Fraction(0)
    size = mantissa.bit_length() + exponent
    if abs(size) > _REACH:
        edge = Fraction(2) ** (_REACH if size > 0 else -_REACH)
        return edge if mantissa > 0 else -edge
    return mantissa * Fraction(2) ** exponent


def nearest_end(ball: arb, value: Fraction) -> Fraction:
    """Return the end of a ball that a number lies beyond, or the number itself if it is inside."""
    with ctx.workprec(_ENCLOSING):
        low, high = middle(ball.lower()), middle(ball.upper())
    return min(max(value, low), high)


def mirrored(delta: arb, epsilon: Fraction) -> arb:
    """Return 1 − e^ε(1 − δ), for the δ at −ε of two data sets that may change places."""
    with ctx.workprec(_ENCLOSING):
        factor = arb(fmpq(epsilon.numerator, epsilon.denominator)).exp()
        return 1 - factor * (1 - delta)


def show(ball: arb, digits: int) -> str:
    """Return a tight ball's value in decimal: no digit that is not proved."""
    return str(ball.str(digits, radius=False))


def ulp(value: Fraction) -> Fraction:
    """Return the spacing of float64 just above |value|, as if the exponent had no upper end."""
    if not value:
        return Fraction(1, 1 << 1074)
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if Fraction(2) ** exponent > size:
        exponent -= 1
    return Fraction(2) ** max(-1074, exponent - 52)
