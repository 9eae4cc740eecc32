"""What a test of a record's membership reaches (X.RISK.POWER), by the test itself.

The best test of level α says "in" where the likelihood ratio is above the number that makes it so
(Neyman and Pearson): its threshold is found first, then what it detects. For Gaussian and Laplace
noise it is one on the output. For T subsampled steps P(L > ε) and Q(L > ε) of the privacy loss L
come from its moments by the kernels 1/s and 1/(s + 1), and the threshold is where the second is α.
Below 0 they are read from the pair in the other order, whose loss is −L. The area under the power
is that of one loss of P against another of Q. The nearest Gaussian curve is searched for by golden
sections of the difference in Bayes success.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache, lru_cache
from statistics import NormalDist

from dporacle import arguments
from dporacle.interface import Direction, orders_of, witness
from dporacle.reference.accuracy import accuracy
from dporacle.reference.analytic_gaussian import calibrate_sigma, delta_at_epsilon
from dporacle.reference.conversions import gdp_tradeoff
from dporacle.reference.numerics.functions import exp, ncdf
from dporacle.reference.numerics.precision import (
    ZERO,
    Context,
    Real,
    bits_for,
    freeze,
    real,
    settle,
    working,
)
from dporacle.reference.subsampled.area import area
from dporacle.reference.subsampled.few_steps import few_steps_tail, place_of
from dporacle.reference.subsampled.line import saddle
from dporacle.reference.subsampled.moments import Phase
from dporacle.reference.subsampled_gaussian import agreed, contour, subsampled_delta

__all__ = [
    "gdp_auc",
    "gdp_bayes_risk",
    "gdp_bayes_success",
    "gdp_power",
    "laplace_auc",
    "laplace_bayes_success",
    "laplace_power",
    "laplace_tradeoff",
    "subsampled_auc",
    "subsampled_bayes_risk",
    "subsampled_bayes_success",
    "subsampled_mu",
    "subsampled_mu_up_to",
    "subsampled_nearest_mu",
    "subsampled_power",
    "subsampled_regret",
    "subsampled_tradeoff",
]

_TURNED = {"add": "remove", "remove": "add", "replace": "replace"}
_GUARD_BITS = 64
_MOST = 80  # of secant steps
_GOLDEN = (math.sqrt(5) - 1) / 2  # of a cut that keeps one of two inner values for the next
_CELLS = 24  # of the first grid of a largest difference
_PARTS = 12  # of a range of ε
_CUTS = 36  # golden sections of two cells

_EPS = 2.0**-53  # from 1 down to the next float64

Tail = Callable[[Real, int], Real]
Beyond = Callable[[float, float, float], bool]


@witness
def gdp_power(*, alpha: Fraction, mu: Fraction, digits: int) -> Real:
    """Return Φ(μ − Φ⁻¹(1−α)), the largest power of a test of level α (X.RISK.POWER)."""
    sign = 1 if 2 * alpha < 1 else -1
    least = 2 * min(alpha, 1 - alpha)
    spare = 8 + 2 * len(str(mu.__ceil__()))
    size = accuracy(alpha=least, sigma=1, digits=digits + spare) if least < 1 else ZERO
    return settle(lambda ctx: ncdf(ctx, lambda c: (real(c, mu), -sign * real(c, size))), digits)


@witness
def gdp_bayes_success(*, prior: Fraction, mu: Fraction, digits: int) -> Real:
    """Return π·TPR + (1−π)·TNR of the test whose threshold is the prior's odds (X.RISK.POWER)."""
    return settle(lambda ctx: _two_tails(ctx, prior, mu / 2), digits)


@witness
def gdp_bayes_risk(*, prior: Fraction, mu: Fraction, digits: int) -> Real:
    """Return π·FNR + (1−π)·FPR of the test whose threshold is the prior's odds (X.RISK.POWER)."""
    return settle(lambda ctx: _two_tails(ctx, prior, -mu / 2), digits)


