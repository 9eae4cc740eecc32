"""Enclosures for the accuracy loss L = ‖noise‖² (JL24.L1, L2, L3, T2, T3)."""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from dporacle import arguments
from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.interface import Numbers, witness

MAX_RANK = 10**5


@witness
def expected_loss(*, dimension: int, sigma: Fraction, digits: int) -> arb:
    """Enclose E[L] = Mσ² of Gaussian noise (JL24.L1, L2)."""
    loss = dimension * sigma**2
    return tighten(lambda: ball(loss), digits)


@witness
def classical_expected_loss(
    *, epsilon: Fraction, delta: Fraction, dimension: int, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose C_C·D² = 2 ln(1.25/δ)·M·D²/ε², E[L] of the classical mechanism (JL24.L1)."""
    scale = _scale(epsilon, dimension, sensitivity)
    return tighten(lambda: 2 * ball(Fraction(5, 4) / delta).log() * ball(scale), digits)


def _scale(epsilon: Fraction, dimension: int, sensitivity: Fraction) -> Fraction:
    return dimension * (sensitivity / epsilon) ** 2


@witness
def analytic_loss_bound(
    *, epsilon: Fraction, delta: Fraction, dimension: int, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose C_A·D² = ((Φ⁻¹(δ))² + ε)·M·D²/ε², an upper bound of E[L] (JL24.L2 reversed)."""
    scale = _scale(epsilon, dimension, sensitivity)
    least = 2 * min(delta, 1 - delta)

    def formula() -> arb:
        root = ball(least).erfcinv() if least < 1 else arb(0)
        return (2 * root * root + ball(epsilon)) * ball(scale)

    return tighten(formula, digits)


@witness
def mvg_loss_bound(
    *, epsilon: Fraction, rows: int, columns: int, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose C_M·D² = (5/4·H_r + 1/4·H_{r,1/2})·MN·D²/(2ε), r = min(M, N) (JL24.L3)."""
    rank = arguments.count("min(rows, columns)", min(rows, columns), most=MAX_RANK)

    def formula() -> arb:
        # H_r by the digamma function, where the other witnesses add up.
        harmonic = arb(rank + 1).digamma() - arb(1).digamma()
        half = sum((1 / arb(i).sqrt() for i in range(1, rank + 1)), arb(0))
        return (5 * harmonic + half) / 8 * ball(rows * columns * sensitivity**2 / epsilon)

    return tighten(formula, digits)


@witness
def r1smg_expected_loss(
    *, epsilon: Fraction, delta: Fraction, dimension: int, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose 2D²/(εψ), E[L] of R1SMG at the σ* of its theorem (JL24.T2)."""

    def formula() -> arb:
        half = arb(dimension) / 2
        log = ball(delta).log() - arb.pi().log() / 2 + (half - 0.5).lgamma() - half.lgamma()
        return ball(2 * sensitivity**2 / epsilon) * (-2 * log / (dimension - 2)).exp()

    return tighten(formula, digits)


@witness
def loss_kurtosis(*, dimension: int, digits: int) -> arb:
    """Enclose E[L⁴]/E[L²]² = (M+4)(M+6)/(M(M+2)) (JL24.T3); R1SMG's is that of dimension 1."""
    value = Fraction((dimension + 4) * (dimension + 6), dimension * (dimension + 2))
    return tighten(lambda: ball(value), digits)


@witness
def loss_skewness(*, dimension: int, digits: int) -> arb:
    """Enclose E[L³]/E[L²]^{3/2} = (M+4)/√(M(M+2)) (JL24.T3); R1SMG's is that of dimension 1."""
    return tighten(lambda: (dimension + 4) / (arb(dimension) * (dimension + 2)).sqrt(), digits)


@witness
def covariance_loss_kurtosis(*, variances: Numbers, digits: int) -> arb:
    """Enclose E[L⁴]/E[L²]² of noise N(0, C), whose covariance has these eigenvalues (JL24.T3).

    At most 35/3, that of rank one, whatever the covariance.
    """
    shares = _shares(variances)

    def formula() -> arb:
        _, second, _, fourth = _moments(shares)
        return fourth / second**2

    return tighten(formula, digits)


@witness
def covariance_loss_skewness(*, variances: Numbers, digits: int) -> arb:
    """Enclose E[L³]/E[L²]^{3/2} of noise N(0, C), whose covariance has these eigenvalues (JL24.T3).

    At most 5/√3, that of rank one.
    """
    shares = _shares(variances)

    def formula() -> arb:
        _, second, third, _ = _moments(shares)
        return third / second**2 * second.sqrt()

    return tighten(formula, digits)


def _shares(variances: Numbers) -> list[Fraction]:
    most = max(variances)
    if not most:
        raise ValueError("variances must have a positive entry, got only zeros")
    return [each / most for each in variances]


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


@witness
def loss_tail(*, dimension: int, factor: Fraction, digits: int) -> arb:
    """Enclose Pr[L > factor·E L] = Q(M/2, factor·M/2) (JL24.T3's reading, refuted)."""

    def formula() -> arb:
        x = ball(factor) * dimension / 2
        # Q(a, x) = Q(a−1, x) + x^{a−1} e^{−x}/Γ(a), a finite sum down to a = 1/2 or 1.
        a = arb(dimension) / 2
        steps = (dimension - 1) // 2
        total = arb(0)
        if steps and factor:
            term = ((a - 1) * x.log() - x - a.lgamma()).exp()
            for _ in range(steps):
                total += term
                a -= 1
                term *= a / x
        elif steps:
            return arb(1)
        return total + (x.sqrt().erfc() if dimension % 2 else (-x).exp())

    return tighten(formula, digits)
