"""What a test of membership reaches, by the line that touches the privacy profile.

The error of type II is the largest 1 − H(a) − aα. For DP-SGD H is that of add, at any real ln a,
and the pair in the other order has a(1 − α − H(1/a)). Its place is found with few bits; about it
three values lie on a parabola but for the cube of their distance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist

import mpmath

from dporacle.identities.arithmetic import Context, Given, Identity, Real, erfc_inverse, real, reals
from dporacle.identities.release import tails_of_the_loss
from dporacle.identities.subsampled_design import CS, added, moment, removed
from dporacle.identities.subsampled_gaussian import of_add, phases_of
from dporacle.identities.subsampled_sums import Sums

_FEW_BITS = 64
_NEAR = Fraction(1, 1 << 12)  # of a width of the loss, where the search with few bits ends
_NEARER = (Fraction(1, 1 << 20), Fraction(1, 1 << 40))
_ROUNDS = 40
_ORDERS = ("add", "remove")


def _gdp_power(ctx: Context, given: Given) -> Real:
    """δ(ε) + e^ε α at the ε at which that is least, δ by erfc of the loss."""
    alpha, mu = reals(ctx, given, "alpha", "mu")
    least = 2 * min(alpha, 1 - alpha)
    z = ctx.sqrt(2) * (
        erfc_inverse(ctx, least) if least < ctx.mpf("1e-3") else ctx.erfinv(1 - least)
    )
    epsilon = mu * (z if 2 * given["alpha"] < 1 else -z) - mu * mu / 2
    return tails_of_the_loss(ctx, epsilon, mu * mu / 2) + ctx.exp(epsilon) * alpha


def _gdp_advantage(ctx: Context, given: Given) -> Real:
    """erf(μ/√8)."""
    return ctx.erf(real(ctx, given["mu"]) / ctx.sqrt(8))


def _gdp_auc(ctx: Context, given: Given) -> Real:
    """1/2 + μ/(2√π)·₁F₁(1/2; 3/2; −μ²/4)."""
    mu = real(ctx, given["mu"])
    return (1 + mu / ctx.sqrt(ctx.pi) * ctx.hyp1f1(0.5, 1.5, -(mu**2) / 4)) / 2


def _laplace_auc(ctx: Context, given: Given) -> Real:
    """1 − (Γ(2, m) + e^{−m})/4, m = Δ/b."""
    m = real(ctx, given["sensitivity"] / given["scale"])
    return 1 - (ctx.gammainc(2, m) + ctx.exp(-m)) / 4


def _gdp_bayes_risk(ctx: Context, given: Given) -> Real:
    """min(π, 1−π)·(1 − δ) at the logarithm of their ratio, δ by erfc of the loss."""
    less, more = sorted((given["prior"], 1 - given["prior"]))
    mu, spare = given["mu"], 64 + int(given["mu"] ** 2)
    ctx.prec += spare
    try:
        epsilon = ctx.log(real(ctx, more / less))
        lost = tails_of_the_loss(ctx, epsilon, real(ctx, mu**2 / 2))
        return real(ctx, less) * (1 - lost)
    finally:
        ctx.prec -= spare


def _laplace_tradeoff(ctx: Context, given: Given) -> Real:
    """1 − δ(ε) − e^ε α at the ε in [−Δ/b, Δ/b] at which that is largest."""
    alpha, m = real(ctx, given["alpha"]), real(ctx, given["sensitivity"] / given["scale"])
    epsilon = -m - 2 * ctx.log(2 * alpha)
    if epsilon >= m:
        return 1 - ctx.exp(m) * alpha
    if epsilon <= -m:
        return ctx.exp(-m) * real(ctx, 1 - given["alpha"])
    return ctx.exp((epsilon - m) / 2) - ctx.exp(epsilon) * alpha


Missed = Callable[[Fraction], Real]


def _missed(ctx: Context, given: Given, order: str) -> Missed:
    """Return 1 − H(a) − aα of an order at y = ln a."""
    phases = phases_of(given)

    def at(y: Fraction) -> Real:
        a, alpha = ctx.exp(real(ctx, y)), real(ctx, given["alpha"])
        if order == "add":
            return 1 - of_add(ctx, phases, y, None) - a * alpha
        return a * (1 - alpha - of_add(ctx, phases, -y, None))

    return at


def _vertex(at: Missed, y: Fraction, step: Fraction) -> tuple[Fraction, Real]:
    """Return where the parabola through three values is largest, and how large it is there."""
    left, here, right = at(y - step), at(y), at(y + step)
    bend, slope = (left + right) / 2 - here, (right - left) / 2
    if bend >= 0:
        return y + (step if slope > 0 else -step), here
    move = -slope / (2 * bend)
    return y + step * Fraction(float(max(-4, min(4, move)))), here + slope * move / 2


@lru_cache(maxsize=256)
def _place(items: tuple[tuple[str, Fraction], ...], order: str) -> tuple[Fraction, Fraction, float]:
    """Return about where the error is largest, the width of the loss, and the error."""
    given, ctx = dict(items), mpmath.MPContext()
    ctx.prec = _FEW_BITS
    normal, at = NormalDist(), _missed(ctx, given, order)
    advantage = min(max(float(1 - at(Fraction(0)) - real(ctx, given["alpha"])), 1e-9), 1 - 1e-9)
    mu = 2 * normal.inv_cdf((1 + advantage) / 2)
    y = Fraction(mu * normal.inv_cdf(1 - float(given["alpha"])) - mu * mu / 2)
    width, step = Fraction(mu), Fraction(mu) / 4
    for _ in range(_ROUNDS):
        place, value = _vertex(at, y, step)
        moved, y = abs(place - y), place
        if step <= width * _NEAR and moved <= step:
            break
        step = max(min(step, 2 * moved), width * _NEAR)
    return y, width, float(value)


def _subsampled_tradeoff(ctx: Context, given: Given) -> Real:
    """The larger parabola's top of the order in which that is the smaller error."""
    items = tuple(given.items())
    order = min(_ORDERS, key=lambda each: _place(items, each)[2])
    y, width, _ = _place(items, order)
    at = _missed(ctx, given, order)
    for near in _NEARER:
        y, value = _vertex(at, y, width * near)
    return value


