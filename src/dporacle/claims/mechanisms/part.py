"""What is common to releases whose privacy is stated, and no sensitivity and noise."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, ClassVar, Self

import msgspec
from flint import arb
from msgspec import UNSET, UnsetType

from dporacle.claims.decision import Decided
from dporacle.claims.losses import Extent
from dporacle.claims.mechanisms.mechanism import LeastNoise, Mechanism
from dporacle.claims.mechanisms.record import Neighbours
from dporacle.vocabulary.hypotheses import Hypothesis, hypothesis

Times = Annotated[int, msgspec.Meta(ge=1, le=10**9)]

_NO_ERROR = "out of scope: the error of an answer that is no number with noise"


class StatedPart(Mechanism, frozen=True, kw_only=True):
    """A release for one relation; nothing follows for any other.

    Attributes:
        times: how often it is made about the same records, with fresh randomness; once if absent,
            which a verdict then says.
        neighbours: the relation that its parameters are for; that of the claim if absent, which a
            verdict then says.
    """

    refuses: ClassVar[Mapping[str, str]] = {"accuracy": _NO_ERROR, "loss": _NO_ERROR}

    names: ClassVar[tuple[str, ...]] = ()
    """The hypotheses of its theorem."""

    times: Times | UnsetType = UNSET
    neighbours: Neighbours | UnsetType = UNSET

    def relation(self) -> Neighbours:
        """Return the relation that is stated; replace-one stands where none is."""
        return "replace-one" if isinstance(self.neighbours, UnsetType) else self.neighbours

    def knows(self, neighbours: Neighbours) -> bool | None:
        """Tell whether the parameters are for a relation; for another they say nothing."""
        return True if self.neighbours in (UNSET, neighbours) else None

    def counted_in(self) -> str:
        """Return nothing: there is no noise to count."""
        return ""

    def count(self) -> int:
        """Return the number of releases."""
        return self.times if isinstance(self.times, int) else 1

    def stated(self) -> Self:
        """Return itself with every number that a default stands for."""
        return msgspec.structs.replace(self, times=self.count())

    def stays_apart(self) -> bool:
        """Whether something is known of a record that only one of two data sets has."""
        return self.neighbours not in (UNSET, "replace-one")

    def hypotheses(self, neighbours: Neighbours) -> tuple[Hypothesis, ...]:
        """Return those of the theorem; and which relation was meant, if none is stated."""
        found = [hypothesis("made-once")] if self.times is UNSET else []
        found += [hypothesis(name) for name in self.names]
        if not self.states_relation():
            found.append(hypothesis("relation-of-the-claim", relation=neighbours))
        return tuple(found)

    def one(self) -> Extent:
        """Return what is known of the loss of one release."""
        raise NotImplementedError

    def extent(self, neighbours: Neighbours) -> Extent:
        """Return what is known of the loss of the worst pair of neighbours."""
        return self.one().times(self.count())

    def decide_privacy(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> Decided:
        """Decide whether it is (ε,δ)-DP."""
        return self.decide_by_extent(epsilon=epsilon, delta=delta, neighbours=neighbours)

    def delta_at_epsilon(self, *, epsilon: Fraction, neighbours: Neighbours, digits: int) -> arb:
        """Refuse: δ(ε) is enclosed by its extent."""
        raise ArithmeticError("δ(ε) is known between two ends")

    def least_noise(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> LeastNoise | None:
        """Return none: it has no noise to be scaled."""
        return None

    def missing_elsewhere(self, *, quantity: str, proof: str) -> str:
        """Say that the stand-alone program does not know such releases."""
        return f"the checker has no {self.__struct_config__.tag}"
