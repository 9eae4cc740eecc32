"""Noisy sums of Poisson-sampled batches, of one record or of a group (X.SG)."""

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

import msgspec
from flint import arb
from msgspec import UNSET, UnsetType

from dporacle.claims.decision import FIRST_DIGITS, Decided
from dporacle.claims.mechanisms.mechanism import ClippedSums
from dporacle.claims.mechanisms.record import Neighbours
from dporacle.claims.quantities import Ends
from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.mechanisms.words import Released
from dporacle.verdicts import Verdict
from dporacle.vocabulary.domains import MOST_RECORDS

if TYPE_CHECKING:
    from dporacle.mechanisms.training import TrainingSchedule

_MOST_DIGITS = 60  # as many as `subsampled_delta` encloses
SHORT_DIGITS = 9
_MONOTONE = "δ(ε) is at most its value at a smaller ε"
_AT_LARGER = "δ(ε) is at least its value at a larger ε"
_BITS = 128  # of an exact δ, where it is shown

NO_CURVE = (
    "out of scope: {} of DP-SGD; the nearest claim that can be decided is `privacy` at one ε and δ"
)
NO_UTILITY = (
    "out of scope: the error of a sum over a random batch; the nearest claim that can be decided "
    "is the same claim about `gaussian` noise, for the sum of a given batch"
)
LAST = (
    "the claim is false if every noisy sum is released; but only the last iterate is, and nothing "
    "is proved about that"
)
OF_LAST = "only the last iterate is released: from below nothing is proved"
Records = Annotated[int, msgspec.Meta(ge=1, le=MOST_RECORDS)]
Cap = Annotated[int, msgspec.Meta(ge=1, le=10**9)]


class SampledSums(ClippedSums, frozen=True, kw_only=True):
    """Noisy sums of contributions that are clipped, of Poisson-sampled batches.

    Every relation is known: a contribution has norm 1 at most, in units of the clipping norm.

    Attributes:
        neighbours: may be stated; a claim says which relation it is about.
        group: neighbours differ in so many records, all added, all removed or all replaced; or
        records_per_user: in all records of a user, who has so many at most; with
        group_cap: the largest norm of their contributions to one batch together.
        released: "every-step", every noisy sum, or the "last-iterate" alone.
    """

    group: Records | UnsetType = UNSET
    records_per_user: Records | UnsetType = UNSET
    group_cap: Cap | UnsetType = UNSET
    released: Released = "every-step"

    def _check_group(self) -> None:
        if self.group is not UNSET and self.records_per_user is not UNSET:
            raise ValueError("group or records_per_user must be given, and only one of them")
        if self.group_cap is not UNSET and not self._is_grouped():
            raise ValueError("group_cap must be given with group or records_per_user only")

    def _group(self) -> int | None:
        """Return in how many records neighbours differ; None if that is not said."""
        return self.records() if self._is_grouped() else None

    def _is_grouped(self) -> bool:
        return self.group is not UNSET or self.records_per_user is not UNSET

    def records(self) -> int:
        """Return in how many records neighbours differ."""
        for each in (self.group, self.records_per_user):
            if isinstance(each, int):
                return each
        return 1

    def _supposed_one(self, neighbours: Neighbours) -> str:
        """Say which pair of neighbours that differ in one record is supposed to exist."""
        replaced = neighbours == "replace-one"
        records = "two records may contribute" if replaced else "a record may contribute"
        turned = ", against each other," if replaced else ","
        return f"{records} the full clipping norm{turned} in one direction at every step"

    def _supposed_group(self, neighbours: Neighbours) -> str:
        """Say the same of a group: all of it in one direction at every step."""
        many = self.records()
        whose = "of a user " if isinstance(self.records_per_user, int) else ""
        most = (
            f"; together {self.group_cap} clipping norms at most"
            if isinstance(self.group_cap, int) and self.group_cap < many
            else ""
        )
        turned = ", and those in their place against them," if neighbours == "replace-one" else ""
        who = f"{many} records {whose}may" if many > 1 else f"one record {whose}may"
        return (
            f"{who} contribute the full clipping norm{turned} in one direction at every step{most}"
        )

    def _direction(self, neighbours: Neighbours) -> str:
        from dporacle.mechanisms.training import enclosed_word

        return enclosed_word(neighbours)

    def delta_at_epsilon(self, *, epsilon: Fraction, neighbours: Neighbours, digits: int) -> arb:
        """Enclose δ(ε) under Poisson sampling."""
        if digits > _MOST_DIGITS:
            raise ArithmeticError(f"more than {_MOST_DIGITS} digits of δ are not enclosed")
        return self._enclose("delta", neighbours, digits, epsilon=epsilon)

    def schedule(self) -> "TrainingSchedule":
        """Return what is run, as phases of Poisson sampling."""
        raise NotImplementedError

    def _enclose(self, quantity: str, neighbours: Neighbours, digits: int, **at: Fraction) -> arb:
        """Enclose δ, ε, or what is least of the noise."""
        raise NotImplementedError

    def _poisson_ends(self, delta: Fraction, neighbours: Neighbours) -> Ends | None:
        """Return proved ends of ε under Poisson sampling, or None."""
        if delta in {0, 1}:
            return None
        from dporacle.mechanisms.training import exact_or_two_ends

        return exact_or_two_ends(
            lambda: self._enclose("epsilon", neighbours, SHORT_DIGITS, delta=delta),
            self.schedule(),
            delta,
            self._direction(neighbours),
        )

    def decide_privacy(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> Decided:
        """Decide whether it is (ε,δ)-DP."""
        try:
            decided = super().decide_privacy(epsilon=epsilon, delta=delta, neighbours=neighbours)
        except ArithmeticError:  # δ(ε) may be too small for an enclosure of its own; it falls in ε
            exact = self._poisson_ends(delta, neighbours)
            if exact is None or exact.high is None or exact.low <= epsilon < exact.high:
                raise
            with precision(_BITS):
                at = ball(delta)
                below, above, verdict, proof = (
                    (arb(0), arb(0).union(at), Verdict.HOLDS, _MONOTONE)
                    if exact.high <= epsilon
                    else (at, arb(1), Verdict.VIOLATED, _AT_LARGER)
                )
            decided = Decided(verdict, "delta", delta, below, above, FIRST_DIGITS, proof=proof)
        if self.released == "last-iterate" and decided.verdict is Verdict.VIOLATED:
            return replace(decided, verdict=Verdict.UNDECIDED, reason=LAST)
        return decided

    def missing_elsewhere(self, *, quantity: str, proof: str) -> str:
        """Say that the stand-alone program cannot check it."""
        return "the checker has no sums over random batches"