def _subsampled_advantage(ctx: Context, given: Given) -> Real:
    """H(1), which is the same in both orders."""
    return 1 - _missed(ctx, {**given, "alpha": Fraction(0)}, "add")(Fraction(0))


def _subsampled_auc(ctx: Context, given: Given) -> Real:
    """(1 + δ(0))/2 of T steps of remove and T of add, of transform |K|² on Re s = −1/2."""
    phases, nats = phases_of(given), ctx.prec * math.log(2)
    ((sigma, rate, steps, _),) = phases
    if rate == 1 or steps == 1:
        return (
            1
            - real(ctx, rate) * ctx.erfc(ctx.sqrt(steps) / real(ctx, 2 * sigma)) / 2
            - (real(ctx, 1 - rate) / 2)
        )
    sizes = ((c, moment(phases, c, removed) + moment(phases, c, added)) for c in CS)
    period = min((size + nats) / (c + 0.5) for c, size in sizes)
    sums = Sums(ctx, phases, -0.5, period, nats + 2.0, added)
    shrink = ctx.exp(-sums.period / 2)
    return 1 + sums.total(Fraction(0), squared=True) / 2 + shrink / (1 - shrink)


def _subsampled_bayes_risk(ctx: Context, given: Given) -> Real:
    """The smaller π·(1 − H(a)) of both orders at a = (1 − π)/π."""
    inputs = {name: value for name, value in given.items() if name != "prior"}
    prior = given["prior"]
    y = ctx.log(real(ctx, 1 / prior - 1))
    place = Fraction(*map(int, y.as_integer_ratio()))
    each = (_missed(ctx, {**inputs, "alpha": Fraction(0)}, way)(place) for way in _ORDERS)
    return real(ctx, prior) * min(each)


def _subsampled_power(ctx: Context, given: Given) -> Real:
    """Return 1 less the error of type II, with the bits that cancel."""
    extra = 16 + given["alpha"].denominator.bit_length()
    ctx.prec += extra
    try:
        return 1 - _subsampled_tradeoff(ctx, given)
    finally:
        ctx.prec -= extra


IDENTITIES: Mapping[str, Identity] = {
    "subsampled_tradeoff": _subsampled_tradeoff,
    "subsampled_power": _subsampled_power,
    "subsampled_advantage": _subsampled_advantage,
    "subsampled_auc": _subsampled_auc,
    "subsampled_bayes_risk": _subsampled_bayes_risk,
    "gdp_advantage": _gdp_advantage,
    "gdp_auc": _gdp_auc,
    "laplace_auc": _laplace_auc,
    "gdp_bayes_risk": _gdp_bayes_risk,
    "gdp_power": _gdp_power,
    "laplace_tradeoff": _laplace_tradeoff,
}
