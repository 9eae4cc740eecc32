"""DP-SGD as people state it: noise multiplier, sampling rate, steps or epochs, δ → ε (X.SG).

The proved values are those of the enclosures. Beside them stand what Rényi accounting and the
central limit theorem say, in float64: figures to compare with, which prove nothing.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, get_args

from flint import arb

from dporacle import arguments, enclosures
from dporacle.arguments import Exact
from dporacle.enclosures.arithmetic import rounding as rounded
from dporacle.enclosures.arithmetic.balls import ball, bits_for, precision
from dporacle.vocabulary.domains import UNIT

Rounding = Literal["up", "down", "nearest"]
"""How a number of steps that is no integer is rounded."""

DIRECTIONS = ("add", "remove", "both", "replace")

RELEASED = "every noisy sum is released; if only the last iterate is, "
"""How the sentence begins that says what becomes of the values of fewer sums."""

HYPOTHESES = (
    "Poisson sampling: each record enters each batch independently, with the same probability",
    "noise multiplier, rate and number of steps are fixed before the run, the same for both "
    "data sets (under add/remove a rate B/n needs a public n)",
    "each contribution has at most the clipping norm; those of other records do not depend on the "
    "record; the sum is not divided by the drawn batch size",
    RELEASED + "ε is an upper bound",
)
"""What the values are proved under."""

OF_A_GROUP = (
    "each record of the group enters each batch on its own; which batches they enter does not "
    "depend on anything released"
)
"""What is assumed of a group besides."""

OF_PHASES = "the phases, and their order, are fixed before the run, the same for both data sets"
OF_A_LAW = (
    "each step draws its sensitivity, a bound on what is moved, from the law, independently of "
    "everything else; the law is the same for both data sets"
)

NOT_POISSON = (
    "shuffled batches and batches of a fixed size are other mechanisms: the ε of Poisson sampling "
    "is not a bound for them, neither above nor below"
)

BATCH_HYPOTHESES = (
    "noise multiplier, batches and epochs are fixed before the run, the same for both data sets",
    "each contribution has at most the clipping norm; those of other records do not depend on the "
    "record; the sum is not divided by a drawn batch size",
    RELEASED + "the upper end remains true; the lower end may not",
    "the batches are drawn independently of the data, and are not released",
)
"""What the values of other batches are proved under."""

_OF_BATCHES = {
    "shuffled": (
        "a new uniformly random permutation in each epoch, cut into batches of one size, with no "
        "record left out",
        "for an upper end below the cyclic one: a contribution does not depend on the other "
        "records in its batch",
    ),
    "shuffled-once": (
        "one uniformly random permutation for all epochs, cut into batches of one size, with no "
        "record left out",
        "for an upper end of one epoch below the cyclic one: a contribution does not depend on "
        "the other records in its batch",
    ),
    "fixed-size": (
        "each batch is a new uniformly random set of one size, and the number of records is fixed "
        "(for add and remove: that of the larger data set)",
        "a contribution does not depend on the other records in its batch",
    ),
    "with-replacement": (
        "each record of a batch is drawn anew, uniformly from all records",
        "a contribution does not depend on the other records in its batch",
    ),
    "balls-and-bins": (
        "each record, independently of the others, in one uniformly random batch of each epoch",
    ),
    "cyclic": (
        "each record is in exactly one batch of each epoch, and which one is fixed, or public",
        "for add and remove: the number of batches and the batches of all other records stay",
    ),
}

Group = tuple[int, int | None]
"""How many records, and how many of them may count in one step."""

Found = dict[str, arb]
"""Direction -> its value."""

_FLOAT_DIGITS = 17
_ORDERS = tuple(1 + k / 10 for k in range(1, 100)) + tuple(range(11, 64)) + (128, 256, 512)


@dataclass(frozen=True, slots=True)
class Run:
    """A run of DP-SGD.

    Attributes:
        noise_multiplier: standard deviation of the noise, in units of the clipping norm.
        sampling_rate: the probability that a record enters a batch.
        steps: how many.
    """

    noise_multiplier: Fraction
    sampling_rate: Fraction
    steps: int


def supposed(sampling: str) -> tuple[str, ...]:
    """Return what the figures of a way to draw batches, other than Poisson's, are proved under."""
    return *_OF_BATCHES[sampling], *BATCH_HYPOTHESES


