"""Mechanisms with finitely many outputs, in float64 (BW18.T5, GN.S3).

`first` and `second` have the outputs along the last axis; all else broadcasts. `finite_delta` is at
least the exact value. An output whose loss is ε to the last bits may be counted on either side in
the tails; their difference Pr[L ≥ ε] − e^ε Pr[L' ≤ −ε] is not moved by more than its rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dporacle.fast._broadcast import Array, Numbers, above, give, witness
from dporacle.fast._scaled import exponential, product, scaled

_MARGIN = 2.0**-46
"""More than what is rounded: each term 8·2^-53 of P, each sum 20·2^-53, for up to 2^20 outputs."""


@witness
def finite_delta(*, epsilon: Array, first: Numbers, second: Numbers) -> Any:
    """Return Σ max(0, P − e^ε Q), the least δ of the pair for this ε (BW18.T5)."""
    p, _, lost = _pair(epsilon, first, second)
    return give(np.minimum(1, np.sum(np.maximum(p - lost, 0), axis=-1) + _MARGIN))


def _pair(epsilon: Array, first: Array, second: Array) -> tuple[Array, Array, Array]:
    """P, Q and e^ε Q."""
    laws = []
    for name, value in (("first", first), ("second", second)):
        weights = np.atleast_1d(value)
        most = np.max(weights, axis=-1, keepdims=True)
        if not np.all(most):
            raise ValueError(f"{name} must have a positive weight, got only zeros")
        laws.append(product(weights, over=(most, np.sum(weights / most, axis=-1, keepdims=True))))
    p, q = map(scaled, laws)
    if p.shape[-1] != q.shape[-1]:
        raise ValueError(
            f"second must have as many weights as first, {p.shape[-1]}, got {q.shape[-1]}"
        )
    (head, power), (growth, turns) = laws[1], exponential(epsilon[..., None])
    return p, q, scaled((head * growth, power + turns))  # where Q is no full float, nor e^ε one


@witness
def finite_loss_upper_tail(*, epsilon: Array, first: Numbers, second: Numbers) -> Any:
    """Return Pr[L ≥ ε] for an output of P (BW18.T5); an output that Q never has counts."""
    p, _, lost = _pair(epsilon, first, second)
    return give(np.minimum(1, np.sum(np.where(p >= lost, p, 0), axis=-1)))


@witness
def finite_loss_lower_tail(*, epsilon: Array, first: Numbers, second: Numbers) -> Any:
    """Return Pr[L' ≤ −ε] for an output of Q (BW18.T5)."""
    p, q, lost = _pair(epsilon, first, second)
    return give(np.minimum(1, np.sum(np.where(p >= lost, q, 0), axis=-1)))


@witness
def name_and_shame_exposure(*, records: Array, delta: Array) -> Any:
    """Return 1 − (1−δ)ⁿ, not below the exact value and at most 16·2^-52 of it above (GN.S3)."""
    return give(np.minimum(1, above(-np.expm1(records * np.log1p(-delta)), 8)))
