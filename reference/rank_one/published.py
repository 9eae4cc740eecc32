"""The theorem of the rank-one Gaussian mechanism as published: ψ and σ* (JL24.T1)."""

from __future__ import annotations

from fractions import Fraction

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.reference.numerics.functions import exp, log
from dporacle.reference.numerics.precision import Context, Real, real, settle

__all__ = ["rank_one_psi", "rank_one_sigma_star"]


def _psi(ctx: Context, target: Fraction, size: int) -> Real:
    def power(c: Context) -> tuple[Real, ...]:
        m = c.mpf(size)
        gammas = (c.loggamma((m - 1) / 2), -c.loggamma(m / 2))
        return tuple(2 * each / (m - 2) for each in (log(c, target), *gammas, -c.log(c.pi) / 2))

    return exp(ctx, power)


def rank_one_psi(*, delta: Exact, dimension: int, digits: int = 50) -> Real:
    """Return ψ = (δ·Γ((M−1)/2)/(√π·Γ(M/2)))^{2/(M−2)} (JL24.T1).

    Args:
        delta: in (0, 1).
        dimension: M, from 3 to 10^9.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    target, size = arguments.delta(delta), arguments.dimension(dimension, least=3)
    return settle(lambda ctx: _psi(ctx, target, size), arguments.digits(digits))


def rank_one_sigma_star(
    *, epsilon: Exact, delta: Exact, dimension: int, sensitivity: Exact = 1, digits: int = 50
) -> Real:
    """Return 2Δ²/(εψ), the σ* of the published theorem (JL24.T1).

    Args:
        epsilon: in (0, ∞).
        delta: in (0, 1).
        dimension: M, from 3 to 10^9.
        sensitivity: ℓ2-sensitivity Δ, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, target = arguments.positive("epsilon", epsilon), arguments.delta(delta)
    size = arguments.dimension(dimension, least=3)
    square = arguments.positive("sensitivity", sensitivity) ** 2

    def formula(ctx: Context) -> Real:
        return 2 * real(ctx, square) / (real(ctx, eps) * _psi(ctx, target, size))

    return settle(formula, arguments.digits(digits))
