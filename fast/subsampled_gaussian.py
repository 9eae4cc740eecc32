"""DP-SGD: the composed Poisson-subsampled Gaussian in float64 (X.SG.*).

In each of T steps every record enters the batch with probability q, independently; contributions
of norm at most 1 are added and N(0, σ²I) is put on the sum. `direction` says which neighbours:
"remove" (the first of the two data sets has one record more), "add" (one less), "both" (the larger
of the two, after composition) or "replace" (one record differs, by the antipodal pair).

Every δ, ε and σ is on the private side: a bound of the error, which the computation itself yields
(`subsampled.contour`), is added. In the settings of practice (σ from 0.5, q from 10^-3, δ from
10^-12) half of all δ(ε) are less than 10^-11 of themselves above the exact one; up to 2·10^-8 was
seen with a thousand steps and more, 3·10^-6 with a hundred, 2·10^-5 with fewer; of ε up to 2·10^-6
(`tools/dpsgd_accuracy.py --settings 1000 --seed 2`, commit c90c44d). An answer takes some 30
milliseconds. Next to the largest loss of the direction add, −ΣT·ln(1 − q), losses are told from
there. Where a record is sampled in hardly any run, or where the largest group is far larger than
the noise, δ(ε) is a small difference of large terms: the bound is then wide, and where it is above
a tenth of δ the answer is an upper bound from a lattice of losses (`subsampled.lattice`). It takes
up to a few seconds for groups. For δ from 10^-12 its ε is at most a fiftieth above the exact one
(`tests/test_subsampled_domain.py::test_the_lattice_is_above_and_near`).

What of that bound is proved and what is measured: the lattice and the plain and one-step cases are
theorems, up to rounding. That a trapezoid rule errs by less than its difference from the rule with
half the points is not proved here but measured, in both variables, and so is the factor 32 of the
rounding (6 was seen). `DPORACLE_HYPOTHESIS=deep pytest tests/test_subsampled_domain.py` sets them
against the enclosures, over the whole domain: no answer below the exact one is known.
"""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from scipy.optimize import brentq

from dporacle.fast._broadcast import Array, each_of, reader, witness
from dporacle.fast.analytic_gaussian import delta_at_epsilon, epsilon_at_delta
from dporacle.fast.subsampled.contour import ContourMoments, saddle, saddle_for_delta
from dporacle.fast.subsampled.lattice import lattice_delta, lattice_epsilon
from dporacle.fast.subsampled.losses import FloatPhase, largest, shift
from dporacle.fast.subsampled.single import single_delta
from dporacle.interface import Direction
from dporacle.vocabulary.domains import FLOAT_SIGMA, FLOAT_STEPS

MIN_SIGMA, MAX_SIGMA = FLOAT_SIGMA

_FAR_OUT = 1e4  # an ε beyond which the contour takes long
_LEAST = 5e-324  # the least float64: a δ that is not 0 is not rounded to 0
_ULP = 2.0**-52  # the spacing of float64 from 1 on
_STEPS = 80  # the certified vectors take four at most
_SEEN = 0.1  # relative error of δ(ε) from which on the lattice's bound takes its place
_STEADY = 1e-4  # relative error of δ(ε) from which on a contour is placed anew
_FIRM = 1e-9  # relative error of δ(ε) from which on the contour is placed once more at the root
_CLOSE = 1e-12  # of ln δ
_FINE = 1e-13  # of ln σ

of_steps = functools.partial(witness, reach=FLOAT_STEPS)


@of_steps
def subsampled_delta(
    *, epsilon: Array, sigma: Array, rate: Array, steps: Array, direction: Direction
) -> Any:
    """Return δ(ε) of T subsampled steps, not below it (X.SG.PROFILE)."""
    return each_of(
        lambda e, s, q, t: delta_of(e, [FloatPhase(s, q, t)], direction),
        (epsilon, sigma, rate, steps),
    )


@of_steps
def subsampled_epsilon(
    *, delta: Array, sigma: Array, rate: Array, steps: Array, direction: Direction
) -> Any:
    """Return the smallest ε ≥ 0 for which T steps are (ε,δ)-DP, not below it (X.SG.PROFILE)."""
    return each_of(
        lambda d, s, q, t: epsilon_of(d, [FloatPhase(s, q, t)], direction),
        (delta, sigma, rate, steps),
    )


@of_steps
def subsampled_sigma(
    *, epsilon: Array, delta: Array, rate: Array, steps: Array, direction: Direction
) -> Any:
    """Return the smallest noise multiplier for T subsampled steps, not below it (X.SG.INVERSE).

    Raises:
        ValueError: also if the noise multiplier is outside [0.1, 1000].
    """
    return each_of(
        lambda e, d, q, t: calibrate(e, d, FloatPhase(1.0, q, t), direction),
        (epsilon, delta, rate, steps),
    )


