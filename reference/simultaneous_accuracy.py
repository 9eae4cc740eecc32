"""Accuracy of many queries at once (GN.S1, GN.L1, GN.A1).

k counting queries on n rows have ℓ2-sensitivity √k/n. The largest of k independent errors of
standard deviation σ exceeds a with probability 1 − erf(a/(σ√2))^k.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.interface import Numbers, witness
from dporacle.reference.accuracy import accuracy
from dporacle.reference.numerics.functions import exp, ncdf
from dporacle.reference.numerics.integers import ceiling
from dporacle.reference.numerics.precision import Context, Real, real, settle


@witness
def workload_sensitivity(*, queries: int, records: int, digits: int) -> Real:
    """Return √k/n, the ℓ2-sensitivity of k counting queries on n records (GN.S1).

    Replacing one record changes each query by at most 1/n, and all of them at once can.
    """
    return settle(lambda ctx: ctx.sqrt(ctx.mpf(queries)) / records, digits)


@witness
def projected_sigma(*, sigma: Fraction, vector: Numbers, digits: int) -> Real:
    """Return σ‖v‖, the standard deviation of ⟨Z, v⟩ for Z ~ N(0, σ²I) (GN.L1)."""
    square = sigma * sigma * sum(each * each for each in vector)
    if square == 0:
        raise ValueError("vector must not be zero")
    return settle(lambda ctx: ctx.sqrt(real(ctx, square)), digits)


@witness
def noise_tail(*, error: Fraction, sigma: Fraction, digits: int) -> Real:
    """Return Pr[Z > t] = Φ(−t/σ), exactly (GN.L1)."""
    ratio = error / sigma
    return settle(lambda ctx: ncdf(ctx, -ratio), digits)


@witness
def noise_tail_bound(*, error: Fraction, sigma: Fraction, digits: int) -> Real:
    """Return e^{−t²/2σ²}, an upper bound of Pr[Z > t] (GN.L1); half of it is a bound too."""
    ratio = error / sigma
    return settle(lambda ctx: exp(ctx, -(ratio**2) / 2), digits)


@witness
def max_error_probability(*, queries: int, error: Fraction, sigma: Fraction, digits: int) -> Real:
    """Return Pr[max |Zᵢ| > a] = 1 − erf(a/(σ√2))^k (GN.A1)."""
    ratio = error / sigma
    if ratio == 0:
        return settle(lambda ctx: ctx.one, digits)
    one = settle(lambda ctx: 2 * ncdf(ctx, -ratio), digits + 4)
    # ln erf = ln(1 − erfc), where erfc may be close to 1: from the end that loses nothing.
    rest = settle(lambda ctx: ctx.erf(real(ctx, ratio) / ctx.sqrt(2)), digits + 4)

    def formula(ctx: Context) -> Real:
        log = ctx.log1p(-real(ctx, one)) if one < 0.5 else ctx.log(real(ctx, rest))
        return -ctx.expm1(queries * log)

    return settle(formula, digits)


@witness
def max_error_quantile(*, queries: int, beta: Fraction, sigma: Exact, digits: int) -> Real:
    """Return the a that the largest of k errors exceeds with probability β (GN.A1).

    a = σ√2·erf⁻¹((1−β)^{1/k}), which is the accuracy at significance 1 − (1−β)^{1/k}.
    """

    def single(ctx: Context) -> Real:
        return -ctx.expm1(ctx.log1p(-real(ctx, beta)) / queries)

    # Where the level is close to 1 (β close to 1), a is as small as its distance to 1.
    spare = max(0, -(1 - beta).numerator.bit_length() + (1 - beta).denominator.bit_length())
    return accuracy(alpha=settle(single, digits + 6 + spare // 3), sigma=sigma, digits=digits)


@witness
def max_error_bound(*, queries: int, beta: Fraction, sigma: Fraction, digits: int) -> Real:
    """Return σ√(2 ln(2k/β)), which the largest error exceeds with probability below β (GN.A1)."""

    def formula(ctx: Context) -> Real:
        return real(ctx, sigma) * ctx.sqrt(2 * ctx.log(real(ctx, 2 * queries / beta)))

    return settle(formula, digits)


@witness
def sample_size(*, queries: int, error: Exact, beta: Exact, noise_multiplier: Fraction) -> int:
    """Return the least n for which k counting queries err by more than a with chance ≤ β (GN.A1).

    The noise has σ = noise_multiplier·√k/n: the n-th part of what sensitivity √k needs. For
    (ε,δ)-DP the multiplier is `calibrate_sigma(epsilon=ε, delta=δ)`.

    Raises:
        ArithmeticError: if √k·q/a agrees with an integer to some 2000 digits.
    """
    return _least_size(
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
    return _least_size(
        lambda digits: max_error_bound(
            queries=queries, beta=beta, sigma=noise_multiplier, digits=digits
        ),
        queries,
        error,
    )


def _least_size(quantile: Callable[[int], Real], queries: int, error: Exact) -> int:
    """⌈√k·q/a⌉."""
    allowed = arguments.positive("error", error)

    def size(digits: int) -> Real:
        q = quantile(digits)
        return settle(
            lambda ctx: ctx.sqrt(ctx.mpf(queries)) * real(ctx, q) / real(ctx, allowed), digits
        )

    return ceiling(size, failure="the sample size cannot be told from an integer")
