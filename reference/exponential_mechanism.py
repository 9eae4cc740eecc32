"""Noisy max with Gumbel noise, which is the exponential mechanism (X.EXPMECH).

Each of two or more scores moves by Δ at most, up or down. Everything depends on η = 2Δ/b alone.
"""

from __future__ import annotations

from fractions import Fraction

from dporacle.interface import witness
from dporacle.reference.numerics.functions import expm1
from dporacle.reference.numerics.precision import ZERO, Context, Real, real, settle


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
