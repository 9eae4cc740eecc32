"""Accuracy of many queries at once (GN.S1, GN.L1, GN.A1).

k counting queries on n rows have ℓ2-sensitivity √k/n. The largest of k independent errors of
standard deviation σ exceeds a with probability 1 − erf(a/(σ√2))^k.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.reference.accuracy import accuracy
from dporacle.reference.numerics.functions import exp, ncdf
from dporacle.reference.numerics.integers import ceiling
from dporacle.reference.numerics.precision import Context, Real, real, settle

__all__ = [
    "max_error_bound",
    "max_error_probability",
    "max_error_quantile",
    "noise_tail",
    "noise_tail_bound",
    "projected_sigma",
    "sample_size",
    "sample_size_bound",
    "workload_sensitivity",
]


def workload_sensitivity(*, queries: int, records: int, digits: int = 50) -> Real:
    """Return √k/n, the ℓ2-sensitivity of k counting queries on n records (GN.S1).

    Replacing one record changes each query by at most 1/n, and all of them at once can.

    Args:
        queries: k, at least 1.
        records: n, at least 1.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    k, n = arguments.count("queries", queries), arguments.count("records", records)
    return settle(lambda ctx: ctx.sqrt(ctx.mpf(k)) / n, arguments.digits(digits))


def projected_sigma(*, sigma: Exact, vector: Any, digits: int = 50) -> Real:
    """Return σ‖v‖, the standard deviation of ⟨Z, v⟩ for Z ~ N(0, σ²I) (GN.L1).

    Args:
        sigma: standard deviation of the noise per coordinate, in (0, ∞).
        vector: the entries of v, not all zero.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    scale, entries = arguments.positive("sigma", sigma), arguments.vector("vector", vector)
    square = scale * scale * sum(each * each for each in entries)
    if square == 0:
        raise ValueError("vector must not be zero")
    return settle(lambda ctx: ctx.sqrt(real(ctx, square)), arguments.digits(digits))


def noise_tail(*, error: Exact, sigma: Exact, digits: int = 50) -> Real:
    """Return Pr[Z > t] = Φ(−t/σ), exactly (GN.L1).

    Args:
        error: t, in [0, ∞).
        sigma: standard deviation of Z, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    ratio = _ratio(error, sigma)
    return settle(lambda ctx: ncdf(ctx, -ratio), arguments.digits(digits))


def noise_tail_bound(*, error: Exact, sigma: Exact, digits: int = 50) -> Real:
    """Return e^{−t²/2σ²}, which Pr[Z > t] is below (GN.L1); half of it is a bound too.

    Arguments and errors as for `noise_tail`.
    """
    ratio = _ratio(error, sigma)
    return settle(lambda ctx: exp(ctx, -(ratio**2) / 2), arguments.digits(digits))


def _ratio(error: Exact, sigma: Exact) -> Fraction:
    return arguments.nonnegative("error", error) / arguments.positive("sigma", sigma)


def max_error_probability(*, queries: int, error: Exact, sigma: Exact, digits: int = 50) -> Real:
    """Return Pr[max |Zᵢ| > a] = 1 − erf(a/(σ√2))^k (GN.A1).

    Args:
        queries: k, at least 1.
        error: a, in [0, ∞).
        sigma: standard deviation of the noise per query, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    k, ratio = arguments.count("queries", queries), _ratio(error, sigma)
    asked = arguments.digits(digits)
    if ratio == 0:
        return settle(lambda ctx: ctx.one, asked)
    one = settle(lambda ctx: 2 * ncdf(ctx, -ratio), asked + 4)
    # ln erf = ln(1 − erfc), where erfc may be close to 1: from the end that loses nothing.
    rest = settle(lambda ctx: ctx.erf(real(ctx, ratio) / ctx.sqrt(2)), asked + 4)

    def formula(ctx: Context) -> Real:
        log = ctx.log1p(-real(ctx, one)) if one < 0.5 else ctx.log(real(ctx, rest))
        return -ctx.expm1(k * log)

    return settle(formula, asked)


def max_error_quantile(*, queries: int, beta: Exact, sigma: Exact, digits: int = 50) -> Real:
    """Return the a that the largest of k errors exceeds with probability β (GN.A1).

    a = σ√2·erf⁻¹((1−β)^{1/k}), which is the accuracy at significance 1 − (1−β)^{1/k}.

    Args:
        queries: k, at least 1.
        beta: in (0, 1).
        sigma: standard deviation of the noise per query, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    k, level = arguments.count("queries", queries), _beta(beta)
    asked = arguments.digits(digits)

    def single(ctx: Context) -> Real:
        return -ctx.expm1(ctx.log1p(-real(ctx, level)) / k)

    # Where the level is close to 1 (β close to 1), a is as small as its distance to 1.
    spare = max(0, -(1 - level).numerator.bit_length() + (1 - level).denominator.bit_length())
    return accuracy(alpha=settle(single, asked + 6 + spare // 3), sigma=sigma, digits=asked)


def max_error_bound(*, queries: int, beta: Exact, sigma: Exact, digits: int = 50) -> Real:
    """Return σ√(2 ln(2k/β)), which the largest error exceeds with probability below β (GN.A1).

    Arguments and errors as for `max_error_quantile`.
    """
    k, level = arguments.count("queries", queries), _beta(beta)
    scale = arguments.positive("sigma", sigma)

    def formula(ctx: Context) -> Real:
        return real(ctx, scale) * ctx.sqrt(2 * ctx.log(real(ctx, 2 * k / level)))

    return settle(formula, arguments.digits(digits))


def _beta(beta: Exact) -> Fraction:
    level = arguments.exact("beta", beta)
    if not 0 < level < 1:
        raise ValueError(f"beta must be positive and less than 1, got {arguments.show(beta)}")
    return level


def sample_size(*, queries: int, error: Exact, beta: Exact, noise_multiplier: Exact) -> int:
    """Return the least n for which k counting queries all err by at most a, but for β (GN.A1).

    The noise has σ = noise_multiplier·√k/n: the n-th part of what sensitivity √k needs. For
    (ε,δ)-DP the multiplier is `calibrate_sigma(epsilon=ε, delta=δ)`.

    Args:
        queries: k, at least 1.
        error: a, the error in the fraction that a counting query is, in (0, ∞).
        beta: the probability with which some error may exceed a, in (0, 1).
        noise_multiplier: σ per unit of sensitivity, in (0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: if √k·q/a agrees with an integer to some 2000 digits.
    """
    return _least_size(
        lambda digits: max_error_quantile(
            queries=queries, beta=beta, sigma=noise_multiplier, digits=digits
        ),
        queries,
        error,
    )


def sample_size_bound(*, queries: int, error: Exact, beta: Exact, noise_multiplier: Exact) -> int:
    """Return the n that the union bound asks for in the place of `sample_size` (GN.A1).

    Arguments and errors as for `sample_size`.
    """
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
