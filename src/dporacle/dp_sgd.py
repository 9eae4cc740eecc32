"""DP-SGD as people state it: noise multiplier, sampling rate, steps or epochs, δ → ε (X.SG).

The proved values are those of the enclosures. Beside them stand what Rényi accounting and the
central limit theorem say, in float64: figures to compare with, which prove nothing.
"""

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ParamSpec, TypeVar

from flint import arb

from dporacle import arguments, enclosures
from dporacle.arguments import Exact
from dporacle.enclosures.arithmetic import rounding as rounded
from dporacle.enclosures.arithmetic.balls import ball, bits_for, precision
from dporacle.mechanisms import FurtherEnd
from dporacle.mechanisms.training import TrainingRun, TrainingSchedule, read_training
from dporacle.mechanisms.words import Divisor, Kept, Rounding
from dporacle.vocabulary.hypotheses import Hypothesis
from dporacle.vocabulary.relations import ENCLOSED

SHOWN = ("add", "remove", "add-remove", "replace-one")
"""The relations, and directions of one, of which Poisson sampling has an own value."""

NOT_POISSON = (
    "shuffled batches and batches of a fixed size are other mechanisms: the ε of Poisson sampling "
    "is not a bound for them, neither above nor below"
)

Found = dict[str, arb]
"""Relation, or direction of one -> its value."""

_FLOAT_DIGITS = 17
_NOTHING_BITS = 256
_Given = ParamSpec("_Given")
_Returned = TypeVar("_Returned")
_ORDERS = tuple(1 + k / 10 for k in range(1, 100)) + tuple(range(11, 64)) + (128, 256, 512)


@dataclass(frozen=True, slots=True, kw_only=True)
class EpsilonEnds:
    """What is proved of the smallest ε of a run.

    Attributes:
        low: a float64 at or below it.
        high: a float64 at or above it; infinite where nothing is proved from above.
        hypotheses: what both are proved under; each has an `id`, and `says` it.
        further: ends under other hypotheses, or of other data sets, exactly.
    """

    low: float
    high: float
    hypotheses: tuple[Hypothesis, ...]
    further: tuple[FurtherEnd, ...] = ()

    def __str__(self) -> str:
        """Return the nearest ends, and a line for each of what they are proved under."""
        ends = f"ε ∈ [{self.low}, {self.high}], proved under"
        if self.further:
            ends = f"ε ∈ [{self.low}, {self.high}], and `further` ends; the former proved under"
        return "\n- ".join([ends, *(each.says for each in self.hypotheses)])


def epsilons(run: TrainingRun, *, delta: Fraction, digits: int) -> Found:
    """Enclose the exact ε of every relation of SHOWN, under Poisson sampling.

    Raises:
        TypeError, ValueError: naming the argument that is outside its domain.
    """
    return schedule_values(run.as_schedule(), delta=delta, digits=digits)


def noise_multipliers(
    run: TrainingRun, *, epsilon: Fraction, delta: Fraction, digits: int
) -> Found:
    """Enclose the smallest noise multiplier for a target ε, for every relation of SHOWN.

    It is 0 where the sums themselves are private enough: the record is drawn so rarely.

    Args:
        run: rate, steps and group; its noise multiplier plays no part.
        epsilon: the target.
        delta: in (0, 1).
        digits: of the answer.

    Raises:
        TypeError, ValueError: naming the argument that is outside its domain.
        ArithmeticError: if an enclosure would need too much work.
    """
    found = {
        way: arb(0)
        if needs_no_noise(run.as_schedule(), way, epsilon, delta)
        else run.enclose("sigma", way, digits, epsilon=epsilon, delta=delta)
        for way in ("add", "remove", "replace-one")
    }
    return _with_both(found, digits)


def needs_no_noise(
    schedule: TrainingSchedule, relation: str, epsilon: Fraction, delta: Fraction
) -> bool:
    """Whether sums under Poisson sampling are proved to be (ε, δ)-DP without any noise.

    With w the chance that no batch has the record, the law with it is w times the other law and
    something else: δ(ε) ≤ 1 − w, and in the other order max(0, 1 − e^ε·w).
    """
    with precision(_NOTHING_BITS):
        draws = arb(0)
        for phase in schedule.phases:
            if not isinstance(phase.moved, Fraction) or phase.moved == 1:
                return False
            draws += phase.steps * (schedule.group or 1) * (-ball(phase.moved)).log1p()
        absent = draws.exp()
        # Of both orders, and of a record that is replaced, the first one counts.
        lost = 1 - absent * (ball(epsilon).exp() if relation == "add" else 1)
        return bool(lost <= ball(delta))


