"""Integers with equal noises of several parties, by their characteristic function."""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import NamedTuple

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


class _Noise(NamedTuple):
    """A law by its characteristic function, and about where its tail is below e to the minus x."""

    at: Characteristic
    far: Callable[[float], float]


def _laplace_noise(ctx: Context, given: Given) -> _Noise:
    """((1−a)²/(1 − 2a cos θ + a²))ⁿ."""
    scale, n = given["scale"], int(given["parties"])
    a = ctx.exp(-real(ctx, 1 / Fraction(scale)))

    def at(ctx: Context, angle: Real) -> Real:
        return ((1 - a) ** 2 / ((1 - a) ** 2 + 4 * a * ctx.sin(angle / 2) ** 2)) ** n

    return _Noise(at, lambda x: float(scale) * (x + 4 * n) + 8)


def _gaussian_noise(ctx: Context, given: Given) -> _Noise:
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

    return _Noise(at, far)


def _skellam_noise(ctx: Context, given: Given) -> _Noise:
    """e^{λ(cos θ − 1)}."""
    rate = given["variance"]

    def at(ctx: Context, angle: Real) -> Real:
        return ctx.exp(-2 * real(ctx, rate) * ctx.sin(angle / 2) ** 2)

    def far(x: float) -> float:
        reach, v = 8.0, float(rate)
        while reach * math.asinh(reach / v) - math.hypot(reach, v) + v < x:
            reach *= 1.1
        return reach

    return _Noise(at, far)


_Maker = Callable[[Context, Given], _Noise]


def _whole(made: _Maker) -> Identity:
    """δ(ε) of the sum."""

    def identity(ctx: Context, given: Given) -> Real:
        scale = given.get("scale")
        if scale is not None and given["epsilon"] * scale >= given["sensitivity"]:
            return ctx.zero
        noise = made(ctx, given)
        return _profile(ctx, given, _lost(ctx, given, noise.far), noise.at)

    identity.__doc__ = made.__doc__
    return identity


def _masses(ctx: Context, size: int, count: int, at: Characteristic) -> list[Real]:
    """Those of the remainders 0, …, count − 1: Σ_r φ(θ_r) cos(θ_r y)/size, θ_r = 2πr/size."""
    values = [at(ctx, 2 * ctx.pi * r / size) for r in range(size)]
    cosines = [ctx.cos(2 * ctx.pi * k / size) for k in range(size)]
    return [
        ctx.fsum(v * cosines[r * y % size] for r, v in enumerate(values)) / size
        for y in range(count)
    ]


def _largest(ctx: Context, given: Given, pairs: list[tuple[list[Real], list[Real]]]) -> Real:
    power = ctx.exp(real(ctx, given["epsilon"]))
    return max(
        ctx.fsum(max(p - power * q, ctx.zero) for p, q in zip(*pair, strict=True)) for pair in pairs
    )


def _around(made: _Maker) -> Identity:
    """δ(ε) modulo m: all remainders' masses by the m-th roots of unity."""

    def identity(ctx: Context, given: Given) -> Real:
        size = int(given["modulus"])
        half = _masses(ctx, size, size // 2 + 1, made(ctx, given).at)
        law = [half[min(y, size - y)] for y in range(size)]
        turns = range(1, min(int(given["sensitivity"]), size // 2) + 1)
        return _largest(ctx, given, [([law[y - d] for y in range(size)], law) for d in turns])

    return identity


def _within(made: _Maker) -> Identity:
    """δ(ε) of clamped noise: masses by roots of unity of an order that it does not reach."""

    def identity(ctx: Context, given: Given) -> Real:
        noise, bound = made(ctx, given), int(given["bound"])
        most = math.ceil(_lost(ctx, given, noise.far)) + bound + 1
        law = _masses(ctx, 2 * most + 1, bound, noise.at)
        half = [*law, (1 - law[0] - 2 * ctx.fsum(law[1:])) / 2]
        whole = [*half[:0:-1], *half]
        pairs = [
            ([ctx.zero] * d + whole, whole + [ctx.zero] * d)
            for d in range(1, int(given["sensitivity"]) + 1)
        ]
        return _largest(ctx, given, pairs)

    return identity


_NOISES: Mapping[str, _Maker] = {
    "gaussian_sum": _gaussian_noise,
    "laplace_sum": _laplace_noise,
    "skellam": _skellam_noise,
}

IDENTITIES: Mapping[str, Identity] = {
    "discrete_gaussian_sum_delta": _whole(_gaussian_noise),
    "discrete_laplace_sum_delta": _whole(_laplace_noise),
    "skellam_delta": _whole(_skellam_noise),
    **{f"wrapped_{name}_delta": _around(made) for name, made in _NOISES.items()},
    **{f"clamped_{name}_delta": _within(made) for name, made in _NOISES.items()},
}

PROFILES: Mapping[str, Identity] = {
    **{f"wrapped_{name}_epsilon": _around(made) for name, made in _NOISES.items()},
    **{f"clamped_{name}_epsilon": _within(made) for name, made in _NOISES.items()},
}
