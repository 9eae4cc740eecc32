"""A function of one coordinate that has to keep one sign."""

from collections.abc import Callable
from fractions import Fraction
from typing import Literal

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.regions._forms import hull
from dporacle.regions.theorem import Box, BoxOutcome, proved, refuted, unknown

_BITS = 192


def keeps_sign(
    value: Callable[[arb], arb], slope: Callable[[arb], arb], sign: Literal[-1, 1]
) -> Callable[[Box], BoxOutcome]:
    """Return a way to decide sign·f > 0 over an interval.

    Where the ball of the slope has one sign only the worse end matters; elsewhere the mean value
    theorem bounds f.

    Args:
        value: f at a point.
        slope: f′ over a ball.
        sign: the sign that f has to have.
    """

    def decide(box: Box) -> BoxOutcome:
        ((low, high),) = box
        with precision(_BITS):
            rise = sign * slope(hull(low, high))
            where = low if rise > 0 else high if rise < 0 else (low + high) / 2
            reach = arb(0) if rise > 0 or rise < 0 else abs(rise) * ball((high - low) / 2)
            found = sign * value(ball(where))
            if found - reach > 0:
                return proved()
            return refuted((Fraction(where),)) if found < 0 else unknown()

    return decide
