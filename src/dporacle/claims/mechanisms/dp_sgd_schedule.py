"""DP-SGD in phases of different noise, rate and cap, of one record or of a group (X.SG)."""

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec
from flint import arb
from msgspec import UNSET, UnsetType

from dporacle import arguments
from dporacle.claims.mechanisms.mechanism import LeastNoise
from dporacle.claims.mechanisms.record import Neighbours, Strict
from dporacle.claims.mechanisms.sampled_sums import (
    NO_CURVE,
    NO_UTILITY,
    SHORT_DIGITS,
    Cap,
    SampledSums,
)
from dporacle.claims.quantities import Ends
from dporacle.claims.wording import round_decimal
from dporacle.enclosures.arithmetic import rounding as balls

if TYPE_CHECKING:
    from dporacle.enclosures.subsampled_gaussian import Phase as Steps

_MOST_PHASES = 64  # as in the enclosures, which are imported where a schedule is decided alone
_SHOWN_DIGITS = 6
_OTHERS = {
    "zcdp": "ρ",
    "gdp": "the μ",
    "rdp": "a Rényi divergence",
    "risk": "the power of a test",
    "advantage": "the advantage",
    "bayes-success": "the success",
    "auc": "the area under the power",
}


class Phase(Strict, frozen=True, kw_only=True):
    """Some steps.

    Attributes:
        noise_multiplier: σ over the clipping norm.
        sampling_rate: probability of each record to enter a batch.
        steps: how many batches.
        group_cap: the largest norm of a group's contributions to one batch in this phase.
    """

    noise_multiplier: Fraction
    sampling_rate: Fraction
    steps: Annotated[int, msgspec.Meta(ge=1, le=10**12)]
    group_cap: Cap | UnsetType = UNSET

    def __post_init__(self) -> None:
        arguments.positive("noise_multiplier", self.noise_multiplier)
        arguments.positive("sampling_rate", self.sampling_rate)
        if self.sampling_rate > 1:
            raise ValueError(f"sampling_rate must be at most 1, got {self.sampling_rate}")


class DpSgdSchedule(SampledSums, frozen=True, kw_only=True, tag="dp-sgd-schedule"):
    """Phases of noisy sums of Poisson-sampled batches, one after the other.

    Attributes:
        phases: noise, rate, steps and perhaps the `group_cap` of each.
        neighbours: may be stated; a claim says which relation it is about.
        group: neighbours differ in so many records, all added, all removed or all replaced; or
        records_per_user: in all records of a user, who has so many at most; with
        group_cap: the largest norm of their contributions to one batch, where a phase has no own.
        released: "every-step", every noisy sum, or the "last-iterate" alone.
    """

    refuses: ClassVar[Mapping[str, str]] = {
        "accuracy": NO_UTILITY,
        "loss": NO_UTILITY,
        **{kind: NO_CURVE.format(what) for kind, what in _OTHERS.items()},
    }

    phases: Annotated[tuple[Phase, ...], msgspec.Meta(min_length=1, max_length=_MOST_PHASES)]

    def __post_init__(self) -> None:
        self._check_group()
        if any(each.group_cap is not UNSET for each in self.phases) and not self._is_grouped():
            raise ValueError("group_cap must be given with group or records_per_user only")

    def count(self) -> int:
        """Return the number of steps."""
        return sum(each.steps for each in self.phases)

    def supposes(self, neighbours: Neighbours) -> str:
        """Say which pair of neighbours is supposed to exist where a claim is VIOLATED."""
        if not self._is_grouped():
            return self._supposed_one(neighbours)
        capped = any(each.group_cap is not UNSET for each in self.phases)
        most = "; together as many clipping norms at most as the cap of a phase" if capped else ""
        return self._supposed_group(neighbours) + most

    def _plan(self, direction: str) -> "list[Steps]":
        from dporacle.enclosures.groups import schedule_of

        caps = [
            each.group_cap if isinstance(each.group_cap, int) else self.group_cap
            for each in self.phases
        ]
        plan = [
            (each.noise_multiplier, each.sampling_rate, each.steps)
            + ((cap,) if isinstance(cap, int) else ())
            for each, cap in zip(self.phases, caps, strict=True)
        ]
        return schedule_of(plan, self.records(), direction)

    def _enclose(self, quantity: str, neighbours: Neighbours, digits: int, **at: Fraction) -> arb:
        from dporacle.enclosures.subsampled_gaussian import delta_of, epsilon_of

        direction = self._direction(neighbours)
        plan = self._plan(direction)
        if quantity == "delta":
            return delta_of(plan, at["epsilon"], direction, digits)
        return epsilon_of(plan, at["delta"], direction, digits)

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
        plan = self._plan(direction)

        def scaled(factor: Fraction) -> "list[Steps]":
            return [(factor * sigma, *others) for sigma, *others in plan]  # type: ignore[misc]

        try:
            least = noise_of(scaled, epsilon, delta, direction, SHORT_DIGITS)
        except (ArithmeticError, ValueError):
            return None
        factor = balls.bounds(least)[1]
        shown = round_decimal(factor, _SHOWN_DIGITS, up=True)
        return LeastNoise(
            f"noise multipliers {shown} times as large would do", factor, "each noise multiplier"
        )
