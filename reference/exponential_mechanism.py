"""Noisy max with Gumbel noise, which is the exponential mechanism (X.EXPMECH).

Each of two or more scores moves by Δ at most, up or down. Everything depends on η = 2Δ/b alone.
"""

from __future__ import annotations

from fractions import Fraction

from dporacle.interface import witness
from dporacle.reference.numerics.functions import exp, expm1
from dporacle.reference.numerics.precision import (
    ZERO,
    Context,
    Real,
    bits_for,
    freeze,
    real,
    settle,
    working,
)
from dporacle.reference.numerics.roots import positive_root, scaled


@witness
def exponential_mechanism_delta(
    *, epsilon: Fraction, scale: Fraction, sensitivity: Fraction, digits: int
) -> Real:
    """Return δ(ε) = (1 − e^{(ε−η)/2})²/(1 − e^{−η}), 0 from ε = η on (X.EXPMECH)."""
    eta = 2 * sensitivity / scale
    if epsilon >= eta:
        return ZERO
    gap = (epsilon - eta) / 2
    return settle(lambda ctx: expm1(ctx, gap) ** 2 / -expm1(ctx, -eta), digits)


@witness
def exponential_mechanism_epsilon(
    *, delta: Fraction, scale: Fraction, sensitivity: Fraction, digits: int
) -> Real:
    """Return the smallest ε ≥ 0 with (ε,δ)-DP, max(0, η + 2 ln(1 − √(δ(1 − e^{−η})))) (X.EXPMECH).

    It is 0 from δ = tanh(η/4) on, which is irrational.
    """
    eta = 2 * sensitivity / scale
    if delta == 1:
        return ZERO

    def terms(ctx: Context) -> tuple[Real, Real]:
        root = ctx.sqrt(real(ctx, delta) * -expm1(ctx, -eta))
        if 2 * root < 1:
            return real(ctx, eta), 2 * ctx.log1p(-root)
        # 1 − r² = 1 − δ + δe^{−η}, of which nothing cancels.
        rest = real(ctx, 1 - delta) + real(ctx, delta) * (expm1(ctx, -eta) + 1)
        return real(ctx, eta), 2 * ctx.log(rest / (1 + root))

    value = settle(terms, digits)
    return value if value > 0 else ZERO


@witness
def exponential_mechanism_zcdp_rho(*, scale: Fraction, sensitivity: Fraction, digits: int) -> Real:
    """Return ρ = u − 1 − ln u, u = η/(e^η − 1), the least for which it is ρ-zCDP.

    It is the largest Kullback-Leibler divergence (X.EXPMECH).
    """
    eta = 2 * sensitivity / scale

    def terms(ctx: Context) -> tuple[Real, ...]:
        """Return η − 1 + η/(e^η − 1) − ln(η/(1 − e^{−η}))."""
        lack = -expm1(ctx, -eta)
        share = real(ctx, eta) * (1 - lack) / lack
        return real(ctx, eta), -ctx.one, share, -ctx.log(real(ctx, eta) / lack)

    return settle(terms, digits)


@witness
def exponential_mechanism_repeated_delta(
    *, epsilon: Fraction, selection_epsilon: Fraction, releases: int, digits: int
) -> Real:
    """Return δ(ε) of n exponential mechanisms, none of which sees an earlier answer (X.SELECTIONS).

    It is the largest Pr[X ≤ J] − e^ε Pr[Y ≤ J]: X and Y count how many of n releases have the
    smaller of two losses, t and t − η, at t = (ε + (J+1)η)/(n+1).
    """
    if epsilon >= releases * selection_epsilon:
        return ZERO
    return settle(lambda ctx: _largest(ctx, epsilon, selection_epsilon, releases)[0], digits)


