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
from typing import Any

from dporacle import arguments
from dporacle.interface import Direction, orders_of, witness
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
_MOST_PLACES = 20_000
_STRIP = 0.7  # of w: beyond π/4 the moments are no longer sure to fall
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


@witness
def random_allocation_delta(
    *,
    epsilon: Fraction,
    sigma: Fraction,
    batches: int,
    participations: int,
    direction: Direction,
    digits: int = 12,
) -> Real:
    """Return an upper end of δ(ε) of k random batches of T: that of its blocks (X.BAT.ALLOC).

    Raises:
        ArithmeticError: if the transforms do not die out soon enough.
    """
    if participations == 1:
        given: dict[str, Any] = {
            "sigma": sigma,
            "batches": batches,
            "direction": direction,
            "digits": digits,
        }
        return balls_and_bins_delta(epsilon=epsilon, **given)
    blocks = _blocks(batches, participations)

    def terms(ctx: Context) -> tuple[Real, ...]:
        law = _Composed(ctx, 1 / real(ctx, sigma), blocks)
        found = [law.delta(real(ctx, epsilon), way) for way in orders_of(direction)]
        return max(found, key=ctx.fsum)

    return settle(terms, digits)


@witness
def random_allocation_epsilon(
    *,
    delta: Fraction,
    sigma: Fraction,
    batches: int,
    participations: int,
    direction: Direction,
    digits: int = 12,
) -> Real:
    """Return an upper end of the least ε ≥ 0 of k random batches of T (X.BAT.ALLOC).

    Raises:
        ArithmeticError: if the transforms do not die out soon enough.
    """
    if participations == 1:
        given: dict[str, Any] = {
            "sigma": sigma,
            "batches": batches,
            "direction": direction,
            "digits": digits,
        }
        return balls_and_bins_epsilon(delta=delta, **given)
    blocks = _blocks(batches, participations)
    small = math.log2(delta.denominator) - math.log2(delta.numerator)
    bits, before = bits_for(digits) + math.ceil(small) + 32, None
    while True:
        with working(bits) as ctx:
            law = _Composed(ctx, 1 / real(ctx, sigma), blocks)
            target = real(ctx, delta)
            found = max(law.epsilon(target, way, digits + 4) for way in orders_of(direction))
            if before is not None and abs(found - before) <= found * ctx.mpf(10) ** -digits:
                return freeze(found)
            before, bits = freeze(found), bits + 64


def _blocks(batches: int, participations: int) -> dict[int, int]:
    """Return sizes of the blocks into which T batches are parted, and how many there are of each.

    Raises:
        ValueError: if there are more participations than batches.
    """
    if participations > batches:
        raise ValueError(f"participations must be at most batches, {batches}, got {participations}")
    size, larger = divmod(batches, participations)
    counts = {size: participations - larger, size + 1: larger}
    return {each: count for each, count in counts.items() if count}


class _Composed:
    """E min(R, e^y) of a product of epochs, by E R^{1/2 + iu} on a line.

    With u = sinh(w)/2 it is e^{y/2}(2/π)∫Re[E R^{1/2+iu}·e^{−iuy}]/cosh w dw over w > 0, by the
    trapezoid rule. The moment of one epoch is Mellin's integral of its transform, E W^{1/2+iu} =
    ∫e^{v(1/2 − iu)}E[We^{−e^v W}]dv/Γ(1/2 − iu), again by the trapezoid rule.
    """

    def __init__(self, ctx: Context, s: Real, blocks: dict[int, int]) -> None:
        self.ctx = ctx
        wanted = ctx.prec * math.log(2)
        decay = float(s) ** 2 * sum(count / size for size, count in blocks.items())
        most = math.asinh(2 * math.sqrt(2 * wanted / decay)) + 0.1
        self.step = ctx.mpf(2 * math.pi * _STRIP / wanted)
        places = [self.step * n for n in range(math.ceil(most / float(self.step)) + 1)]
        self.lines = [ctx.sinh(w) / 2 for w in places]
        self.weights = [1 / ctx.cosh(w) for w in places]
        self.weights[0] /= 2
        extra = math.ceil((math.pi / 2 * float(self.lines[-1]) + 40) / math.log(2))
        self.moments = [ctx.one for _ in places]
        for size, count in blocks.items():
            if size == 1:
                found = [ctx.exp(-s * s * (u * u + ctx.mpf(0.25)) / 2) for u in self.lines]
            else:
                ctx.prec += extra
                found = self._moments(s, size)
                ctx.prec -= extra
            self.moments = [a * +(b**count) for a, b in zip(self.moments, found, strict=True)]

    def _moments(self, s: Real, size: int) -> list[Real]:
        ctx = self.ctx
        wanted = ctx.prec * math.log(2)
        step = ctx.mpf(2 * math.pi * 1.4 / (wanted + 1.4 * float(self.lines[-1])))
        order, first = _expanded(float(s), wanted)
        start = math.floor(first / float(step))
        powers = _powers(ctx, s, size, order)
        transform = _Transform(ctx, s, 0.1)
        small = ctx.ldexp(ctx.one, -ctx.prec)
        values: list[Real] = []  # of e^{v/2}·E[We^{−zW}], z = e^v
        while not values or abs(values[-1]) > small or len(values) < -start:
            z = ctx.exp(step * (start + len(values)))
            near = _near_one(ctx, s, z / size)
            if near is None:
                near = transform.at_real(z / size)
            values.append(ctx.sqrt(z) * near[1] * near[0] ** (size - 1))
            if len(values) > _MOST_PLACES:
                raise ArithmeticError(f"the transform has not died out after {_MOST_PLACES} places")
        found, series = [], _Fixed(ctx, values)
        for u in self.lines:
            base = ctx.exp(ctx.mpc(0, -u * step))
            total = series(base) * base**start
            for j, power in enumerate(powers):  # what lies to the left, as geometric series
                rate = ctx.mpc(j + ctx.mpf(0.5), -u) * step
                total += power * ctx.exp(rate * (start - 1)) / (1 - ctx.exp(-rate))
            found.append(total * step / ctx.gamma(ctx.mpc(0.5, -u)))
        return found

    def _least(self, y: Real) -> Real:
        """Return E min(R, e^y)."""
        ctx = self.ctx
        terms = (
            weight * (moment * ctx.exp(ctx.mpc(0, -u * y))).real
            for u, weight, moment in zip(self.lines, self.weights, self.moments, strict=True)
        )
        return ctx.exp(y / 2) * 2 * self.step / ctx.pi * ctx.fsum(terms)

    def delta(self, epsilon: Real, way: str) -> tuple[Real, Real]:
        """Return terms whose sum is δ(ε)."""
        if way == "remove":
            return self.ctx.one, -self._least(epsilon)
        return self.ctx.one, -self.ctx.exp(epsilon) * self._least(-epsilon)

    def epsilon(self, target: Real, way: str, digits: int) -> Real:
        """Return where δ(ε) is a target, or 0, by the secant of ln δ between two ends."""
        ctx = self.ctx

        def excess(at: Real) -> Real:
            value = ctx.fsum(self.delta(at, way))
            return ctx.log(value / target) if value > 0 else ctx.mpf(-1000)

        low, high = ctx.zero, ctx.one
        first, last = excess(low), excess(high)
        if first <= 0:
            return low
        while last > 0:
            low, first, high = high, last, 2 * high
            last = excess(high)
        before, held = high, 0
        for _ in range(200):
            at = high - last * (high - low) / (last - first)
            if abs(at - before) <= at * ctx.mpf(10) ** -digits:
                return at
            before, value = at, excess(at)
            if value > 0:
                low, first = at, value
                last = last / 2 if held > 0 else last
                held = 1
            else:
                high, last = at, value
                first = first / 2 if held < 0 else first
                held = -1
        raise ArithmeticError("the secant of ln δ does not settle")


