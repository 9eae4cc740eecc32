"""The discrete Gaussian: outcome by outcome, with Poisson's formula for the normaliser."""

import math
from collections.abc import Mapping
from fractions import Fraction

from dporacle.identities.arithmetic import Context, Given, Identity, Real, real


def _theta(ctx: Context, sigma: Real) -> tuple[Real, Real]:
    """Σ e^{−x²/2σ²} over the integers by Poisson's formula, and its derivative in ln σ."""
    total, slope, k = ctx.one, ctx.zero, 1
    while True:
        power = 2 * (ctx.pi * sigma * k) ** 2
        term = 2 * ctx.exp(-power)
        total += term
        slope += -2 * power * term
        if (power + 1) * term < ctx.ldexp(1, -ctx.prec):
            break
        k += 1
    scale = sigma * ctx.sqrt(2 * ctx.pi)
    return scale * total, scale * (total + slope)


def _weights(ctx: Context, sigma: Real, count: int) -> list[Real]:
    """Return e^{−x²/2σ²} for the first integers x from 0 on."""
    return [ctx.exp(-((x / sigma) ** 2) / 2) for x in range(count)]


def _reach(ctx: Context, sigma: Fraction) -> int:
    """Integers beyond this carry less than 2^−2·precision."""
    return math.ceil(sigma * math.isqrt(4 * ctx.prec)) + 2


def _discrete_delta(ctx: Context, given: Given) -> Real:
    """Σ max(0, p(x) − e^ε p(x + D)) over the integers, outcome by outcome."""
    epsilon, sigma = given["epsilon"], given["sigma"]
    distance, reach = int(given["sensitivity"]), _reach(ctx, given["sigma"])
    first = epsilon * sigma * sigma / distance - Fraction(distance, 2)  # p(x) = e^ε p(x + D) here
    last = max(reach, math.ceil(first) + reach) + distance
    weights = _weights(ctx, real(ctx, sigma), last + distance + 1)
    factor = ctx.exp(real(ctx, epsilon))
    gains = (
        weights[abs(x)] - factor * weights[abs(x + distance)]
        for x in range(math.floor(first) - 1, last)
    )
    return ctx.fsum(g for g in gains if g > 0) / _theta(ctx, real(ctx, sigma))[0]


def _inside(ctx: Context, given: Given, error: int) -> Real:
    """Pr[|Y| ≤ a], counted from the middle."""
    sigma = real(ctx, given["sigma"])
    return (1 + 2 * ctx.fsum(_weights(ctx, sigma, error + 1)[1:])) / _theta(ctx, sigma)[0]


def _discrete_tail(ctx: Context, given: Given) -> Real:
    """Return 1 − Pr[|Y| ≤ a], with Poisson's formula for the normaliser."""
    return 1 - _inside(ctx, given, int(given["error"]))


def _discrete_accuracy(ctx: Context, given: Given) -> Real:
    """Count outcomes from the middle until what is left is at most α."""
    sigma = real(ctx, given["sigma"])
    left, error = 1 - 1 / _theta(ctx, sigma)[0], 0
    norm = _theta(ctx, sigma)[0]
    while left > real(ctx, given["alpha"]):
        error += 1
        left -= 2 * ctx.exp(-((error / sigma) ** 2) / 2) / norm
    return ctx.mpf(error)


def _discrete_sigma(ctx: Context, given: Given) -> Real:
    """The σ at which outcomes beyond a, or those up to a, are as likely as α says, by secants."""
    error, alpha = int(given["error"]), real(ctx, given["alpha"])
    rare = 2 * given["alpha"] < 1
    goal = ctx.log(alpha) if rare else ctx.log1p(-alpha)

    def excess(log: Real) -> Real:
        sigma = ctx.exp(log)
        if rare:
            last = ctx.sqrt((error + 1) ** 2 + 2 * sigma * sigma * ctx.prec)
            outcomes = range(error + 1, int(last) + 3)
            mass = 2 * ctx.fsum(ctx.exp(-((x / sigma) ** 2) / 2) for x in outcomes)
        else:
            mass = 1 + 2 * ctx.fsum(_weights(ctx, sigma, error + 1)[1:])
        return ctx.log(mass / _theta(ctx, sigma)[0]) - goal

    before = ctx.log((error + ctx.mpf(0.5)) / ctx.sqrt(2 * ctx.log(2 / alpha)))
    now = before + ctx.mpf(0.01)
    last, value = excess(before), excess(now)
    for _ in range(60 + 4 * ctx.prec.bit_length()):
        if value == last:
            break
        before, now, last = now, now - value * (now - before) / (value - last), value
        if abs(now - before) < ctx.ldexp(1, 16 - ctx.prec):
            break
        value = excess(now)
    return ctx.exp(now)


def _discrete_variance(ctx: Context, given: Given) -> Real:
    """σ²·d ln Z/d ln σ."""
    sigma = real(ctx, given["sigma"])
    norm, slope = _theta(ctx, sigma)
    return sigma * sigma * slope / norm


IDENTITIES: Mapping[str, Identity] = {
    "discrete_delta_at_epsilon": _discrete_delta,
    "discrete_tail": _discrete_tail,
    "discrete_accuracy": _discrete_accuracy,
    "discrete_sigma_at_accuracy": _discrete_sigma,
    "discrete_variance": _discrete_variance,
}
