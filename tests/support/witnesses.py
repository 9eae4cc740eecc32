"""One way to ask any witness, with answers that can be compared exactly.

Each witness has its own number type: mpmath's `mpf`, float64, or a ball. Here an answer is the
pair of exact rational ends between which the witness says that the truth lies.
"""

import importlib
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dporacle.arguments import exact
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.vocabulary.statements import WITNESSES as NAMES

__all__ = ["NAMES", "agree", "ask", "ends", "function"]

FINE = Fraction(1, 10**48)
"""How near the reference is to the enclosure, both of 50 digits, relative to the answer."""


def function(witness: str, name: str) -> Callable[..., Any]:
    """Return a witness's public function."""
    found = getattr(importlib.import_module(f"dporacle.{witness}"), name)
    assert callable(found)
    return found  # type: ignore[no-any-return]


def ends(value: Any) -> tuple[Fraction, Fraction]:
    """Return the exact ends of a ball, or a number twice."""
    if hasattr(value, "rad"):
        low, high = bounds(value)
        return low, high
    number = exact("value", value)
    return number, number


def ask(witness: str, name: str, **arguments: Any) -> tuple[Fraction, Fraction]:
    """Return the ends of a witness's answer; scalars only."""
    return ends(function(witness, name)(**arguments))


def agree(
    name: str,
    relative: float = 2.0**-48,
    *,
    safe: str = "",
    unit: Fraction | None = None,
    ceiling: int | None = None,
    least: Fraction = Fraction(0),
    **where: Any,
) -> Fraction:
    """Hold the reference and float64 to the enclosure, and return the enclosure's upper end.

    Args:
        name: the function.
        relative: how far the float64 answer may be, of `unit`, or of the answer itself.
        safe: "up" if the float64 answer is never below the exact one, "down" if never above.
        unit: what the float64 error is relative to.
        ceiling: what no answer exceeds, to which float64 rounds down.
        least: below it float64 has fewer digits, and nothing is stated of them.
        where: the arguments.
    """
    low, high = ask("enclosures", name, **where)
    (value, _), (fast, _) = (ask(each, name, **where) for each in ("reference", "fast"))
    assert abs(value - low) <= FINE * abs(low)
    if 0 < high < least:
        assert 0 <= fast <= 10 * least
        return high
    room = Fraction(relative) * abs(unit or high)
    assert fast >= (min(high, ceiling or high) if safe == "up" else low - room)
    assert fast <= (low if safe == "down" else high + room)
    return high
