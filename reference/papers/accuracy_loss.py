"""The accuracy loss L = ‖noise‖² and its moments (JL24.L1, L2, L3, T2, T3).

For Gaussian noise in dimension M, L/σ² is χ²_M. The rank-one mechanism's noise has the length of
one Gaussian number, so that its L/σ* is χ²₁: its moments are those of dimension 1.
"""

from __future__ import annotations

from fractions import Fraction

from dporacle import arguments
from dporacle.interface import Numbers, witness
from dporacle.reference.accuracy import accuracy
from dporacle.reference.numerics.functions import exp, log, ncdf
from dporacle.reference.numerics.precision import ZERO, Context, Real, real, settle

MAX_RANK = 10**5


@witness
def expected_loss(*, dimension: int, sigma: Fraction, digits: int) -> Real:
    """Return E[L] = Mσ² of Gaussian noise (JL24.L1, L2)."""
    loss = dimension * sigma**2
    return settle(lambda ctx: real(ctx, loss), digits)


@witness
def classical_expected_loss(
    *, epsilon: Fraction, delta: Fraction, dimension: int, sensitivity: Fraction, digits: int
) -> Real:
    """Return C_C·D² = 2 ln(1.25/δ)·M·D²/ε², E[L] of the classical mechanism (JL24.L1)."""
    scale = _scale(epsilon, dimension, sensitivity)

    def formula(ctx: Context) -> Real:
        return 2 * ctx.log(real(ctx, Fraction(5, 4) / delta)) * real(ctx, scale)

    return settle(formula, digits)


def _scale(epsilon: Fraction, dimension: int, sensitivity: Fraction) -> Fraction:
    """M·(D/ε)²."""
    return dimension * (sensitivity / epsilon) ** 2


@witness
def analytic_loss_bound(
    *, epsilon: Fraction, delta: Fraction, dimension: int, sensitivity: Fraction, digits: int
) -> Real:
    """Return C_A·D² = ((Φ⁻¹(δ))² + ε)·M·D²/ε² (JL24.L2).

    The source calls it a lower bound of the analytic mechanism's E[L]. It is an upper bound,
    for every ε > 0 and δ ∈ (0, 1).
    """
    scale = _scale(epsilon, dimension, sensitivity)
    least = 2 * min(delta, 1 - delta)
    quantile = ZERO if least == 1 else accuracy(alpha=least, sigma=1, digits=digits + 2)

    def formula(ctx: Context) -> Real:
        return (real(ctx, quantile) ** 2 + real(ctx, epsilon)) * real(ctx, scale)

    return settle(formula, digits)


@witness
def mvg_loss_bound(
    *, epsilon: Fraction, rows: int, columns: int, sensitivity: Fraction, digits: int
) -> Real:
    """Return C_M·D² = (5/4·H_r + 1/4·H_{r,1/2})·MN·D²/(2ε), r = min(M, N) (JL24.L3).

    H_r = Σ 1/i and H_{r,1/2} = Σ 1/√i over i ≤ r. A lower bound of E[L] for the noise that the
    sufficient condition of the matrix-variate mechanism allows; not of what privacy needs.
    """
    rank = arguments.count("min(rows, columns)", min(rows, columns), most=MAX_RANK)

    def formula(ctx: Context) -> Real:
        harmonic = ctx.fsum(ctx.one / i for i in range(1, rank + 1))
        half = ctx.fsum(1 / ctx.sqrt(i) for i in range(1, rank + 1))
        return (5 * harmonic + half) / 8 * real(ctx, rows * columns * sensitivity**2 / epsilon)

    return settle(formula, digits)


