"""Laplace releases together, and together with Gaussian ones (X.LAPCOMP, X.LAPGAUSS)."""

from __future__ import annotations

from math import comb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.reference.numerics.functions import exp, ncdf
from dporacle.reference.numerics.hyperbolic import tails
from dporacle.reference.numerics.precision import ZERO, Context, Real, real, settle

__all__ = ["laplace_gaussian_delta", "laplace_repeated_delta"]

_MOST = 256


def laplace_repeated_delta(
    *, epsilon: Exact, scale: Exact, releases: int, sensitivity: Exact = 1, digits: int = 50
) -> Real:
    """Return δ(ε) of k equal Laplace releases together (X.LAPCOMP).

    With m = D/b, T = (km − ε)/2 and S_n(a) = a^{n+1}/(n+1)! + a^{n+3}/(n+3)! + …, it is

        δ = 2^{1−k} e^{−T} Σ_j C(k,j) Σ_n c_{jn} S_n(T − jm),    0 ≤ j < T/m, 0 ≤ n ≤ k,

    c_{jn} the coefficient of p^{k−n} in (p−1)^j (p+1)^{k−j}; 0 if T ≤ 0.

    Args:
        epsilon: in [0, ∞), for all releases together.
        scale: b of the noise of each release, in (0, ∞).
        releases: k, from 1 to 256.
        sensitivity: ℓ1-sensitivity D of each release, in (0, ∞), in the unit of scale.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, k = arguments.epsilon(epsilon), arguments.count("releases", releases, most=_MOST)
    m = arguments.positive("sensitivity", sensitivity) / arguments.positive("scale", scale)
    asked, top = arguments.digits(digits), (k * m - eps) / 2
    if top <= 0:
        return ZERO

    weights = {j: _weights(k, j) for j in range(k) if j * m < top}

    def terms(ctx: Context) -> tuple[Real, ...]:
        return tuple(
            weight * each
            for j, row in weights.items()
            for weight, each in zip(row, tails(ctx, k, top - j * m, top), strict=True)
        )

    sum_of = settle(terms, asked + 2)
    return settle(lambda ctx: ctx.ldexp(real(ctx, sum_of), 1 - k), asked)


def _weights(k: int, j: int) -> list[int]:
    """C(k,j)·c_{j0}, …, C(k,j)·c_{jk}."""
    row = [comb(k, j)]
    for sign in [-1] * j + [1] * (k - j):
        row = [high + sign * low for high, low in zip([*row, 0], [0, *row], strict=True)]
    return row


def laplace_gaussian_delta(
    *, epsilon: Exact, scale: Exact, mu: Exact, sensitivity: Exact = 1, digits: int = 50
) -> Real:
    """Return δ(ε) of a Laplace release and Gaussian releases together (X.LAPGAUSS).

    With m = D/b and μ = √Σ(Dᵢ/σᵢ)² it is

        Φ((m−ε)/μ + μ/2) − e^ε Φ(−(m+ε)/μ − μ/2)
            − e^{(ε−m)/2 − μ²/8} (Φ((m+ε)/μ) − Φ((ε−m)/μ)).

    Args:
        epsilon: in [0, ∞), for all releases together.
        scale: b of the Laplace noise, in (0, ∞).
        mu: μ of all Gaussian releases, in (0, ∞).
        sensitivity: ℓ1-sensitivity D of the Laplace release, in (0, ∞), in the unit of scale.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, g = arguments.epsilon(epsilon), arguments.positive("mu", mu)
    m = arguments.positive("sensitivity", sensitivity) / arguments.positive("scale", scale)
    a, c = (eps - m) / g, (eps + m) / g

    def terms(ctx: Context) -> tuple[Real, ...]:
        half = exp(ctx, (eps - m) / 2 - g * g / 8)
        # From the ends at which the two Φ are small.
        inner = (ncdf(ctx, -a),) if a > 0 else (ctx.one, -ncdf(ctx, a))
        return (
            ncdf(ctx, g / 2 - a),
            -exp(ctx, eps) * ncdf(ctx, -c - g / 2),
            *(-half * each for each in (*inner, -ncdf(ctx, -c))),
        )

    return settle(terms, arguments.digits(digits))
