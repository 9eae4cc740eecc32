"""Accuracy of one coordinate at a significance level, in float64 (GMA.T1).

The noise of one coordinate exceeds a with probability α = erfc(a/(σ√2)). The quantile is
computed from α, not from 1 − α, so that nothing is lost as α → 0.

Arguments, results and errors are those of `dporacle.fast.analytic_gaussian`.
"""

from __future__ import annotations

from typing import Any

from dporacle.fast._broadcast import Array
from dporacle.fast._kernels import by_kernel
from dporacle.fast.gaussian import quantile
from dporacle.fast.gaussian.delta import twice_tail
from dporacle.fast.gaussian.kernel import SCALAR, Kernel


@by_kernel("accuracy")
def accuracy(kernel: Kernel, alpha: Array, sigma: Array) -> Any:
    """Return a = σ√2·erfc⁻¹(α), which the noise exceeds with probability α, rounded up (GMA.T1)."""
    formula = quantile.accuracy_one if kernel is SCALAR else quantile.accuracy_many
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
    one, many = quantile.sigma_at_accuracy_one, quantile.sigma_at_accuracy_many
    return (one if kernel is SCALAR else many)(accuracy, alpha)
