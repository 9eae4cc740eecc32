"""Functions of ε, σ and D that go by the privacy loss, of numbers and of arrays."""

from __future__ import annotations

from typing import Any

from dporacle.fast._arrays import EPSILON, SENSITIVITY, SIGMA, evaluate
from dporacle.fast.gaussian import loss as _loss

__all__ = ["of_loss"]


def of_loss(name: str, formula: _loss.Formula, epsilon: Any, sigma: Any, sensitivity: Any) -> Any:
    """Return what a formula says at the numbers, or at each element of the arrays."""
    return evaluate(
        name,
        lambda *numbers: _loss.one(formula, *numbers),
        lambda *arrays: _loss.many(formula, *arrays),
        (EPSILON, epsilon),
        (SIGMA, sigma),
        (SENSITIVITY, sensitivity),
    )