def _two_tails(ctx: Context, prior: Fraction, half: Fraction) -> tuple[Real, ...]:
    """Return the two shares of answers that are right (half = μ/2), or wrong (−μ/2)."""
    odds = (1 - prior) / prior

    def tail(sign: int) -> Real:
        return ncdf(ctx, lambda c: (real(c, half), sign * c.log(real(c, odds)) / real(c, 2 * half)))

    return real(ctx, prior) * tail(-1), real(ctx, 1 - prior) * tail(1)


@witness
def laplace_tradeoff(
    *, alpha: Fraction, scale: Fraction, sensitivity: Fraction, digits: int
) -> Real:
    """Return the least type II error of a test of level α, in three branches (X.RISK.POWER)."""
    m = sensitivity / scale
    if _rare(alpha, m):
        return settle(lambda ctx: (ctx.one, -real(ctx, alpha) * exp(ctx, m)), digits)
    share = 1 / (4 * alpha) if 2 * alpha <= 1 else 1 - alpha
    return settle(lambda ctx: real(ctx, share) * exp(ctx, -m), digits)


@witness
def laplace_power(*, alpha: Fraction, scale: Fraction, sensitivity: Fraction, digits: int) -> Real:
    """Return the largest power of a test of level α, in three branches (X.RISK.POWER)."""
    m = sensitivity / scale
    if _rare(alpha, m):
        return settle(lambda ctx: real(ctx, alpha) * exp(ctx, m), digits)
    share = 1 / (4 * alpha) if 2 * alpha <= 1 else 1 - alpha
    return settle(lambda ctx: (ctx.one, -real(ctx, share) * exp(ctx, -m)), digits)


def _rare(alpha: Fraction, m: Fraction) -> bool:
    """Say whether the best test need not reject all that is surely the other law's.

    The branches have one slope where they meet: which of them is taken there does not matter.
    """
    with working(256) as ctx:
        return bool(ctx.log(2 * real(ctx, alpha)) < -real(ctx, m))


@witness
def laplace_bayes_success(
    *, prior: Fraction, scale: Fraction, sensitivity: Fraction, digits: int
) -> Real:
    """Return the largest share of right answers at a prior π (X.RISK.POWER).

    A threshold between both answers loses √(π(1−π))·e^{−m/2}, and none beyond them gains.
    """
    m, most = sensitivity / scale, max(prior, 1 - prior)

    def formula(ctx: Context) -> tuple[Real, ...]:
        return ctx.one, -ctx.sqrt(real(ctx, prior * (1 - prior))) * exp(ctx, -m / 2)

    with working(bits_for(digits) + 64) as ctx:
        if ctx.fsum(formula(ctx)) <= real(ctx, most):
            return settle(lambda c: real(c, most), digits)
    return settle(formula, digits)


@witness
def gdp_auc(*, mu: Fraction, digits: int) -> Real:
    """Return (1 + erf(μ/2))/2, the area under the largest power over the level (X.RISK.AUC)."""
    return settle(lambda ctx: (1 + ctx.erf(real(ctx, mu / 2))) / 2, digits)


@witness
def laplace_auc(*, scale: Fraction, sensitivity: Fraction, digits: int) -> Real:
    """Return 1 − e^{−m}/2 − me^{−m}/4, m = D/b, the area under the power (X.RISK.AUC)."""
    m = sensitivity / scale
    return settle(
        lambda ctx: (ctx.one, -exp(ctx, -m) / 2, -real(ctx, m / 4) * exp(ctx, -m)), digits
    )


@witness
def subsampled_tradeoff(
    *,
    alpha: Fraction,
    sigma: Fraction,
    rate: Fraction,
    steps: int,
    direction: Direction,
    digits: int = 12,
) -> Real:
    """Return the least type II error of a test of level α of T subsampled steps (X.RISK.POWER)."""
    phase = sigma, rate, steps
    return min(_rate(alpha, phase, way, digits, power=False) for way in orders_of(direction))