def steps_of(*, epochs: Fraction, rate: Fraction, rounding: Rounding) -> int:
    """Return the number of steps of so many epochs, epochs/rate, rounded as stated.

    Raises:
        ValueError: if that is less than one step.
    """
    exact = arguments.positive("epochs", epochs) / arguments.positive("rate", rate)
    ways = {"up": math.ceil, "down": math.floor, "nearest": lambda x: math.floor(x + 1 / 2)}
    steps = int(ways[rounding](exact))
    if steps < 1:
        raise ValueError(f"epochs must make at least one step, got {arguments.show(epochs)}")
    return steps


def epsilons(run: Run, *, delta: Fraction, digits: int, group: Group | None = None) -> Found:
    """Enclose the exact ε of every direction, for one record or for a group.

    Raises:
        TypeError, ValueError: naming the argument that is outside its domain.
    """
    size, cap = group or (1, None)
    phase = run.noise_multiplier, run.sampling_rate, run.steps
    phases = [phase if cap is None else (*phase, cap)]
    return schedule_values(phases, delta=delta, digits=digits, size=size)


def noise_multipliers(
    *,
    epsilon: Fraction,
    delta: Fraction,
    rate: Fraction,
    steps: int,
    digits: int,
    group: Group | None = None,
) -> Found:
    """Enclose the smallest noise multiplier for a target ε, for every direction.

    Raises:
        TypeError, ValueError: naming the argument that is outside its domain.
        ArithmeticError: if an enclosure would need too much work.
    """
    return _each_direction(
        "sigma", group, epsilon=epsilon, delta=delta, rate=rate, steps=steps, digits=digits
    )


def _each_direction(quantity: str, group: Group | None, *, digits: int, **given: Any) -> Found:
    found = {
        direction: of_records(
            quantity, *(group or (1, None)), direction=direction, digits=digits, **given
        )
        for direction in ("add", "remove", "replace")
    }
    return _with_both(found, digits)


def of_records(quantity: str, size: int, cap: int | None, **given: Any) -> arb:
    """Enclose "delta", "epsilon" or "sigma" of one record, or of a group under a cap."""
    value: arb
    if size == 1:
        value = getattr(enclosures, f"subsampled_{quantity}")(**given)
        return value
    from dporacle.enclosures import groups

    value = getattr(groups, f"group_{quantity}")(size=size, cap=cap, **given)
    return value


def schedule_values(
    phases: Sequence[Sequence[Any]],
    *,
    epsilon: Fraction | None = None,
    delta: Fraction,
    digits: int,
    size: int = 1,
) -> Found:
    """Enclose the exact ε of phases of a run for every direction.

    With a target ε, the smallest factor of all noise multipliers that reaches it.

    Args:
        phases: (σ, q, T) or (σ, q, T, cap) each, or with the law of a sensitivity in the place of
            q, as `dporacle.enclosures.groups.schedule_of` takes them.
        epsilon: the target, or None.
        delta: in (0, 1).
        digits: of the answer.
        size: how many records are protected together.

    Raises:
        TypeError, ValueError: naming the argument that is outside its domain.
        ArithmeticError: if an enclosure would need too much work.
    """
    from dporacle.enclosures.groups import schedule_of
    from dporacle.enclosures.subsampled_gaussian import epsilon_of, noise_of

    arguments.delta(delta)
    found: Found = {}
    dear = False
    for direction in ("add", "remove", "replace"):
        plan = schedule_of(phases, size, direction)
        if epsilon is None:
            if not dear:
                try:
                    found[direction] = epsilon_of(plan, delta, direction, digits)
                except ArithmeticError:
                    dear = True  # and so are the directions that follow
            if dear:
                found[direction] = _between(plan, delta, direction, digits)
            continue

        def scaled(factor: Fraction, plan: Any = plan) -> Any:
            return [(factor * sigma, *others) for sigma, *others in plan]

        found[direction] = noise_of(scaled, arguments.epsilon(epsilon), delta, direction, digits)
    return _with_both(found, digits)


