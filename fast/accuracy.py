"""Accuracy of one coordinate at a significance level, in float64 (GMA.T1).

The noise of one coordinate exceeds a with probability α = erfc(a/(σ√2)). The quantile is
computed from α, not from 1 − α, so that nothing is lost as α → 0.

Arguments, results and errors are those of `dporacle.fast.analytic_gaussian`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dporacle.fast._broadcast import Array
from dporacle.fast._kernels import by_kernel
from dporacle.fast.gaussian.calibrate import MU_ERROR, expm1
from dporacle.fast.gaussian.compensated import two_product
from dporacle.fast.gaussian.delta import twice_tail
from dporacle.fast.gaussian.implied import implied_many
from dporacle.fast.gaussian.rounding import down, scaled_down, scaled_up, up


@by_kernel("accuracy")
def accuracy(alpha: Array, sigma: Array) -> Any:
    """Return a = σ√2·erfc⁻¹(α), which the noise exceeds with probability α, rounded up (GMA.T1)."""
    return accuracy_many(alpha, sigma)


@by_kernel("alpha")
def alpha_at_accuracy(accuracy: Array, sigma: Array) -> Any:
    """Return α = erfc(a/(σ√2)), the probability that the noise exceeds a, rounded up (GMA.T1).

    Never 0 and never above 1.
    """
    return twice_tail(accuracy, sigma)


@by_kernel("sigma", zero_is_range=True)
def sigma_at_accuracy(accuracy: Array, alpha: Array) -> Any:
    """Return σ = a/(√2·erfc⁻¹(α)), the largest that has this accuracy, rounded down (GMA.T1)."""
    return _over(accuracy, *_half_mu_many(alpha))


# erfc(a/(σ√2)) = 1 − δ(0) at μ = 2a/σ: the two-sided quantile is half the μ of ε = 0.


def _half_mu_many(alpha: Any) -> tuple[Any, Any, Any]:
    top = alpha < 0.5
    v, v_low, s, _ = implied_many(0.0 * alpha, np.where(top, alpha, 1.0 - alpha), top)
    return 0.5 * v, 0.5 * v_low, s


def _times(sigma: Any, v: Any, v_low: Any, s: Any) -> Any:
    x, n = np.frexp(sigma)
    head, error = two_product(x, v)
    rest = error + x * v_low
    rest = rest + (head + rest) * (expm1(s) + MU_ERROR)
    return scaled_up(up(head, rest), n)


def accuracy_many(alpha: Any, sigma: Any) -> Any:
    """Return a for arrays in the domain: inf where it is outside the range."""
    certain = alpha == 1.0
    result = _times(sigma, *_half_mu_many(np.where(certain, 0.5, alpha)))
    return np.where(certain, 0.0, result)


def _over(accuracy: Any, v: Any, v_low: Any, s: Any) -> Any:
    x, n = np.frexp(accuracy)
    head = x / v
    product, low = two_product(head, v)
    rest = (((x - product) - low) - head * v_low) / v
    rest = rest + (head + rest) * (expm1(-s) - MU_ERROR)
    return scaled_down(down(head, rest), n)
