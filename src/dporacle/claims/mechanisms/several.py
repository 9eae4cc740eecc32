"""What is known of several releases from what is known of each."""

from collections.abc import Sequence
from fractions import Fraction
from typing import get_args

from dporacle.claims.decision import Decided
from dporacle.claims.losses import Extent
from dporacle.claims.mechanisms.black_box import PrivacyBox
from dporacle.claims.mechanisms.discrete_gaussian import DiscreteGaussianMechanism
from dporacle.claims.mechanisms.dp_sgd_schedule import DpSgdSchedule
from dporacle.claims.mechanisms.gaussian import Gdp, Rdp, Zcdp
from dporacle.claims.mechanisms.hierarchical_tree import HierarchicalTree
from dporacle.claims.mechanisms.in_composition import DpSgdPart, GaussianPart
from dporacle.claims.mechanisms.integer_noise import IntegerNoise
from dporacle.claims.mechanisms.laplace import LaplaceMechanism
from dporacle.claims.mechanisms.matrix import Matrix
from dporacle.claims.mechanisms.matrix_variate import MatrixVariate
from dporacle.claims.mechanisms.mechanism import ATTAINED, Mechanism, supposition
from dporacle.claims.mechanisms.randomised_response import RandomisedResponse, Rappor
from dporacle.claims.mechanisms.record import Neighbours
from dporacle.claims.mechanisms.selection import (
    AboveThreshold,
    Exponential,
    NoisyMax,
    PermuteAndFlip,
)
from dporacle.claims.mechanisms.tree_aggregation import TreeAggregation
from dporacle.vocabulary.hypotheses import Hypothesis

Listed = (
    GaussianPart
    | DpSgdPart
    | DpSgdSchedule
    | Zcdp
    | Gdp
    | Rdp
    | TreeAggregation
    | Matrix
    | MatrixVariate
    | DiscreteGaussianMechanism
    | IntegerNoise
    | LaplaceMechanism
    | HierarchicalTree
    | PrivacyBox
    | RandomisedResponse
    | Rappor
    | Exponential
    | PermuteAndFlip
    | NoisyMax
    | AboveThreshold
)
"""A release of one kind: what a line of a ledger may be."""

NOT_SAID = (
    "the claim fails if one pair of neighbours has the full sensitivities of all releases at once; "
    "the file does not say whether one has: state records = 'same' if one has, or 'disjoint' if "
    "each record counts in only one of the releases"
)
_REPEATED = (
    "some pair of neighbours has the full sensitivity, or nearly, in the same query each time"
)
_ATTAINED = {
    "same": "one pair of neighbours has the full sensitivities of all releases at once, or nearly",
    "disjoint": (
        "in each part, whatever the others hold, some pair of neighbours has the full sensitivity, "
        "or nearly"
    ),
    "unknown": "for each release some pair of neighbours has the full sensitivity, or nearly",
}


class SeveralReleases(Mechanism, frozen=True, kw_only=True):
    """Releases that are decided together, by what is known of the worst pair of neighbours."""

    def extent(self, neighbours: Neighbours) -> Extent:
        """Return what is known of the loss of the worst pair of neighbours."""
        raise NotImplementedError

    def mu_squared(self, neighbours: Neighbours | None = None) -> Fraction | None:
        """Return the μ² of the worst pair, or a bound of it, if all releases are Gaussian."""
        (worst, *others) = self.extent(neighbours or self.relation()).most
        return worst.mu_squared if worst.is_gaussian and not others else None

    def decide_privacy(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> Decided:
        """Decide whether it is (ε,δ)-DP."""
        return self.decide_by_extent(epsilon=epsilon, delta=delta, neighbours=neighbours)


def relations(parts: Sequence[Mechanism]) -> list[Neighbours]:
    """Return the relations for which every release states its sensitivity."""
    return [one for one in get_args(Neighbours) if all(part.knows(one) for part in parts)]


def check_groups(parts: Sequence[Mechanism]) -> None:
    """Refuse releases of which some are about a group of records, and others about one.

    Raises:
        ValueError: naming what has no group, or another one.
    """
    groups = {part.group_of(): part for part in parts}
    if len(groups) > 1:
        kind = groups[min(groups, key=lambda group: group or 0)].__struct_config__.tag
        sizes = ", ".join(str(each) for each in sorted(groups, key=lambda group: group or 0))
        raise ValueError(
            "group must be the same in every release of a composition, and stated by each: "
            f"{kind} has another one, or none ({sizes})"
        )


def knows(parts: Sequence[Mechanism], neighbours: Neighbours) -> bool | None:
    """Tell whether all sensitivities for a relation are stated; None: one has no bound."""
    known = [part.knows(neighbours) for part in parts]
    return None if None in known else all(known)


def unknown(parts: Sequence[Mechanism], neighbours: Neighbours) -> str:
    """Say which release nothing is known of for a relation, and why."""
    part = next(part for part in parts if part.knows(neighbours) is None)
    why = part.unknown(neighbours)
    return why if part.only_relation else f"{part.__struct_config__.tag!r} in it: {why}"


def hypotheses(parts: Sequence[Mechanism], neighbours: Neighbours) -> tuple[Hypothesis, ...]:
    """Return those of all releases, each once: with its condition, if one of them has it."""
    found: dict[str, Hypothesis] = {}
    for each in (each for part in parts for each in part.hypotheses(neighbours)):
        if each.condition or each.says not in found:
            found[each.says] = each
    return tuple(found.values())


def details(parts: Sequence[Mechanism]) -> frozenset[str]:
    """Return what a full sensitivity is of these releases, where more is to be said."""
    return frozenset().union(*(part.details() for part in parts))


def means(parts: Sequence[Mechanism]) -> frozenset[str]:
    """Return what is meant by parameters that state the noise."""
    return frozenset().union(*(part.means() for part in parts))


def supposes(parts: Sequence[Mechanism], records: str, *, several: bool, repeated: bool) -> str:
    """Say which pair of neighbours is supposed to exist.

    Args:
        parts: the releases.
        records: which of them are about the same records.
        several: whether there is more than one.
        repeated: whether the only one is made more than once.
    """
    text = _ATTAINED[records] if several else _REPEATED if repeated else ATTAINED
    return supposition(text, details(parts))


def extent_of(part: Mechanism, neighbours: Neighbours) -> Extent:
    """Return what is known of the loss of a release that can be composed."""
    found = part.extent(neighbours)
    assert found is not None
    return found
