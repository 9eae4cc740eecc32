"""Composition and group privacy (X.COMP, X.GROUP).

Gaussian releases compose without loss: together they tell as much as one release whose μ is the
Euclidean norm of theirs. This answers, for this family, the closing question of BW18.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate
from operator import mul
from typing import Any

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.interface import witness
from dporacle.reference.analytic_gaussian import calibrate_sigma, delta_at_epsilon, epsilon_at_delta
from dporacle.reference.numerics.functions import expm1, log
from dporacle.reference.numerics.precision import Context, Real, real, settle


@witness
def composed_mu(*, sensitivities: Any, sigmas: Any, digits: int) -> Real:
    """Return μ = √Σ(Dᵢ/σᵢ)², the μ of all the releases together (X.COMP)."""
    square = _square(sensitivities, sigmas)
    return settle(lambda ctx: ctx.sqrt(real(ctx, square)), digits)


def _square(sensitivities: Any, sigmas: Any) -> Any:
    distances, scales = (
        [
            arguments.positive(f"{name}[{index}]", each)
            for index, each in enumerate(arguments.vector(name, values, most=4096))
        ]
        for name, values in (("sensitivities", sensitivities), ("sigmas", sigmas))
    )
    if len(distances) != len(scales):
        raise ValueError(
            f"sigmas must be as many as sensitivities, got {len(scales)} and {len(distances)}"
        )
    return sum((d / s) ** 2 for d, s in zip(distances, scales, strict=True))


@witness
def repeated_mu(*, mu: Fraction, releases: int, digits: int) -> Real:
    """Return μ√k, the μ of k equal releases together (X.COMP)."""
    return settle(lambda ctx: real(ctx, mu) * ctx.sqrt(releases), digits)


@witness
def repeated_delta(
    *, epsilon: Fraction, sigma: Fraction, releases: int, sensitivity: Fraction, digits: int
) -> Real:
    """Return δ(ε) of k equal releases together: that of one with μ = √k·D/σ (X.COMP)."""
    square = releases * (sensitivity / sigma) ** 2
    return at_square_root(
        lambda mu, digits: delta_at_epsilon(
            epsilon=epsilon, sigma=1, sensitivity=mu, digits=digits
        ),
        square,
        digits,
        # ∂ ln δ/∂ ln μ is at most w² + 3, w = ε/μ + μ/2.
        lambda _: epsilon * epsilon / square + epsilon + square / 4 + 3,
    )


@witness
def repeated_epsilon(
    *, delta: Fraction, sigma: Fraction, releases: int, sensitivity: Fraction, digits: int
) -> Real:
    """Return the smallest ε ≥ 0 for which k equal releases together are (ε,δ)-DP (X.COMP)."""
    square = releases * (sensitivity / sigma) ** 2
    return at_square_root(
        lambda mu, digits: epsilon_at_delta(delta=delta, sigma=1, sensitivity=mu, digits=digits),
        square,
        digits,
        # ∂ε/∂ ln μ is μ/m(w), at most μ(w + 1) by m(w) > 1/(w + 1) for w = ε/μ + μ/2.
        lambda eps: 3 + (square + 1) / Fraction(*eps.as_integer_ratio()) if eps else Fraction(1),
    )


@witness
def repeated_sigma(
    *, epsilon: Exact, delta: Exact, releases: int, sensitivity: Exact, digits: int
) -> Real:
    """Return the least σ of each of k equal releases that are (ε,δ)-DP together (X.COMP).

    It is √k times that of one release.
    """
    one = calibrate_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity, digits=digits + 4)
    return settle(lambda ctx: real(ctx, one) * ctx.sqrt(releases), digits)


@witness
def repeated_rho(*, mu: Fraction, releases: int, digits: int) -> Real:
    """Return ρ = kμ²/2, for which k equal releases together are ρ-zCDP (X.ZCOMP)."""
    value = mu**2 * releases / 2
    return settle(lambda ctx: real(ctx, value), digits)


@witness
def repeated_zcdp_epsilon(*, delta: Fraction, mu: Fraction, releases: int, digits: int) -> Real:
    """Return ρ + 2√(ρ ln(1/δ)), the ε that the total ρ = kμ²/2 of zCDP proves (X.ZCOMP)."""
    rho = releases * mu**2 / 2

    def formula(ctx: Context) -> Real:
        total = real(ctx, rho)
        return total + 2 * ctx.sqrt(-total * log(ctx, delta))

    return settle(formula, digits)


@witness
def group_mu(*, mu: Fraction, size: int, digits: int) -> Real:
    """Return kμ: inputs that differ in k records are at distance up to kD (X.GROUP)."""
    m = mu * size
    return settle(lambda ctx: real(ctx, m), digits)


@witness
def group_delta_bound(*, epsilon: Fraction, delta: Fraction, size: int, digits: int) -> Real:
    """Return δ(e^{kε}−1)/(e^ε−1): any (ε,δ)-DP mechanism is (kε, that)-DP for k records (X.GROUP).

    Returns:
        The bound; it may be above 1.
    """

    def formula(ctx: Context) -> Real:
        return real(ctx, delta) * (
            expm1(ctx, size * epsilon) / expm1(ctx, epsilon) if epsilon else size
        )

    return settle(formula, digits)


@witness
def sqrt_toeplitz_sensitivity_squared(
    *, length: int, bands: int, participations: int, separation: int, digits: int
) -> Real:
    """Return the squared sensitivity of the root of the prefix sums, cut to bands (X.COMP)."""
    return _toeplitz(
        lambda t, before: before * (2 * t - 1) // (2 * t),
        (length, bands, participations, separation),
        digits,
    )


@witness
def decaying_toeplitz_sensitivity_squared(
    *, decay: Fraction, length: int, bands: int, participations: int, separation: int, digits: int
) -> Real:
    """Return the squared sensitivity of the Toeplitz matrix of 1, λ, λ², …, in bands (X.COMP)."""
    up, down = decay.numerator, decay.denominator
    return _toeplitz(
        lambda _, before: before * up // down, (length, bands, participations, separation), digits
    )


def _toeplitz(
    following: Callable[[int, int], int], given: tuple[int, int, int, int], digits: int
) -> Real:
    """Return the sum of all products of the leftmost columns, lag by lag.

    The entries are multiples of 2^-B rounded down, each wrong by at most 2¹²·2^-B. At most 2³⁶
    products of two are summed, so that 64 bits to spare are enough for a sum of at least 1.
    """
    length, bands, participations, separation = given
    most = min(participations, -(-length // separation))

    def formula(ctx: Context) -> Real:
        bits = ctx.prec + 64
        entries = [1 << bits]
        for t in range(1, min(bands, length)):
            entries.append(following(t, entries[-1]))
        total = 0
        for lag in range(0, min(most * separation, len(entries)), separation):
            sums = [0, *accumulate(map(mul, entries, entries[lag:]))]
            # The later column, m, has length − m·b rows, and the products of the lag are fewer.
            ends = range(length - lag, length - most * separation, -separation)
            part = sum(sums[min(end, len(sums) - 1)] for end in ends)
            total += 2 * part if lag else part
        return ctx.ldexp(ctx.mpf(total), -2 * bits)

    return settle(formula, digits)


@witness
def tree_sensitivity(*, length: int, participations: int, digits: int) -> Real:
    """Return the sensitivity of a binary tree, of a record in its leftmost leaves (X.COMP).

    Node by node: how many of these leaves lie in it, squared.
    """
    leaves = min(length, participations)
    nodes = (
        (start, start + (1 << level))
        for level in range(length.bit_length())
        for start in range(0, length - (1 << level) + 1, 1 << level)
        if start < leaves
    )
    square = sum((min(leaves, end) - start) ** 2 for start, end in nodes)
    return settle(lambda ctx: ctx.sqrt(square), digits)


_SPARE = 12  # digits for what most functions magnify: a second look is seldom
_MOST_DIGITS = 100_000


def at_square_root(
    function: Callable[[Real, int], Real],
    square: Fraction,
    digits: int,
    magnified: Callable[[Real], Fraction],
) -> Real:
    """Return f(√square) to so many correct digits.

    Args:
        function: f, of its argument and the digits wanted.
        square: positive.
        digits: correct decimal digits wanted.
        magnified: how much f makes of a relative error of its argument, at a value of f.

    Raises:
        ArithmeticError: if some 100,000 digits of the root are not enough.
    """
    asked = digits + 2
    known = asked + _SPARE
    while known < _MOST_DIGITS:
        root = settle(lambda ctx: ctx.sqrt(real(ctx, square)), known)
        value = function(root, asked)
        needed = asked + 2 + len(str(math.ceil(magnified(value))))
        if known >= needed:
            return value
        known = needed + 8
    raise ArithmeticError(f"no {digits} digits")
