"""The region theorems, one module per family; `load` makes any of them from its spec."""

from functools import cache
from typing import Any

from dporacle.regions.theorem import Theorem
from dporacle.regions.theorems import (
    formula,
    linear,
    low_privacy,
    map_of_formula,
    rank_one,
    tails,
    vinterbo,
)

__all__ = ["catalogue", "load"]


@cache
def catalogue() -> dict[str, Theorem]:
    """Return id -> theorem, in the order of the list that `dporacle prove --list` prints."""
    modules = (linear, tails, vinterbo, low_privacy, rank_one)
    return {theorem.id: theorem for module in modules for theorem in module.theorems()}


def load(spec: dict[str, Any]) -> Theorem:
    """Make a theorem from its spec: {"id": …}, or of a formula over a rectangle.

    Raises:
        ValueError: naming what is wrong with the spec.
    """
    if "formula" in spec:
        return formula.from_spec(spec)
    if "map" in spec:
        return map_of_formula.from_spec(spec)
    name = spec.get("id")
    if not isinstance(name, str) or set(spec) != {"id"}:
        raise ValueError("not a theorem: it is named by its id alone, as text")
    if name not in catalogue():
        raise ValueError(f"no theorem {name[:80]!r}")
    return catalogue()[name]
