"""The accuracy loss L = ‖noise‖² in float64 (JL24.L1, L2, L3, T2, T3).

Scalars or arrays that broadcast. Relative errors are at most 2^-48; 2^-40 for `loss_tail` where
it is above 1e-290 and for `r1smg_expected_loss` (their exponents are
up to 667). A loss above float64's range is infinite.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from dporacle.fast._broadcast import Array, Number, Numbers, give, integers, quiet, reals
from dporacle.fast._scaled import exponential, product, scaled

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
_DEPTH = 200  # of the continued fraction


@quiet
def expected_loss(*, dimension: Number, sigma: Number) -> Any:
    """Return E[L] = Mσ² of Gaussian noise (JL24.L1, L2).

    Args:
        dimension: M, integers from 1.
        sigma: standard deviation of the noise per coordinate, in (0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    s = reals("sigma", sigma)
    return scaled(product(integers("dimension", dimension), s, s))


@quiet
def classical_expected_loss(
    *, epsilon: Number, delta: Number, dimension: Number, sensitivity: Number = 1
) -> Any:
    """Return C_C·D² = 2 ln(1.25/δ)·M·D²/ε² (JL24.L1).

    Args:
        epsilon: in (0, ∞).
        delta: in (0, 1).
        dimension: M, integers from 1.
        sensitivity: ℓ2-sensitivity D, in (0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    target = reals("delta", delta, high=1.0)
    return _scaled(2 * (np.log(1.25) - np.log(target)), epsilon, dimension, sensitivity)


def _scaled(value: Array, epsilon: Any, dimension: Any, sensitivity: Any) -> Any:
    """A number times M·(D/ε)²."""
    eps, distance = reals("epsilon", epsilon), reals("sensitivity", sensitivity)
    m = integers("dimension", dimension)
    return scaled(product(value, m, distance, distance, over=(eps, eps)))


@quiet
def analytic_loss_bound(
    *, epsilon: Number, delta: Number, dimension: Number, sensitivity: Number = 1
) -> Any:
    """Return C_A·D² = ((Φ⁻¹(δ))² + ε)·M·D²/ε², an upper bound of E[L] (JL24.L2 reversed).

    Arguments and errors as for `classical_expected_loss`.
    """
    root = special.ndtri(reals("delta", delta, high=1.0))
    value = root * root + reals("epsilon", epsilon)
    return _scaled(value, epsilon, dimension, sensitivity)


@quiet
def mvg_loss_bound(
    *, epsilon: Number, rows: Number, columns: Number, sensitivity: Number = 1
) -> Any:
    """Return C_M·D² = (5/4·H_r + 1/4·H_{r,1/2})·MN·D²/(2ε), r = min(M, N) (JL24.L3).

    Args:
        epsilon: in (0, ∞).
        rows: M, integers from 1; the smaller of the two sides is at most 10⁵.
        columns: N, integers from 1.
        sensitivity: ℓ2-sensitivity D, in (0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, distance = reals("epsilon", epsilon), reals("sensitivity", sensitivity)
    m, n = integers("rows", rows), integers("columns", columns)
    rank = np.minimum(m, n).astype(np.int64)
    integers("min(rows, columns)", rank, most=MAX_RANK)
    i = np.arange(1, rank.max() + 1, dtype=np.float64)
    sums = np.cumsum(5 / i + 1 / np.sqrt(i))
    return scaled(product(sums[rank - 1] / 8, m, n, distance, distance, over=(eps,)))


@quiet
def r1smg_expected_loss(
    *, epsilon: Number, delta: Number, dimension: Number, sensitivity: Number = 1
) -> Any:
    """Return 2D²/(εψ), E[L] of R1SMG at the σ* of its theorem (JL24.T2).

    Args:
        epsilon: in (0, ∞).
        delta: in (0, 1).
        dimension: M, integers from 3.
        sensitivity: ℓ2-sensitivity D, in (0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, target = reals("epsilon", epsilon), reals("delta", delta, high=1.0)
    m, distance = integers("dimension", dimension, least=3), reals("sensitivity", sensitivity)
    # Γ((M−1)/2)/Γ(M/2) as 1/((M−1)/2)_{1/2}
    log = np.log(target) - np.log(np.pi) / 2 - np.log(special.poch((m - 1) / 2, 0.5))
    head, power = exponential(-2 * log / (m - 2))
    mantissa, exponent = product(2.0, distance, distance, head, over=(eps,))
    return scaled((mantissa, exponent + power))


@quiet
def loss_kurtosis(*, dimension: Number) -> Any:
    """Return E[L⁴]/E[L²]² = (M+4)(M+6)/(M(M+2)) (JL24.T3); R1SMG's is that of dimension 1.

    Args:
        dimension: M, integers from 1.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    m = integers("dimension", dimension)
    return give((m + 4) / m * ((m + 6) / (m + 2)))


@quiet
def loss_skewness(*, dimension: Number) -> Any:
    """Return E[L³]/E[L²]^{3/2} = (M+4)/√(M(M+2)) (JL24.T3); R1SMG's is that of dimension 1.

    Arguments and errors as for `loss_kurtosis`.
    """
    m = integers("dimension", dimension)
    return give((m + 4) / np.sqrt(m * (m + 2)))


@quiet
def covariance_loss_kurtosis(*, variances: Numbers) -> Any:
    """Return E[L⁴]/E[L²]² of noise N(0, C), whose covariance has these eigenvalues (JL24.T3).

    At most 35/3, that of rank one, whatever the covariance.

    Args:
        variances: the eigenvalues of C, along the last axis, nonnegative, not all 0.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    t, third, fourth = _shares(variances)
    second = 1 + 2 * t
    return give((1 + 12 * t + 12 * t * t + 32 * third + 48 * fourth) / (second * second))


@quiet
def covariance_loss_skewness(*, variances: Numbers) -> Any:
    """Return E[L³]/E[L²]^{3/2} of noise N(0, C), whose covariance has these eigenvalues (JL24.T3).

    At most 5/√3, that of rank one. Arguments and errors as for `covariance_loss_kurtosis`.
    """
    t, third, _ = _shares(variances)
    second = 1 + 2 * t
    return give((1 + 6 * t + 8 * third) / (second * np.sqrt(second)))


def _shares(variances: Any) -> tuple[Array, Array, Array]:
    """Σ wᵢ², Σ wᵢ³ and Σ wᵢ⁴ of the shares wᵢ = λᵢ/Σλ."""
    lengths = np.atleast_1d(reals("variances", variances, low_allowed=True))
    most = np.max(lengths, axis=-1, keepdims=True)
    if not np.all(most):
        raise ValueError("variances must have a positive entry, got only zeros")
    weights = lengths / most
    weights = weights / np.sum(weights, axis=-1, keepdims=True)
    square = weights * weights
    return (
        np.sum(square, axis=-1),
        np.sum(square * weights, axis=-1),
        np.sum(square * square, axis=-1),
    )


@quiet
def loss_tail(*, dimension: Number, factor: Number) -> Any:
    """Return Pr[L > factor·E L] = Q(M/2, factor·M/2) (JL24.T3's reading, refuted).

    Args:
        dimension: M, integers from 1 to 10⁶; 1 for R1SMG.
        factor: in [0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    half = integers("dimension", dimension, most=10**6) / 2
    times = reals("factor", factor, low_allowed=True)
    usual = special.gammaincc(half, half * times)
    # Beyond this scipy takes a power that has lost digits.
    return give(np.where((half > 20) & (times > 1.3), _far_tail(half, times), usual))


def _far_tail(a: Array, times: Array) -> Array:
    """Q(a, x) for x = times·a, times > 1.3, by the continued fraction of Legendre.

    x^a e^{−x}/Γ(a) is √(a/2π)·e^{−a(λ − 1 − ln λ)} divided by Stirling's series, λ = x/a.
    """
    x = a * times
    level = x - a + 2 * _DEPTH + 1
    for n in range(_DEPTH, 0, -1):
        level = x - a + 2 * n - 1 + n * (a - n) / level
    square = 1 / (a * a)
    stirling = (1 - square * (1 / 30 - square * (1 / 105 - square / 140))) / (12 * a)
    power = -a * (times - 1 - np.log(times)) - stirling
    return np.sqrt(a / (2 * np.pi)) * np.exp(power) / level
