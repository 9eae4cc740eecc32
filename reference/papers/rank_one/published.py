"""The theorem of the rank-one Gaussian mechanism as published: ψ and σ* (JL24.T1)."""

from __future__ import annotations

from fractions import Fraction

from dporacle.interface import witness
from dporacle.reference.numerics.functions import exp, log
from dporacle.reference.numerics.precision import Context, Real, real, settle


def _psi(ctx: Context, target: Fraction, size: int) -> Real:
    def power(c: Context) -> tuple[Real, ...]:
        m = c.mpf(size)
        gammas = (c.loggamma((m - 1) / 2), -c.loggamma(m / 2))
        return tuple(2 * each / (m - 2) for each in (log(c, target), *gammas, -c.log(c.pi) / 2))

    return exp(ctx, power)


@witness
def rank_one_psi(*, delta: Fraction, dimension: int, digits: int) -> Real:
    """Return ψ = (δ·Γ((M−1)/2)/(√π·Γ(M/2)))^{2/(M−2)} (JL24.T1)."""
    return settle(lambda ctx: _psi(ctx, delta, dimension), digits)


@witness
def rank_one_sigma_star(
    *, epsilon: Fraction, delta: Fraction, dimension: int, sensitivity: Fraction, digits: int
) -> Real:
    """Return 2Δ²/(εψ), the σ* of the published theorem (JL24.T1)."""
    square = sensitivity**2

    def formula(ctx: Context) -> Real:
        return 2 * real(ctx, square) / (real(ctx, epsilon) * _psi(ctx, delta, dimension))

    return settle(formula, digits)
