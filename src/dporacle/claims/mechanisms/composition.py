"""Several releases together; what is composed may be a composition itself."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, ClassVar, get_args

import msgspec
from flint import arb

from dporacle.claims import quantities
from dporacle.claims.convolution import decide_composition
from dporacle.claims.decided import Decided
from dporacle.claims.losses import PrivacyLoss
from dporacle.claims.mechanisms.discrete_gaussian import DiscreteGaussian
from dporacle.claims.mechanisms.gaussian import (
    Gaussian,
    Gdp,
    Rdp,
    Zcdp,
    describe_trivial,
    least_unit,
)
from dporacle.claims.mechanisms.hierarchical_tree import HierarchicalTree
from dporacle.claims.mechanisms.laplace import Laplace
from dporacle.claims.mechanisms.matrix_variate import MatrixVariate
from dporacle.claims.mechanisms.mechanism import LeastNoise, Mechanism
from dporacle.claims.mechanisms.record import Neighbours
from dporacle.claims.mechanisms.tree_aggregation import TreeAggregation
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
        if not self._relations():
            raise ValueError("releases must have sensitivities for one and the same relation")
        if self.count() > _MOST_RELEASES:
            raise ValueError("releases must be at most 10^18 together")

    def _relations(self) -> list[Neighbours]:
        """Return the relations for which every release states its sensitivity."""
        return [
            one for one in get_args(Neighbours) if all(part.knows(one) for part in self.releases)
        ]

    def count(self) -> int:
        """Return the number of releases."""
        return self.times * sum(part.count() for part in self.releases)

    def relation(self) -> Neighbours:
        """Return a relation that the sensitivities are for."""
        return self._relations()[0]

    def knows(self, neighbours: Neighbours) -> bool | None:
        """Tell whether all sensitivities for a relation are stated; None: one has no bound."""
        known = [part.knows(neighbours) for part in self.releases]
        return None if None in known else all(known)

    def privacy_loss(self, neighbours: Neighbours) -> PrivacyLoss:
        """Return the loss of all releases together."""
        parts = (part.privacy_loss(neighbours) for part in self.releases)
        return sum(parts, PrivacyLoss()).times(self.times)

    def mu_squared(self, neighbours: Neighbours | None = None) -> Fraction | None:
        """Return the μ² of all releases together, if all are Gaussian."""
        asked = self.relation() if neighbours is None else neighbours
        return self._total([part.mu_squared(asked) for part in self.releases])

    def renyi(self, *, order: Fraction, neighbours: Neighbours) -> Fraction | None:
        """Return the sum of the divergences."""
        return self._total(
            [part.renyi(order=order, neighbours=neighbours) for part in self.releases]
        )

    def _total(self, values: list[Fraction | None]) -> Fraction | None:
        known = [value for value in values if value is not None]
        return self.times * sum(known, Fraction(0)) if len(known) == len(values) else None

    def delta_at_epsilon(self, *, epsilon: Fraction, neighbours: Neighbours, digits: int) -> arb:
        """Enclose δ(ε) of Gaussian releases."""
        square = self.mu_squared(neighbours)
        assert square is not None
        return quantities.delta_of(epsilon=epsilon, mu_squared=square, digits=digits)

    def decide_privacy(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> Decided:
        """Decide whether it is (ε,δ)-DP, by μ² where all noise is Gaussian."""
        loss, doubled = self.privacy_loss(neighbours), not self.knows(neighbours)
        if not loss.others:
            return super().decide_privacy(epsilon=epsilon, delta=delta, neighbours=neighbours)
        return decide_composition(loss, epsilon=epsilon, delta=delta, doubled=doubled)

    def least_noise(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> LeastNoise | None:
        """Return by what every σ is to be multiplied, if all noise is Gaussian."""
        square = self.mu_squared(neighbours)
        if square is None:
            return None
        ratio = least_unit(epsilon, delta) * quantities.root_bounds(square, _DIGITS)[1]
        return LeastNoise(_times(ratio), ratio)

    def scaled(self, *, square: Fraction, neighbours: Neighbours) -> str:
        """Say by what every σ is multiplied if its square is multiplied by a number."""
        return _times(quantities.root_bounds(square, _DIGITS)[1])

    def describe_privacy(
        self, decided: Decided, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> tuple[str, str]:
        """Return how far off a claim of (ε,δ)-DP is, and the noise that would do."""
        trivial = describe_trivial(decided, delta) if self.mu_squared(neighbours) else None
        return trivial or super().describe_privacy(
            decided, epsilon=epsilon, delta=delta, neighbours=neighbours
        )

    def missing_elsewhere(self, *, quantity: str, proof: str) -> str:
        """Say what the stand-alone program lacks for one of the releases."""
        missing = (part.missing_elsewhere(quantity=quantity, proof=proof) for part in self.releases)
        return next(filter(None, missing), "")


def _times(ratio: Fraction) -> str:
    return f"every σ × {round_decimal(ratio, _SIGMA_DIGITS, up=True)} would do"


Composable = (
    Gaussian
    | Zcdp
    | Gdp
    | Rdp
    | TreeAggregation
    | MatrixVariate
    | DiscreteGaussian
    | Laplace
    | HierarchicalTree
    | Composition
)
"""What a composition may be made of."""
