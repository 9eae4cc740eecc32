"""Accuracy of one coordinate at a significance level, in float64 (GMA.T1).

The noise of one coordinate exceeds a with probability α = erfc(a/(σ√2)). The quantile is
computed from α, not from 1 − α, so that nothing is lost as α → 0.

Arguments, results and errors are those of `dporacle.fast.analytic_gaussian`.
"""

from __future__ import annotations

from typing import Any

from dporacle.fast._arrays import (
    ACCURACY,
    ACCURACY_POSITIVE,
    ALPHA,
    ALPHA_BELOW_ONE,
    SIGMA,
    evaluate,
)
from dporacle.fast._broadcast import Number
from dporacle.fast.gaussian import quantile as _quantile

__all__ = ["accuracy", "alpha_at_accuracy", "sigma_at_accuracy"]


def accuracy(*, alpha: Number, sigma: Number) -> Any:
    """Return a = σ√2·erfc⁻¹(α), which the noise exceeds with probability α, rounded up (GMA.T1).

    Args:
        alpha: significance level, 0 < α ≤ 1.
        sigma: σ > 0; a has its unit.
    """
    return evaluate(
        "accuracy",
        _quantile.accuracy_one,
        _quantile.accuracy_many,
        (ALPHA, alpha),
        (SIGMA, sigma),
    )


def alpha_at_accuracy(*, accuracy: Number, sigma: Number) -> Any:
    """Return α = erfc(a/(σ√2)), the probability that the noise exceeds a, rounded up (GMA.T1).

    Never 0 and never above 1.

    Args:
        accuracy: a ≥ 0.
        sigma: σ > 0, in the unit of a.
    """
    return evaluate(
        "alpha",
        _quantile.alpha_one,
        _quantile.alpha_many,
        (ACCURACY, accuracy),
        (SIGMA, sigma),
    )


def sigma_at_accuracy(*, accuracy: Number, alpha: Number) -> Any:
    """Return σ = a/(√2·erfc⁻¹(α)), the largest that has this accuracy, rounded down (GMA.T1).

    Args:
        accuracy: a > 0.
        alpha: significance level, 0 < α < 1: at α = 1 every σ does.
    """
    return evaluate(
        "sigma",
        _quantile.sigma_at_accuracy_one,
        _quantile.sigma_at_accuracy_many,
        (ACCURACY_POSITIVE, accuracy),
        (ALPHA_BELOW_ONE, alpha),
        round_down=True,
        zero_is_range=True,
    )
