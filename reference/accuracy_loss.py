"""The accuracy loss L = ‖noise‖² and its moments (JL24.L1, L2, L3, T2, T3).

For Gaussian noise in dimension M, L/σ² is χ²_M. The rank-one mechanism's noise has the length of
one Gaussian number, so that its L/σ* is χ²₁: its moments are those of dimension 1.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.reference.accuracy import accuracy
from dporacle.reference.numerics.functions import exp, log
from dporacle.reference.numerics.gamma import upper_share
from dporacle.reference.numerics.precision import ZERO, Context, Real, real, settle

__all__ = [
    "analytic_loss_bound",
    "classical_expected_loss",
    "covariance_loss_kurtosis",
    "covariance_loss_skewness",
    "expected_loss",
    "loss_kurtosis",
    "loss_skewness",
    "loss_tail",
    "mvg_loss_bound",
    "r1smg_expected_loss",
]

MAX_RANK = 10**5


def expected_loss(*, dimension: int, sigma: Exact, digits: int = 50) -> Real:
    """Return E[L] = Mσ² of Gaussian noise (JL24.L1, L2).

    Args:
        dimension: M, at least 1.
        sigma: standard deviation of the noise per coordinate, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    loss = arguments.count("dimension", dimension) * arguments.positive("sigma", sigma) ** 2
    return settle(lambda ctx: real(ctx, loss), arguments.digits(digits))


def classical_expected_loss(
    *, epsilon: Exact, delta: Exact, dimension: int, sensitivity: Exact = 1, digits: int = 50
) -> Real:
    """Return C_C·D² = 2 ln(1.25/δ)·M·D²/ε², E[L] of the classical mechanism (JL24.L1).

    Args:
        epsilon: in (0, ∞).
        delta: in (0, 1).
        dimension: M, at least 1.
        sensitivity: ℓ2-sensitivity D, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    scale, target = _scale(epsilon, dimension, sensitivity), arguments.delta(delta)

    def formula(ctx: Context) -> Real:
        return 2 * ctx.log(real(ctx, Fraction(5, 4) / target)) * real(ctx, scale)

    return settle(formula, arguments.digits(digits))


def _scale(epsilon: Exact, dimension: int, sensitivity: Exact) -> Fraction:
    """M·(D/ε)²."""
    ratio = arguments.positive("sensitivity", sensitivity) / arguments.positive("epsilon", epsilon)
    return arguments.count("dimension", dimension) * ratio * ratio


def analytic_loss_bound(
    *, epsilon: Exact, delta: Exact, dimension: int, sensitivity: Exact = 1, digits: int = 50
) -> Real:
    """Return C_A·D² = ((Φ⁻¹(δ))² + ε)·M·D²/ε² (JL24.L2).

    The source calls it a lower bound of the analytic mechanism's E[L]. It is an upper bound,
    for every ε > 0 and δ ∈ (0, 1).

    Arguments and errors as for `classical_expected_loss`.
    """
    scale, target = _scale(epsilon, dimension, sensitivity), arguments.delta(delta)
    asked, eps = arguments.digits(digits), arguments.exact("epsilon", epsilon)
    least = 2 * min(target, 1 - target)
    quantile = ZERO if least == 1 else accuracy(alpha=least, sigma=1, digits=asked + 2)

    def formula(ctx: Context) -> Real:
        return (real(ctx, quantile) ** 2 + real(ctx, eps)) * real(ctx, scale)

    return settle(formula, asked)


def mvg_loss_bound(
    *, epsilon: Exact, rows: int, columns: int, sensitivity: Exact = 1, digits: int = 50
) -> Real:
    """Return C_M·D² = (5/4·H_r + 1/4·H_{r,1/2})·MN·D²/(2ε), r = min(M, N) (JL24.L3).

    H_r = Σ 1/i and H_{r,1/2} = Σ 1/√i over i ≤ r. A lower bound of E[L] for the noise that the
    sufficient condition of the matrix-variate mechanism allows; not of what privacy needs.

    Args:
        epsilon: in (0, ∞).
        rows: M, at least 1; the smaller of the two sides is at most 10⁵.
        columns: N, at least 1.
        sensitivity: ℓ2-sensitivity D, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps = arguments.positive("epsilon", epsilon)
    distance = arguments.positive("sensitivity", sensitivity)
    m, n = arguments.count("rows", rows), arguments.count("columns", columns)
    rank = arguments.count("min(rows, columns)", min(m, n), most=MAX_RANK)

    def formula(ctx: Context) -> Real:
        harmonic = ctx.fsum(ctx.one / i for i in range(1, rank + 1))
        half = ctx.fsum(1 / ctx.sqrt(i) for i in range(1, rank + 1))
        return (5 * harmonic + half) / 8 * real(ctx, m * n * distance**2 / eps)

    return settle(formula, arguments.digits(digits))


