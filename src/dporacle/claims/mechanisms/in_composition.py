"""Releases that only a composition has: repeated Gaussian ones, and one run of DP-SGD."""

from fractions import Fraction

from msgspec import UNSET, UnsetType

from dporacle.claims.losses import Extent, PrivacyLoss
from dporacle.claims.mechanisms.dp_sgd import DpSgd
from dporacle.claims.mechanisms.gaussian import GaussianMechanism
from dporacle.claims.mechanisms.part import Times
from dporacle.claims.mechanisms.record import Neighbours
from dporacle.vocabulary.hypotheses import Hypothesis, hypothesis


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
    """A run of DP-SGD in a composition: Poisson-sampled batches, one record, every noisy sum."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.drawn() != "poisson":
            raise ValueError(
                f"sampling must be 'poisson' in a composition, got {self.drawn()}: of other "
                "batches no loss is known that could be composed; claim them by themselves"
            )
        if self.microbatches is not UNSET:
            raise ValueError(
                "microbatches must be absent in a composition: its losses are those of one batch"
            )
        if not self.run().as_sums:
            raise ValueError(
                "divisor must be one of public, noisy-count in a composition, got "
                f"{self.divisor!r}: of the others no loss is known that could be composed"
            )
        if self._is_grouped():
            raise ValueError(
                "group must be absent in a composition: its losses are those of one record"
            )

    def stays_apart(self) -> bool:
        """Whether something is known of a record that enters or leaves: not which way."""
        return False

    def extent(self, neighbours: Neighbours) -> Extent:
        """Return that of the worst pair of neighbours, both ways; from below, of every sum."""
        from dporacle.claims.sampled import SampledLoss, Way

        run, sigma = self.run(), self.noise_multiplier
        if run.sampling_rate == 1:
            square = (2 if neighbours == "replace-one" else 1) ** 2 / sigma**2
            most: tuple[PrivacyLoss, ...] = (PrivacyLoss(run.steps * square),)
        else:
            ways: tuple[Way, ...] = ("remove", "add")
            if neighbours == "replace-one":
                ways = ("replace-one",)
            laws = [SampledLoss(run.sampling_rate, sigma, way) for way in ways]
            most = tuple(PrivacyLoss(others={law: run.steps}) for law in laws)
        return Extent(most, most if self.released == "every-step" else (PrivacyLoss(),))

    def open_reason(self, neighbours: Neighbours) -> str:
        """Say that the last iterate may be more private than all sums."""
        return "only the last iterate is released: from below nothing is proved"
