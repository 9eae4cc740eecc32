"""Hierarchical trees of counts with Laplace noise, H_b, and their least-squares estimates."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, ClassVar

import msgspec
from flint import arb
from msgspec import UNSET

from dporacle import enclosures
from dporacle.claims.losses import LaplaceLoss, PrivacyLoss
from dporacle.claims.mechanisms.laplace import LaplaceMechanism
from dporacle.claims.mechanisms.mechanism import LeastNoise
from dporacle.claims.mechanisms.record import Neighbours


class HierarchicalTree(LaplaceMechanism, frozen=True, kw_only=True, tag="hierarchical-tree"):
    """The count of every node below the root, each with Laplace noise (C8 of the note on claims).

    A record is in one leaf, and so in one node of each level.

    Attributes:
        children: how many each node has.
        height: how many levels are released.
    """

    noun: ClassVar[str] = "a tree of counts with Laplace noise"
    example: ClassVar[Mapping[str, object]] = {
        "scale": 1,
        "children": 2,
        "height": 2,
        "sensitivity": 1,
        "neighbours": "add-remove",
    }
    refuses: ClassVar[Mapping[str, str]] = {
        "accuracy": "asserts must be privacy or loss for a tree: an estimate's error "
        "does not have a Laplace law"
    }

    detail: ClassVar[str] = "of a hierarchical tree, in one leaf"

    children: Annotated[int, msgspec.Meta(ge=2, le=10**9)]
    height: Annotated[int, msgspec.Meta(ge=1, le=256)]

    def __post_init__(self) -> None:
        if self.statistic is not UNSET:
            raise ValueError("statistic must be absent: a tree has the sensitivity of one leaf")
        super().__post_init__()

    def count(self) -> int:
        """Return the number of releases that a record enters."""
        return self.height

    def largest_loss(self, neighbours: Neighbours) -> Fraction:
        """Return the ε from which on it is ε-DP."""
        return self.height * super().largest_loss(neighbours)

    def privacy_loss(self, neighbours: Neighbours) -> PrivacyLoss:
        """Return that of as many Laplace releases together as there are levels."""
        one = LaplaceLoss(super().largest_loss(neighbours))
        return PrivacyLoss(others={one: self.height})

    def delta_at_epsilon(self, *, epsilon: Fraction, neighbours: Neighbours, digits: int) -> arb:
        """Enclose δ(ε)."""
        return enclosures.laplace_repeated_delta(
            epsilon=epsilon,
            scale=self.scale,
            releases=self.height,
            sensitivity=self._distance(neighbours),
            digits=digits,
        )

    def least_noise(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> LeastNoise | None:
        """Return the least b that is ε-DP; for δ > 0 it is not soon found."""
        if delta or not epsilon:
            return None
        return self._least(self.height * self._distance(neighbours) / epsilon)

    def leaf_variance(self) -> Fraction:
        """Return the variance of a leaf's least-squares estimate, exactly."""
        own = 2 * self.scale**2
        below = [own]
        for _ in range(self.height - 1):
            below.append(1 / (1 / own + 1 / (self.children * below[-1])))
        found = below[-1]
        for each in below[-2::-1]:
            found = each * (1 - Fraction(1, self.children)) + found / self.children**2
        return found

    def rational_loss(self, *, dimension: int) -> Fraction:
        """Return the expected squared error of so many leaves."""
        return dimension * self.leaf_variance()

    def missing_elsewhere(self, *, quantity: str, proof: str) -> str:
        """Say that the stand-alone program has no trees of counts."""
        return "the checker has no hierarchical trees"