def _between(plan: Any, delta: Fraction, direction: str, digits: int) -> arb:
    """Return a ball from one proved end of ε to the other: it has fewer digits."""
    from dporacle.enclosures.batches.poisson_ends import epsilon

    ends = epsilon(plan, delta, direction)
    with precision(bits_for(digits) + 64):
        return ball(ends.low).union(ball(ends.high))


def _with_both(found: dict[str, arb], digits: int) -> dict[str, arb]:
    with precision(bits_for(digits) + 64):
        both = found["add"].max(found["remove"])
    return {"add": found["add"], "remove": found["remove"], "both": both, **found}


def renyi_epsilon(run: Run, *, delta: Fraction) -> float:
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


def limit_theorem_epsilon(run: Run, *, delta: Fraction) -> float:
    """Return the ε of the central limit theorem, in float64: no bound in either direction.

    Gaussian privacy with μ = q√(T(e^{1/σ²} − 1)), after Bu, Dong, Long & Su (2020).
    """
    inverse = 1 / float(run.noise_multiplier) ** 2
    if inverse > 700:
        return math.inf
    mu = float(run.sampling_rate) * math.sqrt(run.steps * math.expm1(inverse))
    return float(enclosures.epsilon_at_delta(delta=delta, sigma=1 / mu, digits=_FLOAT_DIGITS))


def dp_sgd_epsilon(
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
    neighbours: str = "add-remove",
) -> tuple[float, float]:
    """Return float64 below and above the smallest ε of DP-SGD, both proved.

    Numbers are taken exactly, and text too: "1e-5", "256/60000".

    Args:
        noise_multiplier: σ over the clipping norm.
        delta: in (0, 1).
        sampling_rate: the probability that a record enters a batch; or
        batch_size: the expected size of a batch, with
        dataset_size: the number of records.
        steps: the number of noisy sums; or
        epochs: how often each record is sampled on average, epochs/rate steps.
        rounding: how epochs/rate becomes a whole number: "up", "down" or "nearest".
        sampling: "poisson"; "fixed-size" or "with-replacement", drawn anew at each step; or with
            `batches_per_epoch` and a whole number of `epochs` "cyclic", "balls-and-bins",
            "shuffled" or "shuffled-once".
        batches_per_epoch: the number of batches in an epoch of the last four.
        neighbours: "add-remove", "zero-out" or "replace-one".

    Raises:
        TypeError, ValueError: naming the argument that is missing or outside of its domain.
        ArithmeticError: if an enclosure would need too much work.
    """
    target, noise = arguments.delta(delta), arguments.positive("noise_multiplier", noise_multiplier)
    if sampling == "poisson":
        if batches_per_epoch is not None:
            raise ValueError("batches_per_epoch must be absent for sampling 'poisson'")
        rate, times = _sampled(sampling_rate, batch_size, dataset_size, steps, epochs, rounding)
        found = enclosures.subsampled_epsilon(
            delta=target,
            sigma=noise,
            rate=rate,
            steps=times,
            direction=_direction(neighbours),
            digits=_FLOAT_DIGITS,
        )
        low, high = rounded.bounds(found)
    else:
        sizes = sampling_rate, batch_size, dataset_size
        scheme, drawn = _drawn(sampling, noise, *sizes, steps, epochs, rounding, batches_per_epoch)
        words = {"both": "add-remove", "zero-out": "zero-out", "replace": "replace-one"}
        known = {words[name]: name for name in scheme.ADJACENCIES if name in words}
        if neighbours not in known:
            raise ValueError(
                f"neighbours must be one of {', '.join(known)} for {sampling} batches, "
                f"got {arguments.show(neighbours)}"
            )
        ends = scheme.epsilon(drawn, target, known[neighbours])
        low, high = ends.low, ends.high
    return rounded.float_below(max(low, Fraction(0))), rounded.float_above(high)


