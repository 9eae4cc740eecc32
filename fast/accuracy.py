"""Accuracy of one coordinate at a significance level, in float64 (GMA.T1).

The noise of one coordinate exceeds a with probability α = erfc(a/(σ√2)). The quantile is
computed from α, not from 1 − α, so that nothing is lost as α → 0.

Arguments, results and errors are those of `dporacle.fast.analytic_gaussian`.
"""

from __future__ import annotations

from typing import Any

from dporacle.fast._broadcast import Array
from dporacle.fast._kernels import by_kernel
from dporacle.fast.gaussian.calibrate import MU_ERROR, expm1
from dporacle.fast.gaussian.compensated import two_product
from dporacle.fast.gaussian.delta import twice_tail
from dporacle.fast.gaussian.implied import implied_many, implied_one
from dporacle.fast.gaussian.kernel import ARRAY, SCALAR, Kernel
from dporacle.fast.gaussian.rounding import down, scaled_down, scaled_up, up


@by_kernel("accuracy")
def accuracy(kernel: Kernel, alpha: Array, sigma: Array) -> Any:
    """Return a = σ√2·erfc⁻¹(α), which the noise exceeds with probability α, rounded up (GMA.T1)."""
    formula = accuracy_one if kernel is SCALAR else accuracy_many
    return formula(alpha, sigma)


@by_kernel("alpha")
def alpha_at_accuracy(kernel: Kernel, accuracy: Array, sigma: Array) -> Any:
    """Return α = erfc(a/(σ√2)), the probability that the noise exceeds a, rounded up (GMA.T1).

    Never 0 and never above 1.
    """
    return twice_tail(kernel, accuracy, sigma)


@by_kernel("sigma", zero_is_range=True)
def sigma_at_accuracy(kernel: Kernel, accuracy: Array, alpha: Array) -> Any:
    """Return σ = a/(√2·erfc⁻¹(α)), the largest that has this accuracy, rounded down (GMA.T1)."""
    one, many = sigma_at_accuracy_one, sigma_at_accuracy_many
    return (one if kernel is SCALAR else many)(accuracy, alpha)


# erfc(a/(σ√2)) = 1 − δ(0) at μ = 2a/σ: the two-sided quantile is half the μ of ε = 0.


def _half_mu_one(alpha: float) -> tuple[float, float, float]:
    top = alpha < 0.5
    v, v_low, s, _ = implied_one(0.0, alpha if top else 1.0 - alpha, top)
    return 0.5 * v, 0.5 * v_low, s


def _half_mu_many(alpha: Any) -> tuple[Any, Any, Any]:
    top = alpha < 0.5
    v, v_low, s, _ = implied_many(0.0 * alpha, ARRAY.where(top, alpha, 1.0 - alpha), top)
    return 0.5 * v, 0.5 * v_low, s


def _times(kernel: Kernel, sigma: Any, v: Any, v_low: Any, s: Any) -> Any:
    x, n = kernel.parts(sigma)
    head, error = two_product(x, v)
    rest = error + x * v_low
    rest = rest + (head + rest) * (expm1(s) + MU_ERROR)
    return scaled_up(kernel, up(kernel, head, rest), n)


def accuracy_one(alpha: float, sigma: float) -> float:
    """Return a for floats in the domain: inf when it is outside the range."""
    return 0.0 if alpha == 1.0 else float(_times(SCALAR, sigma, *_half_mu_one(alpha)))


def accuracy_many(alpha: Any, sigma: Any) -> Any:
    """Return what `accuracy_one` does, for arrays of one dimension."""
    certain = alpha == 1.0
    result = _times(ARRAY, sigma, *_half_mu_many(ARRAY.where(certain, 0.5, alpha)))
    return ARRAY.where(certain, 0.0, result)


def _over(kernel: Kernel, accuracy: Any, v: Any, v_low: Any, s: Any) -> Any:
    x, n = kernel.parts(accuracy)
    head = x / v
    product, low = two_product(head, v)
    rest = (((x - product) - low) - head * v_low) / v
    rest = rest + (head + rest) * (expm1(-s) - MU_ERROR)
    return scaled_down(kernel, down(kernel, head, rest), n)


def sigma_at_accuracy_one(accuracy: float, alpha: float) -> float:
    """Return σ for floats in the domain, α < 1: inf when it is outside the range."""
    return float(_over(SCALAR, accuracy, *_half_mu_one(alpha)))


def sigma_at_accuracy_many(accuracy: Any, alpha: Any) -> Any:
    """Return what `sigma_at_accuracy_one` does, for arrays of one dimension."""
    return _over(ARRAY, accuracy, *_half_mu_many(alpha))
