"""Laplace releases together, and together with Gaussian ones (X.LAPCOMP, X.LAPGAUSS)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import comb, factorial

from dporacle.interface import witness
from dporacle.reference.numerics.functions import exp, ncdf
from dporacle.reference.numerics.precision import ZERO, Context, Real, real, settle


@witness
def laplace_repeated_delta(
    *, epsilon: Fraction, scale: Fraction, releases: int, sensitivity: Fraction, digits: int
) -> Real:
    """Return δ(ε) of k equal Laplace releases together (X.LAPCOMP).

    With m = D/b, T = (km − ε)/2 and S_n(a) = a^{n+1}/(n+1)! + a^{n+3}/(n+3)! + …, it is

        δ = 2^{1−k} e^{−T} Σ_j C(k,j) Σ_n c_{jn} S_n(T − jm),    0 ≤ j < T/m, 0 ≤ n ≤ k,

    c_{jn} the coefficient of p^{k−n} in (p−1)^j (p+1)^{k−j}; 0 if T ≤ 0.
    """
    m = sensitivity / scale
    top = (releases * m - epsilon) / 2
    if top <= 0:
        return ZERO

    weights = {j: _weights(releases, j) for j in range(releases) if j * m < top}

    def terms(ctx: Context) -> tuple[Real, ...]:
        return tuple(
            weight * each
            for j, row in weights.items()
            for weight, each in zip(row, tails(ctx, releases, top - j * m, top), strict=True)
        )

    sum_of = settle(terms, digits + 2)
    return settle(lambda ctx: ctx.ldexp(real(ctx, sum_of), 1 - releases), digits)


def _weights(k: int, j: int) -> list[int]:
    """C(k,j)·c_{j0}, …, C(k,j)·c_{jk}."""
    row = [comb(k, j)]
    for sign in [-1] * j + [1] * (k - j):
        row = [high + sign * low for high, low in zip([*row, 0], [0, *row], strict=True)]
    return row


@witness
def laplace_gaussian_delta(
    *, epsilon: Fraction, scale: Fraction, mu: Fraction, sensitivity: Fraction, digits: int
) -> Real:
    """Return δ(ε) of a Laplace release and Gaussian releases together (X.LAPGAUSS).

    With m = D/b and μ = √Σ(Dᵢ/σᵢ)² it is

        Φ((m−ε)/μ + μ/2) − e^ε Φ(−(m+ε)/μ − μ/2)
            − e^{(ε−m)/2 − μ²/8} (Φ((m+ε)/μ) − Φ((ε−m)/μ)).
    """
    m = sensitivity / scale
    a, c = (epsilon - m) / mu, (epsilon + m) / mu

    def terms(ctx: Context) -> tuple[Real, ...]:
        half = exp(ctx, (epsilon - m) / 2 - mu * mu / 8)
        # From the ends at which the two Φ are small.
        inner = (ncdf(ctx, -a),) if a > 0 else (ctx.one, -ncdf(ctx, a))
        return (
            ncdf(ctx, mu / 2 - a),
            -exp(ctx, epsilon) * ncdf(ctx, -c - mu / 2),
            *(-half * each for each in (*inner, -ncdf(ctx, -c))),
        )

    return settle(terms, digits)


_WIDE = 64
"""Beyond 2k and this, few digits cancel on the way upwards."""


def tails(ctx: Context, most: int, a: Fraction, fade: Fraction) -> list[Real]:
    """Return e^{−T}·S_n(a) for n = 0, …, k, S_n(a) = a^{n+1}/(n+1)! + a^{n+3}/(n+3)! + ….

    Args:
        ctx: where to compute.
        most: k.
        a: positive.
        fade: T.
    """
    x, powers = real(ctx, a), [exp(ctx, -fade)]
    for n in range(1, most + 2):
        powers.append(powers[-1] * x / n)
    if a > 2 * most + _WIDE:
        # From S₋₁ = cosh a and S₀ = sinh a upwards.
        more, less = exp(ctx, a - fade) / 2, exp(ctx, -a - fade) / 2
        sums = [more + less, more - less]
        for n in range(1, most + 1):
            sums.append(sums[-2] - powers[n - 1])
        return sums[1:]
    sums = [ctx.fsum(_falling(ctx, x, n)) * powers[0] for n in (most + 1, most)]
    for n in range(most - 1, -1, -1):
        sums.append(sums[-2] + powers[n + 1])
    return sums[:0:-1]


def _falling(ctx: Context, x: Real, n: int) -> Iterator[Real]:
    """The terms of S_n(x), all positive, until they are too small to count."""
    term, first, i = x ** (n + 1) / factorial(n + 1), None, n + 1
    while first is None or i < 2 * x or term > ctx.ldexp(first, -ctx.prec - 8):
        yield term
        first = first or term
        term *= x * x / ((i + 1) * (i + 2))
        i += 2
