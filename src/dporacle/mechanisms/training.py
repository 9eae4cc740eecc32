"""A training run with DP-SGD, as people state it: its one description, and its one reader.

Noise multiplier, how the batches are drawn, their rate or sizes, steps or epochs, what becomes of a
short last batch, whose privacy is meant, and what is released. The Python API, `dporacle dp-sgd`
and `risk`, claims and their proofs in Coq take a `TrainingRun`, and what is proved comes from it.
"""

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, get_args

from flint import arb

from dporacle import arguments, enclosures
from dporacle.enclosures.arithmetic import rounding as balls
from dporacle.enclosures.batches import ALLOCATED, DRAWN, SCHEMES, Epochs, scheme_of
from dporacle.mechanisms import Ends, FurtherEnd, theorems
from dporacle.mechanisms import sampling as drawing
from dporacle.mechanisms.division import (
    DivisionByCount,
    ends_divided,
    ends_divided_by_drawn,
    read_division,
)
from dporacle.mechanisms.words import TELLING, Divisor, Kept, Released, Rounding
from dporacle.vocabulary.domains import MOST_RECORDS, UNIT
from dporacle.vocabulary.hypotheses import Hypothesis
from dporacle.vocabulary.relations import DIRECTIONS, ENCLOSED, RELATIONS

_DIGITS: Final = 17  # of an ε that becomes a float64
_SAME: Final = Fraction(1, 10**20)  # of two ends of one number, which have 25 digits
GROUPED: Final = (
    "out of scope: groups in other batches; the nearest that can be decided is the privacy of one "
    "record, or Poisson sampling"
)


