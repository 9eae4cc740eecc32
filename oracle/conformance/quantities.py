"""What can be judged: the vocabulary's quantities that are served, and their exact values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from dporacle.vocabulary import SERVED as QUANTITIES
from dporacle.vocabulary import Quantity

__all__ = ["QUANTITIES", "Quantity", "enclose", "true_delta"]


def enclose(quantity: Quantity, arguments: Mapping[str, float | Fraction], *, digits: int) -> Any:
    """Return the ball that contains a quantity's exact value at these arguments."""
    from flint import arb

    counts = quantity.counts
    given = {name: int(v) if name in counts else v for name, v in arguments.items()}
    if quantity.whole:
        return arb(_enclosures(quantity.name)(**given))  # an integer, whatever the digits
    return _enclosures(quantity.name)(**given, digits=digits)


def true_delta(
    *, epsilon: Fraction | float, sigma: Fraction, sensitivity: Fraction | float, digits: int = 25
) -> Any:
    """Return the ball of the δ that this noise really gives; no noise gives 1."""
    if sigma <= 0:
        return 1
    return _enclosures("delta_at_epsilon")(
        epsilon=epsilon, sigma=sigma, sensitivity=sensitivity, digits=digits
    )


def _enclosures(name: str) -> Callable[..., Any]:
    from dporacle import enclosures

    function: Callable[..., Any] = getattr(enclosures, name)
    return function