def r1smg_expected_loss(
    *, epsilon: Exact, delta: Exact, dimension: int, sensitivity: Exact = 1, digits: int = 50
) -> Real:
    """Return 2D²/(εψ), ψ = (δΓ((M−1)/2)/(√π Γ(M/2)))^{2/(M−2)}, E[L] of R1SMG (JL24.T2).

    The arithmetic is right; the σ* = 2D²/(εψ) that it speaks of is not private (JL24.T1).

    Args:
        epsilon: in (0, ∞).
        delta: in (0, 1).
        dimension: M, at least 3.
        sensitivity: ℓ2-sensitivity D, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, target = arguments.positive("epsilon", epsilon), arguments.delta(delta)
    m = arguments.count("dimension", dimension, least=3)
    distance = arguments.positive("sensitivity", sensitivity)

    def formula(ctx: Context) -> Real:
        def power(c: Context) -> tuple[Real, ...]:
            half = c.mpf(m) / 2
            logs = (log(c, target), -c.log(c.pi) / 2, c.loggamma(half - 0.5), -c.loggamma(half))
            return tuple(-2 * each / (m - 2) for each in logs)

        return real(ctx, 2 * distance**2 / eps) * exp(ctx, power)

    return settle(formula, arguments.digits(digits))


def loss_kurtosis(*, dimension: int, digits: int = 50) -> Real:
    """Return E[L⁴]/E[L²]² = (M+4)(M+6)/(M(M+2)) (JL24.T3); R1SMG's is that of dimension 1.

    Args:
        dimension: M, at least 1.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    m = arguments.count("dimension", dimension)
    value = Fraction((m + 4) * (m + 6), m * (m + 2))
    return settle(lambda ctx: real(ctx, value), arguments.digits(digits))


def loss_skewness(*, dimension: int, digits: int = 50) -> Real:
    """Return E[L³]/E[L²]^{3/2} = (M+4)/√(M(M+2)) (JL24.T3); R1SMG's is that of dimension 1.

    Arguments and errors as for `loss_kurtosis`.
    """
    m = arguments.count("dimension", dimension)
    square = Fraction((m + 4) ** 2, m * (m + 2))
    return settle(lambda ctx: ctx.sqrt(real(ctx, square)), arguments.digits(digits))


def covariance_loss_kurtosis(*, variances: Any, digits: int = 50) -> Real:
    """Return E[L⁴]/E[L²]² of noise N(0, C), whose covariance has these eigenvalues (JL24.T3).

    At most 35/3, that of rank one, whatever the covariance.

    Args:
        variances: the eigenvalues of C, nonnegative, not all 0.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    _, second, _, fourth = _moments(variances)
    value = fourth / second**2
    return settle(lambda ctx: real(ctx, value), arguments.digits(digits))


def covariance_loss_skewness(*, variances: Any, digits: int = 50) -> Real:
    """Return E[L³]/E[L²]^{3/2} of noise N(0, C), whose covariance has these eigenvalues (JL24.T3).

    At most 5/√3, that of rank one. Arguments and errors as for `covariance_loss_kurtosis`.
    """
    _, second, third, _ = _moments(variances)
    square = third**2 / second**3
    return settle(lambda ctx: ctx.sqrt(real(ctx, square)), arguments.digits(digits))


def _moments(variances: Any) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """E[L], …, E[L⁴] of L = Σ λᵢzᵢ², from the power sums p_k = Σ λᵢ^k."""
    lengths = [
        arguments.nonnegative(f"variances[{i}]", each)
        for i, each in enumerate(arguments.vector("variances", variances))
    ]
    most = max(lengths)
    if not most:
        raise ValueError("variances must have a positive entry, got only zeros")
    shares = [each / most for each in lengths]  # the quotients do not depend on the scale
    p, q, r, s = (sum(each**k for each in shares) for k in (1, 2, 3, 4))
    return (
        Fraction(p),
        Fraction(p**2 + 2 * q),
        Fraction(p**3 + 6 * p * q + 8 * r),
        Fraction(p**4 + 12 * p**2 * q + 12 * q**2 + 32 * p * r + 48 * s),
    )


def loss_tail(*, dimension: int, factor: Exact, digits: int = 50) -> Real:
    """Return Pr[L > factor·E L] = Q(M/2, factor·M/2) (JL24.T3's reading, refuted).

    Args:
        dimension: M, from 1 to 10⁶; 1 for R1SMG.
        factor: in [0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    m = arguments.count("dimension", dimension, most=10**6)
    times = arguments.nonnegative("factor", factor)

    return settle(lambda ctx: upper_share(ctx, m, times * m / 2), arguments.digits(digits))
