"""Several releases together; what is composed may be a composition itself.

Whether one pair of neighbours has all sensitivities at once is not to be seen from the numbers: a
claim says it, or the privacy is known between two bounds (C9 of proofs_notes/claims.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import reduce
from itertools import combinations
from operator import add, or_
from typing import Annotated, ClassVar, Literal, Self, get_args

import msgspec
from msgspec import UNSET, UnsetType

from dporacle.claims import quantities
from dporacle.claims.losses import Extent, PrivacyLoss
from dporacle.claims.mechanisms import several
from dporacle.claims.mechanisms.black_box import PrivacyBox, every
from dporacle.claims.mechanisms.dp_sgd_schedule import DpSgdSchedule
from dporacle.claims.mechanisms.gaussian import least_unit
from dporacle.claims.mechanisms.in_composition import DpSgdPart, GaussianPart
from dporacle.claims.mechanisms.ledger import RecordedLedger
from dporacle.claims.mechanisms.mechanism import LeastNoise, Mechanism
from dporacle.claims.mechanisms.part import StatedPart
from dporacle.claims.mechanisms.record import Neighbours
from dporacle.claims.wording import least_noise
from dporacle.vocabulary.hypotheses import Hypothesis, hypothesis

_PARTS = (
    "the claim fails if a record that changes in its part, or moves to another part, has the full "
    "sensitivities there; it is not known whether one has: state the contribution of a record "
    "instead"
)

_NOT_DISJOINT = (
    "records must not be 'disjoint' for one release: `times` repeats the same query, about the "
    "same records; for disjoint parts list the release of each part"
)
_LEAVES = (
    "records must not be 'disjoint' with {}: of a record that is in one of two data sets only it "
    "says nothing; state another `neighbours` if its parameters are for that"
)
_DIVIDES = (
    "records must not be 'disjoint' with a statistic that divides by a number of records: a record "
    "that moves from part to part changes both numbers"
)
_WITHIN = {
    "same": "of a composition within it, in all its releases at once",
    "disjoint": "of a composition within it, in one of its disjoint parts",
    "unknown": "of a composition within it, in one of its releases",
}

_DIGITS = 20
_SIGMA_DIGITS = 17  # so many tell every float64 from the next
_MOST_RELEASES = 10**18
_SINGLE = "mechanism must be a single release for accuracy and loss"


class Composition(several.SeveralReleases, frozen=True, kw_only=True, tag="composition"):
    """Several releases about the same records, with independent noise; later ones may adapt.

    Attributes:
        releases: the releases, all with sensitivities for the same relation.
        records: "same" if one pair of neighbours has the full sensitivities in all of them,
            "disjoint" if they are about disjoint parts of the data and each record is in one of
            these by what it says itself, "unknown" if neither is known.
        times: how often the whole list is released, the same queries about the same records each
            time; once if absent, which a verdict then says.
    """

    noun: ClassVar[str] = "the composition of several releases"
    example: ClassVar[Mapping[str, object]] = {
        "releases": [
            {"kind": "gaussian", "sigma": 1, "sensitivity": 1, "neighbours": "add-remove"}
        ],
        "times": 2,
    }
    refuses: ClassVar[Mapping[str, str]] = {"accuracy": _SINGLE, "loss": _SINGLE}
    twice: ClassVar[str] = "with twice the sensitivities"

    releases: Annotated[tuple[Composable, ...], msgspec.Meta(min_length=1, max_length=100)]
    records: Literal["same", "disjoint", "unknown"] = "unknown"
    times: Annotated[int, msgspec.Meta(ge=1, le=10**9)] | UnsetType = UNSET

    def __post_init__(self) -> None:
        if not several.relations(self.releases):
            raise ValueError("releases must have sensitivities for one and the same relation")
        several.check_groups(self.releases)
        if self.records == "disjoint" and len(self.releases) == 1:
            raise ValueError(_NOT_DISJOINT)
        if self.records == "disjoint" and (part := _unbounded(self.releases)) is not None:
            raise ValueError(_LEAVES.format(part.__struct_config__.tag))
        if self.records == "disjoint" and _has_divided(self.releases):
            raise ValueError(_DIVIDES)
        if self.count() > _MOST_RELEASES:
            raise ValueError("releases must be at most 10^18 together")

    def rounds(self) -> int:
        """Return how often the whole list is released."""
        return self.times if isinstance(self.times, int) else 1

    def stated(self) -> Self:
        """Return itself with every number that a default stands for."""
        parts = tuple(part.stated() for part in self.releases)
        return msgspec.structs.replace(self, releases=parts, times=self.rounds())

    def hypotheses(self, neighbours: Neighbours) -> tuple[Hypothesis, ...]:
        """Return those of all releases; and that they are made once, if nobody says how often."""
        own = [hypothesis("made-once")] if self.times is UNSET else []
        return tuple(dict.fromkeys([*own, *several.hypotheses(self.releases, neighbours)]))

    def count(self) -> int:
        """Return the number of releases."""
        return self.rounds() * sum(part.count() for part in self.releases)

    def group_of(self) -> int | None:
        """Return in how many records neighbours differ; None where that is one, or not said."""
        return self.releases[0].group_of()

    def relation(self) -> Neighbours:
        """Return a relation that the sensitivities are for."""
        return several.relations(self.releases)[0]

    def states_relation(self) -> bool:
        """Whether every release states the relation of its sensitivity."""
        return all(part.states_relation() for part in self.releases)

    def knows(self, neighbours: Neighbours) -> bool | None:
        """Tell whether all sensitivities for a relation are stated; None: one has no bound."""
        return several.knows(self.releases, neighbours)

    def unknown(self, neighbours: Neighbours) -> str:
        """Say of which release nothing is known for a relation."""
        return several.unknown(self.releases, neighbours)

    def extent(self, neighbours: Neighbours) -> Extent:
        """Return what is known of the loss of the worst pair of neighbours."""
        parts = [several.extent_of(part, neighbours) for part in self.releases]
        if self.records == "disjoint":
            found = reduce(or_, parts)
            if neighbours == "replace-one":  # a record may leave one part and enter another
                leaving = [_leaving(part) for part in self.releases]
                moves = [one + other for one, other in combinations(leaving, 2)]
                found = reduce(or_, moves, found)
        else:
            found = reduce(add, parts)
            if self.records == "unknown" and len(parts) > 1:
                found = found.with_least_of(parts)
        return found.times(self.rounds())

    def open_reason(self, neighbours: Neighbours) -> str:
        """Say why a claim that fails for the worst that can be, and not for less, is open."""
        if self.records == "unknown" and len(self.releases) > 1:
            return several.NOT_SAID
        moved = self.records == "disjoint" and neighbours == "replace-one"
        for part in self.releases:  # known between two ends, where the rest is known exactly
            if not moved and not several.extent_of(part, neighbours).is_exact:
                return part.open_reason(neighbours)
        return _PARTS

    def least_noise(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> LeastNoise | None:
        """Return by what every σ is to be multiplied, if all noise is Gaussian."""
        square = self.mu_squared(neighbours)
        if not square:  # not Gaussian, or no loss at all, which no noise could lessen
            return None
        ratio = least_unit(epsilon, delta) * quantities.root_bounds(square, _DIGITS)[1]
        return LeastNoise(_times(ratio), ratio, held=_times(ratio, holds=True))

    def scaled(self, *, square: Fraction, neighbours: Neighbours) -> str:
        """Say by what every σ is multiplied if its square is multiplied by a number."""
        return _times(quantities.root_bounds(square, _DIGITS)[1], holds=square <= 1)

    def supposes(self, neighbours: Neighbours) -> str:
        """Say which pair of neighbours is supposed to exist."""
        return several.supposes(
            self.releases, self.records, several=len(self.releases) > 1, repeated=self.rounds() > 1
        )

    def details(self) -> frozenset[str]:
        """Return what that means within another composition."""
        own = [_WITHIN[self.records]] if len(self.releases) > 1 else []
        return several.details(self.releases).union(own)

    def means(self) -> frozenset[str]:
        """Return what is meant by parameters that state the noise."""
        return several.means(self.releases)

    def missing_elsewhere(self, *, quantity: str, proof: str) -> str:
        """Say what the stand-alone program lacks for one of the releases."""
        missing = (part.missing_elsewhere(quantity=quantity, proof=proof) for part in self.releases)
        return next(filter(None, missing), "")


def _leaving(part: Mechanism) -> Extent:
    """Return what is known of the loss by a record that is in this part of one data set only."""
    for relation in get_args(Neighbours):
        if relation != "replace-one" and part.knows(relation):
            return several.extent_of(part, relation)
    return Extent(several.extent_of(part, "replace-one").most, (PrivacyLoss(),))


_Parts = StatedPart | GaussianPart | DpSgdPart | DpSgdSchedule | RecordedLedger


def _unbounded(releases: tuple[Mechanism, ...]) -> Mechanism | None:
    """Return a release that says nothing of a record that leaves or enters, if there is one."""
    for part in releases:
        if isinstance(part, _Parts) and not part.stays_apart():
            return part
        if isinstance(part, Composition) and (found := _unbounded(part.releases)) is not None:
            return found
    return None


def _has_divided(releases: tuple[Mechanism, ...]) -> bool:
    """Tell whether a statistic divides by a number of records, which a moved record changes."""
    return any(
        _has_divided(part.releases)
        if isinstance(part, Composition)
        else (found := part.computed()) is not None and found.divides()
        for part in releases
    )


def has_box(mechanism: Mechanism) -> bool:
    """Tell whether something is known by its parameters of privacy only."""
    if isinstance(mechanism, Composition):
        return any(has_box(part) for part in mechanism.releases)
    return isinstance(mechanism, PrivacyBox)


def about_every(mechanism: Mechanism) -> Mechanism:
    """Return the same about every mechanism that has the parameters of its black boxes."""
    if isinstance(mechanism, PrivacyBox):
        return every(mechanism)
    if isinstance(mechanism, Composition):
        parts = tuple(about_every(part) for part in mechanism.releases)
        return msgspec.structs.replace(mechanism, releases=parts)
    return mechanism


def _times(ratio: Fraction, *, holds: bool = False) -> str:
    shown = least_noise(ratio, _SIGMA_DIGITS, holds_at=Fraction(1) if holds else None)
    return f"every σ × {shown} would do"


Composable = several.Listed | RecordedLedger | Composition
"""What a composition may be made of."""
