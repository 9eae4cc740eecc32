"""Enclosures of what claims speak of, for every μ = Δ/σ whose square is rational.

A root of a rational number is caught between two rationals, and a quantity that is monotone in
it between its enclosures at the two.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb

from dporacle import enclosures
from dporacle.claims.assertions import Formula
from dporacle.claims.discrete import almost_zero
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import ball, join, tighten

__all__ = [
    "alpha_of",
    "delta_of",
    "formula_mu_squared",
    "root_bounds",
]

_BITS_PER_DIGIT = 4
_EXACT_BITS = 10_000  # a rational with sides of this size is tried for being a square
_FAR = 10**7  # e to the minus this is below all that a file can state

_SIGMAS = {
    "classical": enclosures.classical_sigma,
    "dwork-2006": enclosures.dwork_2006_sigma,
    "dwork-roth": enclosures.dwork_roth_sigma,
    "plrv-tail": enclosures.plrv_tail_sigma,
    "vinterbo-2020": enclosures.vinterbo_sigma,
    "zcdp-conversion": enclosures.rho_sigma,
}


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
            return Fraction(up, down), Fraction(up, down)
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


def formula_mu_squared(said: Formula, digits: int) -> tuple[Fraction, Fraction]:
    """Return rationals below and above the μ² = (Δ/σ)² of a formula."""
    if said.name == "pinsker":
        return 4 * said.delta**2, 4 * said.delta**2
    epsilon, delta = said.epsilon, said.delta
    if said.constant is not None:
        # The classical formula in its own words, with δ·(5/4)/c in place of δ.
        delta, name = delta * Fraction(5, 4) / said.constant, "classical"
        if delta >= 1:
            return _linear_mu_squared(said, digits)
    else:
        name = said.name
    low, high = rounding.bounds(_SIGMAS[name](epsilon=epsilon, delta=delta, digits=digits))
    return 1 / high**2, 1 / low**2


def _linear_mu_squared(said: Formula, digits: int) -> tuple[Fraction, Fraction]:
    assert said.constant is not None
    ratio = said.constant / said.delta
    low, high = rounding.bounds(tighten(lambda: 2 * ball(ratio).log(), digits))
    return said.epsilon**2 / high, said.epsilon**2 / low


def _between(at: Callable[[Fraction], arb], bounds: tuple[Fraction, Fraction], digits: int) -> arb:
    low, high = bounds
    return at(low) if low == high else join(at(low), at(high), digits)