@witness
def subsampled_schedule_delta(
    *, epsilon: Array, phases: Sequence[tuple[float, float, int]], direction: Direction
) -> Any:
    """Return δ(ε) of several phases (σ, q, T) together, not below it (X.SG.PROFILE).

    Args:
        phases: the noise multiplier, the rate and the number of steps of each phase.
    """
    plan = _phases(phases)
    return each_of(lambda e: delta_of(e, plan, direction), (epsilon,))


@witness
def subsampled_schedule_epsilon(
    *, delta: Array, phases: Sequence[tuple[float, float, int]], direction: Direction
) -> Any:
    """Return the smallest ε ≥ 0 of several phases (σ, q, T) together, not below it (X.SG.PROFILE).

    Args:
        phases: the noise multiplier, the rate and the number of steps of each phase.
    """
    plan = _phases(phases)
    return each_of(lambda d: epsilon_of(d, plan, direction), (delta,))


def _phases(phases: Sequence[tuple[float, float, int]]) -> list[FloatPhase]:
    if isinstance(phases, str) or not isinstance(phases, Sequence) or not phases:
        raise TypeError("phases must be a list of (sigma, rate, steps)")
    plan: dict[tuple[float, float], float] = {}
    for index, each in enumerate(phases):
        if isinstance(each, str) or not isinstance(each, Sequence) or len(each) != 3:
            raise TypeError(f"phases[{index}] must be (sigma, rate, steps), got {each!r:.80}")
        sigma, rate, steps = (
            float(reader(f"phases[{index}].{name}", domain)(part))
            for (name, domain), part in zip(FLOAT_STEPS.items(), each, strict=True)
        )
        plan[sigma, rate] = plan.get((sigma, rate), 0.0) + steps
    return [FloatPhase(*noise, steps) for noise, steps in plan.items()]


def _plain(phases: list[FloatPhase], direction: str) -> tuple[float, float] | None:
    """Return σ and the sensitivity of one Gaussian release that is as much, if there is one."""
    if any(phase.rate < 1 or phase.shares for phase in phases):
        return None
    return 1.0, _whole(phases, direction)


def _whole(phases: list[FloatPhase], direction: str) -> float:
    """Return the sensitivity, not below it, of one release at σ = 1 if every q were 1."""
    square = math.fsum(phase.steps / phase.sigma**2 for phase in phases)
    return shift(direction) * math.sqrt(square) * (1 + 4 * _ULP)


def _all_there(epsilon: float, phases: list[FloatPhase], direction: str) -> float:
    """Return the δ(ε) of one Gaussian release as if every record were in every batch."""
    distance = _whole(phases, direction)
    return float(delta_at_epsilon(epsilon=epsilon, sigma=1.0, sensitivity=distance))


def _crowded(phases: list[FloatPhase]) -> bool:
    """Whether in some steps some member of a group is always there: no contour is made of them."""
    return any(phase.rate == 1 and phase.shares for phase in phases)


def _lone(phases: list[FloatPhase]) -> bool:
    return len(phases) == 1 and phases[0].steps == 1


def delta_of(epsilon: float, phases: list[FloatPhase], direction: str) -> float:
    """Return δ(ε) of phases, not below it."""
    if (plain := _plain(phases, direction)) is not None:
        return float(delta_at_epsilon(epsilon=epsilon, sigma=plain[0], sensitivity=plain[1]))
    if direction == "both":
        return max(delta_of(epsilon, phases, each) for each in ("add", "remove"))
    if _lone(phases):
        return single_delta(epsilon, phases[0], direction)
    if _crowded(phases):
        return min(
            _all_there(epsilon, phases, direction), lattice_delta(epsilon, phases, direction)
        )
    if direction == "add" and epsilon >= _most(phases):
        return _LEAST
    # Without sampling δ would be no smaller.
    if epsilon > _FAR_OUT and _all_there(epsilon, phases, direction) <= _LEAST:
        return _LEAST
    contour = ContourMoments(saddle(epsilon, phases, direction), epsilon, phases, direction)
    return _upper(contour, epsilon)


def _most(phases: list[FloatPhase]) -> float:
    """Return the largest privacy loss of the direction add, −ΣT·ln(1 − q), not below it."""
    if any(phase.rate == 1 for phase in phases):
        return math.inf
    near, rest = largest(phases)
    return near if rest <= 0 else math.nextafter(near, math.inf)


def _upper(contour: ContourMoments, epsilon: float) -> float:
    """Return an upper bound of δ(ε): what the contour gives, or the lattice."""
    value, error = contour.delta(epsilon)
    found = value + error
    if not error < _SEEN * value:
        bound = lattice_delta(epsilon, contour.phases, contour.direction)
        found = min(found, bound) if found > 0 else bound
    return min(1.0, max(math.nextafter(found, math.inf), _LEAST))


