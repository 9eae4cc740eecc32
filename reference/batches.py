"""Balls-and-bins batches, one epoch: each record in one of T batches, drawn uniformly (X.BAT.BINS).

With Y = e^{Z/σ − 1/2σ²}, Z a standard normal, and S the sum of T such, the loss of the outputs is
ln S/T. Without the record S has the law Q, with it P(S ≤ K) = E_Q[Y₁; S ≤ K]. So, with a = e^ε,

    δ_remove = 1 − a − (P − aQ)(S ≤ Ta),     δ_add = (Q − aP)(S ≤ T/a).

The transforms are −ℓ'ℓ^{T−1} and ℓ^T, ℓ(z) = E e^{−zY}. They are inverted by the trapezoid rule
on a hyperbola round the negative axis. Since e^{−x} = (1/2πi)∫Γ(p)x^{−p}dp on a line Re p = c > 0
(Mellin) and E Y^{−p} = e^{(p² + p)/2σ²},

    ℓ(z) = (1/2πi)∫Γ(p)z^{−p}e^{(p² + p)/2σ²}dp,

again by the trapezoid rule. An answer is given where two precisions, with two widths of both grids,
agree in all its digits.
"""

from __future__ import annotations

import math
from fractions import Fraction

from dporacle import arguments
from dporacle.interface import Direction, witness
from dporacle.reference.analytic_gaussian import delta_at_epsilon, epsilon_at_delta
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

_MOST_NODES = 4000
_SPARE_BITS = 24
_ROUGH = 6  # digits of a first root, and of what is only compared
_FIRST = {"add": "add", "remove": "remove", "both": "remove"}


@witness
def balls_and_bins_delta(
    *, epsilon: Fraction, sigma: Fraction, batches: int, direction: Direction, digits: int = 12
) -> Real:
    """Return δ(ε) of one epoch of T balls-and-bins batches (X.BAT.BINS).

    Raises:
        ArithmeticError: if the transforms do not die out soon enough.
    """
    first = _FIRST[direction]
    if batches == 1:
        return delta_at_epsilon(epsilon=epsilon, sigma=sigma, digits=digits)
    found = _delta(epsilon, sigma, batches, first, digits)
    if direction == "both":
        other = _delta(epsilon, sigma, batches, "add", _ROUGH)
        if _exact(other) > _exact(found) * (1 - Fraction(1, 10 ** (_ROUGH - 1))):
            return max(found, _delta(epsilon, sigma, batches, "add", digits))
    return found


@witness
def balls_and_bins_epsilon(
    *, delta: Fraction, sigma: Fraction, batches: int, direction: Direction, digits: int = 12
) -> Real:
    """Return the smallest ε ≥ 0 of one epoch of T balls-and-bins batches (X.BAT.BINS).

    Raises:
        ArithmeticError: if the transforms do not die out soon enough.
    """
    first = _FIRST[direction]
    if batches == 1:
        return epsilon_at_delta(delta=delta, sigma=sigma, digits=digits)
    found = _root(delta, sigma, batches, first, digits)
    if direction == "both":
        other = _exact(_delta(_exact(found), sigma, batches, "add", _ROUGH))
        if other > delta * (1 - Fraction(1, 10 ** (_ROUGH - 1))):
            return max(found, _root(delta, sigma, batches, "add", digits))
    return found


def _delta(epsilon: Fraction, sigma: Fraction, batches: int, way: str, digits: int) -> Real:
    def terms(ctx: Context) -> tuple[Real, ...]:
        return _of_one_way(ctx, epsilon, sigma, batches, way)[0]

    return settle(terms, digits)


def _of_one_way(
    ctx: Context, epsilon: Fraction, sigma: Fraction, batches: int, way: str
) -> tuple[tuple[Real, ...], Real]:
    """Return terms whose sum is δ(ε), and −dδ/dε."""
    a = ctx.exp(real(ctx, epsilon))
    top = a if way == "remove" else 1 / a
    first, second = _below(ctx, 1 / real(ctx, sigma), batches, batches * top)
    if way == "remove":
        return (ctx.one, -a, -first, a * second), a * (1 - second)
    return (second, -a * first), a * first


def _below(ctx: Context, s: Real, batches: int, end: Real) -> tuple[Real, Real]:
    """Return P(S ≤ K) and Q(S ≤ K)."""
    crossing, growth = _crossing(float(s), batches, float(end))
    width, bend = float(s), min(0.6, max(0.25, 2 * float(s)))
    line = _line(width)
    large = math.lgamma(line) + width**2 * (line**2 + line) / 2 + bend**2 / (2 * width**2)
    large += line * max(0.0, -math.log(crossing)) + math.log(batches)
    extra = math.ceil((growth + large) / math.log(2)) + _SPARE_BITS
    ctx.prec += extra
    try:
        transform = _Transform(ctx, s, math.pi / 2 + bend)
        angle = ctx.mpf(bend)
        scale = ctx.mpf(crossing) / (1 - ctx.sin(angle))
        step = 2 * ctx.pi * 0.95 * bend / (ctx.prec * ctx.ln2)
        first = second = ctx.zero
        largest, small, n = ctx.zero, 0, 0
        while small < 3:
            if n > _MOST_NODES:
                raise ArithmeticError(f"the transforms have not died out after {n} nodes")
            turn = ctx.mpc(-angle, n * step)
            z = scale * (1 + ctx.sin(turn))
            value, slope = transform(z)
            front = ctx.exp(z * end) * value ** (batches - 1) * ctx.cos(turn) / z
            front *= ctx.mpf(0.5) if n == 0 else ctx.one
            first += (front * slope).real
            second += (front * value).real
            size = abs(front) * (abs(value) + abs(slope))
            largest = max(largest, size)
            small = small + 1 if size < ctx.ldexp(largest, -ctx.prec) else 0
            n += 1
        return tuple(each * scale * step / ctx.pi for each in (first, second))
    finally:
        ctx.prec -= extra


