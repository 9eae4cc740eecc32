"""Counts that are shown from a threshold on (X.TAU, X.LAPTAU).

Whoever is counted where nobody else is makes k counts of 1 that are missing without him. Each gets
noise, and is shown if it reaches τ: with probability p, and one of them with 1 − (1−p)^k.
"""

from __future__ import annotations

from fractions import Fraction

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.reference.accuracy import accuracy
from dporacle.reference.numerics.functions import exp, log, ncdf
from dporacle.reference.numerics.precision import (
    Context,
    Real,
    bits_for,
    freeze,
    real,
    settle,
    working,
)

__all__ = [
    "count_threshold",
    "count_threshold_delta",
    "laplace_count_threshold",
    "laplace_count_threshold_delta",
]

_DECIMAL = 0.302  # digits of a bit


def count_threshold(
    *, delta: Exact, sigma: Exact, contributions: int = 1, digits: int = 50
) -> Real:
    """Return the least τ that one of k counts of 1 reaches with probability δ at most (X.TAU).

    τ = 1 + σz with Φ(z)^k = 1 − δ; the size of z is the accuracy at twice the smaller of p and
    1 − p.

    Args:
        delta: in (0, 1).
        sigma: standard deviation of the noise on each count, in (0, ∞).
        contributions: k, in how many counts one person is counted, at least 1.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    scale = arguments.positive("sigma", sigma)
    target, k = arguments.delta(delta), arguments.count("contributions", contributions)
    asked = arguments.digits(digits)
    if (odds := _odds(target, k, 12)) is None:
        return settle(lambda ctx: ctx.one, asked)
    found: dict[int, Real] = {}

    def size(wanted: int) -> Real:
        """The size of z to so many digits."""
        if wanted not in found:
            # Where p is close to 1/2, z is as small as 2p's distance to 1.
            known = wanted + 8 + max(0, -_magnitude(odds))
            hidden = _hidden(target, k, known)
            with working(bits_for(known) + 64) as ctx:
                x = real(ctx, hidden)
                level = freeze(2 * (-ctx.expm1(x) if odds > 0 else ctx.exp(x)))
            found[wanted] = accuracy(alpha=level, sigma=1, digits=wanted)
        return found[wanted]

    def terms(ctx: Context) -> tuple[Real, ...]:
        z = real(ctx, size(int(ctx.prec * _DECIMAL) + 4))
        return ctx.one, real(ctx, scale) * (z if odds > 0 else -z)

    return settle(terms, asked)


def _hidden(target: Fraction, count: int, digits: int) -> Real:
    """Return ln(1−p) for (1−p)^k = 1 − δ."""
    return settle(lambda ctx: log(ctx, 1 - target) / count, digits)


def _odds(target: Fraction, count: int, digits: int) -> Real | None:
    """Return ln(2(1−p)), or None where that is 0: p is then exactly 1/2."""
    rest = 1 - target
    size = rest.denominator.bit_length() - 1
    if rest.numerator == 1 and size == count and rest.denominator == 1 << size:
        return None
    return settle(lambda ctx: (ctx.ln2, log(ctx, rest) / count), digits)


def _magnitude(value: Real) -> int:
    """Return about the decimal exponent of a number."""
    with working(64) as ctx:
        return int(ctx.floor(ctx.log10(abs(real(ctx, value)))))


def count_threshold_delta(
    *, threshold: Exact, sigma: Exact, contributions: int = 1, digits: int = 50
) -> Real:
    """Return 1 − Φ((τ−1)/σ)^k, the probability that one of k counts of 1 reaches τ (X.TAU).

    Args:
        threshold: τ, any number.
        sigma: standard deviation of the noise on each count, in (0, ∞).
        contributions: k, in how many counts one person is counted, at least 1.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    tau, scale = arguments.exact("threshold", threshold), arguments.positive("sigma", sigma)
    k, ratio = arguments.count("contributions", contributions), (tau - 1) / scale

    def formula(ctx: Context) -> Real:
        if ratio > 0:
            return -ctx.expm1(k * ctx.log1p(-ncdf(ctx, -ratio)))
        return 1 - ncdf(ctx, ratio) ** k

    return settle(formula, arguments.digits(digits))


def laplace_count_threshold(
    *, epsilon: Exact, delta: Exact, contributions: int = 1, digits: int = 50
) -> Real:
    """Return the least τ at which k counts with Laplace noise k/ε are (ε,δ)-DP (X.LAPTAU).

    τ = 1 + (k/ε)·ln(1/2p) for p ≤ 1/2, and 1 − (k/ε)·ln(1/2(1−p)) for more.

    Args:
        epsilon: in (0, ∞).
        delta: in (0, 1).
        contributions: k, in how many counts one person is counted, at least 1.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps = arguments.positive("epsilon", epsilon)
    target, k = arguments.delta(delta), arguments.count("contributions", contributions)
    asked = arguments.digits(digits)
    if (odds := _odds(target, k, 12)) is None:
        return settle(lambda ctx: ctx.one, asked)

    def terms(ctx: Context) -> tuple[Real, ...]:
        known = int(ctx.prec * _DECIMAL) + 8
        if odds > 0.5:
            height = -ctx.log(-2 * ctx.expm1(real(ctx, _hidden(target, k, known))))
        else:  # 2p = 1 − (e^x − 1), or 2(1−p) = e^x, where x may be close to 0
            x = real(ctx, _odds(target, k, known))
            height = x if odds < 0 else -ctx.log1p(-ctx.expm1(x))
        return ctx.one, k / real(ctx, eps) * height

    return settle(terms, asked)


def laplace_count_threshold_delta(
    *, threshold: Exact, epsilon: Exact, contributions: int = 1, digits: int = 50
) -> Real:
    """Return the probability that one of k counts of 1 with noise k/ε reaches τ (X.LAPTAU).

    Args:
        threshold: τ, any number.
        epsilon: in (0, ∞).
        contributions: k, in how many counts one person is counted, at least 1.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    tau, eps = arguments.exact("threshold", threshold), arguments.positive("epsilon", epsilon)
    k = arguments.count("contributions", contributions)
    power = (tau - 1) * eps / k

    def formula(ctx: Context) -> Real:
        if power > 0:
            return -ctx.expm1(k * ctx.log1p(-exp(ctx, -power) / 2))
        return 1 - (exp(ctx, power) / 2) ** k

    return settle(formula, arguments.digits(digits))
