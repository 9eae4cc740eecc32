"""Enclosures for composition and group privacy (X.COMP, X.GROUP)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures.analytic_gaussian import (
    calibrate_sigma,
    delta_at_epsilon,
    epsilon_at_delta,
)
from dporacle.enclosures.arithmetic.balls import ball, bits_for, join, tighten
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.arithmetic.toeplitz import leftmost_square, sqrt_entries
from dporacle.interface import witness

_MAX_DIGITS = 20_000  # of √Σ: what two ends do not tell apart so far is refused


@witness
def composed_mu(*, sensitivities: Any, sigmas: Any, digits: int) -> arb:
    """Enclose μ = √Σ(Dᵢ/σᵢ)², the μ of all the releases together (X.COMP)."""
    distances = arguments.vector("sensitivities", sensitivities, most=4096)
    scales = arguments.vector("sigmas", sigmas, most=4096)
    if len(distances) != len(scales):
        raise ValueError(
            f"sigmas must be as many as sensitivities, got {len(scales)} and {len(distances)}"
        )
    ratios = [
        arguments.positive(f"sensitivities[{i}]", d) / arguments.positive(f"sigmas[{i}]", s)
        for i, (d, s) in enumerate(zip(distances, scales, strict=True))
    ]
    return tighten(lambda: sum((ball(each) ** 2 for each in ratios), arb(0)).sqrt(), digits)


@witness
def repeated_mu(*, mu: Fraction, releases: int, digits: int) -> arb:
    """Enclose μ√k, that of k equal releases (X.COMP)."""
    return tighten(lambda: ball(mu) * arb(releases).sqrt(), digits)


@witness
def repeated_delta(
    *, epsilon: Fraction, sigma: Fraction, releases: int, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose δ(ε) of k equal releases together: that of one with μ = √k·D/σ (X.COMP)."""
    square = releases * (sensitivity / sigma) ** 2
    return _at_root(
        lambda mu, digits: delta_at_epsilon(
            epsilon=epsilon, sigma=1, sensitivity=mu, digits=digits
        ),
        square,
        digits,
    )


@witness
def repeated_epsilon(
    *, delta: Fraction, sigma: Fraction, releases: int, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose the smallest ε ≥ 0 for which k equal releases together are (ε,δ)-DP (X.COMP).

    Raises:
        ArithmeticError: if δ and δ(0) agree to about 20,000 digits.
    """
    square = releases * (sensitivity / sigma) ** 2
    return epsilon_at_square(delta=delta, square=square, digits=digits)


def epsilon_at_square(*, delta: Fraction, square: Fraction, digits: int) -> arb:
    """Enclose the smallest ε ≥ 0 of Gaussian noise of standard deviation 1 at the distance √square.

    Raises:
        ArithmeticError: if δ and δ(0) agree to about 20,000 digits.
    """
    return _at_root(
        lambda mu, digits: epsilon_at_delta(delta=delta, sigma=1, sensitivity=mu, digits=digits),
        square,
        digits,
    )


@witness
def repeated_sigma(
    *, epsilon: Exact, delta: Exact, releases: int, sensitivity: Exact, digits: int
) -> arb:
    """Enclose the least σ of each of k equal releases that are (ε,δ)-DP together (X.COMP)."""
    one = calibrate_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity, digits=digits + 4)
    return tighten(lambda: one * arb(releases).sqrt(), digits)


def _at_root(function: Callable[[Fraction, int], arb], square: Fraction, digits: int) -> arb:
    """Enclose f(√square) for a function that rises: by its values at two rational ends."""
    known = digits + 12
    while known < _MAX_DIGITS:
        low, high = bounds(tighten(lambda: ball(square).sqrt(), known))
        value = join(function(low, digits + 2), function(high, digits + 2), digits + 4)
        if value.is_zero() or value.rel_accuracy_bits() >= bits_for(digits):
            return value
        known *= 2
    raise ArithmeticError(f"no ball of {digits} digits")


@witness
def repeated_rho(*, mu: Fraction, releases: int, digits: int) -> arb:
    """Enclose ρ = kμ²/2, for which k equal releases together are ρ-zCDP (X.ZCOMP)."""
    value = mu**2 * releases / 2
    return tighten(lambda: ball(value), digits)


@witness
def repeated_zcdp_epsilon(*, delta: Fraction, mu: Fraction, releases: int, digits: int) -> arb:
    """Enclose ρ + 2√(ρ ln(1/δ)), the ε that the total ρ = kμ²/2 of zCDP proves (X.ZCOMP)."""

    def formula() -> arb:
        together = ball(mu) * arb(releases).sqrt()
        log = ball(delta - 1).log1p() if 2 * delta > 1 else ball(delta).log()
        return together * (together / 2 + (-2 * log).sqrt())

    return tighten(formula, digits)


@witness
def group_mu(*, mu: Fraction, size: int, digits: int) -> arb:
    """Enclose kμ, that of inputs which differ in k records (X.GROUP)."""
    m = mu * size
    return tighten(lambda: ball(m), digits)


@witness
def group_delta_bound(*, epsilon: Fraction, delta: Fraction, size: int, digits: int) -> arb:
    """Enclose δ(e^{kε}−1)/(e^ε−1), the group privacy of any (ε,δ)-DP mechanism (X.GROUP)."""

    def formula() -> arb:
        return ball(delta) * (
            ball(size * epsilon).expm1() / ball(epsilon).expm1() if epsilon else size
        )

    return tighten(formula, digits)


@witness
def sqrt_toeplitz_sensitivity_squared(
    *, length: int, bands: int, participations: int, separation: int, digits: int
) -> arb:
    """Enclose the squared sensitivity of the root of the prefix sums, cut to bands (X.COMP)."""
    return tighten(
        lambda: leftmost_square(
            sqrt_entries(min(bands, length)), length, arb(0), participations, separation
        ),
        digits,
    )


@witness
def decaying_toeplitz_sensitivity_squared(
    *, decay: Fraction, length: int, bands: int, participations: int, separation: int, digits: int
) -> arb:
    """Enclose the squared sensitivity of the Toeplitz matrix of 1, λ, λ², …, in bands (X.COMP)."""

    def formula() -> arb:
        rate = ball(decay)
        entries = [rate**t for t in range(min(bands, length))]
        return leftmost_square(entries, length, arb(0), participations, separation)

    return tighten(formula, digits)


@witness
def tree_sensitivity(*, length: int, participations: int, digits: int) -> arb:
    """Enclose the sensitivity of a binary tree, of a record in its leftmost leaves (X.COMP).

    Leaf by leaf: each adds its nodes, and in each the earlier leaves twice.
    """
    square = sum(
        1 + 2 * (leaf & ((1 << level) - 1))
        for leaf in range(min(length, participations))
        for level in range(length.bit_length())
        if ((leaf >> level) + 1) << level <= length
    )
    return tighten(lambda: arb(square).sqrt(), digits)