def schedule_values(
    schedule: TrainingSchedule, *, epsilon: Fraction | None = None, delta: Fraction, digits: int
) -> Found:
    """Enclose the exact ε of phases of a run for every relation of SHOWN.

    With a target ε, the smallest factor of all noise multipliers that reaches it.

    Args:
        schedule: the phases.
        epsilon: the target, or None.
        delta: in (0, 1).
        digits: of the answer.

    Raises:
        TypeError, ValueError: naming the argument that is outside its domain.
        ArithmeticError: if an enclosure would need too much work.
    """
    from dporacle.enclosures.subsampled_gaussian import epsilon_of, noise_of

    arguments.delta(delta)
    found: Found = {}
    dear = False
    for way in ("add", "remove", "replace-one"):
        direction = ENCLOSED[way]
        plan = schedule.plan(direction)
        if epsilon is None:
            dear = dear or schedule.has_little_noise(direction)
            if not dear:
                try:
                    found[way] = epsilon_of(plan, delta, direction, digits)
                except ArithmeticError:
                    dear = True  # and so are the directions that follow
            if dear:
                found[way] = _between(plan, delta, direction, digits)
            continue

        def scaled(factor: Fraction, plan: Any = plan) -> Any:
            return [(factor * sigma, *others) for sigma, *others in plan]

        if needs_no_noise(schedule, way, arguments.epsilon(epsilon), delta):
            found[way] = arb(0)
            continue
        found[way] = noise_of(scaled, arguments.epsilon(epsilon), delta, direction, digits)
    return _with_both(found, digits)


def _between(plan: Any, delta: Fraction, direction: str, digits: int) -> arb:
    """Return a ball from one proved end of ε to the other: it has fewer digits."""
    from dporacle.enclosures.batches.poisson_ends import epsilon

    ends = epsilon(plan, delta, direction)
    with precision(bits_for(digits) + 64):
        return ball(ends.low).union(ball(ends.high))


def _with_both(found: Found, digits: int) -> Found:
    with precision(bits_for(digits) + 64):
        found = found | {"add-remove": found["add"].max(found["remove"])}
    return {way: found[way] for way in SHOWN}


def renyi_epsilon(run: TrainingRun, *, delta: Fraction) -> float:
    """Return the ε of Rényi accounting under add/remove, in float64.

    The divergences of the remove direction at the usual orders, converted as by Canonne, Kamath &
    Steinke (2020, Proposition 12).
    """
    from dporacle.enclosures.subsampled.design import Model
    from dporacle.enclosures.subsampled.transform import Step

    model = Model([Step(run.noise_multiplier, run.sampling_rate, run.steps, False)])
    log_delta = math.log(delta.numerator) - math.log(delta.denominator)
    best = math.inf
    for order in _ORDERS:
        renyi = model.log_transform(order - 1) / (order - 1)
        epsilon = renyi + math.log1p(-1 / order) - (log_delta + math.log(order)) / (order - 1)
        best = min(best, max(epsilon, 0.0))
    return best


def limit_theorem_epsilon(run: TrainingRun, *, delta: Fraction) -> float:
    """Return the ε of the central limit theorem, in float64: no bound in either direction.

    Gaussian privacy with μ = q√(T(e^{1/σ²} − 1)), after Bu, Dong, Long & Su (2020).
    """
    inverse = 1 / float(run.noise_multiplier) ** 2
    if inverse > 700:
        return math.inf
    mu = float(run.sampling_rate) * math.sqrt(run.steps * math.expm1(inverse))
    return float(enclosures.epsilon_at_delta(delta=delta, sigma=1 / mu, digits=_FLOAT_DIGITS))


def dp_sgd_ends(
    *,
    noise_multiplier: Exact,
    delta: Exact,
    sampling_rate: Exact | None = None,
    batch_size: Exact | None = None,
    dataset_size: Exact | None = None,
    steps: int | None = None,
    epochs: Exact | None = None,
    rounding: Rounding = "up",
    sampling: str = "poisson",
    batches_per_epoch: int | None = None,
    batch_cap: int | None = None,
    kept: Kept | None = None,
    divisor: Divisor | None = None,
    dimension: int | None = None,
    noise_divisor: Exact | None = None,
    rate_from_n: bool = False,
    participations: int | None = None,
    microbatches: int | None = None,
    neighbours: str = "add-remove",
) -> EpsilonEnds:
    """Return float64 below and above the smallest ε of DP-SGD, with what they are proved under.

    Numbers are taken exactly, and text too: "1e-5", "256/60000".

    Args:
        noise_multiplier: σ over the clipping norm.
        delta: in (0, 1).
        sampling_rate: the probability that a record enters a batch; or
        batch_size: the size of a batch, of Poisson sampling the expected one, with
        dataset_size: the number of records.
        steps: the number of noisy sums; or
        epochs: how often each record is sampled on average, epochs/rate steps; of batches that are
            cut from an order of all records, epochs of whole batches.
        rounding: how that becomes a whole number: "up", "down" or "nearest".
        sampling: "poisson"; "fixed-size" or "with-replacement", drawn anew at each step;
            "cyclic", "balls-and-bins", "random-allocation", "shuffled" or "shuffled-once"; or
            "drop-last": shuffled, and a short last batch is left out; or "truncated": Poisson
            sampling, of which no batch has more than batch_cap records.
        batches_per_epoch: instead of a rate, but for Poisson sampling.
        batch_cap: of "truncated" batches, the most records of one, with dataset_size.
        kept: which records of a larger one are kept: "uniform", which is supposed if nothing is
            said, or "first-come".
        divisor: what the sums are divided by: "public", which the hypotheses say if nothing is
            said, "noisy-count", "from-n" or "drawn".
        dimension: how many coordinates a sum has, which "from-n" needs and "drawn" may have.
        noise_divisor: with "drawn", the fixed number that the noise alone is divided by.
        rate_from_n: whether the rate, one over n/B rounded up, is computed from a number n of
            records that is not public. If nothing is said, the hypotheses say that it is public.
        participations: of "random-allocation": in how many batches of an epoch a record is, all of
            which are as likely; the rate is that number over the batches of an epoch.
        microbatches: of Poisson sampling: how many batches, each drawn on its own with the rate, a
            noisy sum adds up.
        neighbours: "add-remove", "zero-out" or "replace-one"; where Poisson sampling or the scheme
            knows it, one direction of the first, "add" or "remove".

    Raises:
        TypeError, ValueError: naming the argument that is missing or outside of its domain.
        ArithmeticError: if an enclosure would need too much work.
    """
    target = arguments.delta(delta)
    run = read_training(
        noise_multiplier=noise_multiplier,
        sampling=sampling,
        sampling_rate=sampling_rate,
        batch_size=batch_size,
        dataset_size=dataset_size,
        batches_per_epoch=batches_per_epoch,
        batch_cap=batch_cap,
        kept=kept,
        divisor=divisor,
        dimension=dimension,
        noise_divisor=noise_divisor,
        rate_from_n=rate_from_n,
        steps=steps,
        epochs=epochs,
        rounding=None if epochs is None else rounding,
        participations=participations,
        microbatches=microbatches,
    )
    found = run.known_ends(target, neighbours)
    high = math.inf if found.high is None else rounded.float_above(found.high)
    return EpsilonEnds(
        low=rounded.float_below(found.low),
        high=high,
        hypotheses=found.hypotheses,
        further=found.further,
    )