def _expanded(s: float, nats: float) -> tuple[int, float]:
    """Return how many powers of z say E[We^{−zW}] left of a ln z, and that.

    Σ(−z)ʲE W^{j+1}/j! errs by less than its first term that is left out; W is a mean (Jensen).
    """

    def place(order: int) -> float:
        return (math.lgamma(order + 1) - (order * order + order) * s * s / 2 - nats) / order

    best = max(range(2, 40), key=place)
    return best, place(best)


def _powers(ctx: Context, s: Real, size: int, order: int) -> list[Real]:
    """Return the first coefficients of E[We^{−zW}] as a series in z."""
    terms, slopes = [], []
    for j in range(order):
        front = (-ctx.one / size) ** j / ctx.factorial(j)
        terms.append(front * ctx.exp((j * j - j) * s * s / 2))
        slopes.append(front * ctx.exp((j * j + j) * s * s / 2))
    rest = [ctx.one]  # the series to the power of size − 1
    for k in range(1, order):
        parts = ((j * size - k) * terms[j] * rest[k - j] for j in range(1, k + 1))
        rest.append(ctx.fsum(parts) / k)
    return [ctx.fsum(slopes[j] * rest[k - j] for j in range(k + 1)) for k in range(order)]


def _near_one(ctx: Context, s: Real, z: Real) -> tuple[Real, Real] | None:
    """Return ℓ and −ℓ' at a small z > 0 by moments, none where these are not small enough.

    Σ(−z)ʲE Yʲ/j! errs by less than its first term that is left out.
    """
    value = slope = ctx.zero
    term, j = ctx.one, 0
    while True:
        moment = term * ctx.exp((j * j - j) * s * s / 2)
        further = term * ctx.exp((j * j + j) * s * s / 2)
        if abs(further) < ctx.ldexp(ctx.one, -ctx.prec):
            return value, slope
        if j > 12:
            return None
        value, slope = value + moment, slope + further
        j += 1
        term *= -z / j


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
        self._fixed: list[_Fixed] = []
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

    def at_real(self, z: Real) -> tuple[Real, Real]:
        """Return the same at a real z > 0."""
        ctx, log = self.ctx, self.ctx.log(z)
        if not self._fixed:
            self._fixed = [_Fixed(ctx, list(each)) for each in zip(*self.weights, strict=True)]
        base, front = ctx.exp(ctx.mpc(0, -self.step * log)), ctx.exp(-self.line * log)
        value, moment = (
            (2 * each(base).real - pair.real) * front
            for each, pair in zip(self._fixed, self.weights[0], strict=True)
        )
        return value, moment / z


class _Fixed:
    """Σ cₙzⁿ at |z| = 1, in integers: much quicker, and as good as the largest coefficient."""

    def __init__(self, ctx: Context, coefficients: list[Real]) -> None:
        self.ctx, self.bits = ctx, ctx.prec + _SPARE_BITS
        self.parts = [self._pair(each) for each in coefficients]

    def _pair(self, value: Real) -> tuple[int, int]:
        value, shift = self.ctx.mpc(value), self.ctx.ldexp
        return int(shift(value.real, self.bits)), int(shift(value.imag, self.bits))

    def __call__(self, base: Real) -> Real:
        bits, (a, b) = self.bits, self._pair(base)
        x = y = 0
        for real_part, imaginary in reversed(self.parts):
            x, y = ((x * a - y * b) >> bits) + real_part, ((x * b + y * a) >> bits) + imaginary
        return self.ctx.mpc(*(self.ctx.ldexp(self.ctx.mpf(each), -bits) for each in (x, y)))


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
