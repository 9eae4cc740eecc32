"""DP-SGD in phases of different noise, rate and cap, of one record or of a group (X.SG).

In the place of a rate a phase may have a law from which each step draws its sensitivity.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec
from flint import arb
from msgspec import UNSET, UnsetType

from dporacle import arguments
from dporacle.claims.losses import Extent
from dporacle.claims.mechanisms.mechanism import LeastNoise
from dporacle.claims.mechanisms.record import Neighbours, Strict
from dporacle.claims.mechanisms.sampled_sums import (
    NO_CURVE,
    NO_UTILITY,
    OF_LAST,
    SHORT_DIGITS,
    Cap,
    SampledSums,
)
from dporacle.claims.quantities import Ends
from dporacle.claims.wording import round_decimal
from dporacle.enclosures.arithmetic import rounding as balls
from dporacle.mechanisms.words import HarmlessDivisor
from dporacle.vocabulary.domains import MOST_PHASES, MOST_RECORDS, UNIT
from dporacle.vocabulary.hypotheses import Hypothesis, hypothesis, stated

if TYPE_CHECKING:
    from dporacle.enclosures.subsampled_gaussian import Phase as Read
    from dporacle.mechanisms.training import TrainingSchedule

_SHOWN_DIGITS = 6
_ALL_DRAWN = "where a sensitivity is drawn, the sum may move by all of it"
_OTHERS = {
    "zcdp": "ρ",
    "gdp": "the μ",
    "rdp": "a Rényi divergence",
    "risk": "the power of a test",
    "advantage": "the advantage",
    "bayes-success": "the success",
    "auc": "the area under the power",
}


class Drawn(Strict, frozen=True, kw_only=True):
    """A bound on what is moved in one step, in clipping norms, and how probable it is."""

    sensitivity: Fraction
    probability: Fraction

    def __post_init__(self) -> None:
        arguments.positive("sensitivity", self.sensitivity)
        arguments.within(UNIT, "probability", self.probability)


class Phase(Strict, frozen=True, kw_only=True):
    """Some steps.

    Attributes:
        noise_multiplier: σ over the clipping norm.
        sampling_rate: probability of each record to enter a batch; or
        drawn_sensitivity: what each step may move, drawn anew; the rest of 1 is for nothing.
        steps: how many batches.
        group_cap: the largest norm of a group's contributions to one batch in this phase.
    """

    noise_multiplier: Fraction
    sampling_rate: Fraction | UnsetType = UNSET
    drawn_sensitivity: (
        Annotated[tuple[Drawn, ...], msgspec.Meta(min_length=1, max_length=MOST_RECORDS)]
        | UnsetType
    ) = UNSET
    steps: Annotated[int, msgspec.Meta(ge=1, le=10**12)]
    group_cap: Cap | UnsetType = UNSET

    def __post_init__(self) -> None:
        arguments.positive("noise_multiplier", self.noise_multiplier)
        if (self.sampling_rate is UNSET) == (self.drawn_sensitivity is UNSET):
            raise ValueError(
                "sampling_rate or drawn_sensitivity must be given, and only one of them"
            )
        if isinstance(self.sampling_rate, Fraction):
            arguments.within(UNIT, "sampling_rate", self.sampling_rate)
        elif self.group_cap is not UNSET:
            raise ValueError("group_cap must be absent beside drawn_sensitivity")
        if sum(self.moved().values()) > 1:
            raise ValueError(
                "drawn_sensitivity must have probabilities of 1 at most together, "
                f"got {sum(self.moved().values())}"
            )
        if len(self.moved()) > 1 and sum(self.moved().values()) == 1:
            raise ValueError("drawn_sensitivity must leave 0 a positive probability")

    def moved(self) -> dict[Fraction, Fraction]:
        """Return sensitivity -> probability; none where there is a rate."""
        law: dict[Fraction, Fraction] = {}
        if not isinstance(self.drawn_sensitivity, UnsetType):
            for each in self.drawn_sensitivity:
                law[each.sensitivity] = law.get(each.sensitivity, Fraction(0)) + each.probability
        return law


class DpSgdSchedule(SampledSums, frozen=True, kw_only=True, tag="dp-sgd-schedule"):
    """Phases of noisy sums of Poisson-sampled batches, one after the other.

    Attributes:
        phases: noise, rate (or law of the sensitivity), steps and perhaps the `group_cap` of each.
        neighbours: may be stated; a claim says which relation it is about.
        group: neighbours differ in so many records, all added, all removed or all replaced; or
        records_per_user: in all records of a user, who has so many at most; with
        group_cap: the largest norm of their contributions to one batch, where a phase has no own.
        released: "every-step", every noisy sum, or the "last-iterate" alone.
        divisor: what the sums are divided by: "public" or "noisy-count". If it is left out, a claim
            holds if that is a public number, and the verdict says so.
    """

    noun: ClassVar[str] = "DP-SGD in phases"
    example: ClassVar[Mapping[str, object]] = {
        "phases": [
            {"noise_multiplier": 1, "sampling_rate": "1/2", "steps": 2},
            {"noise_multiplier": 2, "sampling_rate": "1/2", "steps": 2},
        ]
    }
    refuses: ClassVar[Mapping[str, str]] = {
        "accuracy": NO_UTILITY,
        "loss": NO_UTILITY,
        **{kind: NO_CURVE.format(what) for kind, what in _OTHERS.items()},
    }

    phases: Annotated[tuple[Phase, ...], msgspec.Meta(min_length=1, max_length=MOST_PHASES)]
    divisor: HarmlessDivisor | UnsetType = UNSET

    def __post_init__(self) -> None:
        self._check_group()
        if any(each.group_cap is not UNSET for each in self.phases) and not self._is_grouped():
            raise ValueError("group_cap must be given with group or records_per_user only")
        if self._is_drawn() and self._is_grouped():
            raise ValueError(
                "group and records_per_user must be absent beside drawn_sensitivity, which is all "
                "that neighbours may move"
            )

    def _is_drawn(self) -> bool:
        return any(each.drawn_sensitivity is not UNSET for each in self.phases)

    def schedule(self) -> "TrainingSchedule":
        """Return what is run."""
        from dporacle.mechanisms.training import TrainingPhase, TrainingSchedule

        phases = []
        for each in self.phases:
            cap = each.group_cap if isinstance(each.group_cap, int) else self.group_cap
            law = each.moved()
            moved = each.sampling_rate if isinstance(each.sampling_rate, Fraction) else law
            phases.append(
                TrainingPhase(
                    each.noise_multiplier, moved, each.steps, None if cap is UNSET else cap
                )
            )
        return TrainingSchedule(tuple(phases), self._group(), self.released)

    def hypotheses(self, neighbours: Neighbours) -> tuple[Hypothesis, ...]:
        """Return what is proved under of how the batches are drawn."""
        found = self.schedule().hypotheses(neighbours)
        if self.divisor == "noisy-count":
            told = hypothesis("divided-by-noisy-count")
            return tuple(told if each.id == "divided-by-public" else each for each in found)
        return found if self.divisor is UNSET else stated(found, "divided-by-public")

    def count(self) -> int:
        """Return the number of steps."""
        return sum(each.steps for each in self.phases)

    def supposes(self, neighbours: Neighbours) -> str:
        """Say which pair of neighbours is supposed to exist where a claim is VIOLATED."""
        if not self._is_grouped():
            more = f"; {_ALL_DRAWN}" if self._is_drawn() else ""
            return self._supposed_one(neighbours) + more
        capped = any(each.group_cap is not UNSET for each in self.phases)
        most = "; together as many clipping norms at most as the cap of a phase" if capped else ""
        return self._supposed_group(neighbours) + most

    def _enclose(self, quantity: str, neighbours: Neighbours, digits: int, **at: Fraction) -> arb:
        from dporacle.enclosures.subsampled_gaussian import delta_of, epsilon_of

        direction = self._direction(neighbours)
        plan = self.schedule().plan(direction)
        if quantity == "delta":
            return delta_of(plan, at["epsilon"], direction, digits)
        return epsilon_of(plan, at["delta"], direction, digits)

    def stays_apart(self) -> bool:
        """Whether something is known of a record that enters or leaves: not which way."""
        return False

    def group_of(self) -> int | None:
        """Return in how many records neighbours differ; None if that is not said."""
        return self._group()

    def extent(self, neighbours: Neighbours) -> Extent:
        """Return the loss of the worst pair of neighbours; from below, of every noisy sum."""
        from dporacle.claims.runs import of_schedule

        return of_schedule(self.schedule(), neighbours)

    def open_reason(self, neighbours: Neighbours) -> str:
        """Say that the last iterate may be more private than all sums."""
        return OF_LAST

    def epsilon_ends(self, *, delta: Fraction, neighbours: Neighbours) -> Ends | None:
        """Return proved ends of the least ε; None where there are none or out of reach."""
        found = self._poisson_ends(delta, neighbours)
        if found is None or self.released == "every-step":
            return found
        return Ends(Fraction(0), found.high)

    def least_noise(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> LeastNoise | None:
        """Return the least factor of all noise multipliers; None where it is out of reach."""
        from dporacle.enclosures.subsampled_gaussian import noise_of

        if delta in {0, 1}:
            return None
        direction = self._direction(neighbours)
        plan = self.schedule().plan(direction)

        def scaled(factor: Fraction) -> "list[Read]":
            return [(factor * sigma, *others) for sigma, *others in plan]

        try:
            least = noise_of(scaled, epsilon, delta, direction, SHORT_DIGITS)
        except (ArithmeticError, ValueError):
            return None
        factor = balls.bounds(least)[1]
        shown = round_decimal(factor, _SHOWN_DIGITS, up=True)
        return LeastNoise(
            f"noise multipliers {shown} times as large would do", factor, "each noise multiplier"
        )
