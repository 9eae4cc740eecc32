"""Integers with equal noises of several parties, by their characteristic function."""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

from dporacle.identities.arithmetic import Context, Given, Identity, Real, real

Characteristic = Callable[[Context, Real], Real]


def _profile(ctx: Context, given: Given, reach: float, at: Characteristic) -> Real:
    """F̄(t−Δ) − e^ε F̄(t) where it is largest, on the integers modulo 2M + 1.

    What lies beyond M adds to what is within, and is below the precision; so the tail from y on is
    (M − y + 1 − Σ_r φ(θ_r) sin((y − ½)θ_r)/sin(θ_r/2))/(2M + 1), θ_r = 2πr/(2M+1), r = 1 … M.
    """
    distance = int(given["sensitivity"])
    most = math.ceil(reach) + distance
    size = 2 * most + 1
    angles = [2 * ctx.pi * r / size for r in range(1, most + 1)]
    values = [at(ctx, angle) / ctx.sin(angle / 2) for angle in angles]
    sines = [ctx.sin(ctx.pi * k / size) for k in range(2 * size)]

    def tail(y: int) -> Real:
        step = 2 * y - 1
        waves = ctx.fsum(v * sines[step * r % (2 * size)] for r, v in enumerate(values, 1))
        return (most - y + 1 - waves) / size

    power = ctx.exp(real(ctx, given["epsilon"]))

    def height(t: int) -> Real:
        return tail(t - distance) - power * tail(t)

    low, high = distance // 2, most  # it rises up to where the loss is ε, and falls then
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if height(middle + 1) > height(middle) else (low, middle)
    return max(height(low), height(high))


def _lost(ctx: Context, given: Given, far: Callable[[float], float]) -> float:
    """How far the noise reaches to the precision, which is raised by what δ is below 1."""
    return far(0.7 * ctx.prec + 1.5 * float(given["epsilon"]) + 16)


def _laplace(ctx: Context, given: Given) -> Real:
    """((1−a)²/(1 − 2a cos θ + a²))ⁿ."""
    scale, n = given["scale"], int(given["parties"])
    if given["epsilon"] * scale >= given["sensitivity"]:
        return ctx.zero
    a = ctx.exp(-real(ctx, 1 / Fraction(scale)))

    def at(ctx: Context, angle: Real) -> Real:
        return ((1 - a) ** 2 / ((1 - a) ** 2 + 4 * a * ctx.sin(angle / 2) ** 2)) ** n

    return _profile(ctx, given, _lost(ctx, given, lambda x: float(scale) * (x + 4 * n) + 8), at)


def _gaussian(ctx: Context, given: Given) -> Real:
    """(Σ e^{−x²/2σ²} cos xθ / Σ e^{−x²/2σ²})ⁿ."""
    sigma, n = given["sigma"], int(given["parties"])
    s, most = real(ctx, 1 / (2 * sigma * sigma)), math.ceil(sigma * math.isqrt(2 * ctx.prec)) + 2
    weights = [2 * ctx.exp(-s * x * x) for x in range(1, most)]
    whole = 1 + ctx.fsum(weights)

    def at(ctx: Context, angle: Real) -> Real:
        turn, cosine, before = 2 * ctx.cos(angle), ctx.cos(angle), ctx.one
        total = ctx.one
        for weight in weights:
            total += weight * cosine
            cosine, before = turn * cosine - before, cosine
        return (total / whole) ** n

    def far(x: float) -> float:
        return math.sqrt(2 * x * n) * float(sigma) + float(sigma) * n / 4 + 8

    return _profile(ctx, given, _lost(ctx, given, far), at)


def _skellam(ctx: Context, given: Given) -> Real:
    """e^{λ(cos θ − 1)}."""
    rate = given["variance"]

    def at(ctx: Context, angle: Real) -> Real:
        return ctx.exp(-2 * real(ctx, rate) * ctx.sin(angle / 2) ** 2)

    def far(x: float) -> float:
        reach, v = 8.0, float(rate)
        while reach * math.asinh(reach / v) - math.hypot(reach, v) + v < x:
            reach *= 1.1
        return reach

    return _profile(ctx, given, _lost(ctx, given, far), at)


IDENTITIES: Mapping[str, Identity] = {
    "discrete_gaussian_sum_delta": _gaussian,
    "discrete_laplace_sum_delta": _laplace,
    "skellam_delta": _skellam,
}
