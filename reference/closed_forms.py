"""Closed-form calibrations and the exact region in which each is private.

Four constants are in use in σ = D·c/ε, c = √(2 ln(a/δ)): a = 1.25 (BW18.T1, see
`classical_gaussian`), a = √(2e^{8/9}/π) (GMA.R1) and a = 2 (X.CF). Beside them stand Vinterbo's
formula and the calibration of the privacy loss's tail (X.CF), the lecture's ε = ρ/2 + √(2ρ ln(1/δ))
(GN.T1), the low-privacy thresholds (BW18.T4) and the limit of the saved third (BW18.C1).
"""

from __future__ import annotations

from fractions import Fraction

from dporacle.interface import witness
from dporacle.reference.accuracy import accuracy
from dporacle.reference.numerics.functions import exp, log, ncdf, npdf
from dporacle.reference.numerics.linear import (
    classical_epsilon_max,
    classical_epsilon_threshold,
    dwork_2006_epsilon_max,
    dwork_2006_epsilon_threshold,
    dwork_2006_sigma,
    dwork_roth_epsilon_max,
    dwork_roth_epsilon_threshold,
    dwork_roth_sigma,
)
from dporacle.reference.numerics.precision import (
    ZERO,
    Context,
    Real,
    freeze,
    once,
    real,
    settle,
    working,
)
from dporacle.reference.numerics.roots import positive_root

__all__ = [
    "classical_epsilon_max",
    "classical_epsilon_threshold",
    "dwork_2006_epsilon_max",
    "dwork_2006_epsilon_threshold",
    "dwork_2006_sigma",
    "dwork_roth_epsilon_max",
    "dwork_roth_epsilon_threshold",
    "dwork_roth_sigma",
    "low_privacy_threshold",
    "low_privacy_threshold_closed",
    "low_privacy_threshold_misquoted",
    "plrv_tail_sigma",
    "rho_epsilon",
    "rho_sigma",
    "variance_half_boundary",
    "variance_third_boundary",
    "vinterbo_sigma",
]


@witness
def vinterbo_sigma(
    *, epsilon: Fraction, delta: Fraction, sensitivity: Fraction, digits: int
) -> Real:
    """Return σ = (√(az+ε) + s√(az))·D/(ε√2), z = −ln(4δ(1−δ)) (X.CF, Vinterbo 2020).

    (a, s) = (1, 1) for δ ≤ 1/2 and (π/4, −1) above. Private for every ε > 0 and δ ∈ (0, 1).
    """

    def formula(ctx: Context) -> Real:
        e = real(ctx, epsilon)
        z = ctx.fabs(log(ctx, 4 * delta * (1 - delta)))
        a = ctx.one if 2 * delta <= 1 else ctx.pi / 4
        both = ctx.sqrt(a * z + e) + ctx.sqrt(a * z)
        # √(az+ε) − √(az) is ε over their sum.
        return real(ctx, sensitivity) * (both / e if 2 * delta <= 1 else 1 / both) / ctx.sqrt(2)

    return settle(formula, digits)


@witness
def plrv_tail_sigma(
    *, epsilon: Fraction, delta: Fraction, sensitivity: Fraction, digits: int
) -> Real:
    """Return the σ at which Pr[L ≥ ε] = δ: (z + √(z²+2ε))·D/(2ε), z = −Φ⁻¹(δ) (BW18.O1, X.CF).

    Private for every ε > 0 and δ ∈ (0, 1), and always more than is needed.
    """
    size = _normal_quantile(delta, digits + 4)

    def formula(ctx: Context) -> Real:
        e, z = real(ctx, epsilon), real(ctx, size)
        both = ctx.sqrt(z * z + 2 * e) + z
        # Φ(μ/2 − ε/μ) = δ at μ = √(z²+2ε) − z; the two forms multiply to 2ε/4ε².
        return real(ctx, sensitivity) * (both / (2 * e) if 2 * delta <= 1 else 1 / both)

    return settle(formula, digits)


def _normal_quantile(target: Fraction, digits: int) -> Real:
    """|Φ⁻¹(δ)|, from Pr[|Z| > z] = 2 min(δ, 1−δ)."""
    if 2 * target == 1:
        return ZERO
    return accuracy(alpha=2 * min(target, 1 - target), sigma=1, digits=digits)


@witness
def rho_epsilon(*, rho: Fraction, delta: Fraction, digits: int) -> Real:
    """Return ε = ρ/2 + √(2ρ ln(1/δ)), for which noise of σ = D/√ρ is (ε,δ)-DP (GN.T1).

    Deprecated: use `zcdp_epsilon`, whose ρ is that of zCDP, half of this one.
    """

    def formula(ctx: Context) -> Real:
        return real(ctx, rho / 2) + ctx.sqrt(-2 * real(ctx, rho) * log(ctx, delta))

    return settle(formula, digits)


