"""What claims ask of every mechanism; each mechanism is one file of this folder.

A mechanism says which neighbours it covers, encloses its δ at ε, its errors and its expected loss
as balls, names the least noise that would do, and, where its releases can be composed, gives its
privacy loss. What it does not answer it refuses when a claim is read. Numbers are the
`fractions.Fraction` that was written.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from flint import arb
from msgspec import UNSET, UnsetType

from dporacle.claims import quantities
from dporacle.claims.decision import Decided, decide_probability
from dporacle.claims.losses import Extent, PrivacyLoss
from dporacle.claims.mechanisms.contribution import Contribution, Norm, Statistic
from dporacle.claims.mechanisms.record import Neighbours, Strict, Unit
from dporacle.claims.quantities import Ends
from dporacle.claims.wording import compare, scale
from dporacle.verdicts import Verdict
from dporacle.vocabulary.hypotheses import Hypothesis, hypothesis
from dporacle.vocabulary.relations import RELATIONS

_TRIVIAL = 0, 1  # the δ that no Gaussian noise has, and that every noise has

ATTAINED = (
    "two neighbouring data sets exist whose answers differ by the full sensitivity, or nearly"
)
"""What a violation supposes of one release."""


def supposition(text: str, details: frozenset[str]) -> str:
    """Say what a violation supposes, with what that means for some kinds of noise."""
    return f"{text} ({'; '.join(sorted(details))})" if details else text


@dataclass(frozen=True, slots=True)
class LeastNoise:
    """The noise from which on a claim of privacy would hold.

    Attributes:
        words: what would do.
        ratio: it, as a multiple of the present noise; None where that is not known.
        name: what that noise is called.
        held: what would do, where the claim holds for the present noise: that it is rounded up
            may not make it more than this one. The same words, if empty.
    """

    words: str
    ratio: Fraction | None = None
    name: str = "σ"
    held: str = ""

    def told(self, verdict: Verdict) -> str:
        """Return what would do, as a verdict may say it."""
        return self.held if self.held and verdict is Verdict.HOLDS else self.words


class Mechanism(Strict, frozen=True, kw_only=True, tag_field="kind"):
    """What a claim is about.

    Each enclosure may raise an `ArithmeticError`, if the number is out of its reach.
    """

    noun: ClassVar[str] = ""
    """What a report calls it; a class with a noun of its own is a kind that a file may name."""

    example: ClassVar[Mapping[str, object]] = {}
    """Fields of one, as a file states them, that is not (0.1, 1e-9)-DP, if it can be proved so."""

    only_relation: ClassVar[bool] = False
    """Whether its relation is that of the mechanism itself: no other one can be stated."""

    refuses: ClassVar[Mapping[str, str]] = {}
    """Kind of assertion that is no question about this mechanism -> why."""

    twice: ClassVar[str] = "with twice the sensitivity"

    detail: ClassVar[str] = ""
    """What a full sensitivity is of this noise, where more is to be said."""

    meaning: ClassVar[str] = ""
    """What is meant by a parameter that states the noise; empty where it is stated by itself."""

    noise_called: ClassVar[str] = "σ"
    """What a margin calls its noise."""

    norm: ClassVar[Norm] = 2
    """The norm of its sensitivity."""

    def computed(self) -> Statistic | None:
        """Return the statistic that is released, if its sensitivity is that."""
        found = getattr(self, "statistic", None)
        return found if isinstance(found, Statistic) else None

    def relation(self) -> Neighbours:
        """Return the relation that the sensitivity is for."""
        return self.neighbours  # type: ignore[attr-defined, no-any-return]

    def states_relation(self) -> bool:
        """Whether `relation` is what is stated, and nothing that stands in its place."""
        return getattr(self, "neighbours", None) is not UNSET

    def counted_in(self) -> str:
        """Return the unit of the noise."""
        return self.unit  # type: ignore[attr-defined, no-any-return]

    def coordinates(self) -> int | None:
        """Return how many coordinates the answer has, if the mechanism says so."""
        return None

    def knows(self, neighbours: Neighbours) -> bool | None:
        """Tell whether the sensitivity for a relation is stated; None: nor is any bound of it.

        Replacing a record is removing one and adding one: it changes an answer by at most twice as
        much. The other way nothing follows.
        """
        if (statistic := self.computed()) is not None:
            return None if statistic.refusal(neighbours) else True
        if neighbours == self.relation():
            return True
        return False if neighbours in RELATIONS[self.relation()].reaches else None

    def unknown(self, neighbours: Neighbours) -> str:
        """Say why nothing is known for a relation."""
        statistic = self.computed()
        if statistic is not None and (why := statistic.refusal(neighbours)):
            return why
        if self.only_relation:
            kind = self.__struct_config__.tag
            return (
                f"{kind!r} is for {self.relation()} neighbours, and nothing is known of it for "
                f"{neighbours}: claim privacy for {self.relation()}"
            )
        said = "its sensitivity" if hasattr(self, "sensitivity") else "its parameters"
        return (
            f"mechanism must state {said} for {neighbours}, as the asserted privacy does: "
            f"what is stated for {self.relation()} says nothing about it"
        )

    def steps(self, neighbours: Neighbours) -> int:
        """Return by how many steps of the stated relation the neighbours of one are reached."""
        return 1 if self.knows(neighbours) else RELATIONS[self.relation()].reaches[neighbours]

    def delta_at_epsilon(self, *, epsilon: Fraction, neighbours: Neighbours, digits: int) -> arb:
        """Enclose δ(ε)."""
        raise NotImplementedError

    def decide_privacy(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> Decided:
        """Decide whether it is (ε,δ)-DP."""
        return decide_probability(
            lambda digits: self.delta_at_epsilon(
                epsilon=epsilon, neighbours=neighbours, digits=digits
            ),
            "delta",
            delta,
            doubled=not self.knows(neighbours),
        )

    def epsilon_ends(self, *, delta: Fraction, neighbours: Neighbours) -> Ends | None:
        """Return rationals between which the least ε at a δ is; None where none is soon found.

        The upper one is None where nothing is proved from above.
        """
        extent = self.extent(neighbours)
        if extent is None or not extent.is_gaussian:
            return None
        least, most = (
            max(loss.mu_squared for loss in losses) for losses in (extent.least, extent.most)
        )
        found = quantities.epsilon_ends(delta=delta, mu_squared=most)
        if found is None or least == most:
            return found
        below = quantities.epsilon_ends(delta=delta, mu_squared=least) if least else None
        return Ends(below.low if below else Fraction(0), found.high)

    def decide_by_extent(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> Decided:
        """Decide it by what is known of the loss of the worst pair of neighbours."""
        from dporacle.claims.convolution import decide_losses

        extent, doubled = self.extent(neighbours), not self.knows(neighbours)
        assert extent is not None
        above = decide_losses(extent.most, epsilon=epsilon, delta=delta)
        if extent.is_exact or (doubled and extent.is_nothing):
            return replace(above, doubled=doubled)
        try:
            below = decide_losses(extent.least, epsilon=epsilon, delta=delta)
        except ArithmeticError:  # which leaves what is proved from above
            if above.verdict is not Verdict.HOLDS:
                raise
            return replace(above, below=arb(0), doubled=doubled)
        if below.verdict is Verdict.VIOLATED:
            return replace(below, above=above.above)
        if above.verdict is Verdict.VIOLATED:
            above = replace(above, verdict=Verdict.UNDECIDED)
        if above.verdict is Verdict.UNDECIDED:
            above = replace(above, reason=self.open_reason(neighbours))
        is_held = above.verdict is Verdict.HOLDS
        return replace(above, below=below.below, doubled=doubled and is_held)

    def sharpened(self, decided: Decided, *, epsilon: Fraction, neighbours: Neighbours) -> Decided:
        """Enclose the exact δ(ε) too, for the words, where a bound was enough for the verdict."""
        return decided

    def least_noise(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> LeastNoise | None:
        """Return the least noise that is (ε,δ)-DP; None where it is not soon found."""
        raise NotImplementedError

    def describe_privacy(
        self, decided: Decided, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> tuple[str, str]:
        """Return how far off a claim of (ε,δ)-DP is, and the noise that would do."""
        if delta in _TRIVIAL and self._is_gaussian_noise(neighbours):
            if delta == 0:
                return "true δ is never 0 for Gaussian noise", ""
            return f"{compare('true δ', decided)}; with δ = 1 every σ would do", ""
        least = self.least_noise(epsilon=epsilon, delta=delta, neighbours=neighbours)
        margin = compare("true δ", decided)
        if least is None:
            return self.with_steps(margin, decided), ""
        told = decided.verdict is not Verdict.UNDECIDED or decided.doubled
        if decided.is_between and decided.verdict is not Verdict.HOLDS:
            told = False  # it would do, and less may do
        if least.ratio is not None and told:
            margin = f"{margin}; {scale(least.ratio, least.name, verdict=decided.verdict)}"
        return self.with_steps(margin, decided), least.told(decided.verdict)

    def _is_gaussian_noise(self, neighbours: Neighbours) -> bool:
        """Tell whether the loss is that of Gaussian noise, and there is one."""
        extent = self.extent(neighbours)
        if extent is None or not extent.is_gaussian:
            return False
        return all(loss.mu_squared for loss in extent.most)

    def privacy_loss(self, neighbours: Neighbours) -> PrivacyLoss | None:
        """Return its privacy loss, as compositions need it; None where there is none to use."""
        return None

    def extent(self, neighbours: Neighbours) -> Extent | None:
        """Return what is known of the loss of the worst pair of neighbours."""
        loss = self.privacy_loss(neighbours)
        if loss is None:
            return None
        return Extent((loss,), (loss if self.knows(neighbours) else PrivacyLoss(),))

    def group_of(self) -> int | None:
        """Return in how many records neighbours differ; None where that is one, or not said."""
        return None

    def open_reason(self, neighbours: Neighbours) -> str:
        """Say why a claim that fails for the worst that can be, and not for less, is open."""
        raise NotImplementedError

    def hypotheses(self, neighbours: Neighbours) -> tuple[Hypothesis, ...]:
        """Return what the proved values are proved under, beside what the fields say."""
        if (statistic := self.computed()) is None:
            return ()
        found = statistic.hypotheses(neighbours, self.norm)
        if neighbours == "add-remove" and statistic.divides():
            return (*found, hypothesis("noise-apart-from-records"))
        return found

    def hypotheses_at(
        self, neighbours: Neighbours, *, epsilon: Fraction, delta: Fraction
    ) -> tuple[Hypothesis, ...]:
        """Return the same of one (ε, δ), which may need less."""
        return self.hypotheses(neighbours)

    def of_errors(self) -> tuple[Hypothesis, ...]:
        """Return what a claim about its errors is proved under, beside what the fields say."""
        return ()

    def supposes(self, neighbours: Neighbours) -> str:
        """Say which pair of neighbours is supposed to exist where a claim is VIOLATED."""
        if (statistic := self.computed()) is not None:
            return statistic.pair(neighbours)
        return supposition(ATTAINED, self.details())

    def details(self) -> frozenset[str]:
        """Return what a full sensitivity is of these releases, where more is to be said."""
        if self.computed() is not None:
            return frozenset(["of a statistic, up to the bounds of its records"])
        return frozenset([self.detail] if self.detail else [])

    def means(self) -> frozenset[str]:
        """Return what is meant by parameters that state the noise."""
        return frozenset([self.meaning] if self.meaning else [])

    def count(self) -> int:
        """Return the number of releases."""
        return 1

    def mu_squared(self, neighbours: Neighbours | None = None) -> Fraction | None:
        """Return the μ² of the Gaussian mechanism whose privacy this one has, if there is one."""
        return None

    def scaled(self, *, square: Fraction, neighbours: Neighbours) -> str:
        """Say which noise has a variance that is so many times the present one; may be empty."""
        return ""

    def with_steps(self, margin: str, decided: Decided) -> str:
        """Say in front of a margin that it is for a multiple of the stated sensitivity."""
        return f"{self.twice} {margin}" if decided.doubled else margin

    def error_tail(self, *, error: Fraction, queries: int, digits: int) -> arb:
        """Enclose Pr[the largest error of so many coordinates > error]."""
        raise NotImplementedError

    def least_error(self, *, alpha: Fraction, queries: int) -> str:
        """Return an error that is exceeded with probability α at most, as a decimal."""
        raise NotImplementedError

    def noise_for_error(self, *, error: Fraction, alpha: Fraction, queries: int) -> str:
        """Say up to which noise an error is exceeded with probability α at most; may be empty."""
        return ""

    def rational_loss(self, *, dimension: int) -> Fraction | None:
        """Return the expected squared ℓ2 error of all coordinates, if it is a rational number."""
        return None

    def expected_loss(self, *, dimension: int, digits: int) -> arb:
        """Enclose the expected squared ℓ2 error of all coordinates."""
        raise NotImplementedError

    def noise_for_loss(self, *, loss: Fraction, dimension: int) -> str:
        """Say up to which noise the expected loss is at most a number; may be empty."""
        return ""

    def missing_elsewhere(self, *, quantity: str, proof: str) -> str:
        """Say what the stand-alone program lacks to check a verdict; empty if nothing."""
        return "the checker has no statistics" if self.computed() is not None else ""


class ClippedSums(Mechanism, frozen=True, kw_only=True):
    """Noisy sums of clipped contributions: a contribution bounds what each relation changes.

    Attributes:
        neighbours: may be stated; a claim says which relation it is about.
    """

    neighbours: Neighbours | UnsetType = UNSET

    def relation(self) -> Neighbours:
        """Return the relation that is stated, or add-remove."""
        return "add-remove" if isinstance(self.neighbours, UnsetType) else self.neighbours

    def counted_in(self) -> str:
        """Return nothing: the noise is counted in norms of a contribution."""
        return ""

    def knows(self, neighbours: Neighbours) -> bool | None:
        """Tell that every relation is known."""
        return True


class NumberNoise(Mechanism, frozen=True, kw_only=True):
    """Noise that is added to a number: by how much a record moves it is stated, or what it is.

    Attributes:
        neighbours: the relation that the sensitivity is for.
        unit: what the noise and Δ are counted in.
    """

    neighbours: Neighbours | UnsetType = UNSET
    unit: Unit = ""

    def __post_init__(self) -> None:
        self._one_of("sensitivity", "statistic")
        stated = self.computed() is None
        if stated and self.neighbours is UNSET:
            raise ValueError(
                "neighbours must be given, the relation of the sensitivity: add-remove, "
                "replace-one or zero-out"
            )
        if not stated and self.neighbours is not UNSET:
            raise ValueError("neighbours must be absent: the statistic is for every relation")

    def relation(self) -> Neighbours:
        """Return the relation that is stated: add-remove for statistics."""
        return "add-remove" if isinstance(self.neighbours, UnsetType) else self.neighbours

    def moved_by(self, neighbours: Neighbours) -> Fraction:
        """Return by how much a record moves a number for a relation, or a bound of it."""
        if (statistic := self.computed()) is not None:
            return statistic.distance(neighbours)
        return Fraction(self.sensitivity) * self.steps(neighbours)  # type: ignore[attr-defined]


class VectorNoise(Mechanism, frozen=True, kw_only=True):
    """Noise that is added to an answer f(x) in R^k.

    Attributes:
        neighbours: the relation that the sensitivity is for: one record is added or removed, or
            one is replaced, or one is replaced by one that contributes nothing.
        sensitivity: the ℓ2-sensitivity Δ of f, reached or approached by some pair of neighbours.
        sensitivity_squared: Δ² instead, for a Δ such as √2.
        contribution: bounds of what a record contributes instead, for every relation.
        unit: what σ and Δ are counted in.
    """

    neighbours: Neighbours | UnsetType = UNSET
    sensitivity: Fraction | None = None
    sensitivity_squared: Fraction | None = None
    contribution: Contribution | UnsetType = UNSET
    unit: Unit = ""

    def __post_init__(self) -> None:
        if self.contribution is UNSET:
            if self.neighbours is UNSET:
                raise ValueError(
                    "neighbours must be given, the relation of the sensitivity: add-remove, "
                    "replace-one or zero-out"
                )
            if self._needs_sensitivity():
                self._one_of("sensitivity", "sensitivity_squared")
        elif self.sensitivity is not None or self.sensitivity_squared is not None:
            raise ValueError("contribution must be given without a sensitivity")

    def _needs_sensitivity(self) -> bool:
        return True

    def relation(self) -> Neighbours:
        """Return the relation that the noise is stated for: add-remove for contributions."""
        return "add-remove" if self.neighbours is UNSET else self.neighbours

    def knows(self, neighbours: Neighbours) -> bool | None:
        """Tell whether the sensitivity for a relation is stated: bounds of contributions do."""
        return True if self.contribution is not UNSET else super().knows(neighbours)

    def details(self) -> frozenset[str]:
        """Return what a full sensitivity is of these releases, where more is to be said."""
        bounds = [] if self.contribution is UNSET else ["of a contribution, up to its bounds"]
        return super().details().union(bounds)

    def distance_squared(self, neighbours: Neighbours | None = None) -> Fraction:
        """Return Δ² for a relation, or a bound of it; for the stated one, if None."""
        asked = self.relation() if neighbours is None else neighbours
        if (statistic := self.computed()) is not None:
            return statistic.distance_squared(asked)
        if self.contribution is not UNSET:
            return self.contribution.distance_squared(asked)
        square = self.sensitivity_squared
        if self.sensitivity is not None:
            square = self.sensitivity**2
        assert square is not None
        return square * self.steps(asked) ** 2