def _with_arguments_of(
    other: Callable[_Given, Any],
) -> Callable[[Callable[..., _Returned]], Callable[_Given, _Returned]]:
    """Give a function the signature of another one, to which it hands its arguments on."""

    def dressed(function: Callable[..., _Returned]) -> Callable[_Given, _Returned]:
        returned = inspect.signature(function).return_annotation
        signature = inspect.signature(other).replace(return_annotation=returned)
        function.__signature__ = signature  # type: ignore[attr-defined]
        return function

    return dressed


@_with_arguments_of(dp_sgd_ends)
def dp_sgd_epsilon(**given: Any) -> tuple[float, float]:
    """Return float64 below and above the smallest ε of DP-SGD, both proved.

    The arguments are those of `dp_sgd_ends`, which returns the hypotheses that both are proved
    under too. They differ from scheme to scheme. Of "cyclic" batches under "add-remove" one is that
    the other records stay in their batches; of so many steps of such batches whose size does not
    divide the data, that the last batch of each epoch is short, and is not left out; of
    "fixed-size", "with-replacement" and "shuffled" ones, that a contribution does not depend on
    other records, in its batch or not; so too of "drop-last" ones under "add-remove", and of
    "truncated" ones. Of these one is that the records that are kept are drawn uniformly from those
    that were drawn, unless `kept` is said. Of "poisson", "truncated", "random-allocation" and
    "balls-and-bins" sampling, and under "add-remove" of "cyclic", "shuffled" and "shuffled-once"
    batches, one is that the sum is divided by a public number, unless `divisor` is said.

    Returns:
        Below and above; infinite above where nothing is proved.

    Raises:
        TypeError, ValueError: naming the argument that is missing or outside of its domain.
        ArithmeticError: if an enclosure would need too much work.
    """
    found = dp_sgd_ends(**given)
    return found.low, found.high


def dp_sgd_noise_multiplier(
    *,
    epsilon: Exact,
    delta: Exact,
    sampling_rate: Exact | None = None,
    batch_size: Exact | None = None,
    dataset_size: Exact | None = None,
    steps: int | None = None,
    epochs: Exact | None = None,
    rounding: Rounding = "up",
    neighbours: str = "add-remove",
) -> float:
    """Return the float64 noise multiplier next to the least of DP-SGD, proved to be private.

    It is for Poisson sampling, and proved under the hypotheses that `dp_sgd_ends` returns for it.
    It is 0 where no noise is needed, as a record is drawn so rarely. The arguments are those of
    `dp_sgd_ends`.

    Raises:
        TypeError, ValueError: naming the argument that is missing or outside of its domain.
        ArithmeticError: if an enclosure would need too much work.
    """
    run = read_training(
        noise_multiplier=1,  # it is sought
        sampling_rate=sampling_rate,
        batch_size=batch_size,
        dataset_size=dataset_size,
        steps=steps,
        epochs=epochs,
        rounding=None if epochs is None else rounding,
    )
    goal = {"epsilon": arguments.epsilon(epsilon), "delta": arguments.delta(delta)}
    if needs_no_noise(run.as_schedule(), neighbours, **goal):
        return 0.0
    found = run.enclose("sigma", neighbours, _FLOAT_DIGITS, **goal)
    return rounded.float_above(rounded.bounds(found)[1])