def _largest(ctx: Context, epsilon: Fraction, eta: Fraction, n: int) -> tuple[Real, Real]:
    """Return the largest difference, and e^ε Pr[Y ≤ J] of it.

    Each is at least Pr[X ≤ J] times about g = ((n−J)η − ε)/(n+1): so many bits are lost.
    """
    found = []
    for last in range(n):
        gap = ((n - last) * eta - epsilon) / (n + 1)
        if gap <= 0:
            break
        lost = max(0, gap.denominator.bit_length() - gap.numerator.bit_length()) + 8
        with working(ctx.prec + lost) as fine:
            mine, other = _tails(fine, epsilon, eta, n, last)
            found.append((freeze(mine - other), freeze(other)))
    largest, other = max(found)
    return real(ctx, largest), real(ctx, other)


def _tails(ctx: Context, epsilon: Fraction, eta: Fraction, n: int, last: int) -> tuple[Real, Real]:
    """Return Pr[X ≤ J] and e^ε Pr[Y ≤ J]."""
    top = (epsilon + (last + 1) * eta) / (n + 1)
    whole = expm1(ctx, eta)
    first, second = -expm1(ctx, top - eta), -expm1(ctx, -top)  # of p and of 1 − q, over 1 − e^{−η}
    lack = -expm1(ctx, -eta)
    p, q = first / lack, exp(ctx, -top) * first / lack
    low = expm1(ctx, top) / whole  # 1 − p
    mine = _at_most(ctx, n, last, p, low)
    return mine, exp(ctx, epsilon) * _at_most(ctx, n, last, q, second / lack)


def _at_most(ctx: Context, n: int, last: int, high: Real, low: Real) -> Real:
    """Return Σ_{j ≤ J} C(n,j) high^{n−j} low^j by Horner's rule."""
    ratio, total = low / high, ctx.one
    for j in range(last, 0, -1):
        total = 1 + total * ratio * (n - j + 1) / j
    return total * high**n


@witness
def exponential_mechanism_repeated_epsilon(
    *, delta: Fraction, selection_epsilon: Fraction, releases: int, digits: int
) -> Real:
    """Return the least ε ≥ 0 at which n such exponential mechanisms are (ε,δ)-DP (X.SELECTIONS).

    By Newton's method in ln(nη − ε), in which ln δ is nearly straight; dδ/dε = −e^ε Pr[Y ≤ J].
    """
    most = releases * selection_epsilon
    if not delta:
        return settle(lambda ctx: real(ctx, most), digits)
    if _is_enough(delta, selection_epsilon, releases):
        return ZERO

    def newton(left: Real, carried: int) -> tuple[Real, Real]:
        epsilon = most - Fraction(*map(int, left.as_integer_ratio()))
        with working(bits_for(carried) + 32) as ctx:
            if epsilon <= 0:
                return freeze(ctx.one), freeze(real(ctx, most * 9 / 10))
            value, falls = _largest(ctx, epsilon, selection_epsilon, releases)
            excess = ctx.log(value / real(ctx, delta))
            there = real(ctx, left)
            step = excess * value / falls / there
            return freeze(excess), freeze(scaled(ctx, there, -step))

    more = digits
    while True:  # the difference loses digits where ε is small
        with working(64) as ctx:
            start = freeze(real(ctx, most / 2))
        left = positive_root(newton, start=start, digits=more + 2, sharp=_SHARP)
        with working(bits_for(more) + 32) as ctx:
            found = real(ctx, most) - real(ctx, left)
            short = int(ctx.log10(real(ctx, most) / found)) + 1 if found > 0 else more
        if more >= digits + short:
            return freeze(found)
        more = digits + short


def _is_enough(delta: Fraction, eta: Fraction, n: int) -> bool:
    """Tell whether δ(0) is at most δ; the two are never equal, as δ(0) is transcendental."""
    digits = 12
    while True:
        value = settle(lambda ctx: _largest(ctx, Fraction(0), eta, n)[0], digits)
        with working(bits_for(digits) + 32) as ctx:
            gap = real(ctx, value) / real(ctx, delta) - 1
            if abs(gap) > ctx.mpf(10) ** (2 - digits):
                return bool(gap < 0)
        digits *= 2


_SHARP = 4  # ln δ of up to 128 releases turns within 10^-4 of nη − ε