def _drawn(
    sampling: str,
    noise: Fraction,
    sampling_rate: Exact | None,
    batch_size: Exact | None,
    dataset_size: Exact | None,
    steps: int | None,
    epochs: Exact | None,
    way: Rounding,
    batches: int | None,
) -> tuple[Any, Any]:
    """Return a scheme's module, and the run that it takes."""
    from dporacle.enclosures import batches as schemes
    from dporacle.enclosures.batches import fixed_size, with_replacement

    told = arguments.show(sampling)
    if sampling not in (known := (*schemes.DRAWN, *schemes.SCHEMES)):
        raise ValueError(f"sampling must be one of poisson, {', '.join(known)}, got {told}")
    if sampling not in schemes.DRAWN:
        others = (sampling_rate, batch_size, dataset_size, steps)
        if batches is None or epochs is None or others != (None,) * 4:
            raise ValueError(
                "batches_per_epoch and epochs must be given, and sampling_rate, batch_size, "
                f"dataset_size and steps must be absent, for sampling {told}"
            )
        times = arguments.count("epochs", epochs)
        run = schemes.Run(noise, arguments.count("batches_per_epoch", batches), times)
        return schemes.scheme_of(sampling), run
    if batches is not None:
        raise ValueError(f"batches_per_epoch must be absent for sampling {told}")
    rate, times = _sampled(sampling_rate, batch_size, dataset_size, steps, epochs, way)
    if sampling == "fixed-size":
        if rate == 1:
            raise ValueError(f"sampling_rate must be below 1 for sampling {told}")
        return fixed_size, fixed_size.Steps(noise, rate, times)
    if sampling_rate is not None:
        raise ValueError(f"batch_size and dataset_size must be given for sampling {told}")
    assert batch_size is not None
    assert dataset_size is not None
    size = arguments.positive("batch_size", batch_size)
    records = arguments.positive("dataset_size", dataset_size)
    for name, value in (("batch_size", size), ("dataset_size", records)):
        if value.denominator != 1:
            raise ValueError(f"{name} must be a whole number, got {arguments.show(value)}")
    if records < 2:
        raise ValueError(f"dataset_size must be at least 2, got {records}")
    return with_replacement, with_replacement.Draws(noise, int(size), int(records), times)


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

    It is for Poisson sampling. The arguments are those of `dp_sgd_epsilon`.

    Raises:
        TypeError, ValueError: naming the argument that is missing or outside of its domain.
        ArithmeticError: if an enclosure would need too much work.
    """
    rate, times = _sampled(sampling_rate, batch_size, dataset_size, steps, epochs, rounding)
    found = enclosures.subsampled_sigma(
        epsilon=epsilon,
        delta=delta,
        rate=rate,
        steps=times,
        direction=_direction(neighbours),
        digits=_FLOAT_DIGITS,
    )
    return rounded.float_above(rounded.bounds(found)[1])


def _direction(neighbours: str) -> str:
    known = {"add-remove": "both", "zero-out": "both", "replace-one": "replace"}
    if neighbours not in known:
        raise ValueError(
            f"neighbours must be one of {', '.join(known)}, got {arguments.show(neighbours)}"
        )
    return known[neighbours]


def _sampled(
    sampling_rate: Exact | None,
    batch_size: Exact | None,
    dataset_size: Exact | None,
    steps: int | None,
    epochs: Exact | None,
    way: Rounding,
) -> tuple[Fraction, int]:
    """Return the rate and the number of steps."""
    if sampling_rate is not None and (batch_size, dataset_size) == (None, None):
        rate = arguments.within(UNIT, "sampling_rate", sampling_rate)
    elif sampling_rate is None and batch_size is not None and dataset_size is not None:
        size = arguments.positive("dataset_size", dataset_size)
        taken = arguments.positive("batch_size", batch_size)
        arguments.at_most("dataset_size", size, "batch_size", taken)
        rate = taken / size
    else:
        raise ValueError("sampling_rate, or batch_size and dataset_size, must be given")
    if (steps is None) == (epochs is None):
        raise ValueError("steps or epochs must be given, and only one of them")
    if steps is not None:
        return rate, arguments.count("steps", steps)
    if way not in get_args(Rounding):
        raise ValueError(
            f"rounding must be one of {', '.join(get_args(Rounding))}, got {arguments.show(way)}"
        )
    return rate, steps_of(epochs=arguments.positive("epochs", epochs), rate=rate, rounding=way)
