"""Several releases together; what is composed may be a composition itself."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, ClassVar

import msgspec
from flint import arb

from dporacle.claims import quantities
from dporacle.claims.decided import Decided
from dporacle.claims.mechanisms.gaussian import (
    Gaussian,
    Gdp,
    Rdp,
    Zcdp,
    describe_trivial,
    least_unit,
)
from dporacle.claims.mechanisms.model import LeastNoise, Mechanism, Neighbours
from dporacle.claims.words import round_decimal

__all__ = ["Composition"]

_DIGITS = 20
_SIGMA_DIGITS = 17
_MOST_RELEASES = 10**18
_SINGLE = "mechanism must be a single release for accuracy and loss"


class Composition(Mechanism, frozen=True, kw_only=True, tag="composition"):
    """Several releases about the same records, with independent noise; later ones may adapt.

    Attributes:
        releases: the releases, all with sensitivities for the same relation.
        times: how often the whole list is released.
    """

    refuses: ClassVar[Mapping[str, str]] = {"accuracy": _SINGLE, "loss": _SINGLE}
    twice: ClassVar[str] = "with twice the sensitivities"

    releases: Annotated[tuple[Composable, ...], msgspec.Meta(min_length=1, max_length=100)]
    times: Annotated[int, msgspec.Meta(ge=1, le=10**9)] = 1

    def __post_init__(self) -> None:
        if len({release.relation() for release in self.releases}) > 1:
            raise ValueError("releases must have sensitivities for one and the same relation")
        if self.count() > _MOST_RELEASES:
            raise ValueError("releases must be at most 10^18 together")

    def count(self) -> int:
        """Return the number of releases."""
        return self.times * sum(part.count() for part in self.releases)

    def relation(self) -> Neighbours:
        """Return the relation that the sensitivities are for."""
        return self.releases[0].relation()

    def mu_squared(self) -> Fraction:
        """Return the μ² of all releases together."""
        return self.times * sum((part.mu_squared() for part in self.releases), Fraction(0))

    def delta_at_epsilon(self, *, epsilon: Fraction, factor: int, digits: int) -> arb:
        """Enclose δ(ε)."""
        square = self.mu_squared() * factor**2
        return quantities.delta_of(epsilon=epsilon, mu_squared=square, digits=digits)

    def least_noise(self, *, epsilon: Fraction, delta: Fraction, factor: int) -> LeastNoise:
        """Return by what every σ is to be multiplied."""
        _, mu = quantities.root_bounds(self.mu_squared() * factor**2, _DIGITS)
        ratio = least_unit(epsilon, delta) * mu
        return LeastNoise(
            f"every σ × {round_decimal(ratio, _SIGMA_DIGITS, up=True)} would do", ratio
        )

    def describe_privacy(
        self, decided: Decided, *, epsilon: Fraction, delta: Fraction
    ) -> tuple[str, str]:
        """Return how far off a claim of (ε,δ)-DP is, and the noise that would do."""
        return describe_trivial(decided, delta) or super().describe_privacy(
            decided, epsilon=epsilon, delta=delta
        )


Composable = Gaussian | Zcdp | Gdp | Rdp | Composition
"""What a composition may be made of."""
