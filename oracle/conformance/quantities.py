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
        counts: the arguments that count something: whole numbers.
    """

    name: str
    arguments: tuple[str, ...]
    safe: Literal["up", "down"]
    meaning: str
    counts: tuple[str, ...] = ()

    def enclose(self, arguments: Mapping[str, float | Fraction], *, digits: int) -> Any:
        """Return the ball that contains the exact value at these arguments."""
        from flint import arb

        given = {n: int(v) if n in self.counts else v for n, v in arguments.items()}
        if self.name == "discrete_accuracy":
            return arb(_enclosures(self.name)(**given))  # an integer, whatever the digits
        return _enclosures(self.name)(**given, digits=digits)


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
        Quantity(
            "classical_sigma",
            ("epsilon", "delta", "sensitivity"),
            "up",
            "the classical formula's noise; less is not what it proves",
        ),
        Quantity(
            "zcdp_rho",
            ("mu",),
            "up",
            "the least ρ of zCDP that this noise gives; a smaller one is not true",
        ),
        Quantity(
            "zcdp_sigma",
            ("rho", "sensitivity"),
            "up",
            "the least noise that is ρ-zCDP; less noise breaks the promise",
        ),
        Quantity(
            "zcdp_delta",
            ("epsilon", "mu"),
            "up",
            "the δ that the standard conversion of zCDP proves; a smaller one is not proved",
        ),
        Quantity(
            "rdp",
            ("order", "mu"),
            "up",
            "the Rényi divergence of this noise; a smaller one is not true",
        ),
        Quantity(
            "rdp_delta",
            ("epsilon", "mu"),
            "up",
            "the δ that the best Rényi conversion proves; a smaller one is not proved",
        ),
        Quantity(
            "gdp_tradeoff",
            ("alpha", "mu"),
            "down",
            "the error that an attacker cannot avoid; a larger one is not true",
        ),
        Quantity(
            "gdp_delta",
            ("epsilon", "mu"),
            "up",
            "the least δ of μ-GDP; a smaller one is not true",
        ),
        Quantity(
            "gdp_epsilon",
            ("delta", "mu"),
            "up",
            "the least ε of μ-GDP; a smaller one is not true",
        ),
        Quantity(
            "repeated_sigma",
            ("epsilon", "delta", "releases", "sensitivity"),
            "up",
            "the least noise of each release; less noise breaks the promise of all together",
            counts=("releases",),
        ),
        Quantity(
            "repeated_delta",
            ("epsilon", "sigma", "releases", "sensitivity"),
            "up",
            "the least δ of all releases together; a smaller one is not true",
            counts=("releases",),
        ),
        Quantity(
            "repeated_epsilon",
            ("delta", "sigma", "releases", "sensitivity"),
            "up",
            "the least ε of all releases together; a smaller one is not true",
            counts=("releases",),
        ),
        Quantity(
            "discrete_delta_at_epsilon",
            ("epsilon", "sigma", "sensitivity"),
            "up",
            "the least δ that discrete noise gives; a smaller one is not true",
            counts=("sensitivity",),
        ),
        Quantity(
            "discrete_calibrate_sigma",
            ("epsilon", "delta", "sensitivity"),
            "up",
            "the σ from which on discrete noise is (ε, δ)-private; a smaller one may not be",
            counts=("sensitivity",),
        ),
        Quantity(
            "discrete_accuracy",
            ("alpha", "sigma"),
            "up",
            "the integer that the error exceeds with probability α at most; a smaller one is "
            "exceeded more often",
        ),
    )
}
"""Every quantity by its name."""
