"""The profile of rank-one noise to a wanted tightness, and its two inverse problems."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import flint
from flint import arb

from dporacle.enclosures import _rank_one
from dporacle.enclosures._balls import ball, bits_for, precision, tighten
from dporacle.enclosures._rank_one_bounds import witness_bound
from dporacle.enclosures._roots import decreasing_root

__all__ = ["calibrated_variance", "epsilon_root", "tight_profile"]

_MAX_SPARE = 1 << 12  # bits that may cancel before an answer is refused
_MAX_SPARE_ROOTS = 700  # where the integrand has square roots, which are integrated slowly
_MAX_SPARE_POLES = 250  # for M = 2, where their inverses are integrated
_DECISION_BITS = 1 << 12
_BITS_PER_NAT = 1.4427
_CLAMP = 20  # bits; a δ this far from the target need not be known better
_STEP = 1 + arb(2) ** -20


def _cost(power: int, epsilon: arb, s: arb) -> tuple[arb, int, float]:
    """Return a number below δ, the bits that cancel, and the bits of e^{ε/K}."""
    scale = witness_bound(power, epsilon, s, ((epsilon + 1) / power).exp()).lower()
    far = float((epsilon / power).mid()) * _BITS_PER_NAT if epsilon < power << 40 else 2.0**40
    if not scale > 0:
        return arb(0), _MAX_SPARE + 1, far
    lost = max(0.0, -float(scale.log().mid()) * _BITS_PER_NAT)
    return scale, int(min(lost + 2 * far, _MAX_SPARE + 1)), far


def _spare(power: int, wanted: int, lost: int) -> int:
    # For K = 1 the ends of the integral are as deep as the square of the error.
    return 64 + (2 * lost + wanted if power == 1 else lost)


def _check_reach(power: int, lost: float) -> None:
    most = _MAX_SPARE
    if power % 2:
        most = _MAX_SPARE_ROOTS if power > 1 else _MAX_SPARE_POLES
    if lost > most:
        raise ArithmeticError(
            f"about {lost:.0f} bits may cancel in delta, which is not enclosed above {most}"
        )


def tight_profile(
    power: int, epsilon: Callable[[], arb], variance: Callable[[], arb], digits: int
) -> arb:
    """Enclose δ(ε); epsilon and variance give their balls at the working precision."""
    wanted = bits_for(digits) + 2
    with precision(64):
        scale, lost, far = _cost(power, epsilon(), variance())
    if far > wanted - 8:
        with precision(wanted + 64):
            value = _rank_one.far_loss(power, epsilon(), variance())
        if value is not None and value.rel_accuracy_bits() >= wanted:
            return value
    near_zero = _near_zero(power, epsilon, variance, wanted, scale)
    if near_zero is not None:
        return near_zero
    _check_reach(power, lost)
    spare = _spare(power, wanted, lost)

    def formula() -> arb:
        tolerance = scale * arb(2) ** -(wanted + 4)
        if epsilon().is_zero():
            return _rank_one.profile_at_zero(power, variance(), tolerance)
        return _rank_one.profile(_rank_one.Curve(power, epsilon(), variance()), tolerance)[0]

    return tighten(formula, digits, spare=spare)


def _near_zero(
    power: int, epsilon: Callable[[], arb], variance: Callable[[], arb], wanted: int, scale: arb
) -> arb | None:
    """Enclose δ(ε) by δ(0) − (e^ε − 1) ≤ δ(ε) ≤ δ(0), or return None where that is not enough."""
    with precision(wanted + 64):
        tolerance = scale * arb(2) ** -(wanted + 4)
        drop = epsilon().expm1()
        if not drop <= tolerance:
            return None
        value = _rank_one.profile_at_zero(power, variance(), tolerance)
        value = value.union(value - drop)
        return value if value.rel_accuracy_bits() >= wanted else None


def _triple(
    power: int,
    epsilon: Callable[[], arb],
    variance: Callable[[], arb],
    target: Fraction,
    *,
    in_epsilon: bool,
) -> tuple[arb, arb, arb]:
    """Return (δ, 1 − δ, slope of δ in ln ε or in ln s), to about the working precision.

    A δ far from the target is replaced by one on the same side of it, still far: only its side
    is wanted there, and its own digits could cost any precision.
    """
    bits = flint.ctx.prec
    _, _, far = _cost(power, epsilon(), variance())
    smaller = ball(min(target, 1 - target))
    lost = _CLAMP - float(smaller.log().mid()) * _BITS_PER_NAT + 2 * far
    _check_reach(power, lost)
    with precision(bits + _spare(power, bits, int(lost))):
        eps, s = epsilon(), variance()
        tolerance = smaller * arb(2) ** -(bits + _CLAMP)
        curve = None if eps.is_zero() else _rank_one.Curve(power, eps, s)
        if curve is None:
            value = _rank_one.profile_at_zero(power, s, tolerance)
            rest = 1 - value
        else:
            value, rest = _rank_one.profile(curve, tolerance)
        least, least_rest = (ball(part) * arb(2) ** -_CLAMP for part in (target, 1 - target))
        if value < least:
            return least, 1 - least, -least * _CLAMP / 2
        if rest < least_rest:
            return 1 - least_rest, least_rest, -least_rest * _CLAMP / 2
        if curve is None:
            moved = _rank_one.profile_at_zero(power, s * _STEP, tolerance)
            return value, rest, (moved - value) / _STEP.log()
        if in_epsilon:
            slope = _rank_one.profile(curve, tolerance, first=False)[0] * eps
        else:
            slope = _rank_one.slope_log_variance(curve, tolerance)
        return value, rest, slope


def _root(
    profile: Callable[[arb], tuple[arb, arb, arb]], target: Fraction, digits: int, start: arb
) -> arb:
    """Enclose e^y at the y where a decreasing δ passes its target."""
    low, high = decreasing_root(
        profile,
        target=target,
        start=start.mid(),
        scale=lambda y: arb(1),
        tolerance=lambda y: arb(10) ** -(digits + 2),
    )
    return tighten(lambda: low.exp().union(high.exp()), digits)


def calibrated_variance(power: int, epsilon: Fraction, target: Fraction, digits: int) -> arb:
    """Enclose the s at which δ(ε) = target; δ(ε) decreases in s."""

    def profile(y: arb) -> tuple[arb, arb, arb]:
        return _triple(power, lambda: ball(epsilon), y.exp, target, in_epsilon=False)

    with precision(64):
        # From √s·δ(ε) → √(2/π)·κ, κ ≈ e^{−ε/K}; below s = 1/2ε the typical loss exceeds ε.
        limit = (-2 * (ball(target).log() + ball(epsilon / power))).exp()
        start = (limit + 1 / (2 * (1 + ball(epsilon)))).log()
    return _root(profile, target, digits, start)


def epsilon_root(power: int, s: Fraction, target: Fraction, digits: int) -> arb:
    """Enclose the smallest ε ≥ 0 with δ(ε) ≤ target; δ(ε) decreases in ε."""
    if not _exceeds_at_zero(power, s, target):
        return arb(0)

    def profile(y: arb) -> tuple[arb, arb, arb]:
        return _triple(power, y.exp, lambda: ball(s), target, in_epsilon=True)

    with precision(64):
        guess = power * -(ball(target).log() + ball(s).log() / 2)
        start = guess.log() if guess > 1 else arb(0)
    return _root(profile, target, digits, start)


def _exceeds_at_zero(power: int, s: Fraction, target: Fraction) -> bool:
    """Decide whether δ(0) exceeds the target."""
    digits = 10
    while bits_for(digits) <= _DECISION_BITS:
        value = tight_profile(power, lambda: arb(0), lambda: ball(s), digits)
        with precision(bits_for(digits) + 64):
            gap = value - ball(target)
            if gap > 0 or gap < 0:
                return bool(gap > 0)
        digits *= 2
    raise ArithmeticError(f"delta and delta(0) agree to {digits // 2} digits")