class _Transform:
    """ℓ and −ℓ' at |z| about 1 and more, |arg z| up to a limit, by Mellin's integral."""

    def __init__(self, ctx: Context, s: Real, limit: float) -> None:
        self.ctx = ctx
        self.line = ctx.mpf(_line(float(s)))
        self.step = 2 * ctx.pi * self.line / (ctx.prec * ctx.ln2)
        self.weights, largest, n = [], ctx.zero, 0
        while True:
            p = ctx.mpc(self.line, n * self.step)
            weight = ctx.gamma(p) * ctx.exp(s * s * (p * p + p) / 2) * self.step / (2 * ctx.pi)
            size = abs(weight) * ctx.exp(limit * n * self.step)
            largest = max(largest, size)
            self.weights.append((weight, weight * p))  # of −n they are the conjugates
            if size < ctx.ldexp(largest, -ctx.prec):
                break
            n += 1

    def __call__(self, z: Real) -> tuple[Real, Real]:
        ctx = self.ctx
        log = ctx.log(z)
        bases = (
            ctx.exp(ctx.mpc(0, -self.step) * log),
            ctx.exp(ctx.mpc(0, -self.step) * ctx.conj(log)),
        )
        sums = [[ctx.zero, ctx.zero], [ctx.zero, ctx.zero]]
        for pair in reversed(self.weights[1:]):
            for k, base in enumerate(bases):
                for which in (0, 1):
                    sums[k][which] = (sums[k][which] + pair[which]) * base
        front = ctx.exp(-self.line * log)
        value, moment = (
            (right + ctx.conj(left) + middle) * front
            for right, left, middle in zip(*sums, self.weights[0], strict=True)
        )
        return value, moment / z


def _line(s: float) -> float:
    """Return c, about where Mellin's integrand is smallest for moderate z."""
    return max(1.0, 0.8 / s)


def _crossing(s: float, batches: int, end: float) -> tuple[float, float]:
    """Return where the hyperbola crosses the axis, and ln of how large its terms are there."""
    # Right of the mean there is no saddle point: as far as the sum's law is wide.
    wide = 3 * s * math.sqrt(batches) + max(0.0, end - batches)

    def height(c: float) -> float:
        return c * end + batches * _log_transform(c, s)

    low, high = math.log(1e-6 / (end + wide)), math.log(1e6 / end)
    for _ in range(60):
        left, right = (2 * low + high) / 3, (low + 2 * high) / 3
        low, high = (
            (low, right) if height(math.exp(left)) < height(math.exp(right)) else (left, high)
        )
    found = max(math.exp(low), 4 / wide)
    return found, max(0.0, height(found))


def _log_transform(c: float, s: float) -> float:
    """Return ln ℓ(c) about, c > 0: 1 − ℓ is summed, as it may be small."""
    total = sum(
        math.exp(-x * x / 2) * -math.expm1(-c * math.exp(s * x - s * s / 2))
        for x in (k / 8 for k in range(-80, 81))
    ) / (8 * math.sqrt(2 * math.pi))
    return math.log1p(-total) if total < 0.999 else math.log(_small(c, s))


def _small(c: float, s: float) -> float:
    total = sum(
        math.exp(-x * x / 2 - c * math.exp(s * x - s * s / 2))
        for x in (k / 16 for k in range(-320, 161))
    )
    return max(total / (16 * math.sqrt(2 * math.pi)), 1e-300)


def _root(delta: Fraction, sigma: Fraction, batches: int, way: str, digits: int) -> Real:
    """Return where δ(ε) is a target, or 0, by Newton's method on ln δ, which is about concave."""
    if _exact(_delta(Fraction(0), sigma, batches, way, digits)) <= delta:
        return ZERO

    def move(at: Fraction, digits: int) -> Real:
        """Return (ln δ(ε) − ln δ)·δ(ε)/|slope|: two precisions agree to so many digits of ε."""
        bits, before = bits_for(digits) + 32, None
        while True:
            with working(bits) as ctx:
                parts, fall = _of_one_way(ctx, at, sigma, batches, way)
                value = ctx.fsum(parts)
                found = ctx.log(value / real(ctx, delta)) * value / fall if value > 0 else ctx.nan
                if before is not None:
                    size = max(abs(before), real(ctx, at))
                    if abs(found - before) < size * ctx.mpf(10) ** -digits:
                        return freeze(found)
                before, bits = freeze(found), bits + 64

    at, asked, last = Fraction(0), _ROUGH, digits + 4
    for _ in range(60):
        step = _exact(move(at, asked))
        at = max(at + step, at / 4)
        if abs(step) < at / 10 ** (asked - 2):
            if asked == last:
                with working(bits_for(digits) + 64) as ctx:
                    return freeze(real(ctx, at))
            asked = min(2 * asked, last)
    raise ArithmeticError("Newton's method does not settle")


def _exact(value: Real) -> Fraction:
    return arguments.exact("value", value)