@witness
def r1smg_expected_loss(
    *, epsilon: Fraction, delta: Fraction, dimension: int, sensitivity: Fraction, digits: int
) -> Real:
    """Return 2D²/(εψ), ψ = (δΓ((M−1)/2)/(√π Γ(M/2)))^{2/(M−2)}, E[L] of R1SMG (JL24.T2).

    The arithmetic is right; the σ* = 2D²/(εψ) that it speaks of is not private (JL24.T1).
    """

    def formula(ctx: Context) -> Real:
        def power(c: Context) -> tuple[Real, ...]:
            half = c.mpf(dimension) / 2
            logs = (log(c, delta), -c.log(c.pi) / 2, c.loggamma(half - 0.5), -c.loggamma(half))
            return tuple(-2 * each / (dimension - 2) for each in logs)

        return real(ctx, 2 * sensitivity**2 / epsilon) * exp(ctx, power)

    return settle(formula, digits)


@witness
def loss_kurtosis(*, dimension: int, digits: int) -> Real:
    """Return E[L⁴]/E[L²]² = (M+4)(M+6)/(M(M+2)) (JL24.T3); R1SMG's is that of dimension 1."""
    value = Fraction((dimension + 4) * (dimension + 6), dimension * (dimension + 2))
    return settle(lambda ctx: real(ctx, value), digits)


@witness
def loss_skewness(*, dimension: int, digits: int) -> Real:
    """Return E[L³]/E[L²]^{3/2} = (M+4)/√(M(M+2)) (JL24.T3); R1SMG's is that of dimension 1."""
    square = Fraction((dimension + 4) ** 2, dimension * (dimension + 2))
    return settle(lambda ctx: ctx.sqrt(real(ctx, square)), digits)


@witness
def covariance_loss_kurtosis(*, variances: Numbers, digits: int) -> Real:
    """Return E[L⁴]/E[L²]² of noise N(0, C), whose covariance has these eigenvalues (JL24.T3).

    At most 35/3, that of rank one, whatever the covariance.
    """
    _, second, _, fourth = _moments(variances)
    value = fourth / second**2
    return settle(lambda ctx: real(ctx, value), digits)


@witness
def covariance_loss_skewness(*, variances: Numbers, digits: int) -> Real:
    """Return E[L³]/E[L²]^{3/2} of noise N(0, C), whose covariance has these eigenvalues (JL24.T3).

    At most 5/√3, that of rank one.
    """
    _, second, third, _ = _moments(variances)
    square = third**2 / second**3
    return settle(lambda ctx: ctx.sqrt(real(ctx, square)), digits)


def _moments(variances: Numbers) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """E[L], …, E[L⁴] of L = Σ λᵢzᵢ², from the power sums p_k = Σ λᵢ^k."""
    most = max(variances)
    if not most:
        raise ValueError("variances must have a positive entry, got only zeros")
    shares = [each / most for each in variances]  # the quotients do not depend on the scale
    p, q, r, s = (sum(each**k for each in shares) for k in (1, 2, 3, 4))
    return (
        Fraction(p),
        Fraction(p**2 + 2 * q),
        Fraction(p**3 + 6 * p * q + 8 * r),
        Fraction(p**4 + 12 * p**2 * q + 12 * q**2 + 32 * p * r + 48 * s),
    )


@witness
def loss_tail(*, dimension: int, factor: Fraction, digits: int) -> Real:
    """Return Pr[L > factor·E L] = Q(M/2, factor·M/2) (JL24.T3's reading, refuted)."""
    return settle(lambda ctx: upper_share(ctx, dimension, factor * dimension / 2), digits)


def upper_share(ctx: Context, m: int, x: Fraction) -> Real:
    """Return Q(m/2, x), in positive terms.

    By Q(a+1, x) = Q(a, x) + x^a e^{−x}/Γ(a+1), from Q(1/2, x) = erfc(√x) or Q(1, x) = e^{−x}.
    """
    half, z, fall = ctx.mpf(m) / 2, real(ctx, x), exp(ctx, -x)
    if m % 2:
        a = ctx.mpf(0.5)
        total = 2 * ncdf(ctx, lambda c: (-c.sqrt(real(c, 2 * x)),))
        term = fall * 2 * ctx.sqrt(z / ctx.pi)
    else:
        a, total, term = ctx.one, fall, fall * z
    while a < half:
        total += term
        a += 1
        term *= z / a
    return total
