"""The Laplace mechanism: pure and approximate privacy, accuracy, divergences (X.LAP, X.LAPRDP).

Noise of density e^{−|x|/b}/2b on every coordinate of an answer of ℓ1-sensitivity D. Everything
depends on m = D/b alone.
"""

from __future__ import annotations

from fractions import Fraction

from dporacle.interface import witness
from dporacle.reference.numerics.functions import exp, expm1, log
from dporacle.reference.numerics.precision import ZERO, Context, Real, real, settle


@witness
def laplace_delta_at_epsilon(
    *, epsilon: Fraction, scale: Fraction, sensitivity: Fraction, digits: int
) -> Real:
    """Return δ(ε) = max(0, 1 − e^{(ε − D/b)/2}) (X.LAP)."""
    gap = sensitivity / scale - epsilon
    return settle(lambda ctx: -expm1(ctx, -gap / 2), digits) if gap > 0 else ZERO


@witness
def laplace_epsilon_at_delta(
    *, delta: Fraction, scale: Fraction, sensitivity: Fraction, digits: int
) -> Real:
    """Return the smallest ε ≥ 0 with (ε,δ)-DP, max(0, D/b + 2 ln(1−δ)) (X.LAP)."""
    m, keep = sensitivity / scale, 1 - delta
    if keep == 0:
        return ZERO
    value = settle(lambda ctx: (real(ctx, m), 2 * log(ctx, keep)), digits)
    return value if value > 0 else ZERO


@witness
def laplace_calibrate_scale(
    *, epsilon: Fraction, delta: Fraction, sensitivity: Fraction, digits: int
) -> Real:
    """Return the least b that is (ε,δ)-DP, D/(ε − 2 ln(1−δ)) (X.LAP)."""
    keep = 1 - delta
    if epsilon == 0 and keep == 1:
        raise ValueError("epsilon must be positive where delta is 0, got 0: no scale gives both")
    return settle(
        lambda ctx: real(ctx, sensitivity) / (real(ctx, epsilon) - 2 * log(ctx, keep)), digits
    )


@witness
def laplace_accuracy(*, alpha: Fraction, scale: Fraction, digits: int) -> Real:
    """Return the a that one error exceeds with probability α, b·ln(1/α) (X.LAP)."""
    return ZERO if alpha == 1 else settle(lambda ctx: -real(ctx, scale) * log(ctx, alpha), digits)


@witness
def laplace_alpha_at_accuracy(*, accuracy: Fraction, scale: Fraction, digits: int) -> Real:
    """Return α = Pr[|y − f(x)| > a] = e^{−a/b} (X.LAP)."""
    ratio = accuracy / scale
    return settle(lambda ctx: exp(ctx, -ratio), digits)


@witness
def laplace_scale_at_accuracy(*, accuracy: Fraction, alpha: Fraction, digits: int) -> Real:
    """Return the largest b with accuracy a at significance α, a/ln(1/α) (X.LAP)."""
    return settle(lambda ctx: -real(ctx, accuracy) / log(ctx, alpha), digits)


@witness
def laplace_max_error_probability(
    *, queries: int, error: Fraction, scale: Fraction, digits: int
) -> Real:
    """Return Pr[max |Xᵢ| > a] = 1 − (1 − e^{−a/b})^k (X.LAP)."""
    ratio = error / scale
    if ratio == 0:
        return settle(lambda ctx: ctx.one, digits)

    def inside(ctx: Context) -> Real:
        """Return ln Pr[|X| ≤ a], from the end of (0, 1) that loses nothing."""
        tail = exp(ctx, -ratio)
        return ctx.log1p(-tail) if 2 * tail < 1 else ctx.log(-expm1(ctx, -ratio))

    return settle(lambda ctx: -ctx.expm1(queries * inside(ctx)), digits)


@witness
def laplace_max_error_quantile(
    *, queries: int, beta: Fraction, scale: Fraction, digits: int
) -> Real:
    """Return the a that the largest of k errors exceeds with probability β (X.LAP).

    a = −b·ln(1 − (1−β)^{1/k}).
    """
    keep = 1 - beta

    def tail(ctx: Context) -> Real:
        """Return ln of the probability that one error may have of being larger."""
        inside = log(ctx, keep) / queries
        share = ctx.exp(inside)
        return ctx.log1p(-share) if 2 * share < 1 else ctx.log(-ctx.expm1(inside))

    return settle(lambda ctx: -real(ctx, scale) * tail(ctx), digits)


@witness
def laplace_rdp(*, order: Fraction, scale: Fraction, sensitivity: Fraction, digits: int) -> Real:
    """Return the Rényi divergence m − ln(1 + (1−α)v)/(1−α), v = (1 − e^{−um})/u (X.LAPRDP).

    Here u = 2α − 1. At α = 1 it is m − v, the Kullback-Leibler divergence; at α = 1/2, v is m.
    """
    m = sensitivity / scale
    u, rest = 2 * order - 1, 1 - order

    def terms(ctx: Context) -> tuple[Real, Real]:
        v = -expm1(ctx, -u * m) / real(ctx, u) if u else real(ctx, m)
        if rest == 0:
            return real(ctx, m), -v
        return real(ctx, m), -ctx.log1p(real(ctx, rest) * v) / real(ctx, rest)

    return settle(terms, digits)


@witness
def laplace_zcdp_rho(*, scale: Fraction, sensitivity: Fraction, digits: int) -> Real:
    """Return ρ = m − 1 + e^{−m}, the least for which it is ρ-zCDP (X.LAPRDP)."""
    m = sensitivity / scale
    return settle(lambda ctx: (real(ctx, m), expm1(ctx, -m)), digits)
