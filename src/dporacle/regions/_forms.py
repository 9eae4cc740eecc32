"""Ranges of the Gaussian functions over balls of any width, from their monotonicity.

m(x) = Φ(−x)/φ(x) falls, and so does −m′(x) = 1 − x·m(x), from 1/… to 0: m is convex. Hence
m(y) − m(y + μ) falls in y and rises in μ, and its range over a box is given by two corners.
"""

from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball
from dporacle.enclosures.arithmetic.normal import mills, normal_density, normal_tail

__all__ = [
    "gap",
    "hull",
    "lost_bits",
    "mills",
    "mills_range",
    "normal_density",
    "normal_tail",
    "tail_point",
]


def hull(low: Fraction, high: Fraction) -> arb:
    """Return a ball that holds an interval, at the working precision."""
    return ball(low).union(ball(high)) if low != high else ball(low)


def mills_range(x: arb) -> arb:
    """Return a ball that holds m at every point of a ball."""
    return mills(x.upper()).union(mills(x.lower()))


def gap(y: arb, mu: arb) -> arb:
    """Return a ball that holds m(y) − m(y + μ) for every y and μ > 0 of two balls."""
    low, high = y.lower(), y.upper()
    least = mills(high) - mills(high + mu.lower())
    most = mills(low) - mills(low + mu.upper())
    return least.union(most)


def lost_bits(epsilon: Fraction) -> int:
    """Return how many bits cancel in m(y) − m(w) for a small ε."""
    return 2 * max(0, epsilon.denominator.bit_length() - epsilon.numerator.bit_length())


def tail_point(delta: Fraction) -> arb:
    """Return z = −Φ⁻¹(δ), for δ in (0, 1)."""
    small = 2 * min(delta, 1 - delta)
    if small == 1:
        return arb(0)
    root = arb(2).sqrt() * ball(small).erfcinv()
    return root if 2 * delta < 1 else -root