@witness
def subsampled_power(
    *,
    alpha: Fraction,
    sigma: Fraction,
    rate: Fraction,
    steps: int,
    direction: Direction,
    digits: int = 12,
) -> Real:
    """Return the largest power of a test of level α of T subsampled steps (X.RISK.POWER)."""
    phase = sigma, rate, steps
    return max(_rate(alpha, phase, way, digits, power=True) for way in orders_of(direction))


@witness
def subsampled_bayes_success(
    *,
    prior: Fraction,
    sigma: Fraction,
    rate: Fraction,
    steps: int,
    direction: Direction,
    digits: int = 12,
) -> Real:
    """Return the largest share of right answers at a prior π (X.RISK.POWER)."""
    with working(bits_for(digits) + _GUARD_BITS) as ctx:
        risk = subsampled_bayes_risk(
            prior=prior, sigma=sigma, rate=rate, steps=steps, direction=direction, digits=digits
        )
        return freeze(1 - real(ctx, risk))


@witness
def subsampled_bayes_risk(
    *,
    prior: Fraction,
    sigma: Fraction,
    rate: Fraction,
    steps: int,
    direction: Direction,
    digits: int = 12,
) -> Real:
    """Return the least share of wrong answers at a prior π (X.RISK.POWER).

    That is min(π, 1−π)·(1 − δ) at the logarithm of their ratio.
    """
    less, more = sorted((prior, 1 - prior))
    ways = orders_of(direction)
    way = direction if 2 * prior <= 1 or len(ways) == 2 else _TURNED[direction]
    spare = 0
    while True:
        with working(bits_for(digits + spare) + _GUARD_BITS) as ctx:
            epsilon = arguments.exact("epsilon", freeze(abs(ctx.log(real(ctx, more / less)))))
            delta = subsampled_delta(
                epsilon=epsilon,
                sigma=sigma,
                rate=rate,
                steps=steps,
                direction=way,
                digits=digits + spare,
            )
            left = 1 - real(ctx, delta)
            lost = -int(ctx.log10(left)) if left > 0 else _MOST
            if lost <= spare:
                return freeze(real(ctx, less) * left)
        if spare >= _MOST:
            raise ArithmeticError("a Bayes risk this small is not computed")
        spare = lost + 2


@witness
def subsampled_auc(*, sigma: Fraction, rate: Fraction, steps: int, digits: int = 12) -> Real:
    """Return the area under the power over the level of T subsampled steps (X.RISK.AUC).

    The moments of L − L′, L of P and L′ of Q, are |K|² where Re s = −1/2, and with the kernel 1/s
    they give the chance that it is below 0.
    """
    if rate == 1 or steps == 1:
        return settle(
            lambda ctx: (1 + real(ctx, rate) * ctx.erf(ctx.sqrt(steps) / real(ctx, 2 * sigma))) / 2,
            digits,
        )
    return agreed(lambda bits: area((sigma, rate, steps), bits), digits)


@witness
def subsampled_mu(
    *, epsilon: Fraction, sigma: Fraction, rate: Fraction, steps: int, digits: int = 12
) -> Real:
    """Return the μ of Gaussian noise with the same δ at an ε (X.RISK.REGRET)."""
    delta = _height((sigma, rate, steps), epsilon, digits + 8)
    noise = calibrate_sigma(
        epsilon=epsilon, delta=arguments.exact("delta", delta), digits=digits + 4
    )
    with working(bits_for(digits) + _GUARD_BITS) as ctx:
        return freeze(1 / real(ctx, noise))


@witness
def subsampled_mu_up_to(
    *, epsilon: Fraction, sigma: Fraction, rate: Fraction, steps: int, digits: int = 6
) -> Real:
    """Return the least μ whose δ is a bound at every ε up to the given one (X.RISK.REGRET)."""

    @cache
    def mu(at: Fraction) -> Real:
        return subsampled_mu(epsilon=at, sigma=sigma, rate=rate, steps=steps, digits=digits + 4)

    best = max(range(_PARTS + 1), key=lambda k: mu(epsilon * k / _PARTS))
    low, high = (epsilon * k / _PARTS for k in (max(best - 1, 0), min(best + 1, _PARTS)))
    if best in (0, _PARTS):  # it rises or falls towards there
        return mu(epsilon * best / _PARTS)
    for _ in range(4 * digits):
        third = (high - low) / 3
        low, high = (
            (low, high - third) if mu(low + third) > mu(high - third) else (low + third, high)
        )
    return mu((low + high) / 2)


