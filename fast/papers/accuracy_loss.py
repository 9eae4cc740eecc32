"""The accuracy loss L = ‖noise‖² in float64 (JL24.L1, L2, L3, T2, T3).

Scalars or arrays that broadcast. The rows of the functions say how near they are; exponents of
`loss_tail` and `r1smg_expected_loss` are up to 667. A loss above float64's range is infinite.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from dporacle.fast._broadcast import Array, Numbers, give, integers, witness
from dporacle.fast._scaled import exponential, product, scaled

MAX_RANK = 10**5  # so many terms are added up for one answer
_DEPTH = 200  # of the continued fraction


@witness
def expected_loss(*, dimension: Array, sigma: Array) -> Any:
    """Return E[L] = Mσ² of Gaussian noise (JL24.L1, L2)."""
    return scaled(product(dimension, sigma, sigma))


@witness
def classical_expected_loss(
    *, epsilon: Array, delta: Array, dimension: Array, sensitivity: Array
) -> Any:
    """Return C_C·D² = 2 ln(1.25/δ)·M·D²/ε² (JL24.L1)."""
    return _scaled(2 * (np.log(1.25) - np.log(delta)), epsilon, dimension, sensitivity)


def _scaled(value: Array, epsilon: Array, dimension: Array, sensitivity: Array) -> Any:
    """A number times M·(D/ε)²."""
    return scaled(product(value, dimension, sensitivity, sensitivity, over=(epsilon, epsilon)))


@witness
def analytic_loss_bound(
    *, epsilon: Array, delta: Array, dimension: Array, sensitivity: Array
) -> Any:
    """Return C_A·D² = ((Φ⁻¹(δ))² + ε)·M·D²/ε², an upper bound of E[L] (JL24.L2 reversed)."""
    root = special.ndtri(delta)
    return _scaled(root * root + epsilon, epsilon, dimension, sensitivity)


@witness
def mvg_loss_bound(*, epsilon: Array, rows: Array, columns: Array, sensitivity: Array) -> Any:
    """Return C_M·D² = (5/4·H_r + 1/4·H_{r,1/2})·MN·D²/(2ε), r = min(M, N) (JL24.L3)."""
    rank = np.minimum(rows, columns).astype(np.int64)
    integers("min(rows, columns)", rank, most=MAX_RANK)
    i = np.arange(1, rank.max() + 1, dtype=np.float64)
    sums = np.cumsum(5 / i + 1 / np.sqrt(i))
    return scaled(
        product(sums[rank - 1] / 8, rows, columns, sensitivity, sensitivity, over=(epsilon,))
    )


@witness
def r1smg_expected_loss(
    *, epsilon: Array, delta: Array, dimension: Array, sensitivity: Array
) -> Any:
    """Return 2D²/(εψ), E[L] of R1SMG at the σ* of its theorem (JL24.T2)."""
    # Γ((M−1)/2)/Γ(M/2) as 1/((M−1)/2)_{1/2}
    log = np.log(delta) - np.log(np.pi) / 2 - np.log(special.poch((dimension - 1) / 2, 0.5))
    head, power = exponential(-2 * log / (dimension - 2))
    mantissa, exponent = product(2.0, sensitivity, sensitivity, head, over=(epsilon,))
    return scaled((mantissa, exponent + power))


@witness
def loss_kurtosis(*, dimension: Array) -> Any:
    """Return E[L⁴]/E[L²]² = (M+4)(M+6)/(M(M+2)) (JL24.T3); R1SMG's is that of dimension 1."""
    return give((dimension + 4) / dimension * ((dimension + 6) / (dimension + 2)))


@witness
def loss_skewness(*, dimension: Array) -> Any:
    """Return E[L³]/E[L²]^{3/2} = (M+4)/√(M(M+2)) (JL24.T3); R1SMG's is that of dimension 1."""
    return give((dimension + 4) / np.sqrt(dimension * (dimension + 2)))


@witness
def covariance_loss_kurtosis(*, variances: Numbers) -> Any:
    """Return E[L⁴]/E[L²]² of noise N(0, C), whose covariance has these eigenvalues (JL24.T3).

    At most 35/3, that of rank one, whatever the covariance.
    """
    t, third, fourth = _shares(variances)
    second = 1 + 2 * t
    return give((1 + 12 * t + 12 * t * t + 32 * third + 48 * fourth) / (second * second))


@witness
def covariance_loss_skewness(*, variances: Numbers) -> Any:
    """Return E[L³]/E[L²]^{3/2} of noise N(0, C), whose covariance has these eigenvalues (JL24.T3).

    At most 5/√3, that of rank one.
    """
    t, third, _ = _shares(variances)
    second = 1 + 2 * t
    return give((1 + 6 * t + 8 * third) / (second * np.sqrt(second)))


def _shares(variances: Array) -> tuple[Array, Array, Array]:
    """Σ wᵢ², Σ wᵢ³ and Σ wᵢ⁴ of the shares wᵢ = λᵢ/Σλ."""
    lengths = np.atleast_1d(variances)
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


@witness
def loss_tail(*, dimension: Array, factor: Array) -> Any:
    """Return Pr[L > factor·E L] = Q(M/2, factor·M/2) (JL24.T3's reading, refuted)."""
    half = dimension / 2
    usual = special.gammaincc(half, half * factor)
    # Beyond this scipy takes a power that has lost digits.
    return give(np.where((half > 20) & (factor > 1.3), _far_tail(half, factor), usual))


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
