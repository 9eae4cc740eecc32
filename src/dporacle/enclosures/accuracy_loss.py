"""Enclosures for the accuracy loss L = ‖noise‖² (JL24.L1, L2, L3, T2, T3)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures.arithmetic.balls import ball, tighten

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


def expected_loss(*, dimension: int, sigma: Exact, digits: int = 50) -> arb:
    """Enclose E[L] = Mσ² of Gaussian noise (JL24.L1, L2).

    Args:
        dimension: M, at least 1.
        sigma: standard deviation of the noise per coordinate, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    loss = arguments.count("dimension", dimension) * arguments.positive("sigma", sigma) ** 2
    return tighten(lambda: ball(loss), arguments.digits(digits))


def classical_expected_loss(
    *, epsilon: Exact, delta: Exact, dimension: int, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose C_C·D² = 2 ln(1.25/δ)·M·D²/ε², E[L] of the classical mechanism (JL24.L1).

    Args:
        epsilon: in (0, ∞).
        delta: in (0, 1).
        dimension: M, at least 1.
        sensitivity: ℓ2-sensitivity D, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    scale, target = _scale(epsilon, dimension, sensitivity), arguments.delta(delta)
    return tighten(
        lambda: 2 * ball(Fraction(5, 4) / target).log() * ball(scale), arguments.digits(digits)
    )


def _scale(epsilon: Exact, dimension: int, sensitivity: Exact) -> Fraction:
    ratio = arguments.positive("sensitivity", sensitivity) / arguments.positive("epsilon", epsilon)
    return arguments.count("dimension", dimension) * ratio * ratio


def analytic_loss_bound(
    *, epsilon: Exact, delta: Exact, dimension: int, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose C_A·D² = ((Φ⁻¹(δ))² + ε)·M·D²/ε², an upper bound of E[L] (JL24.L2 reversed).

    Arguments and errors as for `classical_expected_loss`.
    """
    scale, target = _scale(epsilon, dimension, sensitivity), arguments.delta(delta)
    eps = arguments.exact("epsilon", epsilon)
    least = 2 * min(target, 1 - target)

    def formula() -> arb:
        root = ball(least).erfcinv() if least < 1 else arb(0)
        return (2 * root * root + ball(eps)) * ball(scale)

    return tighten(formula, arguments.digits(digits))


def mvg_loss_bound(
    *, epsilon: Exact, rows: int, columns: int, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose C_M·D² = (5/4·H_r + 1/4·H_{r,1/2})·MN·D²/(2ε), r = min(M, N) (JL24.L3).

    Args:
        epsilon: in (0, ∞).
        rows: M, at least 1; the smaller of the two sides is at most 10⁵.
        columns: N, at least 1.
        sensitivity: ℓ2-sensitivity D, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps = arguments.positive("epsilon", epsilon)
    distance = arguments.positive("sensitivity", sensitivity)
    m, n = arguments.count("rows", rows), arguments.count("columns", columns)
    rank = arguments.count("min(rows, columns)", min(m, n), most=MAX_RANK)

    def formula() -> arb:
        # H_r by the digamma function, where the other witnesses add up.
        harmonic = arb(rank + 1).digamma() - arb(1).digamma()
        half = sum((1 / arb(i).sqrt() for i in range(1, rank + 1)), arb(0))
        return (5 * harmonic + half) / 8 * ball(m * n * distance**2 / eps)

    return tighten(formula, arguments.digits(digits))


def r1smg_expected_loss(
    *, epsilon: Exact, delta: Exact, dimension: int, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose 2D²/(εψ), E[L] of R1SMG at the σ* of its theorem (JL24.T2).

    Args:
        epsilon: in (0, ∞).
        delta: in (0, 1).
        dimension: M, at least 3.
        sensitivity: ℓ2-sensitivity D, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, target = arguments.positive("epsilon", epsilon), arguments.delta(delta)
    m = arguments.count("dimension", dimension, least=3)
    distance = arguments.positive("sensitivity", sensitivity)

    def formula() -> arb:
        half = arb(m) / 2
        log = ball(target).log() - arb.pi().log() / 2 + (half - 0.5).lgamma() - half.lgamma()
        return ball(2 * distance**2 / eps) * (-2 * log / (m - 2)).exp()

    return tighten(formula, arguments.digits(digits))


def loss_kurtosis(*, dimension: int, digits: int = 50) -> arb:
    """Enclose E[L⁴]/E[L²]² = (M+4)(M+6)/(M(M+2)) (JL24.T3); R1SMG's is that of dimension 1.

    Args:
        dimension: M, at least 1.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    m = arguments.count("dimension", dimension)
    value = Fraction((m + 4) * (m + 6), m * (m + 2))
    return tighten(lambda: ball(value), arguments.digits(digits))


def loss_skewness(*, dimension: int, digits: int = 50) -> arb:
    """Enclose E[L³]/E[L²]^{3/2} = (M+4)/√(M(M+2)) (JL24.T3); R1SMG's is that of dimension 1.

    Arguments and errors as for `loss_kurtosis`.
    """
    m = arguments.count("dimension", dimension)
    return tighten(lambda: (m + 4) / (arb(m) * (m + 2)).sqrt(), arguments.digits(digits))


def covariance_loss_kurtosis(*, variances: Any, digits: int = 50) -> arb:
    """Enclose E[L⁴]/E[L²]² of noise N(0, C), whose covariance has these eigenvalues (JL24.T3).

    At most 35/3, that of rank one, whatever the covariance.

    Args:
        variances: the eigenvalues of C, nonnegative, not all 0.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    shares = _shares(variances)

    def formula() -> arb:
        _, second, _, fourth = _moments(shares)
        return fourth / second**2

    return tighten(formula, arguments.digits(digits))


def covariance_loss_skewness(*, variances: Any, digits: int = 50) -> arb:
    """Enclose E[L³]/E[L²]^{3/2} of noise N(0, C), whose covariance has these eigenvalues (JL24.T3).

    At most 5/√3, that of rank one. Arguments and errors as for `covariance_loss_kurtosis`.
    """
    shares = _shares(variances)

    def formula() -> arb:
        _, second, third, _ = _moments(shares)
        return third / second**2 * second.sqrt()

    return tighten(formula, arguments.digits(digits))


def _shares(variances: Any) -> list[Fraction]:
    lengths = [
        arguments.nonnegative(f"variances[{i}]", each)
        for i, each in enumerate(arguments.vector("variances", variances))
    ]
    most = max(lengths)
    if not most:
        raise ValueError("variances must have a positive entry, got only zeros")
    return [each / most for each in lengths]


def _moments(shares: list[Fraction]) -> list[arb]:
    """E[L], …, E[L⁴] from the cumulants 2^{k−1}(k−1)!·p_k: m_n = Σ C(n−1, j)·κ_{j+1}·m_{n−1−j}."""
    balls = [ball(each) for each in shares]
    cumulants = [
        2 ** (k - 1) * math.factorial(k - 1) * sum((each**k for each in balls), arb(0))
        for k in range(1, 5)
    ]
    moments = [arb(1)]
    for n in range(1, 5):
        moments.append(
            sum((math.comb(n - 1, j) * cumulants[j] * moments[n - 1 - j] for j in range(n)), arb(0))
        )
    return moments[1:]


def loss_tail(*, dimension: int, factor: Exact, digits: int = 50) -> arb:
    """Enclose Pr[L > factor·E L] = Q(M/2, factor·M/2) (JL24.T3's reading, refuted).

    Args:
        dimension: M, from 1 to 10⁶; 1 for R1SMG.
        factor: in [0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    m = arguments.count("dimension", dimension, most=10**6)
    times = arguments.nonnegative("factor", factor)

    def formula() -> arb:
        x = ball(times) * m / 2
        # Q(a, x) = Q(a−1, x) + x^{a−1} e^{−x}/Γ(a), a finite sum down to a = 1/2 or 1.
        a = arb(m) / 2
        steps = (m - 1) // 2
        total = arb(0)
        if steps and times:
            term = ((a - 1) * x.log() - x - a.lgamma()).exp()
            for _ in range(steps):
                total += term
                a -= 1
                term *= a / x
        elif steps:
            return arb(1)
        return total + (x.sqrt().erfc() if m % 2 else (-x).exp())

    return tighten(formula, arguments.digits(digits))