def enclosed_word(relation: str, *, sampling: str = "poisson") -> str:
    """Return the word of the enclosures for a relation, or for a direction of one.

    Under Poisson sampling zeroing a record out is the pair of leaving it out.
    """
    known = (*RELATIONS, *DIRECTIONS)
    if relation not in known:
        raise ValueError(
            f"neighbours must be one of {', '.join(known)}, got {arguments.show(relation)}"
        )
    if sampling == "poisson" and relation == "zero-out":
        return "both"
    return ENCLOSED[relation]


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """A run of DP-SGD, read: `read_training` makes it.

    Attributes:
        noise_multiplier: standard deviation of the noise, in units of the clipping norm.
        sampling_rate: the probability that a record enters a batch, or batch size over records.
        steps: how many noisy sums.
        sampling: how the batches are drawn, a word of `dporacle.mechanisms.sampling`.
        sizes: batch size and number of records, where they are stated.
        epochs: how many, where each epoch has all records and a whole number of them is stated.
        group: in how many records neighbours differ; None: in one.
        group_cap: the largest norm of a group's contributions to one batch together.
        released: every noisy sum, or the last iterate alone.
        batch_cap: the most records of a truncated batch; under Poisson sampling one that is no
            smaller than the number of records.
        kept: which ones, of more.
        divisor: what the sums are divided by; None where nobody said.
        division: how that, and perhaps the rate, is computed from the number of records.
        dimension: how many coordinates a sum has, where the divisor tells and somebody said.
        noise_divisor: what the noise alone is divided by, where the sum is divided by the size of
            the drawn batch; None where both are divided by that.
        participations: in how many batches of an epoch a record is, of random allocation.
        microbatches: how many batches, each drawn by Poisson sampling, a noisy sum adds up.
    """

    noise_multiplier: Fraction
    sampling_rate: Fraction
    steps: int
    sampling: str = "poisson"
    sizes: tuple[Fraction, Fraction] | None = None
    epochs: int | None = None
    group: int | None = None
    group_cap: int | None = None
    released: Released = "every-step"
    batch_cap: int | None = None
    kept: Kept = "uniform"
    divisor: Divisor | None = None
    division: DivisionByCount | None = None
    dimension: int | None = None
    noise_divisor: Fraction | None = None
    participations: int = 1
    microbatches: int = 1

    @property
    def as_sums(self) -> bool:
        """Whether what is released is worth as much as noisy sums of a rate that is public."""
        return self.divisor != "drawn" and self.division is None

    @property
    def records(self) -> int:
        """In how many records neighbours differ."""
        return self.group or 1

    @property
    def draws(self) -> int:
        """How often a step draws the records in which neighbours differ, each with the rate.

        One record in m batches of a step is m records in one: no batch knows of the other's draw.
        """
        return self.records * self.microbatches

    @property
    def last_batch(self) -> theorems.LastBatch:
        """What becomes of the last batch of an epoch; of batches drawn anew all are whole."""
        if drawing.dropping(self.sampling):
            return "dropped"
        ordered = set(drawing.readings(self.sampling)) & {*SCHEMES}
        return "short" if ordered and self.sampling_rate.numerator > 1 else "whole"

    def whole_epochs(self) -> tuple[int, int] | None:
        """Return batches of an epoch, and epochs, where both are whole and nothing is left out."""
        batches = self.sampling_rate.denominator
        if self.sampling == ALLOCATED:
            batches = int(self.participations / self.sampling_rate)
            return batches, self.steps // batches
        if self.last_batch == "dropped" or self.sampling_rate.numerator > 1 or self.steps % batches:
            return None
        return batches, self.steps // batches

    def need_whole_epochs(self) -> tuple[int, int]:
        """Return the same.

        Raises:
            ValueError: if the steps make no whole epochs of batches that divide the data.
        """
        found = self.whole_epochs()
        if found is None:
            raise ValueError(
                "steps must make whole epochs of batches that divide the data, got "
                f"{self.steps} steps of the rate {arguments.show(self.sampling_rate)}"
            )
        return found

    def enclose(self, quantity: str, relation: str, digits: int, **at: Fraction) -> arb:
        """Enclose "delta", "epsilon" or "sigma", the least noise, under Poisson sampling.

        Args:
            quantity: which.
            relation: of the neighbours, or a direction of it.
            digits: of the answer.
            at: ε, δ or both, as the quantity needs them.

        Raises:
            ValueError: naming the argument that is outside its domain.
            ArithmeticError: if it would need too much work.
        """
        if quantity != "sigma":
            at["sigma"] = self.noise_multiplier
        how: dict[str, Any] = {
            "rate": self.sampling_rate,
            "steps": self.steps,
            "direction": enclosed_word(relation),
            "digits": digits,
        }
        value: arb
        if self.draws == 1:
            value = getattr(enclosures, f"subsampled_{quantity}")(**at, **how)
            return value
        from dporacle.enclosures import groups

        how |= {"size": self.draws, "cap": self.group_cap}
        value = getattr(groups, f"group_{quantity}")(**at, **how)
        return value

    def as_schedule(self) -> "TrainingSchedule":
        """Return it as a schedule of one phase."""
        phase = TrainingPhase(self.noise_multiplier, self.sampling_rate, self.steps, self.group_cap)
        draws = None if self.draws == 1 and self.group is None else self.draws
        return TrainingSchedule((phase,), draws, self.released)

    def relations(self, *, two_ends: bool = False) -> tuple[str, ...]:
        """Return the relations, and directions of one, for which some end of ε is known.

        Args:
            two_ends: whether only those are wanted whose ends are both known, where some are.
        """
        schemes = drawing.readings(self.sampling)
        exactly = len(schemes) == 1 and (not self.in_epochs or self.whole_epochs() is not None)
        both = {*RELATIONS, *DIRECTIONS}
        for scheme in schemes:
            both &= _with_two_ends(scheme)
        if not drawing.has_neighbours(self.sampling, self.sampling_rate, "add-remove"):
            both -= {"add-remove", *DIRECTIONS}  # a batch of all records has no such neighbour
        known = both if exactly else both - {*DIRECTIONS}
        if not (two_ends and exactly):
            known = known | {"zero-out", "replace-one"}
            if not set(schemes) & {*DRAWN} and (exactly or self.last_batch != "short"):
                known = known | {"add-remove"}  # from below
        order = ("zero-out", *DIRECTIONS, "add-remove", "replace-one")
        return tuple(name for name in order if name in known)

    @property
    def in_epochs(self) -> bool:
        """Whether each epoch has all records, whatever the word for it means."""
        return drawing.in_epochs(self.sampling)

    def ends(self, delta: Fraction, relation: str, *, digits: int = _DIGITS) -> Ends:
        """Return proved ends of the least ε at a δ in (0, 1), with their hypotheses.

        From 0 to None where nothing is known of the relation. Under Poisson sampling both ends
        agree to so many digits, or the exact ε would need too much work, and they are not exact.

        Raises:
            ArithmeticError: if an enclosure would need too much work.
        """
        return _ends(self, delta, relation, digits)

    def known_ends(self, delta: Fraction, relation: str) -> Ends:
        """Return the same, if one of the two ends says something.

        Raises:
            ValueError: if nothing is known of the relation, naming those of which something is.
            ArithmeticError: if an enclosure would need too much work.
        """
        known = self.relations()
        if relation in known:
            found = self.ends(delta, relation)
            if found.low or found.high is not None:
                return found
            none = {"add-remove", *DIRECTIONS} if self.tells(relation) else {relation}
            known = tuple(each for each in known if each not in none)
        if self.sampling == "with-replacement" and self.sizes is None:
            raise ValueError(
                f"batch_size and dataset_size must be given for sampling {self.sampling!r}: of a "
                "rate alone no bound is known"
            )
        if self.divisor == "drawn" and relation in ("add-remove", *DIRECTIONS):
            raise ValueError(
                f"divisor must be one of public, noisy-count under {relation}, got 'drawn': of "
                "this run no ε is proved that holds in every dimension, and none from below"
            )
        if self.division is not None and self.tells(relation):
            must = "divisor must be public or noisy-count"
            if self.division.public:
                must = "rate_from_n must be absent"
            what = f"the divisors differ ({self.division.words()})"
            if not self.division.scales_differ():
                what = f"the rates differ alone ({self.division.rates()})"
            where = "at this delta no epsilon above 0 is proved"
            if self.released == "last-iterate":
                where = "of the last iterate alone nothing is proved at this delta"
            raise ValueError(f"{must} under {relation}: {what}, and {where}")
        raise ValueError(
            f"neighbours must be one of {', '.join(known)} for {self.sampling} batches, got "
            f"{arguments.show(relation)}"
        )

    def hypotheses(
        self, relation: str, *, epsilon: Fraction | None = None, delta: Fraction | None = None
    ) -> tuple[Hypothesis, ...]:
        """Return what both ends are proved under; with an ε and a δ, what that upper end needs."""
        if self.divisor == "drawn":
            return self._divided_by_drawn(relation)
        if self.tells(relation):
            assert self.division is not None
            upper = self.division.is_chained()
            if upper and epsilon is not None and delta is not None and 0 < delta < 1:
                high = _ends(self, delta, relation, _DIGITS).high
                upper = high is not None and high <= epsilon
            return self.divided_by_count(relation, upper=upper)
        schemes = drawing.readings(self.sampling)
        # So many epochs have a record in as many batches, whatever becomes of a short last one.
        counted = schemes == ("cyclic",) and self.epochs is not None
        names = theorems.both_ends(
            self._theorems(),
            relation=DIRECTIONS.get(relation, relation),
            last="whole" if counted else self.last_batch,
            by_fixed_order=self._by_fixed_order(relation, epsilon, delta),
            all_in_each=self.sampling_rate == 1,
            kept_seen=self._kept_seen(relation, epsilon, delta),
        )
        if self.microbatches > 1:
            names |= {"microbatches": ""}
        if self.sampling == "poisson" and self.batch_cap is not None:  # it cuts no batch of so few
            names["cap-and-steps-fixed"] = names.pop("rate-and-steps-fixed")
        said: dict[str, str] = {}
        # Neighbours by the other relations have as many records: one more or less are no matter.
        alone = DIRECTIONS.get(relation, relation) != "add-remove"
        if self.division is not None and self.division.public:
            names |= {"steps-fixed": names.pop("rate-and-steps-fixed"), "rate-from-n-alike": ""}
            said = {"rates": self.division.each_rate(alone=alone)}
        if "divided-by-public" in names and self.divisor not in (None, "public"):
            found = names.pop("divided-by-public")
            if self.divisor == "noisy-count":
                names["divided-by-noisy-count"] = found
            else:
                assert self.division is not None
                names["divided-from-n-alike"] = found
                said = {"divisors": self.division.words(alone=alone)}
        return theorems.told(
            names, relation=relation, group=self.group, released=self.released, **said
        )

    def divided_by_count(self, relation: str, *, upper: bool) -> tuple[Hypothesis, ...]:
        """Return what is proved under where neighbours have other divisors, or other rates.

        Args:
            relation: add-remove, or a direction of it.
            upper: whether an upper end is proved too, where the rate is one.
        """
        assert self.division is not None
        if self.division.public:
            noisy = self.divisor == "noisy-count"
            names = {"divided-by-noisy-count" if noisy else "divided-by-public": ""}
        else:
            names = {"divided-from-n": ""}
        names["steps-fixed"] = ""
        if self.division.rates():
            names["rate-from-n"] = ""
        if self.division.rates_differ_alone():
            names["poisson-sampling"] = ""
        last = self.released == "last-iterate"
        names["last-iterate-of-sgd" if last else "every-sum-released"] = ""
        if upper:
            del names["steps-fixed"]
            used = ("poisson-sampling", "rate-and-steps-fixed", "batches-hidden")
            names |= dict.fromkeys(used, "")
        if (self.whole_batches and not last) or upper:
            names |= dict.fromkeys(("clipped", "others-apart"), "")
        return theorems.told(
            names,
            relation=relation,
            released="every-step",
            divisors=self.division.words(),
            rates=self.division.rates(),
        )

    def _divided_by_drawn(self, relation: str) -> tuple[Hypothesis, ...]:
        """Return what is proved under where each sum is divided by the size of its batch."""
        if self.noise_divisor is not None:
            return self._averaged_by_drawn(relation)
        whole = self.sampling_rate == 1
        names = ["divided-by-drawn", "poisson-sampling", "count-and-steps-fixed", "clipped"]
        names += ["others-apart"] if whole else ["own-record-only", "batches-hidden"]
        names += [] if whole else ["empty-batches-skipped"]
        names += ["keeps-its-place"] if relation == "zero-out" else []
        used = dict.fromkeys((*names, "every-sum-released"), "")
        return theorems.told(used, relation=relation, released=self.released)

    def _averaged_by_drawn(self, relation: str) -> tuple[Hypothesis, ...]:
        """Return the same where the noise has one scale, whatever the size is."""
        assert self.noise_divisor is not None
        used = ["averaged-by-drawn", "poisson-sampling", "count-and-steps-fixed", "clipped"]
        used += ["others-apart"]  # the others are drawn alike, whatever becomes of the record
        used += [] if self.sampling_rate == 1 else ["batches-hidden"]
        used += ["keeps-its-place"] if relation == "zero-out" else []
        return theorems.told(
            dict.fromkeys((*used, "every-sum-released"), ""),
            relation=relation,
            released=self.released,
            noise_divisor=arguments.as_written(self.noise_divisor),
        )

    def tells(self, relation: str) -> bool:
        """Whether the divisor, or the rate, is another one for a neighbour: its scale tells."""
        apart = DIRECTIONS.get(relation, relation) == "add-remove"
        return apart and self.division is not None and self.division.differs()

    @property
    def whole_batches(self) -> bool:
        """Whether each batch has all records, whose number is the divisor."""
        division = self.division
        return division is not None and division.batch_size is None and self.sampling_rate == 1

    def _theorems(self) -> tuple[str, ...]:
        """Return the names of what is proved of how the batches are drawn."""
        if self.sampling == "truncated" and self.kept == "first-come":
            return ("truncated-first-come",)
        return drawing.readings(self.sampling)

    def _kept_seen(self, relation: str, epsilon: Fraction | None, delta: Fraction | None) -> bool:
        """Whether (ε, δ) is proved though contributions may depend on who else is kept."""
        if self.sampling != "truncated" or epsilon is None or delta is None or not 0 < delta < 1:
            return False
        from dporacle.enclosures.batches import capped

        seen = capped.epsilon_if_seen(_as_enclosed(self, "truncated"), delta, ENCLOSED[relation])
        return seen is not None and seen <= epsilon

    def _by_fixed_order(
        self, relation: str, epsilon: Fraction | None, delta: Fraction | None
    ) -> bool:
        """Whether (ε, δ) is proved for batches in any order that the data do not choose."""
        schemes = set(drawing.readings(self.sampling)) & {"shuffled", "shuffled-once"}
        if not schemes or relation not in ("zero-out", "replace-one"):
            return False
        batches = math.floor(1 / self.sampling_rate)
        epochs = self.epochs or -(-self.steps // batches)
        if batches == 1 or (schemes == {"shuffled-once"} and epochs > 1):
            return True
        if epsilon is None or delta is None or not 0 < delta < 1:
            return False
        from dporacle.enclosures.batches import deterministic

        run = Epochs(self.noise_multiplier, batches, epochs)
        return deterministic.epsilon(run, delta, ENCLOSED[relation]).high <= epsilon


def _with_two_ends(scheme: str) -> set[str]:
    """Return the relations, and directions, of which both ends are known where all is even."""
    if scheme == "poisson":
        return {*RELATIONS, *DIRECTIONS}
    found = module_of(scheme).ADJACENCIES
    return {name for name, word in ENCLOSED.items() if word in found}


def module_of(scheme: str) -> Any:
    """Return the enclosures of a way to draw batches, but for Poisson sampling."""
    if scheme == "fixed-size":
        from dporacle.enclosures.batches import fixed_size

        return fixed_size
    if scheme == "with-replacement":
        from dporacle.enclosures.batches import with_replacement

        return with_replacement
    if scheme == "truncated":
        from dporacle.enclosures.batches import capped

        return capped
    if scheme == ALLOCATED:
        from dporacle.enclosures.batches import random_allocation

        return random_allocation
    return scheme_of(scheme)


@lru_cache(maxsize=64)  # an answer takes seconds, and is asked for twice
def _ends(run: TrainingRun, delta: Fraction, relation: str, digits: int) -> Ends:
    schemes = drawing.readings(run.sampling)
    if not run.as_sums and (run.division is None or run.tells(relation)):
        found = _divided(run, delta, relation)
        if run.tells(relation):
            assert run.division is not None
            upper = found.high is not None and run.division.is_chained()
            return replace(found, hypotheses=run.divided_by_count(relation, upper=upper))
        return replace(found, hypotheses=run.hypotheses(relation))
    if schemes == ("poisson",):
        found = exact_or_two_ends(
            lambda: run.enclose("epsilon", relation, digits, delta=delta),
            run.as_schedule(),
            delta,
            enclosed_word(relation),
        )
    else:
        found = _drawn_otherwise(run, schemes, delta, relation)
    if run.released == "last-iterate":
        found = replace(found, low=Fraction(0), exact=False)
    said = run.hypotheses(relation, epsilon=found.high, delta=delta)
    further = _of_truncated(run, delta, relation) if run.sampling == "truncated" else ()
    return replace(found, hypotheses=said, further=further)


def _divided(run: TrainingRun, delta: Fraction, relation: str) -> Ends:
    """Return the ends of a run whose divisor tells of the record."""
    if run.division is None:
        assert run.sizes is not None
        return ends_divided_by_drawn(
            sigma=run.noise_multiplier,
            rate=run.sampling_rate,
            records=int(run.sizes[1]),
            dimension=run.dimension,
            steps=run.steps,
            delta=delta,
            way=relation,
            released=run.released,
            noise_divisor=run.noise_divisor,
        )
    return ends_divided(
        run.division,
        sigma=run.noise_multiplier,
        steps=run.steps,
        delta=delta,
        way=relation,
        released=run.released,
    )


def _of_truncated(run: TrainingRun, delta: Fraction, relation: str) -> tuple[FurtherEnd, ...]:
    """Return the upper end for contributions that depend on who else is kept, and lower ends."""
    from dporacle.enclosures.batches import capped

    asked, word = _as_enclosed(run, "truncated"), ENCLOSED[relation]
    found = []
    seen = capped.epsilon_if_seen(asked, delta, word)
    if seen is not None:
        said = theorems.told({"kept-records-only": ""}, relation=relation, released=run.released)
        found.append(FurtherEnd(seen, upper=True, hypotheses=said, instead=("own-record-only",)))
    if run.released == "every-step":
        for by, value in capped.lower_ends(asked, delta, word).items():
            if value:
                found.append(FurtherEnd(value, upper=False, by=by))
    return tuple(found)


def exact_or_two_ends(
    exactly: Callable[[], arb], schedule: "TrainingSchedule", delta: Fraction, direction: str
) -> Ends:
    """Return the ends of an exact ε under Poisson sampling, or where it is dear, two proved ones.

    Args:
        exactly: encloses it.
        schedule: the steps.
        delta: in (0, 1).
        direction: as the enclosures call it.
    """
    from dporacle.enclosures.batches.poisson_ends import epsilon

    if not schedule.has_little_noise(direction):
        with contextlib.suppress(ArithmeticError):
            low, high = balls.bounds(exactly())
            return Ends(max(low, Fraction(0)), high, exact=True)
    found = epsilon(schedule.plan(direction), delta, direction)
    return Ends(found.low, found.high)


def _drawn_otherwise(
    run: TrainingRun, schemes: Sequence[str], delta: Fraction, relation: str
) -> Ends:
    word, neighbours = ENCLOSED[relation], DIRECTIONS.get(relation, relation)
    there = drawing.has_neighbours(run.sampling, run.sampling_rate, neighbours)  # type: ignore[arg-type]
    asked = _as_enclosed(run, schemes[0]) if len(schemes) == 1 and there else None
    if asked is not None and word in (module := module_of(schemes[0])).ADJACENCIES:
        proved = module.epsilon(asked, delta, word)
        return Ends(proved.low, proved.high, proved.exact)
    found = drawing.ends(
        run.sampling,
        sigma=run.noise_multiplier,
        rate=run.sampling_rate,
        sizes=run.sizes,
        steps=run.steps,
        delta=delta,
        neighbours=neighbours,  # type: ignore[arg-type]
    )
    if run.epochs is not None and run.last_batch == "short" and found.high is not None:
        # So many steps may begin one more epoch, of fewer batches; so many epochs do not, and a
        # record is in one batch of each.
        from dporacle.enclosures.batches import deterministic

        most = deterministic.epsilon(Epochs(run.noise_multiplier, 1, run.epochs), delta, word).high
        found = replace(found, high=min(found.high, most))
    high = found.high
    is_one = high is not None and schemes == ("cyclic",) and high - found.low <= high * _SAME
    return replace(found, exact=is_one)


def _as_enclosed(run: TrainingRun, scheme: str) -> Any:
    """Return what the enclosures of a scheme take; None where that is not of whole epochs."""
    if scheme == "fixed-size":
        from dporacle.enclosures.batches.fixed_size import Steps

        return Steps(run.noise_multiplier, run.sampling_rate, run.steps)
    if scheme == "with-replacement":
        from dporacle.enclosures.batches.with_replacement import BatchesWithReplacement

        if run.sizes is None:
            return None
        size, records = map(int, run.sizes)
        return BatchesWithReplacement(run.noise_multiplier, size, records, run.steps)
    if scheme == "truncated":
        from dporacle.enclosures.batches.capped import Capped

        assert run.sizes is not None
        assert run.batch_cap is not None
        return Capped(
            run.noise_multiplier,
            run.sampling_rate,
            int(run.sizes[1]),
            run.batch_cap,
            run.steps,
            first_come=run.kept == "first-come",
        )
    whole = run.whole_epochs()
    if scheme == ALLOCATED and whole is not None:
        from dporacle.enclosures.batches.random_allocation import Allocation

        return Allocation(run.noise_multiplier, whole[0], run.participations, whole[1])
    return None if whole is None else Epochs(run.noise_multiplier, *whole)


@dataclass(frozen=True, slots=True)
class TrainingPhase:
    """Some steps of a schedule.

    Attributes:
        noise_multiplier: σ over the clipping norm.
        moved: the sampling rate, or the law of a drawn sensitivity: length -> probability.
        steps: how many.
        group_cap: the largest norm of a group's contributions to one batch together.
    """

    noise_multiplier: Fraction
    moved: Fraction | Mapping[Fraction, Fraction]
    steps: int
    group_cap: int | None = None


@dataclass(frozen=True, slots=True)
class TrainingSchedule:
    """Phases of a run, one after the other, of Poisson sampling or of drawn sensitivities.

    Attributes:
        phases: in their order.
        group: in how many records neighbours differ; None: in one.
        released: every noisy sum, or the last iterate alone.
    """

    phases: tuple[TrainingPhase, ...]
    group: int | None = None
    released: Released = "every-step"

    def plan(self, direction: str, *, factor: Fraction = Fraction(1)) -> list[Any]:
        """Return the steps, as the enclosures take them, with all noise times a factor.

        Raises:
            ValueError: naming the argument that is outside its domain.
        """
        from dporacle.enclosures.groups import schedule_of

        plan: list[Sequence[Any]] = []
        for each in self.phases:
            cap = () if each.group_cap is None else (each.group_cap,)
            plan.append((factor * each.noise_multiplier, each.moved, each.steps, *cap))
        return schedule_of(plan, self.group or 1, direction)

    def has_little_noise(self, direction: str) -> bool:
        """Whether a search for the exact ε would end in nothing, after a quarter of a minute."""
        from dporacle.enclosures.batches.poisson_ends import LITTLE

        (first, *others) = self.phases
        one = not others and first.steps > 1 and first.moved != 1
        return direction != "add" and one and first.noise_multiplier < LITTLE

    def hypotheses(self, relation: str) -> tuple[Hypothesis, ...]:
        """Return what both ends are proved under."""
        drawn = [not isinstance(each.moved, Fraction) for each in self.phases]
        names: dict[str, str] = {}
        if not all(drawn):
            names |= theorems.both_ends(("poisson",), relation=DIRECTIONS.get(relation, relation))
        if any(drawn):
            used = ("drawn-sensitivity", "rate-and-steps-fixed", "every-sum-released")
            names |= dict.fromkeys(used, "")
        if len(self.phases) > 1:
            names |= {"phases-fixed": ""}
        return theorems.told(names, relation=relation, group=self.group, released=self.released)


def steps_of(*, epochs: Fraction, rate: Fraction, rounding: Rounding) -> int:
    """Return the number of steps of so many epochs, epochs/rate, rounded as stated.

    Raises:
        ValueError: if that is less than one step.
    """
    exact = arguments.positive("epochs", epochs) / arguments.positive("rate", rate)
    ways = {"up": math.ceil, "down": math.floor, "nearest": lambda x: math.floor(x + 1 / 2)}
    if rounding not in ways:
        raise ValueError(
            f"rounding must be one of {', '.join(get_args(Rounding))}, got "
            f"{arguments.show(rounding)}"
        )
    steps = int(ways[rounding](exact))
    if steps < 1:
        raise ValueError(f"epochs must make at least one step, got {arguments.show(epochs)}")
    return steps


def read_training(
    *,
    noise_multiplier: Any,
    sampling: str = "poisson",
    sampling_rate: Any = None,
    batch_size: Any = None,
    dataset_size: Any = None,
    batches_per_epoch: Any = None,
    steps: Any = None,
    epochs: Any = None,
    rounding: Any = None,
    group: Any = None,
    group_cap: Any = None,
    released: str = "every-step",
    batch_cap: Any = None,
    kept: Any = None,
    divisor: Any = None,
    dimension: Any = None,
    noise_divisor: Any = None,
    rate_from_n: Any = False,
    participations: Any = None,
    microbatches: Any = None,
) -> TrainingRun:
    """Read a run of DP-SGD; what is left out is None.

    Args:
        noise_multiplier: σ over the clipping norm.
        sampling: how the batches are drawn, one of `dporacle.mechanisms.sampling.WORDS`.
        sampling_rate: the probability that a record enters a batch, or its share of the records;
        batch_size: or the size of a batch, the expected one of Poisson sampling, with
        dataset_size: the number of records;
        batches_per_epoch: or how many batches an epoch has, which divide the data.
        steps: how many noisy sums; or
        epochs: how often the rate makes one, or whole epochs of batches, with
        rounding: how that becomes a whole number of steps.
        group: in how many records neighbours differ.
        group_cap: the largest norm of their contributions to one batch together.
        released: "every-step" or "last-iterate".
        batch_cap: the most records of a truncated batch, with the number of records.
        kept: which ones: "uniform", which is supposed if nothing is said, or "first-come".
        divisor: what the sums are divided by: "public", "noisy-count", "from-n", which needs the
            number of records, with a rate or a batch size, or "drawn", which needs it too.
        dimension: how many coordinates a sum has, which "from-n" needs and "drawn" may have.
        noise_divisor: with "drawn", the number that the noise alone is divided by; without it the
            noisy sum is divided by the size of the batch.
        rate_from_n: whether the rate is one over the number of batches, n/B rounded up, computed
            from a number n of records that is not public.
        participations: in how many batches of an epoch a record is, of random allocation.
        microbatches: how many batches a noisy sum adds up, of Poisson sampling.

    Raises:
        TypeError, ValueError: naming the argument that is missing or outside of its domain.
    """
    noise = arguments.positive("noise_multiplier", noise_multiplier)
    if sampling not in drawing.WORDS:
        raise ValueError(
            f"sampling must be one of {', '.join(drawing.WORDS)}, got {arguments.show(sampling)}"
        )
    schemes = drawing.readings(sampling)
    times_in_epoch = _read_participations(sampling, participations)
    drawn = _read_microbatches(sampling, microbatches, group_cap)
    ways: list[tuple[str, ...]] = [("sampling_rate",), ("batch_size", "dataset_size")]
    # Of batches of which one is left out the number does not say how many records that has.
    if sampling not in ("poisson", "truncated") and not drawing.dropping(sampling):
        ways.insert(0, ("batches_per_epoch",))
    given = {
        "sampling_rate": sampling_rate,
        "batch_size": batch_size,
        "dataset_size": dataset_size,
        "batches_per_epoch": batches_per_epoch,
        "steps": steps,
        "epochs": epochs,
    }
    given = {name: value for name, value in given.items() if value is not None}
    records_of = _capped(given, sampling, batch_cap, kept)
    if divisor in TELLING and {"sampling_rate", "dataset_size"} <= given.keys():
        records_of = _whole("dataset_size", given.pop("dataset_size"))
    how = _one_of(given, ways, sampling)
    _one_of(given, [("steps",), ("epochs",)], sampling)
    sizes = None
    if how == ("batches_per_epoch",):
        rate = Fraction(times_in_epoch, _whole("batches_per_epoch", batches_per_epoch))
        if rate > 1:
            raise ValueError(
                f"participations must be at most batches_per_epoch, {batches_per_epoch}, got "
                f"{times_in_epoch}"
            )
    elif how == ("sampling_rate",):
        rate = arguments.within(UNIT, "sampling_rate", sampling_rate)
        sizes = None if records_of is None else (rate * records_of, Fraction(records_of))
    else:
        records = Fraction(_whole("dataset_size", dataset_size))
        if sampling in ("poisson", "truncated"):
            size = arguments.positive("batch_size", batch_size)
        else:
            size = Fraction(_whole("batch_size", batch_size))
        arguments.at_most("dataset_size", records, "batch_size", size)
        if "with-replacement" in schemes and records < 2:
            raise ValueError(f"dataset_size must be at least 2, got {records}")
        rate, sizes = size / records, (size, records)
    if (epochs is None) != (rounding is None):
        raise ValueError(
            "rounding must be given with epochs, and only with them: up, down or nearest"
        )
    whole = None
    if steps is not None:
        times = _whole("steps", steps)
    elif not drawing.in_epochs(sampling):
        times = steps_of(epochs=epochs, rate=rate, rounding=rounding)
    else:  # an epoch has whole batches, and a short one unless that is left out
        count = (math.floor if drawing.dropping(sampling) else math.ceil)(times_in_epoch / rate)
        times = steps_of(epochs=epochs, rate=Fraction(1, count), rounding=rounding)
        whole = _stated(epochs)
    if not isinstance(rate_from_n, bool):
        raise TypeError(f"rate_from_n must be true or false, got {arguments.show(rate_from_n)}")
    of_count = (divisor == "from-n" or rate_from_n) and "batch_size" in given
    if of_count and sampling == "poisson" and sizes is not None:
        rate = Fraction(1, math.ceil(sizes[1] / sizes[0]))
        if epochs is not None:
            times = steps_of(epochs=epochs, rate=rate, rounding=rounding)
    if sampling == ALLOCATED:
        _need_epochs(rate, times_in_epoch, times, steps=steps, epochs=epochs)
    run = TrainingRun(
        noise,
        rate,
        times,
        sampling,
        sizes,
        whole,
        participations=times_in_epoch,
        microbatches=drawn,
    )
    coordinates = None if dimension is None else _whole("dimension", dimension)
    scale = None
    if noise_divisor is not None:
        scale = arguments.positive("noise_divisor", noise_divisor)
    named, division = read_division(
        divisor=divisor,
        dimension=coordinates,
        sampling=sampling,
        grouped=group is not None or drawn > 1,
        records=None if sizes is None else sizes[1],
        batch_size=batch_size,
        sampling_rate=rate,
        noise_divisor=scale,
        rate_from_n=rate_from_n,
    )
    run = replace(run, divisor=named, division=division, dimension=coordinates, noise_divisor=scale)
    if sampling == "truncated":
        run = _with_cap(run, batch_cap, kept)
    return _with_group(run, group, group_cap, released)


def _capped(given: dict[str, Any], sampling: str, batch_cap: Any, kept: Any) -> int | None:
    """Return the number of records of truncated batches, which a rate needs too."""
    if sampling != "truncated":
        for name, value in (("batch_cap", batch_cap), ("kept", kept)):
            if value is not None:
                raise ValueError(f"{name} must be given for sampling 'truncated' only")
        return None
    if batch_cap is None or "dataset_size" not in given:
        name = "batch_cap" if batch_cap is None else "dataset_size"
        raise ValueError(f"{name} must be given for sampling 'truncated'")
    if "sampling_rate" not in given:
        return None
    return _whole("dataset_size", given.pop("dataset_size"))


def _with_cap(run: TrainingRun, batch_cap: Any, kept: Any) -> TrainingRun:
    """Return a run with truncated batches; with Poisson sampling where nothing is ever cut."""
    cap = _whole("batch_cap", batch_cap)
    word: Kept = "uniform" if kept is None else kept
    if word not in get_args(Kept):
        words = ", ".join(get_args(Kept))
        raise ValueError(f"kept must be one of {words}, got {arguments.show(kept)}")
    assert run.sizes is not None
    if cap >= run.sizes[1]:
        return replace(run, sampling="poisson", batch_cap=cap, kept=word)
    return replace(run, batch_cap=cap, kept=word)


def _read_participations(sampling: str, participations: Any) -> int:
    if sampling == ALLOCATED:
        if participations is None:
            raise ValueError(f"participations must be given for sampling {ALLOCATED!r}")
        return _whole("participations", participations)
    if participations is not None:
        raise ValueError(
            f"participations must be absent for sampling {arguments.show(sampling)}: they are of "
            f"{ALLOCATED!r}"
        )
    return 1


def _read_microbatches(sampling: str, microbatches: Any, group_cap: Any) -> int:
    if microbatches is None:
        return 1
    if sampling != "poisson":
        raise ValueError(
            f"microbatches must be absent for sampling {arguments.show(sampling)}: each of them is "
            "drawn by Poisson sampling"
        )
    if group_cap is not None:
        raise ValueError("group_cap must be absent with microbatches: it is of one batch")
    return arguments.count("microbatches", _whole("microbatches", microbatches), most=MOST_RECORDS)


def _need_epochs(
    rate: Fraction, participations: int, times: int, *, steps: Any, epochs: Any
) -> None:
    """Refuse random allocation over anything but whole epochs of so many batches."""
    batches = participations / rate
    if batches.denominator != 1:
        raise ValueError(
            f"participations over sampling_rate must be a whole number of batches, got "
            f"{participations} over {arguments.show(rate)}"
        )
    if times % batches:
        name, value = ("steps", steps) if epochs is None else ("epochs", epochs)
        raise ValueError(
            f"{name} must make whole epochs of {batches} batches for sampling {ALLOCATED!r}, got "
            f"{arguments.show(value)}"
        )


def _stated(epochs: Any) -> int | None:
    number = arguments.positive("epochs", epochs)
    return int(number) if number.denominator == 1 else None


def _with_group(run: TrainingRun, group: Any, group_cap: Any, released: str) -> TrainingRun:
    if released not in get_args(Released):
        words = ", ".join(get_args(Released))
        raise ValueError(f"released must be one of {words}, got {arguments.show(released)}")
    known: Released = released  # type: ignore[assignment]
    if group is None:
        if group_cap is not None:
            raise ValueError("group_cap must be given with group only")
        return replace(run, released=known)
    if run.sampling != "poisson":
        raise ValueError(f"sampling must be poisson for a group: {GROUPED}")
    size = arguments.count("group", _whole("group", group), most=MOST_RECORDS)
    cap = None if group_cap is None else _whole("group_cap", group_cap)
    return replace(run, released=known, group=size, group_cap=cap)


def _whole(name: str, value: Any) -> int:
    """Return a whole number of things, as written."""
    number = arguments.positive(name, value)
    if number.denominator != 1:
        raise ValueError(f"{name} must be a whole number, got {arguments.show(value)}")
    return arguments.count(name, int(number))


def _one_of(
    given: Mapping[str, Any], ways: Sequence[tuple[str, ...]], sampling: str
) -> tuple[str, ...]:
    """Return the only one of several ways to say something that is given, and is given whole."""
    begun = [way for way in ways if any(name in given for name in way)]
    known = {name for way in ways for name in way}
    alone = all(len(way) == 1 for way in ways)
    words = (" or " if alone else ", or ").join(" and ".join(way) for way in ways)
    of = "" if "steps" in known else f" for sampling {arguments.show(sampling)}"
    for name in ("batches_per_epoch", "sampling_rate"):
        if of and name in given and name not in known:
            raise ValueError(f"{name} must be absent{of}, which needs {words}")
    if len(begun) == 1 and all(name in given for name in begun[0]):
        return begun[0]
    one = ", and only one of them" if len(begun) > 1 or alone else ""
    raise ValueError(f"{words} must be given{one}{',' * bool(one and of)}{of}")
