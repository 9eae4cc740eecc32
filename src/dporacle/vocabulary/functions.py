"""What each function of the witnesses may be called with: the rows of its arguments.

A function that computes a quantity has the quantity's. The others have those of the arguments'
table, and of the few arguments here that no quantity takes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from dporacle.vocabulary.arguments import ARGUMENTS, Argument
from dporacle.vocabulary.domains import COUNT, POSITIVE, REAL, UNIT
from dporacle.vocabulary.quantities import QUANTITIES, Quantity

__all__ = ["rounds_down", "rows_of"]

_OTHERS = {
    row.name: row
    for row in (
        Argument(
            name="size",
            meaning="k: in how many records the data differ",
            domain=COUNT,
            everyday=2,
        ),
        Argument(
            name="records",
            meaning="n: how many records there are",
            domain=COUNT,
            everyday=100,
        ),
        Argument(
            name="noise_multiplier",
            meaning="σ of the noise per unit of sensitivity",
            domain=POSITIVE,
            everyday=1.0,
        ),
        # Several numbers each.
        Argument(name="means", meaning="the d coordinates of θ", domain=REAL, everyday=1.0),
        Argument(
            name="vector", meaning="the coordinates of v, not all 0", domain=REAL, everyday=1.0
        ),
        Argument(
            name="sensitivities", meaning="the ℓ2-sensitivities Dᵢ", domain=POSITIVE, everyday=1.0
        ),
        Argument(
            name="sigmas",
            meaning="the standard deviations σᵢ, as many",
            domain=POSITIVE,
            everyday=1.0,
        ),
    )
}

_POSITIVE_EPSILON = {"epsilon": {"domain": POSITIVE}}
_UP_TO_ONE = {"epsilon": {"domain": UNIT}}  # the classical theorem's
_ANY_ERROR = {"error": {"domain": POSITIVE}}
_UNIT_NOISE = {"sigma": {"default": 1.0}}
_OWN: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "low_privacy_threshold": _POSITIVE_EPSILON,
    "low_privacy_threshold_closed": _POSITIVE_EPSILON,
    "low_privacy_threshold_misquoted": _POSITIVE_EPSILON,
    "sample_size": _ANY_ERROR,
    "sample_size_bound": _ANY_ERROR,
    "soft_threshold_oracle_bound": _UNIT_NOISE,
    "soft_threshold_risk": _UNIT_NOISE,
    "variance_half_boundary": _UP_TO_ONE,
    "variance_third_boundary": _UP_TO_ONE,
}
"""Function -> argument -> the fields of its row that differ there."""

_QUANTITIES: Mapping[str, Quantity] = {
    row.function or row.name: row for row in reversed(tuple(QUANTITIES.values()))
}


_DOWN = {"classical_epsilon_max", "dwork_2006_epsilon_max", "dwork_roth_epsilon_max"}


def rows_of(function: str) -> dict[str, Argument]:
    """Return the rows of all arguments that a function of this name may have.

    Args:
        function: its name, the same in every witness.
    """
    quantity = _QUANTITIES.get(function)
    known = {**ARGUMENTS, **_OTHERS} if quantity is None else quantity.rows
    own: dict[str, Mapping[str, Any]] = {**_OWN.get(function, {})}
    if "sensitivity" in known:
        norm = "ℓ2" if quantity is None else quantity.mechanism.norm.partition(" ")[0]
        own["sensitivity"] = {"meaning": f"D, the {norm}-sensitivity"}
    return {**known, **{name: dataclasses.replace(known[name], **row) for name, row in own.items()}}


def rounds_down(function: str) -> bool:
    """Whether the safe side of a function's answer is down."""
    quantity = _QUANTITIES.get(function)
    return function in _DOWN if quantity is None else quantity.safe == "down"
