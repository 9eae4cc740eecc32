"""Enclosures for the accuracy of many queries at once (GN.S1, GN.L1, GN.A1)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.interface import Numbers, witness


@witness
def workload_sensitivity(*, queries: int, records: int, digits: int) -> arb:
    """Enclose √k/n, the ℓ2-sensitivity of k counting queries on n records (GN.S1)."""
    return tighten(lambda: arb(queries).sqrt() / records, digits)


@witness
def projected_sigma(*, sigma: Fraction, vector: Numbers, digits: int) -> arb:
    """Enclose σ‖v‖, the standard deviation of ⟨Z, v⟩ for Z ~ N(0, σ²I) (GN.L1)."""
    square = sigma * sigma * sum(each * each for each in vector)
    if square == 0:
        raise ValueError("vector must not be zero")
    return tighten(lambda: ball(square).sqrt(), digits)


@witness
def noise_tail(*, error: Fraction, sigma: Fraction, digits: int) -> arb:
    """Enclose Pr[Z > t] = Φ(−t/σ) (GN.L1)."""
    ratio = error / sigma
    return tighten(lambda: normal_tail(ball(ratio)), digits)


@witness
def noise_tail_bound(*, error: Fraction, sigma: Fraction, digits: int) -> arb:
    """Enclose e^{−t²/2σ²}, an upper bound of Pr[Z > t] (GN.L1)."""
    ratio = error / sigma
    return tighten(lambda: ball(-ratio * ratio / 2).exp(), digits)


@witness
def max_error_probability(*, queries: int, error: Fraction, sigma: Fraction, digits: int) -> arb:
    """Enclose Pr[max |Zᵢ| > a] = 1 − erf(a/(σ√2))^k (GN.A1)."""
    ratio = error / sigma
    if ratio == 0:
        return arb(1)

    def formula() -> arb:
        return -(queries * (-2 * normal_tail(ball(ratio))).log1p()).expm1()

    return tighten(formula, digits)


@witness
def max_error_quantile(*, queries: int, beta: Fraction, sigma: Fraction, digits: int) -> arb:
    """Enclose the a that the largest of k errors exceeds with probability β (GN.A1)."""

    def formula() -> arb:
        log = (-ball(beta)).log1p() / queries
        level_of_one = -log.expm1()
        root = level_of_one.erfcinv() if level_of_one.mid() < 0.5 else log.exp().erfinv()
        return ball(sigma) * arb(2).sqrt() * root

    return tighten(formula, digits)


@witness
def max_error_bound(*, queries: int, beta: Fraction, sigma: Fraction, digits: int) -> arb:
    """Enclose σ√(2 ln(2k/β)), exceeded by the largest error with probability below β (GN.A1)."""
    return tighten(lambda: ball(sigma) * (2 * ball(2 * queries / beta).log()).sqrt(), digits)


@witness
def sample_size(*, queries: int, error: Exact, beta: Exact, noise_multiplier: Fraction) -> int:
    """Return the least n for which k counting queries err by more than a with chance ≤ β (GN.A1).

    The noise has σ = noise_multiplier·√k/n.
    """
    return _least_integer(
        lambda digits: max_error_quantile(
            queries=queries, beta=beta, sigma=noise_multiplier, digits=digits
        ),
        queries,
        error,
    )


@witness
def sample_size_bound(
    *, queries: int, error: Exact, beta: Exact, noise_multiplier: Fraction
) -> int:
    """Return the n that the union bound needs; `sample_size` is exact (GN.A1)."""
    return _least_integer(
        lambda digits: max_error_bound(
            queries=queries, beta=beta, sigma=noise_multiplier, digits=digits
        ),
        queries,
        error,
    )


def _least_integer(quantile: Callable[[int], arb], queries: int, error: Exact) -> int:
    """⌈√k·q/a⌉; where the ball cannot tell two integers apart, the larger one."""
    allowed = arguments.positive("error", error)
    digits = 40
    while True:
        q = quantile(digits + 4)
        value = tighten(partial(_sample_size, queries, q, allowed), digits)
        low, high = (-(-end // 1) for end in bounds(value))
        if low == high or digits > 2000:
            return int(high)
        digits *= 4


def _sample_size(queries: int, quantile: arb, allowed: Fraction) -> arb:
    return arb(queries).sqrt() * quantile / ball(allowed)