def _height(phase: Phase, epsilon: Fraction, digits: int) -> Real:
    sigma, rate, steps = phase
    return subsampled_delta(
        epsilon=epsilon, sigma=sigma, rate=rate, steps=steps, direction="both", digits=digits
    )


@witness
def subsampled_nearest_mu(*, sigma: Fraction, rate: Fraction, steps: int, digits: int = 6) -> Real:
    """Return the μ whose trade-off curve is the nearest (X.RISK.REGRET).

    Args:
        digits: up to 8.
    """
    return _nearest((sigma, rate, steps), digits)[0]


@witness
def subsampled_regret(*, sigma: Fraction, rate: Fraction, steps: int, digits: int = 6) -> Real:
    """Return how far the nearest Gaussian trade-off curve is (X.RISK.REGRET).

    Args:
        digits: up to 8.
    """
    return _nearest((sigma, rate, steps), digits)[1]


@lru_cache(maxsize=64)
def _nearest(phase: Phase, digits: int) -> tuple[Real, Real]:
    """Return the best μ and its regret, from where G − H and H − G are equally large."""
    sigma, rate, steps = phase
    if digits > 8:
        raise ValueError(f"digits must be at most 8 for the nearest curve, got {digits}")
    if rate == 1:
        with working(bits_for(digits) + _GUARD_BITS) as ctx:
            return freeze(ctx.sqrt(steps) / real(ctx, sigma)), ZERO
    own = cache(lambda x: _height(phase, x, 18))
    start = float(subsampled_mu(epsilon=Fraction(0), sigma=sigma, rate=rate, steps=steps))

    def gap(mu: float, x: float, sign: int) -> float:
        at, noise = Fraction(x), 1 / Fraction(mu)
        near = delta_at_epsilon(epsilon=at, sigma=noise, sensitivity=Fraction(1), digits=18)
        with working(bits_for(18)) as ctx:
            return float(sign * (real(ctx, near) - real(ctx, own(at))) / (1 + ctx.exp(x)))

    def largest(mu: float, sign: int) -> float:
        cell = (start * start / 2 + 4 * start) / _CELLS
        best = max(range(_CELLS + 1), key=lambda k: gap(mu, k * cell, sign))
        low, high = max(best - 1, 0) * cell, (best + 1) * cell
        found = gap(mu, best * cell, sign)
        for _ in range(_CUTS):
            first, second = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
            one, other = gap(mu, first, sign), gap(mu, second, sign)
            found = max(found, one, other)
            low, high = (low, second) if one > other else (first, high)
        return found

    near, mu = start, start * (1 + 1e-3)
    before = largest(near, 1) - largest(near, -1)
    for _ in range(_MOST):
        above, below = largest(mu, 1), largest(mu, -1)
        if abs(above - below) <= 10.0 ** (-digits - 2) * max(above, below):
            break
        at = above - below
        near, before, mu = mu, at, mu - at * (mu - near) / (at - before)
    else:
        raise ArithmeticError("no nearest curve was found")
    with working(bits_for(digits)) as ctx:
        return freeze(ctx.mpf(mu)), freeze(ctx.mpf((above + below) / 2))


