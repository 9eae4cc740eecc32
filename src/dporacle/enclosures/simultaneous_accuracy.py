"""Enclosures for the accuracy of many queries at once (GN.S1, GN.L1, GN.A1)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.arithmetic.rounding import bounds

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


def workload_sensitivity(*, queries: int, records: int, digits: int = 50) -> arb:
    """Enclose √k/n, the ℓ2-sensitivity of k counting queries on n records (GN.S1).

    Args:
        queries: k, at least 1.
        records: n, at least 1.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    k, n = arguments.count("queries", queries), arguments.count("records", records)
    return tighten(lambda: arb(k).sqrt() / n, arguments.digits(digits))


def projected_sigma(*, sigma: Exact, vector: Any, digits: int = 50) -> arb:
    """Enclose σ‖v‖, the standard deviation of ⟨Z, v⟩ for Z ~ N(0, σ²I) (GN.L1).

    Args:
        sigma: standard deviation of the noise per coordinate, in (0, ∞).
        vector: the entries of v, not all zero.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    scale, entries = arguments.positive("sigma", sigma), arguments.vector("vector", vector)
    square = scale * scale * sum(each * each for each in entries)
    if square == 0:
        raise ValueError("vector must not be zero")
    return tighten(lambda: ball(square).sqrt(), arguments.digits(digits))


def noise_tail(*, error: Exact, sigma: Exact, digits: int = 50) -> arb:
    """Enclose Pr[Z > t] = Φ(−t/σ) (GN.L1).

    Args:
        error: t, in [0, ∞).
        sigma: standard deviation of Z, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    ratio = _ratio(error, sigma)
    return tighten(lambda: normal_tail(ball(ratio)), arguments.digits(digits))


def noise_tail_bound(*, error: Exact, sigma: Exact, digits: int = 50) -> arb:
    """Enclose e^{−t²/2σ²}, which Pr[Z > t] is below (GN.L1).

    Arguments and errors as for `noise_tail`.
    """
    ratio = _ratio(error, sigma)
    return tighten(lambda: ball(-ratio * ratio / 2).exp(), arguments.digits(digits))


def _ratio(error: Exact, sigma: Exact) -> Fraction:
    return arguments.nonnegative("error", error) / arguments.positive("sigma", sigma)


def max_error_probability(*, queries: int, error: Exact, sigma: Exact, digits: int = 50) -> arb:
    """Enclose Pr[max |Zᵢ| > a] = 1 − erf(a/(σ√2))^k (GN.A1).

    Args:
        queries: k, at least 1.
        error: a, in [0, ∞).
        sigma: standard deviation of the noise per query, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    k, ratio = arguments.count("queries", queries), _ratio(error, sigma)
    asked = arguments.digits(digits)
    if ratio == 0:
        return arb(1)

    def formula() -> arb:
        return -(k * (-2 * normal_tail(ball(ratio))).log1p()).expm1()

    return tighten(formula, asked)


def max_error_quantile(*, queries: int, beta: Exact, sigma: Exact, digits: int = 50) -> arb:
    """Enclose the a that the largest of k errors exceeds with probability β (GN.A1).

    Args:
        queries: k, at least 1.
        beta: in (0, 1).
        sigma: standard deviation of the noise per query, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    k, level = arguments.count("queries", queries), _beta(beta)
    scale = arguments.positive("sigma", sigma)

    def formula() -> arb:
        log = (-ball(level)).log1p() / k
        level_of_one = -log.expm1()
        root = level_of_one.erfcinv() if level_of_one.mid() < 0.5 else log.exp().erfinv()
        return ball(scale) * arb(2).sqrt() * root

    return tighten(formula, arguments.digits(digits))


def max_error_bound(*, queries: int, beta: Exact, sigma: Exact, digits: int = 50) -> arb:
    """Enclose σ√(2 ln(2k/β)), exceeded by the largest error with probability below β (GN.A1).

    Arguments and errors as for `max_error_quantile`.
    """
    k, level = arguments.count("queries", queries), _beta(beta)
    scale = arguments.positive("sigma", sigma)
    return tighten(
        lambda: ball(scale) * (2 * ball(2 * k / level).log()).sqrt(), arguments.digits(digits)
    )


def _beta(beta: Exact) -> Fraction:
    level = arguments.exact("beta", beta)
    if not 0 < level < 1:
        raise ValueError(f"beta must be positive and less than 1, got {arguments.show(beta)}")
    return level


def sample_size(*, queries: int, error: Exact, beta: Exact, noise_multiplier: Exact) -> int:
    """Return the least n for which k counting queries all err by at most a, but for β (GN.A1).

    The noise has σ = noise_multiplier·√k/n.

    Args:
        queries: k, at least 1.
        error: a, in (0, ∞).
        beta: in (0, 1).
        noise_multiplier: σ per unit of sensitivity, in (0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return _least_integer(
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
