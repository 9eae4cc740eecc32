"""What can be judged: each quantity's arguments, its exact value, and which error is safe.

An answer is safe when nobody is promised more than the mathematics gives: more noise than
needed, a larger δ or ε than the true one, a wider error bound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

__all__ = ["QUANTITIES", "Quantity", "true_delta"]


@dataclass(frozen=True)
class Quantity:
    """A quantity that libraries compute.

    Attributes:
        name: its name, which is also the function's name in every witness.
        arguments: what it depends on; `sensitivity` is 1 where a function does not take it.
        safe: on which side of the truth an error does no harm.
        meaning: what the answer promises, for the table's legend.
    """

    name: str
    arguments: tuple[str, ...]
    safe: Literal["up", "down"]
    meaning: str

    def enclose(self, arguments: Mapping[str, float | Fraction], *, digits: int) -> Any:
        """Return the ball that contains the exact value at these arguments."""
        return _enclosures(self.name)(**arguments, digits=digits)


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


QUANTITIES = {
    quantity.name: quantity
    for quantity in (
        Quantity(
            "calibrate_sigma",
            ("epsilon", "delta", "sensitivity"),
            "up",
            "the least noise that is (ε, δ)-private; less noise breaks the promise",
        ),
        Quantity(
            "delta_at_epsilon",
            ("epsilon", "sigma", "sensitivity"),
            "up",
            "the least δ that this noise gives; a smaller one is not true",
        ),
        Quantity(
            "epsilon_at_delta",
            ("delta", "sigma", "sensitivity"),
            "up",
            "the least ε that this noise gives; a smaller one is not true",
        ),
        Quantity(
            "accuracy",
            ("alpha", "sigma"),
            "up",
            "the error exceeded with probability α; a smaller bound is exceeded more often",
        ),
        Quantity(
            "alpha_at_accuracy",
            ("accuracy", "sigma"),
            "up",
            "the probability of a larger error; a smaller one is not true",
        ),
        Quantity(
            "sigma_at_accuracy",
            ("accuracy", "alpha"),
            "down",
            "the most noise that keeps this accuracy; more noise breaks it",
        ),
    )
}
"""Every quantity by its name."""
