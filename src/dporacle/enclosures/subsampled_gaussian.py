"""Enclosures for DP-SGD's noise: the composed Poisson-subsampled Gaussian (X.SG.*).

Every function returns an `arb` that contains the exact value. Hypotheses, in full in
`proofs_notes/subsampled_gaussian.md`: σ, q and T are fixed before the run and the same for both
data sets; the contribution of each record has norm at most 1 and the others' do not depend on it;
what is released is the noisy sum of each step.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from flint import arb

from dporacle import arguments
from dporacle.enclosures.arithmetic.balls import ball, bits_for, precision
from dporacle.enclosures.composition import repeated_delta, repeated_epsilon
from dporacle.enclosures.subsampled.design import Habits
from dporacle.enclosures.subsampled.profile import Profile
from dporacle.enclosures.subsampled.search import falling_root
from dporacle.enclosures.subsampled.transform import Step
from dporacle.interface import Direction, witness
from dporacle.vocabulary.domains import MOST_PHASES

_MAX_DIGITS = 60
_SPAN = (1e-2, 1e5)  # of σ, for the calibration
_OUTSIDE = f"sigma would be outside [{_SPAN[0]}, {_SPAN[1]}]"
_AT_END = 1e-9  # of the largest ε of the add direction: the last part
_LARGEST = 1e5  # of the ε that are searched for
_NOTHING = Fraction(0)
_USUAL = 60.0  # an ε up to which shifts of a group are left out
_SPARE_DIGITS = 8  # beyond those asked for, of what is left out
_TRIES, _SMALLEST = 3, 10_000  # looks at the size of a δ, and its digits


@witness
def subsampled_delta(
    *,
    epsilon: Fraction,
    sigma: Fraction,
    rate: Fraction,
    steps: int,
    direction: Direction,
    digits: int = 12,
) -> arb:
    """Enclose δ(ε) of T Poisson-subsampled Gaussian steps (X.SG.PROFILE).

    Args:
        sigma: noise multiplier, in (0, ∞): standard deviation in units of the clipping norm.
        digits: the ball's radius is at most 10^-digits of its midpoint, at most 60.
    """
    return delta_of([(sigma, rate, steps, ())], epsilon, direction, _digits(digits))


@witness
def subsampled_epsilon(
    *,
    delta: Fraction,
    sigma: Fraction,
    rate: Fraction,
    steps: int,
    direction: Direction,
    digits: int = 12,
) -> arb:
    """Enclose the smallest ε ≥ 0 for which T steps are (ε,δ)-DP (X.SG.PROFILE).

    Args:
        digits: the ball's radius is at most 10^-digits of its midpoint, at most 60.
    """
    return epsilon_of([(sigma, rate, steps, ())], delta, direction, _digits(digits))


@witness
def subsampled_schedule_delta(
    *, epsilon: Fraction, phases: Any, direction: Direction, digits: int = 12
) -> arb:
    """Enclose δ(ε) of phases of different noise and rate, one after the other (X.SG.PROFILE).

    Args:
        phases: triples (σ, q, T), at most 64.
        digits: the ball's radius is at most 10^-digits of its midpoint, at most 60.
    """
    return delta_of(_phases(phases), epsilon, direction, _digits(digits))


@witness
def subsampled_schedule_epsilon(
    *, delta: Fraction, phases: Any, direction: Direction, digits: int = 12
) -> arb:
    """Enclose the smallest ε ≥ 0 for which phases together are (ε,δ)-DP (X.SG.PROFILE).

    Args:
        phases: triples (σ, q, T), at most 64.
        digits: the ball's radius is at most 10^-digits of its midpoint, at most 60.
    """
    return epsilon_of(_phases(phases), delta, direction, _digits(digits))


@witness
def subsampled_sigma(
    *,
    epsilon: Fraction,
    delta: Fraction,
    rate: Fraction,
    steps: int,
    direction: Direction,
    digits: int = 12,
) -> arb:
    """Enclose the smallest noise multiplier for which T steps are (ε,δ)-DP (X.SG.INVERSE).

    Args:
        digits: the ball's radius is at most 10^-digits of its midpoint, at most 60.

    Raises:
        ValueError: if σ would be outside [0.01, 10^5], such as where every σ is private.
    """
    phase = (Fraction(1), rate, steps, ())
    return sigma_of(phase, epsilon, delta, direction, _digits(digits))


Phase = tuple[Fraction, Fraction, int, tuple[tuple[Fraction, Fraction], ...]]
"""What a `Step` has, but for the direction."""
Plan = Callable[[Fraction], Sequence[Phase]]


def _phases(phases: Any) -> tuple[Phase, ...]:
    if not isinstance(phases, Sequence) or isinstance(phases, (str, bytes)):
        raise TypeError(f"phases must be a sequence of triples, got {arguments.show(phases)}")
    if not 1 <= len(phases) <= MOST_PHASES:
        raise ValueError(f"phases must be from 1 to {MOST_PHASES}, got {len(phases)}")
    found: dict[tuple[Fraction, Fraction], int] = {}
    for each in phases:
        if not isinstance(each, Sequence) or isinstance(each, (str, bytes)) or len(each) != 3:
            raise ValueError(f"phases must be triples (σ, q, T), got {arguments.show(each)}")
        sigma, rate = arguments.positive("sigma", each[0]), arguments.positive("rate", each[1])
        if rate > 1:
            raise ValueError(f"rate must be at most 1, got {arguments.show(each[1])}")
        times = arguments.count("steps", each[2])
        found[sigma, rate] = found.get((sigma, rate), 0) + times
    return tuple((sigma, rate, times, ()) for (sigma, rate), times in found.items())


def _digits(digits: int) -> int:
    if digits > _MAX_DIGITS:
        raise ValueError(f"digits must be at most {_MAX_DIGITS}, got {digits}")
    return digits


def _largest(values: list[arb]) -> arb:
    with precision(4 * bits_for(_MAX_DIGITS)):
        largest = values[0]
        for value in values[1:]:
            largest = largest.max(value)
        return largest


def _profile(
    phases: Sequence[Phase], kind: str, habits: Habits | None = None, budget: Fraction = _NOTHING
) -> Profile:
    """Return the profile without shifts that a run has with a probability within the budget."""
    shorter = [shortened(phase, budget / len(phases)) for phase in phases]
    lost = sum((each[1] for each in shorter), _NOTHING)
    pairs = zip(shorter, phases, strict=True)
    odds = sum((each[1] / (1 - phase[1]) for each, phase in pairs if each[1]), _NOTHING)
    steps = [
        Step(sigma, rate, times, kind == "replace", parts)
        for (sigma, rate, times, parts), _ in shorter
    ]
    return Profile(steps, add=kind == "add", habits=habits, lost=lost, odds=odds)


def shortened(phase: Phase, budget: Fraction) -> tuple[Phase, Fraction]:
    """Return a phase whose longest shifts are 0 instead, and how probable such shifts were.

    No divergence rises (T-M). What it may fall by: "Long lists" in `proofs_notes/groups.md`.
    """
    sigma, rate, times, parts = phase
    # Fifty records at σ = 1, q = 10⁻⁴, T = 10⁴ take seconds so.
    kept, lost = sorted(parts), _NOTHING
    while len(kept) > 1 and lost + times * kept[-1][1] <= budget:
        lost += times * kept.pop()[1]
    if not lost:
        return phase, lost
    top = kept[-1][0]
    kept = [(shift / top, weight) for shift, weight in kept]
    rate = sum((weight for _, weight in kept), _NOTHING)
    return (sigma / top, rate, times, tuple(kept) if len(kept) > 1 else ()), lost


def _budget(
    phases: Sequence[Phase], kind: str, target: Fraction, digits: int, epsilon: float
) -> Fraction:
    """Return what may be left out of δ = target at an ε."""
    part = Fraction(1, 10 ** (digits + _SPARE_DIGITS))
    if kind != "remove":
        least = min(1 - rate for _, rate, _, _ in phases)
        if epsilon < _SMALLEST:
            least = max(least, Fraction(1, 10 ** math.ceil(epsilon / math.log(10))))
        part *= least
    return target * part


def _plain(phases: Sequence[Phase], kind: str) -> dict[str, Any] | None:
    """Return the Gaussian composition that one phase without sampling is."""
    ((sigma, rate, times, _), *others) = phases
    if others or rate < 1:
        return None
    return {"sigma": sigma, "releases": times, "sensitivity": 2 if kind == "replace" else 1}


def delta_of(phases: Sequence[Phase], epsilon: Fraction, kind: str, digits: int) -> arb:
    """Enclose δ(ε) of phases."""
    if plain := _plain(phases, kind):
        return repeated_delta(epsilon=epsilon, digits=digits, **plain)
    point = _point(epsilon)
    if kind != "both":
        return _delta(phases, kind, point, digits)
    removed = _delta(phases, "remove", point, digits)
    try:
        added = _delta(phases, "add", point, digits)
    except ArithmeticError:
        # Near the end of its losses the add direction is below all that a contour reaches, while
        # the other is large: then a coarse ball of the small one proves which is the larger.
        if removed.lower() > 0 and _enough(phases, point, _lower(removed), "add"):
            return removed
        raise
    return _largest([added, removed])


def _delta(phases: Sequence[Phase], kind: str, point: arb, digits: int) -> arb:
    """Enclose δ in one direction; of a group without shifts that do not count."""
    target, epsilon = Fraction(1, 1000), float(point)
    for _ in range(_TRIES):
        profile = _profile(phases, kind, budget=_budget(phases, kind, target, digits, epsilon))
        if profile.single or not profile.lost:
            break
        size = profile.log_estimate(epsilon) / math.log(10)
        if not size > -_SMALLEST:
            break
        if Fraction(10) ** math.floor(size) >= target:
            value = profile.delta(point, digits + 1)
            with precision(4 * bits_for(_MAX_DIGITS)):
                if value.lower() > profile.left_out(point) * arb(10) ** (digits + 1):
                    return value
            break
        target = Fraction(10) ** math.floor(size)
    return _profile(phases, kind).delta(point, digits)


def epsilon_of(phases: Sequence[Phase], target: Fraction, kind: str, digits: int) -> arb:
    """Enclose the smallest ε ≥ 0 for which phases together are (ε,δ)-DP."""
    if plain := _plain(phases, kind):
        return repeated_epsilon(delta=target, digits=digits, **plain)
    # Runs in which the record is never sampled are alike: δ(0) ≤ ΣT·q.
    if sum(rate * times for _, rate, times, _ in phases) <= target:
        return arb(0)

    def root(way: str) -> arb:
        shorter = _profile(phases, way, budget=_budget(phases, way, target, digits, _USUAL))
        if shorter.lost and not shorter.single:
            with contextlib.suppress(ArithmeticError):  # ε is larger: all shifts are kept
                return _root(shorter, target, digits)
        return _root(_profile(phases, way), target, digits)

    if kind != "both":
        return root(kind)
    first = root("remove")
    with precision(1024):
        least = first.lower()
    if _enough(phases, least, target, "add"):
        return first
    return _largest([first, root("add")])


def sigma_of(phase: Phase, epsilon: Fraction, target: Fraction, kind: str, digits: int) -> arb:
    """Enclose the smallest factor of a phase's σ for which it is (ε,δ)-DP.

    Raises:
        ValueError: if that σ would be outside [0.01, 10^5] times the largest shift.
        ArithmeticError: if so tight a ball would need too much work.
    """
    return noise_of(lambda sigma: [(sigma, *phase[1:])], epsilon, target, kind, digits)


def noise_of(plan: Plan, epsilon: Fraction, target: Fraction, kind: str, digits: int) -> arb:
    """Enclose the smallest noise for which the phases that it makes are (ε,δ)-DP together.

    Args:
        plan: a noise -> its phases, whose σ rise with it.
        epsilon: in [0, ∞).
        target: δ.
        kind: the direction.
        digits: of the noise.

    Raises:
        ValueError: if that noise would be outside [0.01, 10^5].
        ArithmeticError: if so tight a ball would need too much work.
    """
    if sum(each[1] * each[2] for each in plan(Fraction(1))) <= target:  # as for ε: any is enough
        raise ValueError(_OUTSIDE)
    if kind != "both":
        return _noise(plan, epsilon, target, kind, digits)
    try:
        first, other = _noise(plan, epsilon, target, "remove", digits), "add"
    except ValueError:  # it needs less noise than the other, or there is no answer
        first, other = _noise(plan, epsilon, target, "add", digits), "remove"
    if _enough(plan(_lower(first)), _point(epsilon), target, other):
        return first
    if other == "remove":
        raise ValueError(_OUTSIDE)
    return _largest([first, _noise(plan, epsilon, target, other, digits)])


def _enough(phases: Sequence[Phase], epsilon: arb, target: Fraction, kind: str) -> bool:
    """Whether δ(ε) is proved to be below a target: its root is below, and is not needed."""
    log_target = math.log(target.numerator) - math.log(target.denominator)
    budget = _budget(phases, kind, target, 3, float(epsilon))
    value = _profile(phases, kind, budget=budget).delta(epsilon, 3, floor=log_target)
    with precision(1024):
        return bool(value < ball(target))


def _point(epsilon: Fraction) -> arb:
    with precision(1024):
        return ball(epsilon)


def _lower(value: arb) -> Fraction:
    with precision(1024):
        mantissa, exponent = value.lower().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _root(profile: Profile, target: Fraction, digits: int) -> arb:
    log_target = math.log(target.numerator) - math.log(target.denominator)
    at_zero = profile.log_estimate(0.0)
    if (profile.single or at_zero < log_target + 5.0) and not profile.least_at_zero() > ball(
        target
    ):
        for fine in (3, digits, 2 * digits):
            value = profile.delta(arb(0), fine)
            with precision(4 * bits_for(2 * digits)):
                if value <= ball(target):
                    return arb(0)
                if value > ball(target):
                    break
        else:
            raise ArithmeticError("delta cannot be told from δ(0)")
    start = profile.model.root(log_target, profile.add)
    if start > _LARGEST:
        raise ArithmeticError(f"epsilon is about {start:.3g} or more, beyond the search")
    # σ = 0.405, q = 1.31·10⁻⁶, T = 2, δ = 5.63·10⁻⁷⁷: no float lies between the root and the end.
    if profile.add and start > profile.most() * (1 - _AT_END):
        with contextlib.suppress(ArithmeticError):  # too many digits are asked: it is searched for
            return _at_end(profile, target, digits)
    near = start * 1.01 if start * 1.01 < profile.most() else start * 0.99
    change = profile.log_estimate(near) - profile.log_estimate(start)
    slope = min(change / math.log(near / start), -1e-3)
    return falling_root(
        lambda point, fine: profile.delta(point, fine, floor=log_target),
        target=target,
        start=start,
        slope=slope,
        most=profile.most() * (1 + 1e-12),
        digits=digits,
        kept=True,
    )


def _at_end(profile: Profile, target: Fraction, digits: int) -> arb:
    """Enclose a root that no float tells from the ε at which δ ends."""
    with precision(4 * bits_for(digits) + 64):
        end = profile.end()
        if not profile.left_out(end) < ball(target):
            raise ArithmeticError("the root is beyond the end")
        before = (end * (1 - arb(10) ** -digits)).mid()
        if not profile.delta(before, 3) > ball(target):
            raise ArithmeticError("the root is before the end")
        return before.union(end)


def _noise(plan: Plan, epsilon: Fraction, target: Fraction, kind: str, digits: int) -> arb:
    log_target = math.log(target.numerator) - math.log(target.denominator)
    point, habits = _point(epsilon), Habits()

    def at(sigma: arb) -> Profile:
        mantissa, exponent = sigma.man_exp()
        exact = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
        phases = plan(exact)
        budget = _budget(phases, kind, target, digits, float(epsilon))
        return _profile(phases, kind, habits, budget)

    def estimate(log_sigma: float) -> float:
        return at(arb(math.exp(log_sigma))).log_estimate(float(epsilon)) - log_target

    # Outwards from 1: estimates at a tiny σ are slow.
    low = high = 0.0
    bottom, top = (math.log(each) for each in _SPAN)
    while estimate(high) > 0 and high < top:
        low, high = high, high + 1
    while high > bottom and low == high and estimate(low) <= 0:
        low -= 1
        if estimate(low) <= 0:
            high = low
    if not bottom <= low < high <= top:
        raise ValueError(_OUTSIDE)
    for _ in range(6):  # one nat, halved so often: the secant begins within 2 % of σ
        middle = (low + high) / 2
        if estimate(middle) > 0:
            low = middle
        else:
            high = middle
    slope = min((estimate(high + 0.02) - estimate(high)) / 0.02, -1e-2)
    return falling_root(
        lambda sigma, fine: at(sigma).delta(point, fine, floor=log_target),
        target=target,
        start=math.exp(high),
        slope=slope,
        most=math.inf,
        digits=digits,
    )