@witness
def rho_sigma(*, epsilon: Fraction, delta: Fraction, sensitivity: Fraction, digits: int) -> Real:
    """Return the σ = D/√ρ at which ρ/2 + √(2ρ ln(1/δ)) = ε (GN.T1 as a calibration).

    It is (√(2L) + √(2L+2ε))·D/(2ε) with L = ln(1/δ).
    """

    def formula(ctx: Context) -> Real:
        e, tail = real(ctx, epsilon), -2 * log(ctx, delta)
        return (ctx.sqrt(tail) + ctx.sqrt(tail + 2 * e)) * real(ctx, sensitivity) / (2 * e)

    return settle(formula, digits)


@witness
def low_privacy_threshold(*, epsilon: Fraction, digits: int) -> Real:
    """Return τ(ε) = 1/2 − e^ε Φ(−√(2ε)): σ ≥ D/√(2ε) is needed iff δ ≤ τ(ε) (BW18.T4)."""

    def formula(ctx: Context) -> tuple[Real, Real]:
        far = ncdf(ctx, lambda c: (-c.sqrt(real(c, 2 * epsilon)),))
        return ctx.mpf(0.5), -exp(ctx, epsilon) * far

    return settle(formula, digits)


@witness
def low_privacy_threshold_closed(*, epsilon: Fraction, digits: int) -> Real:
    """Return 1/2 − 1/√(4πε) < τ(ε), a closed form that is valid (BW18.T4); negative for ε < 1/π."""

    def formula(ctx: Context) -> tuple[Real, Real]:
        return ctx.mpf(0.5), -1 / ctx.sqrt(4 * ctx.pi * real(ctx, epsilon))

    return settle(formula, digits)


@witness
def low_privacy_threshold_misquoted(*, epsilon: Fraction, digits: int) -> Real:
    """Return 1/2 − e^{−3ε}/√(4πε), a form that is false (BW18.T4).

    It lies above τ(ε) for every ε > 0.2163. For δ between the two, less noise is enough.
    """

    def formula(ctx: Context) -> tuple[Real, Real]:
        return ctx.mpf(0.5), -exp(ctx, -3 * epsilon) / ctx.sqrt(4 * ctx.pi * real(ctx, epsilon))

    return settle(formula, digits)


@witness
def variance_third_boundary(*, epsilon: Fraction, digits: int) -> Real:
    """Return the δ below which the exact σ² is more than 2/3 of the classical σ² (BW18.C1).

    "At least a third of the variance is saved" holds at ε for exactly the δ from this one on.
    """
    return _boundary(Fraction(3, 2), epsilon, digits)


@witness
def variance_half_boundary(*, epsilon: Fraction, digits: int) -> Real:
    """Return the δ below which the exact σ² is more than half of the classical σ² (BW18.C2).

    "Reduces the variance by a factor of 2 or more" holds at ε for exactly the δ from this one on.
    """
    return _boundary(Fraction(2), epsilon, digits)


def _boundary(quotient: Fraction, epsilon: Fraction, digits: int) -> Real:
    """The δ at which the classical variance is `quotient` times the exact one."""
    root = boundary(quotient, epsilon, digits + 6)

    def delta(ctx: Context) -> Real:
        return exp(ctx, lambda c: (-(real(c, root) ** 2) / 2,)) * 5 / 4

    return settle(delta, digits)


def boundary(quotient: Fraction, eps: Fraction, digits: int) -> Real:
    """Return the c at which σ = D·c/(ε√q) has δ(ε) = 1.25·e^{−c²/2} (BW18.C1)."""

    def newton(point: Real, digits: int) -> tuple[Real, Real]:
        # c = point. δ(ε) at σ = D·c/(ε√q) against δ = 1.25·e^{−c²/2}, in the logarithm.
        def profile(ctx: Context) -> tuple[Real, Real]:
            def ends(c: Context) -> tuple[Real, Real]:
                k = real(c, point) / c.sqrt(real(c, quotient))
                return real(c, eps) / (2 * k), k

            near = ncdf(ctx, lambda c: (ends(c)[0], -ends(c)[1]))
            return near, -exp(ctx, eps) * ncdf(ctx, lambda c: tuple(-end for end in ends(c)))

        value = once(profile, digits + 4)
        with working(4 * digits + 64) as ctx:
            e, x, value = real(ctx, eps), real(ctx, point), real(ctx, value)
            k = x / ctx.sqrt(real(ctx, quotient))
            residual = ctx.log(value * 4 / 5) + x * x / 2
            slope = x - npdf(ctx, lambda c: (c.mpf(e / (2 * k) - k),)) * e / (k * x) / value
            return freeze(residual), freeze(x - residual / slope)

    with working(64) as ctx:
        # To the right of the root, where the residual is already rising.
        start = freeze(ctx.sqrt(100 - 8 * ctx.log(real(ctx, eps))))
    return positive_root(newton, start=start, digits=digits)
