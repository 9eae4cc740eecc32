"""One way to ask any witness, with answers that can be compared exactly.

Each witness has its own number type: mpmath's `mpf`, float64, or a ball. Here an answer is the
pair of exact rational ends between which the witness says that the truth lies.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dporacle.arguments import exact
from dporacle.vocabulary.statements import WITNESSES as NAMES
from dporacle.vocabulary.witnesses import module_of

__all__ = ["NAMES", "ask", "ends", "function"]


def function(witness: str, group: str, name: str) -> Callable[..., Any]:
    """Return a witness's public function.

    Raises:
        ModuleNotFoundError, AttributeError: if the witness has no such group or function.
    """
    found = getattr(importlib.import_module(f"dporacle.{witness}.{module_of(group)}"), name)
    assert callable(found)
    return found  # type: ignore[no-any-return]


def ends(value: Any) -> tuple[Fraction, Fraction]:
    """Return the exact ends of a ball, or a number twice."""
    if hasattr(value, "rad"):
        rounding = importlib.import_module("dporacle.enclosures.arithmetic.rounding")
        low, high = rounding.bounds(value)
        return low, high
    number = exact("value", value)
    return number, number


def ask(witness: str, group: str, name: str, **arguments: Any) -> tuple[Fraction, Fraction]:
    """Return the ends of a witness's answer; scalars only."""
    return ends(function(witness, group, name)(**arguments))
