"""Releases that only a composition has: repeated Gaussian ones, and one run of DP-SGD."""

from fractions import Fraction

from msgspec import UNSET, UnsetType

from dporacle.claims.losses import Extent
from dporacle.claims.mechanisms.dp_sgd import DpSgd
from dporacle.claims.mechanisms.gaussian import GaussianMechanism
from dporacle.claims.mechanisms.part import Times
from dporacle.claims.mechanisms.record import Neighbours
from dporacle.claims.mechanisms.sampled_sums import OF_LAST
from dporacle.vocabulary.hypotheses import Hypothesis, hypothesis

_COMPOSED = (
    "poisson",
    "cyclic",
    "fixed-size",
    "balls-and-bins",
    "random-allocation",
    "truncated",
    "shuffled",
    "shuffled-once",
)
_IN_EPOCHS = ("balls-and-bins", "random-allocation", "shuffled", "shuffled-once")
_HIDDEN = ("balls-and-bins", "random-allocation")
_TWO_ENDS = (
    "of {} batches under {} the worst pair of neighbours is not known: from above there is a pair "
    "that dominates it, from below what some data reach"
)


class GaussianPart(GaussianMechanism, frozen=True, kw_only=True, tag="gaussian"):
    """A Gaussian release of a composition.

    Attributes:
        neighbours: that of the claim, if there is a noise multiplier and no relation; a verdict
            says so.
        times: how often it is made, as often as it is listed if absent: once.
    """

    times: Times | UnsetType = UNSET

    def __post_init__(self) -> None:
        if not self._has_no_relation():
            super().__post_init__()
            return
        self._one_of("sigma", "noise_multiplier")

    def _has_no_relation(self) -> bool:
        stated = self.neighbours is not UNSET or self._is_stated()
        return self.noise_multiplier is not UNSET and not stated

    def count(self) -> int:
        """Return the number of releases."""
        return self.times if isinstance(self.times, int) else 1

    def knows(self, neighbours: Neighbours) -> bool | None:
        """Tell whether the sensitivity is stated, or counted in that of the claim."""
        return True if self._has_no_relation() else super().knows(neighbours)

    def states_relation(self) -> bool:
        """Whether a relation is stated."""
        return not self._has_no_relation() and super().states_relation()

    def stays_apart(self) -> bool:
        """Whether something is known of a record that only one of two data sets has."""
        return not self._has_no_relation()

    def hypotheses(self, neighbours: Neighbours) -> tuple[Hypothesis, ...]:
        """Return which relation was meant, if none is stated."""
        found = super().hypotheses(neighbours)
        if self._has_no_relation():
            return (*found, hypothesis("relation-of-the-claim", relation=neighbours))
        return found

    def mu_squared(self, neighbours: Neighbours | None = None) -> Fraction:
        """Return the μ² of all of them."""
        return self.count() * super().mu_squared(neighbours)

    def missing_elsewhere(self, *, quantity: str, proof: str) -> str:
        """Say that the stand-alone program knows no repeated releases, nor a missing relation."""
        if self.times is not UNSET or self._has_no_relation():
            return "the checker has no repeated releases, nor those without a relation"
        return super().missing_elsewhere(quantity=quantity, proof=proof)


class DpSgdPart(DpSgd, frozen=True, kw_only=True, tag="dp-sgd"):
    """A run of DP-SGD in a composition, beside others: all its batches, of one record or a group.

    What is divided by a number that tells of the record has no loss that is known, nor have
    batches that are drawn in another way than those of `dporacle.claims.runs`.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        from dporacle.mechanisms.sampling import readings

        named = readings(self.drawn())
        if len(named) > 1 or named[0] not in _COMPOSED or self.drawn() == "drop-last":
            raise ValueError(
                f"sampling must be one of {', '.join(_COMPOSED)} in a composition, got "
                f"{self.drawn()!r}: of other batches no loss is known that could be composed; "
                "claim them by themselves"
            )
        if named[0] in _IN_EPOCHS:
            self.run().need_whole_epochs()
        if self.rate_from_n is True:
            raise ValueError(
                "rate_from_n must be absent in a composition: of a rate that is computed from the "
                "number of records no loss is known that could be composed"
            )
        if not self.run().as_sums:
            raise ValueError(
                "divisor must be one of public, noisy-count in a composition, got "
                f"{self.divisor!r}: of the others no loss is known that could be composed"
            )

    def stays_apart(self) -> bool:
        """Whether something is known of a record that enters or leaves: not which way."""
        return False

    def group_of(self) -> int | None:
        """Return in how many records neighbours differ; None if that is not said."""
        return self._group()

    def hypotheses(self, neighbours: Neighbours) -> tuple[Hypothesis, ...]:
        """Return those of the run; and of hidden batches, that nothing else is in an epoch."""
        found = super().hypotheses(neighbours)
        if self.drawn() in _HIDDEN:
            return (*found, hypothesis("epochs-not-interleaved"))
        return found

    def extent(self, neighbours: Neighbours) -> Extent:
        """Return what is known of the worst pair of neighbours; from below, of every sum."""
        from dporacle.claims.runs import of_run

        return of_run(self.run(), neighbours)

    def details(self) -> frozenset[str]:
        """Return what the data are that refute a claim, of a group and of the others."""
        from dporacle.mechanisms.sampling import supposed

        found = []
        if self._is_grouped():
            found.append(f"of a group of {self.records()} records, all in one direction")
        if self.drawn() != "poisson":
            others = supposed(self.drawn(), "add-remove").partition("; ")[2]
            found.append(f"of {self.drawn()} batches, in one direction at every step; {others}")
        return frozenset(found)

    def open_reason(self, neighbours: Neighbours) -> str:
        """Say between what the truth is."""
        if self.released != "every-step":
            return OF_LAST
        return _TWO_ENDS.format(self.drawn(), neighbours)
