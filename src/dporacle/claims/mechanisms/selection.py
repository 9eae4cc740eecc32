"""Selections: the name of one of several candidates, drawn by noisy scores (X.GAME, X.FLIP)."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

import msgspec
from flint import arb
from msgspec import UNSET, UnsetType

from dporacle import arguments
from dporacle.claims.decision import FIRST_DIGITS, Decided, decide_probability
from dporacle.claims.losses import Extent, LaplaceLoss, LossLaw, PrivacyLoss, ResponseLoss
from dporacle.claims.mechanisms.contribution import QuantileScore
from dporacle.claims.mechanisms.mechanism import ATTAINED, supposition
from dporacle.claims.mechanisms.part import StatedPart
from dporacle.claims.mechanisms.record import Neighbours
from dporacle.verdicts import Verdict
from dporacle.vocabulary.hypotheses import Hypothesis

_FIXED = (
    "the claim fails if the scores of a selection may depend on earlier answers in the worst way; "
    "for scores that are fixed beforehand nothing refutes it: state adaptive = true if they may"
)
_ADAPTIVE = (
    "the bound lies between what an adversary reaches who chooses scores, and what none does"
)
_TWO_ENDS = (
    "of releases of permute-and-flip or noisy max together, and of noisy max with three candidates "
    "or more, δ is known between two ends: that of some scores of two candidates, and that of "
    "Laplace noise"
)
_ABOVE = (
    "δ of above threshold is known from above only: the worst pure mechanism with its ε breaks the "
    "claim"
)


class Selection(StatedPart, frozen=True, kw_only=True):
    """A selection; its loss has a bound η, which is its ε.

    Attributes:
        epsilon: η itself; or the three fields below.
        scale: the scale b of the noise on each score.
        sensitivity: by how much each score moves, Δ; η = 2Δ/b.
        monotonic: whether all scores move the same way; then η = Δ/b.
        statistic: what the scores are, instead of the two before; `neighbours` must be given.
    """

    epsilon: Fraction | UnsetType = UNSET
    scale: Fraction | UnsetType = UNSET
    sensitivity: Fraction | UnsetType = UNSET
    monotonic: bool | UnsetType = UNSET
    statistic: QuantileScore | UnsetType = UNSET

    def __post_init__(self) -> None:
        if isinstance(self.epsilon, Fraction):
            for name in ("scale", "sensitivity", "monotonic", "statistic"):
                if getattr(self, name) is not UNSET:
                    raise ValueError(f"{name} must be absent where epsilon is given")
            arguments.epsilon(self.epsilon)
            return
        if self.scale is UNSET:
            raise ValueError("epsilon or scale must be given, and only one of them")
        arguments.positive("scale", self.scale)
        if isinstance(self.statistic, QuantileScore):
            self._check_statistic(self.statistic)
            return
        for name in ("sensitivity", "monotonic"):
            if getattr(self, name) is UNSET:
                raise ValueError(f"{name} must be given with scale")
        arguments.positive("sensitivity", self.sensitivity)

    def _check_statistic(self, statistic: QuantileScore) -> None:
        for name in ("sensitivity", "monotonic"):
            if getattr(self, name) is not UNSET:
                raise ValueError(f"{name} must be absent where a statistic is given")
        if isinstance(self.neighbours, UnsetType):
            raise ValueError("neighbours must be given, the relation of the statistic's scores")
        if why := statistic.refusal(self.neighbours):
            raise ValueError(why)

    def eta(self) -> Fraction:
        """Return η."""
        if isinstance(self.epsilon, Fraction):
            return self.epsilon
        assert isinstance(self.scale, Fraction)
        if isinstance(self.statistic, QuantileScore):  # some scores rise while others fall
            return 2 * self.statistic.distance(self.relation()) / self.scale
        assert isinstance(self.sensitivity, Fraction)
        return self.sensitivity * (1 if self.monotonic else 2) / self.scale

    def hypotheses(self, neighbours: Neighbours) -> tuple[Hypothesis, ...]:
        """Return those of the theorem, and where the sensitivity is from."""
        found = super().hypotheses(neighbours)
        statistic = self.computed()
        return found if statistic is None else (*statistic.hypotheses(neighbours, "max"), *found)

    def supposes(self, neighbours: Neighbours) -> str:
        """Say which pair of neighbours is supposed to exist."""
        return supposition(ATTAINED, self.details())

    def details(self) -> frozenset[str]:
        """Return what a full sensitivity is of these releases."""
        return frozenset([self.detail])

    def ends(self) -> tuple[LossLaw, LossLaw]:
        """Return the laws from above and from below of one release with η > 0."""
        raise NotImplementedError

    def one(self) -> Extent:
        """Return what is known of the loss of one release."""
        if not self.eta():
            return Extent((PrivacyLoss(),), (PrivacyLoss(),))
        most, least = (PrivacyLoss(others={law: 1}) for law in self.ends())
        return Extent((most,), (least,))

    def open_reason(self, neighbours: Neighbours) -> str:
        """Say what is not known."""
        return _TWO_ENDS


class Exponential(Selection, frozen=True, kw_only=True, tag="exponential"):
    """The exponential mechanism, or noisy max with Gumbel noise of scale b.

    Attributes:
        epsilon: η, the range of its losses: candidates are drawn by e^{εs/2Δ}.
        adaptive: whether scores may depend on earlier answers; if not, they may not be the worst.
    """

    noun: ClassVar[str] = "the exponential mechanism"
    example: ClassVar[Mapping[str, object]] = {"epsilon": 1}
    names: ClassVar[tuple[str, ...]] = ("scores-move", "name-only", "gumbel-or-exact")
    detail: ClassVar[str] = "of a selection, the worst scores"

    adaptive: bool = False

    def ends(self) -> tuple[LossLaw, LossLaw]:
        """Return the game, and a pair of two candidates."""
        from dporacle.claims.selections import BoundedRangeLoss, ChosenPair

        return BoundedRangeLoss(self.eta()), ChosenPair("range", self.eta(), self.adaptive)

    def open_reason(self, neighbours: Neighbours) -> str:
        """Say what is not known."""
        return _ADAPTIVE if self.adaptive else _FIXED


class _TwoEnds(Selection, frozen=True, kw_only=True):
    """A selection that a Laplace release is not less private than."""

    names: ClassVar[tuple[str, ...]] = ("scores-move", "name-only", "independent-noises")
    detail: ClassVar[str] = "of a selection, the worst scores"

    def is_alone(self) -> bool:
        """Whether one release has a profile that is known exactly."""
        return self.count() == 1 and self.eta() > 0

    def decide_privacy(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> Decided:
        """Decide whether it is (ε,δ)-DP; one release by its exact profile."""
        if not self.is_alone() or epsilon >= self.eta():
            return super().decide_privacy(epsilon=epsilon, delta=delta, neighbours=neighbours)
        return decide_probability(lambda digits: self.profile(epsilon, digits), "delta", delta)

    def profile(self, epsilon: Fraction, digits: int) -> arb:
        """Enclose δ(ε) of one release, ε < η."""
        raise NotImplementedError


class PermuteAndFlip(_TwoEnds, frozen=True, kw_only=True, tag="permute-and-flip"):
    """Permute-and-flip, or noisy max with exponential noise of scale b."""

    noun: ClassVar[str] = "permute-and-flip"
    example: ClassVar[Mapping[str, object]] = {"epsilon": 1}

    def ends(self) -> tuple[LossLaw, LossLaw]:
        """Return Laplace noise, and a pair of two candidates."""
        from dporacle.claims.selections import ChosenPair

        return LaplaceLoss(self.eta()), ChosenPair("flip", self.eta())

    def profile(self, epsilon: Fraction, digits: int) -> arb:
        """Enclose 1 − e^{(ε−η)/2}."""
        return LaplaceLoss(self.eta()).delta_at_epsilon(epsilon=epsilon, digits=digits)


class NoisyMax(_TwoEnds, frozen=True, kw_only=True, tag="noisy-max"):
    """The name of the largest score with independent noise on each.

    Attributes:
        noise: "laplace"; with exponential noise it is `permute-and-flip`, with Gumbel noise
            `exponential`.
        candidates: how many there are; any number, two at least, if absent.
    """

    noun: ClassVar[str] = "report noisy max"
    example: ClassVar[Mapping[str, object]] = {"noise": "laplace", "epsilon": 1}

    noise: Literal["laplace"]
    candidates: Annotated[int, msgspec.Meta(ge=1)] | UnsetType = UNSET

    def one(self) -> Extent:
        """Return what is known of the loss of one release: one candidate tells nothing."""
        if self.candidates == 1:
            return Extent((PrivacyLoss(),), (PrivacyLoss(),))
        return super().one()

    def ends(self) -> tuple[LossLaw, LossLaw]:
        """Return Laplace noise, and a pair of two candidates."""
        from dporacle.claims.selections import ChosenPair

        return LaplaceLoss(self.eta()), ChosenPair("laplace", self.eta())

    def is_alone(self) -> bool:
        """Whether there are two candidates, and one release."""
        return super().is_alone() and self.candidates == 2

    def profile(self, epsilon: Fraction, digits: int) -> arb:
        """Enclose the best test of the difference of two scores."""
        from dporacle.claims.selections import noisy_max_delta

        return noisy_max_delta(epsilon, self.eta(), digits)


class AboveThreshold(StatedPart, frozen=True, kw_only=True, tag="above-threshold"):
    """Above threshold, the sparse vector technique: ⊥ or ⊤ of each query, until c are ⊤.

    Attributes:
        threshold_scale: the scale of the Laplace noise on the threshold, drawn once.
        query_scale: that on each query.
        positives: c, after which it stops.
        sensitivity: Δ, by which each query moves.
        monotonic: whether all queries move the same way.
    """

    noun: ClassVar[str] = "above threshold with Laplace noise"
    example: ClassVar[Mapping[str, object]] = {
        "threshold_scale": 1,
        "query_scale": 1,
        "positives": 1,
        "sensitivity": 1,
        "monotonic": True,
    }
    names: ClassVar[tuple[str, ...]] = ("above-threshold-as-proved", "any-number-of-queries")
    detail: ClassVar[str] = "of above threshold, over any number of queries"

    threshold_scale: Fraction
    query_scale: Fraction
    positives: Annotated[int, msgspec.Meta(ge=1)]
    sensitivity: Fraction
    monotonic: bool

    def __post_init__(self) -> None:
        for name in ("threshold_scale", "query_scale", "sensitivity"):
            arguments.positive(name, getattr(self, name))

    def pure(self) -> Fraction:
        """Return the least ε at δ = 0, Δ/b₁ + 2cΔ/b₂, or half the second for one-way queries."""
        factor = self.positives * (1 if self.monotonic else 2)
        return self.sensitivity * (1 / self.threshold_scale + factor / self.query_scale)

    def one(self) -> Extent:
        """Return the worst pure mechanism with this ε; from below there is nothing to compose."""
        return Extent((PrivacyLoss(others={ResponseLoss(self.pure(), 2): 1}),), (PrivacyLoss(),))

    def decide_privacy(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> Decided:
        """Decide whether it is (ε,δ)-DP: one release at δ = 0 exactly."""
        if delta == 0 and self.count() == 1 and epsilon < self.pure():
            above = ResponseLoss(self.pure(), 2).delta_at_epsilon(
                epsilon=epsilon, digits=FIRST_DIGITS
            )
            return Decided(Verdict.VIOLATED, "delta", delta, arb(0), above, FIRST_DIGITS)
        return super().decide_privacy(epsilon=epsilon, delta=delta, neighbours=neighbours)

    def open_reason(self, neighbours: Neighbours) -> str:
        """Say what is not known."""
        return _ABOVE