def epsilon_of(delta: float, phases: list[FloatPhase], direction: str) -> float:
    """Return the least ε of phases, not below it."""
    if (plain := _plain(phases, direction)) is not None:
        return float(epsilon_at_delta(delta=delta, sigma=plain[0], sensitivity=plain[1]))
    if direction == "both":
        removed = epsilon_of(delta, phases, "remove")
        if delta_of(removed, phases, "add") <= delta:
            return removed
        return max(removed, epsilon_of(delta, phases, "add"))
    if delta_of(0.0, phases, direction) <= delta:
        return 0.0
    if _lone(phases):
        return _bisected(lambda epsilon: single_delta(epsilon, phases[0], direction), delta)
    if _crowded(phases):
        distance = _whole(phases, direction)
        whole = float(epsilon_at_delta(delta=delta, sigma=1.0, sensitivity=distance))
        return min(whole, lattice_epsilon(delta, phases, direction))
    epsilon, centre = saddle_for_delta(delta, phases, direction)
    most = _most(phases) if direction == "add" else math.inf
    epsilon = min(epsilon, most)
    contour = ContourMoments(centre, epsilon, phases, direction)
    low, high, there, placed, bound = 0.0, most, False, epsilon, math.inf
    for _ in range(_STEPS):
        value, error = contour.delta(epsilon)
        if not error < _STEADY * value:  # the contour is too far off, or the tail too far out
            if epsilon != placed:
                contour = ContourMoments(
                    saddle(epsilon, phases, direction), epsilon, phases, direction
                )
                value, error = contour.delta(epsilon)
                placed = epsilon
            if not error < _SEEN * value:  # nothing is seen so far out
                if epsilon == bound:
                    return bound
                bound = min(most, lattice_epsilon(delta, phases, direction))
                if bound >= epsilon:
                    return bound
                epsilon = high = bound  # the estimate was far beyond the root
                continue
        excess = math.log(_upper(contour, epsilon)) - math.log(delta)
        if excess > 0:
            low = epsilon
        else:
            high = epsilon
        close = max(_CLOSE, error / value / 8) if value > 0 else _CLOSE
        if -close < excess <= 0 or low >= high * (1 - 4 * _ULP):
            if there or high == most or error < _FIRM * value:
                break
            # The contour was fit for an estimate: one for the root itself may be better.
            contour = ContourMoments(saddle(high, phases, direction), high, phases, direction)
            epsilon, low, there, placed = high, 0.0, True, high
            continue
        # Newton's step in ln δ(ε), a little too far: upwards, so that it ends on the upper side.
        slope = contour.slope(epsilon)
        step = (excess + close / 4) / -slope if slope < 0 else math.inf
        if low < epsilon + step < high and (not epsilon or abs(step) < 2 * epsilon):
            epsilon += step
        elif math.isinf(high):
            epsilon = 2 * epsilon or 1 / contour.centre
        else:
            epsilon = (low + high) / 2 if low > 0 else high / 8
    return high


def _bisected(function: Callable[[float], float], target: float) -> float:
    """Return the least ε, or just above, at which a falling function is at most a target."""
    low, high = 0.0, 1.0
    while function(high) > target:
        low, high = high, high * 2
    while high - low > 2 * _ULP * high:
        middle = (low + high) / 2 if low > 0 else high / 16
        if function(middle) > target:
            low = middle
        else:
            high = middle
        if high < 1e-300:
            break
    return high


def calibrate(
    epsilon: float, delta: float, phase: FloatPhase, direction: str, unit: float = 1.0
) -> float:
    """Return the least noise multiplier with which a phase has δ(ε) ≤ δ, not below it.

    Raises:
        ValueError: if it is outside [0.1, 1000]; said in a unit of σ.
    """
    if direction == "both":  # mostly one of the two decides
        with contextlib.suppress(ValueError):
            removed = calibrate(epsilon, delta, phase, "remove", unit)
            if delta_of(epsilon, [phase._replace(sigma=removed)], "add") <= delta:
                return removed

    @functools.cache
    def excess(log_sigma: float) -> float:
        sigma = min(max(math.exp(log_sigma), MIN_SIGMA), MAX_SIGMA)
        found = delta_of(epsilon, [phase._replace(sigma=sigma)], direction)
        return math.log(max(found, _LEAST)) - math.log(delta)

    low, high = 0.0, 0.0  # of ln σ
    lowest, highest = math.log(MIN_SIGMA), math.log(MAX_SIGMA)
    at_low = at_high = excess(0.0)
    while at_high > 0:
        if high >= highest:
            raise ValueError(f"sigma would be above {MAX_SIGMA * unit:g}")
        low, at_low = high, at_high
        high = min(high + 0.7, highest)
        at_high = excess(high)
    while at_low <= 0:
        if low <= lowest:
            raise ValueError(f"sigma would be below {MIN_SIGMA * unit:g}")
        high, at_high = low, at_low
        low = max(low - 0.7, lowest)
        at_low = excess(low)
    if at_high < 0:
        root = brentq(excess, low, high, xtol=_FINE, rtol=_FINE)
        step = _FINE
        while root < high:  # the upper end is private
            if excess(root) <= 0:
                high = root
                break
            root, step = root + step, 4 * step
    return min(math.nextafter(math.exp(high), math.inf) * (1 + 4 * _ULP), MAX_SIGMA)
