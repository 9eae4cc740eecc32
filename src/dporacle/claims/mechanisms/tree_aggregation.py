"""Tree aggregation: running sums with Gaussian noise on each node of a binary tree (DP-FTRL)."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, ClassVar

import msgspec

from dporacle.claims.mechanisms.gaussian import Noised
from dporacle.claims.mechanisms.record import Neighbours
from dporacle.vocabulary.hypotheses import Hypothesis, hypothesis

_NODES = (
    "out of scope: the error of a running sum, because the number of nodes differs from step to "
    "step; the nearest claim that can be decided is the same claim about `gaussian` noise, with "
    "sigma times the root of the number of nodes"
)


class TreeAggregation(Noised, frozen=True, kw_only=True, tag="tree-aggregation"):
    """Running sums of `steps` vectors by the binary tree mechanism (C2 of proofs_notes/claims.md).

    Each node of the tree whose steps are all done is released with N(0, σ²I). A step enters at most
    ⌊log2(steps)⌋ + 1 of them, and the first one does. Sensitivity and contribution are those of one
    step. A record takes part in one step of each tree.

    Attributes:
        steps: how many steps each tree has.
        trees: how many trees: one more than there are restarts.
    """

    refuses: ClassVar[Mapping[str, str]] = {"accuracy": _NODES, "loss": _NODES}

    detail: ClassVar[str] = "of a tree, at its first step"

    steps_per_tree: Annotated[int, msgspec.Meta(ge=1, le=10**18)] = msgspec.field(name="steps")
    trees: Annotated[int, msgspec.Meta(ge=1, le=10**9)] = 1

    def nodes(self) -> int:
        """Return how many nodes a record can enter."""
        return self.trees * self.steps_per_tree.bit_length()

    def count(self) -> int:
        """Return the number of releases that a record can enter."""
        return self.nodes()

    def hypotheses(self, neighbours: Neighbours) -> tuple[Hypothesis, ...]:
        """Return that a record takes part in one step of each tree: nothing else is known here."""
        return (hypothesis("one-step-of-each-tree"),)

    def distance_squared(self, neighbours: Neighbours | None = None) -> Fraction:
        """Return Δ² of all nodes together."""
        return self.nodes() * self.one_step(neighbours)
