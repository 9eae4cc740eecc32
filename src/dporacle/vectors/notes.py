"""Why cases exist (flags), and how exact answers can be expected to be (tolerances)."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

NOTES: Mapping[str, str] = json.loads((Path(__file__).parent / "notes.json").read_text("utf-8"))
"""Flag -> why cases with this flag exist."""

TOLERANCES = {
    "integer": ("0", "An integer: only the answer itself is right."),
    "elementary": ("4e-15", "A few roots, logarithms and products: 16 units in the last place."),
    "core": ("1e-9", "Parameters that releases use; a root or a special function is computed."),
    "hard": ("1e-6", "Extreme parameters; a root or a special function is computed."),
    "range": (
        "0",
        "No float64 has the answer: an error, or an infinity that rounds to the safe side.",
    ),
}
"""Class of tolerance -> the largest relative error that is acceptable, and what is in the class."""

EVERYDAY = frozenset({"core", "alpha-matters"})
"""Flags of the inputs where people work."""

FAR_FROM_USE = "far-from-use"
"""The flag that the judge adds to a vector with an argument that nobody gives."""

FAR = frozenset({FAR_FROM_USE, "exp-overflow"})
"""Flags of inputs where nobody works, whatever their other flags are."""


def everyday(flags: Iterable[str], kinds: frozenset[str] = EVERYDAY) -> bool:
    """Whether an input with these flags is one where people work."""
    found = {*flags}
    return not kinds.isdisjoint(found) and FAR.isdisjoint(found)
