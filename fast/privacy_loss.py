"""The privacy loss of the Gaussian mechanism, L ~ N(η, 2η), in float64.

Arguments, results and errors are those of `dporacle.fast.analytic_gaussian`.
"""

from __future__ import annotations

from typing import Any

from dporacle.fast._arrays import SENSITIVITY, SIGMA, evaluate
from dporacle.fast._broadcast import Number
from dporacle.fast._losses import of_loss
from dporacle.fast.gaussian import delta as _delta
from dporacle.fast.gaussian.compensated import two_product, two_sum
from dporacle.fast.gaussian.kernel import ARRAY, SCALAR, Kernel
from dporacle.fast.gaussian.rounding import LEAST, scaled_up, up

__all__ = ["loss_lower_tail", "loss_mean", "loss_upper_tail"]


def _mean(kernel: Kernel, sigma: Any, sensitivity: Any) -> Any:
    d, d_exponent = kernel.parts(sensitivity)
    s, exponent = kernel.parts(sigma)
    head = d / s
    product, error = two_product(head, s)
    low = ((d - product) - error) / s
    square, square_low = two_product(head, head)
    rest = square_low + 2.0 * head * low + square * 2.0**-100
    total, rest = two_sum(square, rest)
    result = scaled_up(kernel, up(kernel, total, rest), 2 * (d_exponent - exponent) - 1)
    return kernel.where(result > 0.0, result, LEAST)


def loss_mean(*, sigma: Number, sensitivity: Number = 1.0) -> Any:
    """Return η = D²/(2σ²), the mean of L and half its variance, rounded up (BW18.L3).

    Args:
        sigma: σ > 0.
        sensitivity: ℓ2-distance D > 0 of the two inputs' answers, in the unit of σ.
    """
    return evaluate(
        "eta",
        lambda *numbers: _mean(SCALAR, *numbers),
        lambda *arrays: _mean(ARRAY, *arrays),
        (SIGMA, sigma),
        (SENSITIVITY, sensitivity),
    )


def loss_upper_tail(*, epsilon: Number, sigma: Number, sensitivity: Number = 1.0) -> Any:
    """Return Pr[L ≥ ε] = Φ(D/(2σ) − εσ/D), rounded up (BW18.L6).

    Args:
        epsilon: ε ≥ 0.
        sigma: σ > 0.
        sensitivity: ℓ2-distance D > 0 of the two inputs' answers, in the unit of σ.
    """
    return of_loss("tail", _delta.upper_tail, epsilon, sigma, sensitivity)


def loss_lower_tail(*, epsilon: Number, sigma: Number, sensitivity: Number = 1.0) -> Any:
    """Return Pr[L′ ≤ −ε] = Φ(−D/(2σ) − εσ/D), rounded up, of the reverse loss L′ (BW18.L6).

    Args:
        epsilon: ε ≥ 0.
        sigma: σ > 0.
        sensitivity: ℓ2-distance D > 0 of the two inputs' answers, in the unit of σ.
    """
    return of_loss("tail", _delta.lower_tail, epsilon, sigma, sensitivity)
