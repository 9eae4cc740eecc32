"""DP-SGD: Gaussian noise on sums over sampled batches (X.SG, X.BAT)."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec
from flint import arb
from msgspec import UNSET, UnsetType

from dporacle import arguments
from dporacle.claims.decision import FIRST_DIGITS, Decided
from dporacle.claims.mechanisms.mechanism import LeastNoise
from dporacle.claims.mechanisms.record import Neighbours
from dporacle.claims.mechanisms.sampled_sums import (
    LAST,
    NO_CURVE,
    NO_UTILITY,
    SHORT_DIGITS,
    SampledSums,
)
from dporacle.claims.quantities import Ends
from dporacle.claims.wording import round_decimal
from dporacle.enclosures.arithmetic import rounding as balls
from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.mechanisms.words import TELLING, Divisor, Kept, Rounding, Sampling
from dporacle.verdicts import Verdict
from dporacle.vocabulary.hypotheses import Hypothesis, stated

if TYPE_CHECKING:
    from dporacle.mechanisms.training import TrainingRun, TrainingSchedule

_SHOWN_DIGITS = 6
_BITS = 128

_AGAINST_ALL = (
    "a record may contribute the full clipping norm, in one direction at every step, and all "
    "others may contribute the same in the opposite direction"
)
_ALL_ALIKE = "all records may contribute the full clipping norm, in one direction at every step"
_AS_DRAWN = "proved ends of the ε of batches as they are drawn"


class DpSgd(SampledSums, frozen=True, kw_only=True, tag="dp-sgd"):
    """Noisy sums of contributions that are clipped, of batches that are drawn.

    Every relation is known: a contribution has norm 1 at most, in units of the clipping norm.

    Attributes:
        noise_multiplier: σ over the clipping norm.
        sampling_rate: the probability that a record enters a batch; or
        batch_size: the expected size of a batch, with
        dataset_size: the public number of records.
        steps: how many batches; or
        epochs: how many times the rate makes one, with
        rounding: how epochs/rate becomes a number of steps.
        clipping_norm: may be stated; the privacy does not depend on it.
        sampling: how batches are drawn: "poisson", or as `dporacle dp-sgd --sampling` calls it.
            If it is left out, a claim holds if that is Poisson sampling, and the verdict says so.
        batch_cap: of "truncated" batches, the most records of one, with dataset_size.
        kept: which records of a larger one are kept: "uniform" or "first-come". If it is left out,
            a claim holds if they are drawn uniformly, and the verdict says so.
        divisor: what the sums are divided by: "public", "noisy-count", "from-n" or "drawn". If it
            is left out, a claim holds if that is a public number, and the verdict says so.
        dimension: how many coordinates a sum has, which "from-n" needs and "drawn" may have.
        noise_divisor: with "drawn", the fixed number that the noise alone is divided by.
        rate_from_n: whether the rate, one over dataset_size/batch_size rounded up, is computed from
            a number of records that is not public. If nothing is said, the verdict says that the
            rate is fixed before the run.
        participations: of "random-allocation": in how many batches of an epoch a record is.
        microbatches: of Poisson sampling: how many batches a noisy sum adds up, each drawn anew.
        neighbours: may be stated; a claim says which relation it is about.
        group: neighbours differ in so many records, all added, all removed or all replaced; or
        records_per_user: in all records of a user, who has so many at most; with
        group_cap: the largest norm of their contributions to one batch together.
        released: "every-step", every noisy sum, or the "last-iterate" alone.
    """

    noun: ClassVar[str] = "DP-SGD"
    example: ClassVar[Mapping[str, object]] = {
        "noise_multiplier": 1,
        "sampling_rate": "1/2",
        "steps": 3,
    }
    refuses: ClassVar[Mapping[str, str]] = {
        "accuracy": NO_UTILITY,
        "loss": NO_UTILITY,
        "zcdp": NO_CURVE.format("ρ"),
        "gdp": (
            "out of scope: the μ of batches that are not drawn by Poisson sampling at a public "
            "rate, or of sums that are not divided by a public number; the nearest claim that can "
            "be decided is `privacy` at one ε and δ"
        ),
        "rdp": NO_CURVE.format("a Rényi divergence"),
    }

    noise_multiplier: Fraction
    sampling_rate: Fraction | UnsetType = UNSET
    batch_size: Fraction | UnsetType = UNSET
    dataset_size: Fraction | UnsetType = UNSET
    number_of_steps: Annotated[int, msgspec.Meta(ge=1, le=10**12)] | UnsetType = msgspec.field(
        default=UNSET, name="steps"
    )
    epochs: Fraction | UnsetType = UNSET
    rounding: Rounding | UnsetType = UNSET
    clipping_norm: Fraction | UnsetType = UNSET
    sampling: Sampling | UnsetType = UNSET
    batch_cap: Annotated[int, msgspec.Meta(ge=1)] | UnsetType = UNSET
    kept: Kept | UnsetType = UNSET
    divisor: Divisor | UnsetType = UNSET
    dimension: Annotated[int, msgspec.Meta(ge=1)] | UnsetType = UNSET
    noise_divisor: Fraction | UnsetType = UNSET
    rate_from_n: bool | UnsetType = UNSET
    participations: Annotated[int, msgspec.Meta(ge=1, le=10**12)] | UnsetType = UNSET
    microbatches: Annotated[int, msgspec.Meta(ge=1, le=64)] | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.clipping_norm is not UNSET:
            arguments.positive("clipping_norm", self.clipping_norm)
        self._check_group()
        self.run()

    def run(self) -> "TrainingRun":
        """Return what is run.

        Raises:
            ValueError: naming the field that is missing or outside of its domain.
        """
        from dporacle.mechanisms.training import read_training

        fields = {
            "sampling_rate": self.sampling_rate,
            "batch_size": self.batch_size,
            "dataset_size": self.dataset_size,
            "steps": self.number_of_steps,
            "epochs": self.epochs,
            "rounding": self.rounding,
            "group_cap": self.group_cap,
            "batch_cap": self.batch_cap,
            "kept": self.kept,
            "divisor": self.divisor,
            "dimension": self.dimension,
            "noise_divisor": self.noise_divisor,
            "rate_from_n": self.rate_from_n,
            "participations": self.participations,
            "microbatches": self.microbatches,
        }
        return read_training(
            noise_multiplier=self.noise_multiplier,
            sampling=self.drawn(),
            group=self._group(),
            released=self.released,
            **{name: each for name, each in fields.items() if each is not UNSET},
        )

    def drawn(self) -> str:
        """Return how the batches are drawn."""
        return "poisson" if isinstance(self.sampling, UnsetType) else self.sampling

    def _exactly_poisson(self) -> bool:
        """Whether the curve of Poisson sampling is that of what is released."""
        public = self.divisor not in TELLING and self.rate_from_n is not True
        return self.drawn() == "poisson" and public

    def count(self) -> int:
        """Return the number of steps."""
        return self.run().steps

    def hypotheses(self, neighbours: Neighbours) -> tuple[Hypothesis, ...]:
        """Return what is proved under of how the batches are drawn."""
        return self._said(self.run().hypotheses(neighbours))

    def _said(self, found: tuple[Hypothesis, ...]) -> tuple[Hypothesis, ...]:
        """Return hypotheses, of which the claim states how its batches are drawn, or does not."""
        fields = {
            "poisson-sampling": self.sampling,
            "truncated": self.kept,
            "divided-by-public": self.divisor,
        }
        return stated(found, *(name for name, field in fields.items() if field is not UNSET))

    def hypotheses_at(
        self, neighbours: Neighbours, *, epsilon: Fraction, delta: Fraction
    ) -> tuple[Hypothesis, ...]:
        """Return what (ε, δ) is proved under: a fixed order needs less than a random one."""
        return self._said(self.run().hypotheses(neighbours, epsilon=epsilon, delta=delta))

    def supposes(self, neighbours: Neighbours) -> str:
        """Say which pair of neighbours is supposed to exist where a claim is VIOLATED."""
        if self.divisor == "drawn":
            return _AGAINST_ALL
        division = self.run().division
        if division is not None and self.run().tells(neighbours):
            if self._averaged():
                return _AGAINST_ALL
            if division.scales_differ():
                return "all contributions may vanish"
            return _ALL_ALIKE
        if self.drawn() != "poisson":
            from dporacle.mechanisms.sampling import supposed

            return supposed(self.drawn(), neighbours)
        if self._is_grouped():
            return self._supposed_group(neighbours)
        return self._supposed_one(neighbours)

    def strict_mu_squares(self, neighbours: Neighbours) -> tuple[Fraction, Fraction] | None:
        """Return what the square of the least μ is between, under Poisson sampling (T-S)."""
        if not self._exactly_poisson():
            return None
        most = self.group_cap if isinstance(self.group_cap, int) else self.records()
        run = self.run()
        length = run.microbatches * min(most, self.records())
        square = run.steps * (length / self.noise_multiplier) ** 2
        if neighbours != "replace-one":
            return square, square
        return (4 * square if run.sampling_rate == 1 else square), 4 * square

    def schedule(self) -> "TrainingSchedule":
        """Return what is run, as one phase."""
        return self.run().as_schedule()

    def _enclose(self, quantity: str, neighbours: Neighbours, digits: int, **at: Fraction) -> arb:
        """Enclose δ, ε, or the least noise multiplier, of one record or of the group."""
        return self.run().enclose(quantity, neighbours, digits, **at)

    def epsilon_ends(self, *, delta: Fraction, neighbours: Neighbours) -> Ends | None:
        """Return proved ends of the least ε; None where there are none or out of reach."""
        if delta in {0, 1}:
            return None
        if self._exactly_poisson():
            found = self._poisson_ends(delta, neighbours)
        else:
            found = self._ends(delta, neighbours)
        if found is None or self._reached(neighbours):
            return found
        return None if found.high is None else Ends(Fraction(0), found.high)

    def decide_privacy(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> Decided:
        """Decide whether it is (ε,δ)-DP; of other batches than Poisson's by two proved ends."""
        if not self._exactly_poisson():
            return self._as_drawn(epsilon, delta, neighbours)
        return super().decide_privacy(epsilon=epsilon, delta=delta, neighbours=neighbours)

    def _ends(self, delta: Fraction, neighbours: Neighbours) -> Ends:
        """Return proved ends of the ε of every noisy sum together, at δ = 1 too."""
        if delta == 1:
            return Ends(Fraction(0), Fraction(0))
        run = self.run()
        if not self._reached(neighbours):
            run = replace(run, released="every-step")
        return run.ends(delta, neighbours)

    def _reached(self, neighbours: Neighbours) -> bool:
        """Whether what refutes a claim is among what is released."""
        return self.released == "every-step" or self.run().tells(neighbours)

    def _as_drawn(self, epsilon: Fraction, delta: Fraction, neighbours: Neighbours) -> Decided:
        """Decide by ends of ε: δ(ε) falls."""
        if not delta:  # the losses of such noise have no end, where there are neighbours
            from dporacle.mechanisms.sampling import has_neighbours

            fails = self._reached(neighbours)
            fails = fails and has_neighbours(self.drawn(), self.run().sampling_rate, neighbours)
            found = Ends(epsilon + 1 if fails else Fraction(0), None)
        else:
            found = self._ends(delta, neighbours)
        with precision(_BITS):
            at = ball(delta)
            if found.high is not None and epsilon >= found.high:
                verdict, below, above = Verdict.HOLDS, arb(0), arb(0).union(at)
            elif epsilon < found.low and self._reached(neighbours):
                verdict, below, above = Verdict.VIOLATED, at, arb(1)
            else:
                verdict, below, above = Verdict.UNDECIDED, arb(0), arb(1)
        reason = ""
        if verdict is Verdict.UNDECIDED:
            reason = LAST if epsilon < found.low else self._told(found, delta, neighbours)
        return Decided(
            verdict, "delta", delta, below, above, FIRST_DIGITS, proof=_AS_DRAWN, reason=reason
        )

    def _told(self, found: Ends, delta: Fraction, neighbours: Neighbours) -> str:
        low = round_decimal(found.low, _SHOWN_DIGITS, up=False)
        name = f"for {self.drawn()} batches under {neighbours}"
        if self.rate_from_n is True:
            name = f"for a rate computed from the number of records, under {neighbours}"
        if self.divisor in TELLING:
            what = "a number of records" if self.divisor == "from-n" else "the drawn batch size"
            name = f"for sums divided by {what}, under {neighbours}"
        if found.high is None:
            if not found.low:
                return f"no bound of ε is known {name}{self._bounded_elsewhere(delta)}"
            return f"{name} ε is at least {low} at this δ: proved; no upper bound is known"
        high = round_decimal(found.high, _SHOWN_DIGITS, up=True)
        if not found.low:
            return f"{name} ε is at most {high} at this δ: proved; above 0 no lower bound is proved"
        return f"{name} ε is between {low} and {high} at this δ: proved"

    def _bounded_elsewhere(self, delta: Fraction) -> str:
        """Say under which relations a claim about these batches can be decided."""
        others: tuple[Neighbours, ...] = ("zero-out", "replace-one")
        known = [each for each in others if delta and self._ends(delta, each).high is not None]
        return f"; there are bounds under {' and '.join(known)}" if known else ""

    def least_noise(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> LeastNoise | None:
        """Return the least noise multiplier; None where it is out of reach."""
        if delta in {0, 1} or not self._exactly_poisson():
            return None
        try:
            least = self._enclose("sigma", neighbours, SHORT_DIGITS, epsilon=epsilon, delta=delta)
        except ArithmeticError:
            return None
        sigma = balls.bounds(least)[1]
        shown = round_decimal(sigma, _SHOWN_DIGITS, up=True)
        return LeastNoise(
            f"a noise multiplier of {shown} would do",
            sigma / self.noise_multiplier,
            "the noise multiplier",
        )

    def describe_privacy(
        self, decided: Decided, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> tuple[str, str]:
        """Return how far off a claim is, and what would do, with its proviso."""
        if not self._exactly_poisson():
            return self._describe_as_drawn(decided, delta, neighbours)
        return super().describe_privacy(
            decided, epsilon=epsilon, delta=delta, neighbours=neighbours
        )

    def _describe_as_drawn(
        self, decided: Decided, delta: Fraction, neighbours: Neighbours
    ) -> tuple[str, str]:
        """Return what is proved of a refuted claim, and what Poisson sampling says."""
        if not delta:
            violated = decided.verdict is Verdict.VIOLATED
            return ("Gaussian noise has δ > 0 at every ε" if violated else "", "")
        if delta == 1:
            return "every mechanism is (ε, 1)-DP", ""
        proved = ""
        if decided.verdict is Verdict.VIOLATED:
            proved = f"{self._told(self._ends(delta, neighbours), delta, neighbours)}; "
        exact = self._poisson_ends(delta, neighbours)
        other = "with Poisson sampling"
        if self.rate_from_n is True:
            other = "with a rate that is public"
        if self.divisor in TELLING:
            told = self.run().division if self.run().tells(neighbours) else None
            rates = " and rate" if told is not None and told.rates() else ""
            other = f"with a public divisor{rates}"
            scale = told is not None and told.scales_differ()
            # Its upper end, if there is one, falls with the noise.
            if scale and self._reached(neighbours) and not self._averaged():
                proved += "no noise multiplier lowers the lower end; "
        if exact is None or exact.high is None:
            return f"{proved}{other} ε is out of reach", ""
        shown = round_decimal(exact.high, _SHOWN_DIGITS, up=True)
        return f"{proved}{other} ε would be {shown}", ""

    def _averaged(self) -> bool:
        return self.run().whole_batches and self.released == "every-step"