def _rate(alpha: Fraction, phase: Phase, way: str, digits: int, *, power: bool) -> Real:
    """Return the power or the type II error."""
    sigma, rate, steps = phase
    if rate == 1:
        with working(2 * bits_for(digits) + 256) as ctx:
            distance = 2 if way == "replace" else 1
            mu = distance * ctx.sqrt(steps) / real(ctx, sigma)
            size = arguments.exact("mu", freeze(mu))
        given = {"alpha": alpha, "mu": size, "digits": digits}
        return gdp_power(**given) if power else gdp_tradeoff(**given)
    with working(96) as ctx:
        tail, at_zero = _tail(ctx, phase, way, lambda _, epsilon, __: epsilon >= 0)
        above = real(ctx, alpha) <= tail(at_zero, 1)
    # The threshold of the loss is where Q(L > ε) is α, or P′(L′ > ε′) is 1 − α with ε′ = −ε.
    goal, law, order = (alpha, 1, way) if above else (1 - alpha, 0, _TURNED[way])
    before = place = None
    for extra in (8, 24, 72, 136):
        bits = bits_for(digits) + extra
        value, place = _other_tail(goal, law, phase, order, bits, place)
        with working(bits_for(digits) + 192) as ctx:
            found = real(ctx, value) if above == power else 1 - real(ctx, value)
            if before is not None:
                gap = abs(found - real(ctx, before))
                if gap <= abs(found) * ctx.mpf(10) ** -digits:
                    return freeze(found)
            before = freeze(found)
    raise ArithmeticError(f"no agreement on {digits} digits")


def _other_tail(
    goal: Fraction, law: int, phase: Phase, way: str, bits: int, place: Real | None
) -> tuple[Real, Real]:
    """Return one law's tail where the other's is the goal: of Q (law = 1) or of P (law = 0).

    The second is where that is, near the place that fewer bits found.
    """
    wish = math.log(goal)
    near = 0.0

    def beyond(c: float, epsilon: float, log_delta: float) -> bool:
        nonlocal near
        # The kernels 1/s and 1/(s + 1) in the place of 1/s(s + 1).
        log = log_delta + math.log1p(c) if law == 0 else log_delta - epsilon + math.log(c)
        passed = log <= wish
        if passed:
            near = epsilon
        return passed

    with working(bits + _GUARD_BITS + phase[2].bit_length()) as ctx:
        tail, at_zero = _tail(ctx, phase, way, beyond)
        wanted = ctx.log(real(ctx, goal))
        if phase[2] <= 2:
            most = min(max(float(goal), 1e-300), 1 - _EPS)
            near = -float(phase[0]) / math.sqrt(phase[2]) * NormalDist().inv_cdf(most)
        before = ctx.mpf(near) if place is None else real(ctx, place)
        at_before = ctx.log(tail(before, law)) - wanted
        step = (abs(before - at_zero) + 1) / 64
        if place is not None:
            step = ctx.ldexp(step, -bits // 2)
        x = before + (step if at_before > 0 else -step)
        for _ in range(_MOST):
            at = ctx.log(tail(x, law)) - wanted
            if at == at_before or abs(at) < ctx.ldexp(1, -bits - 8):
                return freeze(tail(x, 1 - law)), freeze(x)
            before, at_before, x = x, at, x - at * (x - before) / (at - at_before)
    raise ArithmeticError("no threshold of the loss was found")


def _tail(ctx: Context, phase: Phase, way: str, beyond: Beyond) -> tuple[Tail, Real]:
    """Return the tail of P or Q beyond a threshold, and the threshold at which the loss is 0.

    Of one step it is one on the output, turned so that the tails fall in it, and of two on outputs
    that are equal. Of more it is one on the loss, near the ε whose saddle is the first that passes.
    """
    if phase[2] <= 2:
        turn, at_zero = -1 if way == "add" else 1, place_of(ctx, ctx.zero, phase, way)
        assert at_zero is not None  # which it is only where no loss is so low, or so high
        return lambda t, law: few_steps_tail(ctx, turn * t, phase, way, law), turn * at_zero
    found = {}

    def noted(c: float, epsilon: float, log_delta: float) -> bool:
        found[c] = epsilon, log_delta
        return beyond(c, epsilon, log_delta)

    c = saddle([phase], way, noted)
    epsilon, log_delta = found[c]
    return contour(ctx, [phase], way, c, max(epsilon, 0.0), min(0.0, log_delta)).tail, ctx.zero
