"""Functions of ε, σ and D that go by the privacy loss, of numbers and of arrays."""

from __future__ import annotations

import functools
from typing import Any

from dporacle.fast._arrays import EPSILON, SENSITIVITY, SIGMA, evaluate
from dporacle.fast.gaussian import compiled
from dporacle.fast.gaussian import loss as _loss

__all__ = ["of_loss"]


def of_loss(
    name: str,
    formula: _loss.Formula,
    epsilon: Any,
    sigma: Any,
    sensitivity: Any,
    kernel: str | None = None,
) -> Any:
    """Return what a formula says at the numbers, or at each element of the arrays.

    Args:
        name: what the result is called, for the error message.
        formula: the result from the geometry.
        epsilon: ε.
        sigma: σ.
        sensitivity: D.
        kernel: the compiled function of arrays that gives the same, if there is one.
    """

    def many(*arrays: Any) -> Any:
        return _loss.many(formula, *arrays)

    return evaluate(
        name,
        lambda *numbers: _loss.one(formula, *numbers),
        functools.partial(compiled.many, kernel, many) if kernel else many,
        (EPSILON, epsilon),
        (SIGMA, sigma),
        (SENSITIVITY, sensitivity),
    )
