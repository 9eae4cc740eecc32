"""Tree aggregation: running sums with Gaussian noise on each node of a binary tree (DP-FTRL)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

import msgspec
from msgspec import UNSET, UnsetType

from dporacle.claims.decision import Decided
from dporacle.claims.losses import Extent, PrivacyLoss
from dporacle.claims.mechanisms.gaussian import Noised
from dporacle.claims.mechanisms.matrix import Times, open_sensitivity, read_participation
from dporacle.claims.mechanisms.record import Neighbours
from dporacle.vocabulary.hypotheses import Hypothesis, hypothesis

if TYPE_CHECKING:
    from dporacle.enclosures.matrix.sensitivity import Participation, Sensitivity

_NODES = (
    "out of scope: the error of a running sum, because the number of nodes differs from step to "
    "step; the nearest claim that can be decided is the same claim about `gaussian` noise, with "
    "sigma times the root of the number of nodes"
)
_FIRST = "of a tree, at its first step"
_REPEATED = "of a tree, at {} of it, in the same direction each time"
_UNEVEN = (
    "the checker has no sensitivities of trees of which steps of a record that are farther apart "
    "than they must be are, or may be, the worst"
)


class TreeAggregation(Noised, frozen=True, kw_only=True, tag="tree-aggregation"):
    """Running sums of `steps` vectors by the binary tree mechanism (C2 of proofs_notes/claims.md).

    Each node of the tree whose steps are all done is released with N(0, σ²I). Sensitivity and
    contribution are those of one step.

    Attributes:
        steps: how many steps each tree has.
        trees: how many trees: one more than there are restarts; 1 if nobody says, a condition.
        participations: in how many steps of each tree a record takes part at most.
        separation: how many steps apart two of these are at least; must be given if they are more.
        epochs_fixed: whether consecutive ones are exactly so many apart.
    """

    noun: ClassVar[str] = "the binary-tree mechanism"
    example: ClassVar[Mapping[str, object]] = {
        "sigma": 1,
        "steps": 4,
        "participations": 1,
        "sensitivity": 1,
        "neighbours": "add-remove",
    }
    refuses: ClassVar[Mapping[str, str]] = {"accuracy": _NODES, "loss": _NODES}

    steps_per_tree: Annotated[int, msgspec.Meta(ge=1, le=10**18)] = msgspec.field(name="steps")
    trees: Annotated[int, msgspec.Meta(ge=1, le=10**9)] | UnsetType = UNSET
    participations: Times
    separation: Times | UnsetType = UNSET
    epochs_fixed: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self._asked()

    def stated(self) -> Self:
        """Return itself with the number of trees that a default stands for."""
        return msgspec.structs.replace(super().stated(), trees=self._trees())

    def _trees(self) -> int:
        return 1 if isinstance(self.trees, UnsetType) else self.trees

    def _asked(self) -> Participation:
        return read_participation(self)

    def _found(self) -> Sensitivity:
        """Return the square of the sensitivity of one tree for contributions of norm 1."""
        return _of_tree(self.steps_per_tree, self._asked())

    def count(self) -> int:
        """Return how many nodes a step can enter, of all trees together."""
        return self._trees() * self.steps_per_tree.bit_length()

    def hypotheses(self, neighbours: Neighbours) -> tuple[Hypothesis, ...]:
        """Return who takes part when."""
        from dporacle.mechanisms.matrix import participating

        found = participating(self._asked(), f"each tree of {self.steps_per_tree} steps")
        return found if self.trees is not UNSET else (*found, hypothesis("one-tree"))

    def distance_squared(self, neighbours: Neighbours | None = None) -> Fraction:
        """Return Δ² of all nodes together, or a bound of it."""
        return self._trees() * self._found().high * self.one_step(neighbours)

    def extent(self, neighbours: Neighbours) -> Extent:
        """Return what is known of the loss of the worst pair of neighbours."""
        most = self.mu_squared(neighbours)
        least = most * self._found().low / self._found().high if self.knows(neighbours) else 0
        return Extent((PrivacyLoss(most),), (PrivacyLoss(Fraction(least)),))

    def decide_privacy(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> Decided:
        """Decide whether it is (ε,δ)-DP."""
        if self._found().exact:
            return super().decide_privacy(epsilon=epsilon, delta=delta, neighbours=neighbours)
        return self.decide_by_extent(epsilon=epsilon, delta=delta, neighbours=neighbours)

    def open_reason(self, neighbours: Neighbours) -> str:
        """Say why a claim between the two ends is open."""
        return open_sensitivity(self._found())

    def details(self) -> frozenset[str]:
        """Return what a full sensitivity is of a tree: where a record has to take part."""
        from dporacle.mechanisms.matrix import in_words

        pattern = self._found().pattern
        told = _FIRST if len(pattern) == 1 else _REPEATED.format(in_words(pattern))
        return super().details().union([told])

    def missing_elsewhere(self, *, quantity: str, proof: str) -> str:
        """Say that the stand-alone program cannot search for the worst steps."""
        from dporacle.enclosures.matrix.trees import is_leftmost

        return "" if is_leftmost(self.steps_per_tree, self._asked()) else _UNEVEN


@lru_cache(maxsize=16)
def _of_tree(steps: int, asked: Participation) -> Sensitivity:
    """Return the square of a tree's sensitivity, which may take seconds."""
    from dporacle.enclosures.matrix.sensitivity import sensitivity
    from dporacle.enclosures.matrix.strategies import Tree

    return sensitivity(Tree(steps), asked)
