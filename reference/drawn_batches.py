"""Batches of a fixed size, drawn anew at each step (X.BAT.SIZE).

Under add or remove a record takes the place of another one: the sum moves by 2, not by 1. So the
value is that of Poisson sampling at rate B/n and noise σ/2, and of no other δ, ε or σ. δ of one
step and of two is computed without that, from the laws (1 − q)N(−1, σ²) + qN(1, σ²) and N(−1, σ²)
of the sum: a threshold on it, and an integral over the first of two sums.
"""

from __future__ import annotations

from fractions import Fraction

from dporacle.interface import Direction, orders_of, witness
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
from dporacle.reference.subsampled_gaussian import (
    subsampled_delta,
    subsampled_epsilon,
    subsampled_sigma,
)

_FEW = 2  # steps whose quadrature is made: each more nests another one
_REACH = 30  # standard deviations of a sum


@witness
def fixed_size_delta(
    *,
    epsilon: Fraction,
    sigma: Fraction,
    rate: Fraction,
    steps: int,
    direction: Direction,
    digits: int = 12,
) -> Real:
    """Return δ(ε) of T batches of a fixed size (X.BAT.SIZE)."""
    if steps <= _FEW and rate < 1:
        ways = orders_of(direction)
        return max(_of_few_steps(epsilon, sigma, rate, steps, each, digits) for each in ways)
    return subsampled_delta(
        epsilon=epsilon, sigma=sigma / 2, rate=rate, steps=steps, direction=direction, digits=digits
    )


@witness
def fixed_size_epsilon(
    *,
    delta: Fraction,
    sigma: Fraction,
    rate: Fraction,
    steps: int,
    direction: Direction,
    digits: int = 12,
) -> Real:
    """Return the smallest ε ≥ 0 of T batches of a fixed size (X.BAT.SIZE)."""
    return subsampled_epsilon(
        delta=delta, sigma=sigma / 2, rate=rate, steps=steps, direction=direction, digits=digits
    )


@witness
def fixed_size_sigma(
    *,
    epsilon: Fraction,
    delta: Fraction,
    rate: Fraction,
    steps: int,
    direction: Direction,
    digits: int = 12,
) -> Real:
    """Return the smallest noise multiplier of T batches of a fixed size (X.BAT.SIZE).

    Raises:
        ValueError: if no noise is needed.
    """
    half = subsampled_sigma(
        epsilon=epsilon, delta=delta, rate=rate, steps=steps, direction=direction, digits=digits
    )
    with working(bits_for(digits) + 128) as ctx:
        return freeze(2 * real(ctx, half))


def _of_few_steps(
    epsilon: Fraction, sigma: Fraction, rate: Fraction, steps: int, way: str, digits: int
) -> Real:
    """Return δ(ε) of one step or two in one direction."""
    if way == "add" and epsilon > 0:
        with working(bits_for(digits) + 64) as ctx:
            if real(ctx, epsilon) >= -steps * ctx.log(1 - real(ctx, rate)):
                return ZERO  # the loss ends there

    def value(ctx: Context) -> Real:
        a, s, q = ctx.exp(real(ctx, epsilon)), real(ctx, sigma), real(ctx, rate)

        def ratio(y: Real) -> Real:
            return 1 - q + q * ctx.exp(2 * y / (s * s))

        def once(b: Real) -> Real:
            """H_b of one step: the sum lies above, or below, where the ratio of the laws is b."""
            edge = b if way == "remove" else 1 / b
            if edge <= 1 - q:
                return 1 - b if way == "remove" else ctx.zero
            y = s * s / 2 * ctx.log((edge - 1 + q) / q)
            sign = 1 if way == "remove" else -1
            still, moved = (ctx.erfc(sign * (y - m) / s / ctx.sqrt(2)) / 2 for m in (-1, 1))
            with_record = (1 - q) * still + q * moved
            return with_record - b * still if way == "remove" else still - b * with_record

        if steps == 1:
            return once(a)

        def given(y: Real) -> Real:
            density = ctx.exp(-(((y + 1) / s) ** 2) / 2) / (s * ctx.sqrt(2 * ctx.pi))
            w = ratio(y)
            return density * (w * once(a / w) if way == "remove" else once(a * w))

        # Where the second sum is no longer looked at, and far beyond all mass.
        edge = a if way == "remove" else 1 / a
        ends = {2 + s * k for k in range(-_REACH, _REACH + 1)}
        if edge > (1 - q) ** 2:
            ends.add(s * s / 2 * ctx.log((edge / (1 - q) - 1 + q) / q))
        low, high = -1 - s * _REACH, 1 + s * _REACH
        inner = sorted(each for each in ends if low < each < high)
        return ctx.quad(given, [low, *inner, high])

    return settle(value, digits)
