"""Mechanisms with finitely many outputs, in float64 (BW18.T5, GN.S3).

`first` and `second` have the outputs along the last axis; all else broadcasts. `finite_delta` is at
least the exact value and at most 2^-45 above it, absolutely. An output whose loss is ε to the last
bits may be counted on either side in the tails; their difference Pr[L ≥ ε] − e^ε Pr[L' ≤ −ε] is not
moved by more than its rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dporacle.fast._broadcast import Array, Number, Numbers, above, give, integers, quiet, reals
from dporacle.fast._scaled import exponential, product, scaled

__all__ = [
    "finite_delta",
    "finite_loss_lower_tail",
    "finite_loss_upper_tail",
    "name_and_shame_exposure",
]

_MARGIN = 2.0**-46
"""More than what is rounded: each term 8·2^-53 of P, each sum 20·2^-53, for up to 2^20 outputs."""


@quiet
def finite_delta(*, epsilon: Number, first: Numbers, second: Numbers) -> Any:
    """Return Σ max(0, P − e^ε Q), the least δ of the pair for this ε (BW18.T5).

    Args:
        epsilon: in [0, ∞).
        first: the weights of P along the last axis, nonnegative, not all 0.
        second: the weights of Q on the same outputs.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    p, _, lost = _pair(epsilon, first, second)
    return give(np.minimum(1, np.sum(np.maximum(p - lost, 0), axis=-1) + _MARGIN))


def _pair(epsilon: Any, first: Any, second: Any) -> tuple[Array, Array, Array]:
    """P, Q and e^ε Q."""
    eps = reals("epsilon", epsilon, low_allowed=True)[..., None]
    laws = []
    for name, value in (("first", first), ("second", second)):
        weights = np.atleast_1d(reals(name, value, low_allowed=True))
        most = np.max(weights, axis=-1, keepdims=True)
        if not np.all(most):
            raise ValueError(f"{name} must have a positive weight, got only zeros")
        laws.append(product(weights, over=(most, np.sum(weights / most, axis=-1, keepdims=True))))
    p, q = map(scaled, laws)
    if p.shape[-1] != q.shape[-1]:
        raise ValueError(
            f"second must have as many weights as first, {p.shape[-1]}, got {q.shape[-1]}"
        )
    (head, power), (growth, turns) = laws[1], exponential(eps)
    return p, q, scaled((head * growth, power + turns))  # where Q is no full float, nor e^ε one


@quiet
def finite_loss_upper_tail(*, epsilon: Number, first: Numbers, second: Numbers) -> Any:
    """Return Pr[L ≥ ε] for an output of P (BW18.T5); an output that Q never has counts.

    Arguments and errors as for `finite_delta`.
    """
    p, _, lost = _pair(epsilon, first, second)
    return give(np.minimum(1, np.sum(np.where(p >= lost, p, 0), axis=-1)))


@quiet
def finite_loss_lower_tail(*, epsilon: Number, first: Numbers, second: Numbers) -> Any:
    """Return Pr[L' ≤ −ε] for an output of Q (BW18.T5).

    Arguments and errors as for `finite_delta`.
    """
    p, q, lost = _pair(epsilon, first, second)
    return give(np.minimum(1, np.sum(np.where(p >= lost, q, 0), axis=-1)))


@quiet
def name_and_shame_exposure(*, records: Number, delta: Number) -> Any:
    """Return 1 − (1−δ)ⁿ, not below the exact value and at most 16·2^-52 of it above (GN.S3).

    Args:
        records: n, integers from 1.
        delta: the probability with which a record is published, in (0, 1).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    n, share = integers("records", records), reals("delta", delta, high=1.0)
    return give(np.minimum(1, above(-np.expm1(n * np.log1p(-share)), 8)))
