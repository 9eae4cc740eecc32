"""Enclosures of what claims speak of, for every μ = Δ/σ whose square is rational.

A root of a rational number is caught between two rationals, and a quantity that is monotone in
it between its enclosures at the two.
"""

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb

from dporacle import enclosures
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import join, precision
from dporacle.mechanisms import Ends as Ends

_BITS_PER_DIGIT = 4  # more than log₂ 10
_EXACT_BITS = 10_000  # a rational with sides of this size is tried for being a square
_FAR = 10**7  # e to the minus this is below all that a file can state
_MUS = Fraction(1, 10**6), Fraction(10**3)
_SHORT_DIGITS = 12
_DELTAS = Fraction(1, 10**12), Fraction(9, 10)
_EPSILONS = Fraction(1, 10**6), Fraction(20)


def enclosed(function: Callable[[], Callable[..., arb]]) -> Callable[..., arb]:
    """Return a function of the enclosures, whose module is imported when it is called."""
    return lambda **given: function()(**given)


def almost_zero() -> arb:
    """Return a ball from 0 to far below all that a file can state."""
    with precision(64):
        tiny = arb(2) ** -100_000
        return arb(tiny, tiny)


def ordinary(epsilon: Fraction, delta: Fraction) -> bool:
    """Tell whether a claim is of a size at which roots are found within seconds."""
    return _DELTAS[0] <= delta <= _DELTAS[1] and _EPSILONS[0] <= epsilon <= _EPSILONS[1]


def root_bounds(square: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Return rationals below and above √square, equal where the root is rational and short.

    Args:
        square: a positive number.
        digits: the bounds differ by at most 10^-digits of the root.
    """
    sides = square.numerator, square.denominator
    if max(side.bit_length() for side in sides) <= _EXACT_BITS:
        up, down = math.isqrt(sides[0]), math.isqrt(sides[1])
        if (up * up, down * down) == sides:
            root = Fraction(up, down)
            return root, root
    # Scale by 4^shift so that the integer root has the wanted bits.
    size = sides[0].bit_length() - sides[1].bit_length()
    shift = _BITS_PER_DIGIT * digits + 16 - size // 2
    scaled = square * Fraction(4) ** shift
    least = math.isqrt(math.floor(scaled))
    unit = Fraction(2) ** -shift
    return least * unit, (least + 1) * unit


def delta_of(*, epsilon: Fraction, mu_squared: Fraction, digits: int) -> arb:
    """Enclose δ(ε), which rises with μ (BW18.L7)."""

    def at(mu: Fraction) -> arb:
        return enclosures.delta_at_epsilon(epsilon=epsilon, sigma=1, sensitivity=mu, digits=digits)

    return _between(at, root_bounds(mu_squared, 2 * digits), digits)


def epsilon_ends(*, delta: Fraction, mu_squared: Fraction) -> Ends | None:
    """Return rationals around ε(δ), which rises with μ; None where δ or μ is out of the usual."""
    low, high = root_bounds(mu_squared, _SHORT_DIGITS)
    if not (_DELTAS[0] <= delta <= _DELTAS[1] and _MUS[0] <= low and high <= _MUS[1]):
        return None
    balls = [
        enclosures.epsilon_at_delta(delta=delta, sigma=1, sensitivity=mu, digits=_SHORT_DIGITS)
        for mu in (low, high)
    ]
    return Ends(max(rounding.bounds(balls[0])[0], Fraction(0)), rounding.bounds(balls[1])[1])


def alpha_of(*, accuracy: Fraction, variance: Fraction, queries: int, digits: int) -> arb:
    """Enclose Pr[the largest of the errors > accuracy], which rises with σ (GMA.T1, GN.A1)."""
    if accuracy**2 > _FAR * variance:
        return almost_zero()  # at most 2·10⁹·e^{−accuracy²/2σ²}

    def at(sigma: Fraction) -> arb:
        if queries == 1:
            return enclosures.alpha_at_accuracy(accuracy=accuracy, sigma=sigma, digits=digits)
        return enclosures.max_error_probability(
            queries=queries, error=accuracy, sigma=sigma, digits=digits
        )

    return _between(at, root_bounds(variance, 2 * digits), digits)


def _between(at: Callable[[Fraction], arb], bounds: tuple[Fraction, Fraction], digits: int) -> arb:
    low, high = bounds
    return at(low) if low == high else join(at(low), at(high), digits)
