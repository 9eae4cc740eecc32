"""Exact risks of denoising in float64 (BW18.T10, BW18.T11, BW18.T12).

Scalars or arrays that broadcast; `means` has its coordinates along the last axis. The rows of the
functions say how near they are: in `james_stein_risk` (d−2)·₁F₁ cancels against d, and the Poisson
weights of `positive_part_risk` come from a logarithm of the size of λ. The error of soft-threshold
risks is 2^-40 where λ is 8σ or more beyond |θ|.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from dporacle.fast._broadcast import Array, Numbers, give, witness
from dporacle.fast._scaled import exponential, product, scaled
from dporacle.fast.gaussian import moments
from dporacle.fast.gaussian.moments import density, partial_moments

_DEPTH = 400  # of the continued fraction
_LONG = 1e100  # in units of σ
_APART = 20.0  # in units of σ: the noise beyond is less than 1e-88 of σ²


@witness
def bayes_risk(*, dimension: Array, prior_sigma: Array, sigma: Array) -> Any:
    """Return d·w²σ²/(w²+σ²), the risk of the posterior mean (BW18.T10)."""
    least = np.minimum(prior_sigma, sigma)
    ratio = least / np.maximum(prior_sigma, sigma)
    return scaled(product(dimension, least, least, over=(1 + ratio * ratio,)))


@witness
def james_stein_prior_risk(*, dimension: Array, prior_sigma: Array, sigma: Array) -> Any:
    """Return dσ² − (d−2)σ⁴/(w²+σ²), the James–Stein risk under N(0, w²I) (BW18.T11).

    The dimension is at least 3.
    """
    # dσ² − (d−2)σ⁴/(w²+σ²) = (d·w² + 2σ²)·σ²/(w²+σ²)
    share = 1 / (1 + (sigma / prior_sigma) * (sigma / prior_sigma))  # of w²
    rest = 1 / (1 + (prior_sigma / sigma) * (prior_sigma / sigma))
    return scaled(product(dimension * share + 2 * rest, sigma, sigma))


@witness
def james_stein_risk(*, dimension: Array, norm: Array, sigma: Array) -> Any:
    """Return the exact risk of θ̂ = (1 − (d−2)σ²/‖y‖²)·y (BW18.T11)."""
    d, x, s = _james_stein(dimension, norm, sigma)
    return scaled(product(d - (d - 2) * _confluent(d, x), s, s))


def _james_stein(d: Array, norm: Array, s: Array) -> tuple[Array, Array, Array]:
    d, ratio, s = np.broadcast_arrays(d, norm / s, s)
    return d, ratio * ratio / 2, s


def _confluent(d: Array, x: Array) -> Array:
    """₁F₁(1; b; −x) = (b−1)/(b−1+x − x/(b+x − 2x/(b+1+x − 3x/(…)))), b = d/2.

    Run from the bottom; an error shrinks at every level.
    """
    b = d / 2
    level = b - 1 + _DEPTH + x / (1 + x / _DEPTH)
    for n in range(_DEPTH, 0, -1):
        level = b - 2 + n + x - n * (x / level)
    return np.where(np.isinf(x), 0.0, (b - 1) / level)


@witness
def positive_part_risk(*, dimension: Array, norm: Array, sigma: Array) -> Any:
    """Return the exact risk of θ̂ = max(0, 1 − (d−2)σ²/‖y‖²)·y (BW18.T11, positive part)."""
    d, x, s = _james_stein(dimension, norm, sigma)
    gain = np.zeros(d.shape)
    for index in np.ndindex(d.shape):
        gain[index] = _positive_part_gain(float(d[index]), float(x[index]))
    return scaled(product(d - (d - 2) * _confluent(d, x) + gain, s, s))


def _positive_part_gain(d: float, x: float) -> float:
    """E[(V − 2d + c²/V)·1{V < c}], c = d − 2, a Poisson(x) mixture over χ²_{d+2j}.

    Beyond j = 10√d + 60 the χ² has less than e^-40 below c.
    """
    if x > 1e6 * d:
        return 0.0  # it is below 2d·Pr[χ²_d(2x) < d]
    c = d - 2
    j = np.arange(np.ceil(10 * np.sqrt(d)) + 60)
    weights = np.exp(special.xlogy(j, x) - x - special.gammaln(j + 1))
    k = d + 2 * j
    below, at, after = (special.gammainc(each / 2, c / 2) for each in (k - 2, k, k + 2))
    return float(np.sum(weights * (k * after - 2 * d * at + c * c / (k - 2) * below)))


@witness
def universal_threshold(*, dimension: Array, sigma: Array) -> Any:
    """Return λ = σ√(2 ln d), the soft threshold (BW18.T12)."""
    return give(np.sqrt(2 * np.log(dimension)) * sigma)


@witness
def soft_threshold_coordinate_risk(*, mean: Array, threshold: Array, sigma: Array) -> Any:
    """Return E(sign(y)·max(0, |y|−λ) − θ)² for one coordinate y ~ N(θ, σ²) (BW18.T12)."""
    theta = np.abs(mean)
    least = np.minimum(theta, threshold)
    # Beside much larger lengths the noise is nothing, or alone where the threshold is 0.
    rough = scaled(product(least, least)) + np.where(theta > threshold, sigma * sigma, 0.0)
    fine = np.maximum(theta, threshold) <= _LONG * sigma
    t, c = (np.where(fine, each, 0.0) / sigma for each in (theta, threshold))
    found = np.where(fine, scaled(product(_coordinate(t, c), sigma, sigma)), rough)
    apart = scaled(product(theta, theta)) + _leaked(t, c, sigma)
    return give(np.where(fine & (c - t > _APART), apart, found))


def _leaked(theta: Array, cut: Array, s: Array) -> Array:
    """What noise beyond a far threshold adds to θ², each of them in its own scale."""
    near, far = np.maximum(cut - theta, _APART), cut + theta
    total = 0.0
    for x, sign, fade in ((near, -1, 1.0), (far, 1, np.exp(-2 * theta * cut))):
        zeroth, first, second = moments.ratios(np.maximum(x, 1.0))
        total = total + fade * zeroth * first * 2 * (second + sign * theta)
    head, power = product(total / np.sqrt(2 * np.pi), s, s)
    spike, more = exponential(-near * near / 2)
    return np.asarray(scaled((head * spike, power + more)))


def _coordinate(theta: Array, cut: Array) -> Array:
    """The risk with σ = 1, from two forms that do not cancel on either side of θ = λ."""
    near, far = cut - theta, cut + theta
    _, first_near, second_near = partial_moments(near)
    tail_far, first_far, second_far = partial_moments(far)
    small = theta * theta + second_near + second_far - 2 * theta * (first_near - first_far)
    inside = special.ndtr(near) - tail_far
    large = 1 + cut * cut + (near * -far - 1) * inside - near * density(far) - far * density(near)
    return np.where(near > 0, small, large)


@witness
def soft_threshold_risk(*, means: Numbers, sigma: Array) -> Any:
    """Return the exact risk of soft thresholding at λ = σ√(2 ln d) (BW18.T12)."""
    thetas = _means(means)
    cut = np.sqrt(2 * np.log(thetas.shape[-1]))
    ratios = np.minimum(np.abs(thetas) / sigma[..., None], _LONG)
    return scaled(product(np.sum(_coordinate(ratios, cut), axis=-1), sigma, sigma))


@witness
def soft_threshold_oracle_bound(*, means: Numbers, sigma: Array) -> Any:
    """Return (2 ln d + 1)(σ² + Σ min(θᵢ², σ²)) (BW18.T12)."""
    thetas = _means(means)
    part = np.minimum(np.abs(thetas) / sigma[..., None], 1.0)
    oracle = 1 + np.sum(part * part, axis=-1)
    return scaled(product(2 * np.log(thetas.shape[-1]) + 1, oracle, sigma, sigma))


def _means(thetas: Array) -> Array:
    if thetas.ndim == 0:
        raise TypeError("means must be a sequence of real numbers, got one number")
    return thetas
