"""Counts released at or above a threshold (X.TAU, X.LAPTAU, X.INTTAU).

Whoever is counted where nobody else is makes k counts of 1 that are missing without him. Each gets
noise, and is shown if it reaches τ: with probability p, and one of them with 1 − (1−p)^k.
"""

from __future__ import annotations

from fractions import Fraction

from dporacle.interface import witness
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

_DECIMAL = 0.302  # digits of a bit


@witness
def count_threshold(*, delta: Fraction, sigma: Fraction, contributions: int, digits: int) -> Real:
    """Return the least τ that one of k counts of 1 reaches with probability δ at most (X.TAU).

    τ = 1 + σz with Φ(z)^k = 1 − δ; the size of z is the accuracy at twice the smaller of p and
    1 − p.
    """
    if (odds := _odds(delta, contributions, 12)) is None:
        return settle(lambda ctx: ctx.one, digits)
    found: dict[int, Real] = {}

    def size(wanted: int) -> Real:
        """The size of z to so many digits."""
        if wanted not in found:
            # Where p is close to 1/2, z is as small as 2p's distance to 1.
            known = wanted + 8 + max(0, -_magnitude(odds))
            hidden = _hidden(delta, contributions, known)
            with working(bits_for(known) + 64) as ctx:
                x = real(ctx, hidden)
                level = freeze(2 * (-ctx.expm1(x) if odds > 0 else ctx.exp(x)))
            found[wanted] = accuracy(alpha=level, sigma=1, digits=wanted)
        return found[wanted]

    def terms(ctx: Context) -> tuple[Real, ...]:
        z = real(ctx, size(int(ctx.prec * _DECIMAL) + 4))
        return ctx.one, real(ctx, sigma) * (z if odds > 0 else -z)

    return settle(terms, digits)


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


@witness
def count_threshold_delta(
    *, threshold: Fraction, sigma: Fraction, contributions: int, digits: int
) -> Real:
    """Return 1 − Φ((τ−1)/σ)^k, the probability that one of k counts of 1 reaches τ (X.TAU)."""
    ratio = (threshold - 1) / sigma

    def formula(ctx: Context) -> Real:
        if ratio > 0:
            return -ctx.expm1(contributions * ctx.log1p(-ncdf(ctx, -ratio)))
        return 1 - ncdf(ctx, ratio) ** contributions

    return settle(formula, digits)


@witness
def laplace_count_threshold(
    *, epsilon: Fraction, delta: Fraction, contributions: int, digits: int
) -> Real:
    """Return the least τ at which k counts with Laplace noise k/ε are (ε,δ)-DP (X.LAPTAU).

    τ = 1 + (k/ε)·ln(1/2p) for p ≤ 1/2, and 1 − (k/ε)·ln(1/2(1−p)) for more.
    """
    if (odds := _odds(delta, contributions, 12)) is None:
        return settle(lambda ctx: ctx.one, digits)

    def terms(ctx: Context) -> tuple[Real, ...]:
        known = int(ctx.prec * _DECIMAL) + 8
        if odds > 0.5:
            height = -ctx.log(-2 * ctx.expm1(real(ctx, _hidden(delta, contributions, known))))
        else:  # 2p = 1 − (e^x − 1), or 2(1−p) = e^x, where x may be close to 0
            x = real(ctx, _odds(delta, contributions, known))
            height = x if odds < 0 else -ctx.log1p(-ctx.expm1(x))
        return ctx.one, contributions / real(ctx, epsilon) * height

    return settle(terms, digits)


@witness
def laplace_count_threshold_delta(
    *, threshold: Fraction, epsilon: Fraction, contributions: int, digits: int
) -> Real:
    """Return the probability that one of k counts of 1 with noise k/ε reaches τ (X.LAPTAU)."""
    power = (threshold - 1) * epsilon / contributions

    def formula(ctx: Context) -> Real:
        if power > 0:
            return -ctx.expm1(contributions * ctx.log1p(-exp(ctx, -power) / 2))
        return 1 - (exp(ctx, power) / 2) ** contributions

    return settle(formula, digits)


@witness
def integer_count_threshold_delta(
    *, threshold: int, scale: Fraction, contributions: int, digits: int
) -> Real:
    """Return the probability that one of k counts of 1 with whole noise reaches τ (X.INTTAU)."""
    far = threshold - 1

    def formula(ctx: Context) -> Real:
        whole = 1 + exp(ctx, -1 / scale)
        if far > 0:
            return -ctx.expm1(contributions * ctx.log1p(-exp(ctx, -far / scale) / whole))
        return 1 - (exp(ctx, (far - 1) / scale) / whole) ** contributions

    return settle(formula, digits)
