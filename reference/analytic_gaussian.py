"""The analytic Gaussian mechanism (BW18.T2, T5, L7, T8, T9, X.EPS), as the paper writes it.

With μ = D/σ, noise N(0, σ²I) on a function of ℓ2-sensitivity D is (ε,δ)-DP **if and only if**

    δ(ε) := Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ) ≤ δ.                                      (BW18.T8)

δ(ε) is the mechanism's privacy profile, the hockey-stick divergence of order e^ε of two unit
Gaussians at distance μ.
"""

from __future__ import annotations

from fractions import Fraction

from dporacle.interface import witness
from dporacle.reference.gaussian import inverses
from dporacle.reference.numerics.functions import Argument, exp, ncdf, npdf
from dporacle.reference.numerics.precision import ZERO, Context, Real, real, settle


def _difference(epsilon: Fraction | Real, mu: Fraction | Real) -> Argument:
    """μ/2 − ε/μ."""
    return lambda c: (real(c, mu) / 2, -real(c, epsilon) / real(c, mu))


def _far(epsilon: Fraction | Real, mu: Fraction | Real) -> Argument:
    """−μ/2 − ε/μ."""
    return lambda c: (-real(c, mu) / 2, -real(c, epsilon) / real(c, mu))


def _profile(ctx: Context, epsilon: Fraction | Real, mu: Fraction | Real) -> tuple[Real, Real]:
    """BW18.T8, left side: its two terms."""
    return ncdf(ctx, _difference(epsilon, mu)), _slope_epsilon(ctx, epsilon, mu)


def _complement(ctx: Context, epsilon: Fraction | Real, mu: Fraction | Real) -> Real:
    """1 − δ(ε), by Φ(x) + Φ(−x) = 1."""
    above = ncdf(ctx, lambda c: (real(c, epsilon) / real(c, mu), -real(c, mu) / 2))
    return above - _slope_epsilon(ctx, epsilon, mu)


def _slope_epsilon(ctx: Context, epsilon: Fraction | Real, mu: Fraction | Real) -> Real:
    """∂δ/∂ε: the terms from the two arguments of Φ cancel, as e^ε φ(μ/2 + ε/μ) = φ(μ/2 − ε/μ)."""
    return -exp(ctx, epsilon) * ncdf(ctx, _far(epsilon, mu))


def _slope_mu(ctx: Context, epsilon: Fraction | Real, mu: Fraction | Real) -> Real:
    """∂δ/∂μ, by the same cancellation."""
    return npdf(ctx, _difference(epsilon, mu))


_PROFILE = inverses.GaussianProfile(_profile, _complement, _slope_mu, _slope_epsilon)


@witness
def delta_at_epsilon(
    *, epsilon: Fraction, sigma: Fraction, sensitivity: Fraction, digits: int
) -> Real:
    """Return δ(ε), the smallest δ for which the mechanism is (ε,δ)-DP (BW18.T8)."""
    mu = sensitivity / sigma
    return settle(lambda ctx: _profile(ctx, epsilon, mu), digits)


@witness
def log_delta_at_epsilon(
    *, epsilon: Fraction, sigma: Fraction, sensitivity: Fraction, digits: int
) -> Real:
    """Return ln δ(ε), correct to `digits` even where δ(ε) rounds to 1 (BW18.T8)."""
    mu = sensitivity / sigma
    value = settle(lambda ctx: _profile(ctx, epsilon, mu), digits + 2)
    if value < 0.5:
        return settle(lambda ctx: ctx.log(real(ctx, value)), digits)
    rest = settle(lambda ctx: _complement(ctx, epsilon, mu), digits + 2)
    return settle(lambda ctx: ctx.log1p(-real(ctx, rest)), digits)


@witness
def delta_slope_mu(
    *, epsilon: Fraction, sigma: Fraction, sensitivity: Fraction, digits: int
) -> Real:
    """Return ∂δ/∂μ = φ(μ/2 − ε/μ) > 0: less noise is less private (BW18.L7)."""
    mu = sensitivity / sigma

    return settle(lambda ctx: npdf(ctx, mu / 2 - epsilon / mu), digits)


@witness
def delta_slope_epsilon(
    *, epsilon: Fraction, sigma: Fraction, sensitivity: Fraction, digits: int
) -> Real:
    """Return ∂δ/∂ε = −e^ε Φ(−μ/2 − ε/μ) < 0 (BW18.L7)."""
    mu = sensitivity / sigma
    return settle(lambda ctx: _slope_epsilon(ctx, epsilon, mu), digits)


@witness
def calibrate_sigma(
    *, epsilon: Fraction, delta: Fraction, sensitivity: Fraction, digits: int
) -> Real:
    """Return the smallest σ for which the mechanism is (ε,δ)-DP: the root of δ(ε) = δ (BW18.T8).

    Returns:
        The standard deviation of the noise per coordinate, in the unit of sensitivity.
    """
    mu = inverses.mu_of(_PROFILE, epsilon, delta, digits + 2)
    return settle(lambda ctx: real(ctx, sensitivity) / real(ctx, mu), digits)


@witness
def algorithm_1(*, epsilon: Fraction, delta: Fraction, sensitivity: Fraction, digits: int) -> Real:
    """Return the smallest σ by the paper's Algorithm 1 (BW18.T9), ε > 0.

    δ₀ = Φ(0) − e^ε Φ(−√(2ε)). If δ ≥ δ₀, v* solves B⁺(v) = Φ(√(εv)) − e^ε Φ(−√(ε(v+2))) = δ and
    α = √(1+v*/2) − √(v*/2); else u* solves B⁻(u) = Φ(−√(εu)) − e^ε Φ(−√(ε(u+2))) = δ and
    α = √(1+u*/2) + √(u*/2). σ = αD/√(2ε).
    """

    def b(ctx: Context, sign: int, v: Real) -> tuple[Real, Real]:
        near = ncdf(ctx, lambda c: (sign * c.sqrt(real(c, epsilon) * real(c, v)),))
        far = ncdf(ctx, lambda c: (-c.sqrt(real(c, epsilon) * (real(c, v) + 2)),))
        return near, -exp(ctx, epsilon) * far

    sign, root = inverses.root_of_b(b, epsilon, delta, digits + 4)

    def sigma(ctx: Context) -> Real:
        v = real(ctx, root)
        alpha = ctx.sqrt(1 + v / 2) - sign * ctx.sqrt(v / 2)
        return alpha * real(ctx, sensitivity) / ctx.sqrt(2 * real(ctx, epsilon))

    return settle(sigma, digits)


@witness
def epsilon_at_delta(
    *, delta: Fraction, sigma: Fraction, sensitivity: Fraction, digits: int
) -> Real:
    """Return the smallest ε ≥ 0 for which the mechanism is (ε,δ)-DP (X.EPS).

    It is 0 exactly when δ ≥ δ(0) = 2Φ(μ/2) − 1 = erf(μ/(2√2)) (BW18.T2).
    """
    mu = sensitivity / sigma
    if delta == 1:
        return ZERO

    return inverses.epsilon_of(
        _PROFILE, lambda ctx: ctx.erf(real(ctx, mu) / ctx.sqrt(8)), mu, delta, digits
    )


@witness
def pinsker_sigma(*, delta: Fraction, sensitivity: Fraction, digits: int) -> Real:
    """Return D/(2δ), a σ that is enough for (0,δ)-DP by Pinsker's inequality (BW18.T2)."""
    ratio = sensitivity / (2 * delta)
    return settle(lambda ctx: real(ctx, ratio), digits)
