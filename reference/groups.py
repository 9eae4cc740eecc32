"""Groups of records under Poisson sampling, of one step or two (X.SG.GROUP).

One step is a threshold on the noisy sum and a list of normal tails; of two steps the first is
integrated over its noise. The enclosures invert the transform of the loss instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from dporacle import arguments
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

_MOST_STEPS = 2  # each step more nests another quadrature
_PIECES = 24  # of the quadrature
_SPARE_DIGITS = 6
_NOTHING = 1e-9  # of a target: for add δ ends at 0


@dataclass(frozen=True)
class _Group:
    """What one step adds to the sum: j clipping norms with the weight of j."""

    weights: tuple[Fraction, ...]
    sigma: Fraction
    steps: int


@witness
def group_delta(
    *,
    epsilon: Fraction,
    sigma: Fraction,
    rate: Fraction,
    steps: int,
    size: int,
    cap: int | None = None,
    direction: Direction,
    digits: int = 12,
) -> Real:
    """Return δ(ε) of one or two Poisson-subsampled Gaussian steps for a group (X.SG.GROUP).

    Raises:
        ArithmeticError: if there are more than two steps.
    """
    return _largest(_group(sigma, rate, steps, size, cap), epsilon, orders_of(direction), digits)


@witness
def group_epsilon(
    *,
    delta: Fraction,
    sigma: Fraction,
    rate: Fraction,
    steps: int,
    size: int,
    cap: int | None = None,
    direction: Direction,
    digits: int = 12,
) -> Real:
    """Return the smallest ε ≥ 0 for which one or two steps are (ε,δ)-DP for a group (X.SG.GROUP).

    Raises:
        ArithmeticError: if there are more than two steps.
    """
    group, ways = _group(sigma, rate, steps, size, cap), orders_of(direction)

    def at(epsilon: Fraction) -> Real:
        return _largest(group, epsilon, ways, digits + _SPARE_DIGITS)

    if arguments.exact("delta", at(Fraction(0))) <= delta:
        return ZERO
    return _falling(at, delta, digits)


@witness
def group_sigma(
    *,
    epsilon: Fraction,
    delta: Fraction,
    rate: Fraction,
    steps: int,
    size: int,
    cap: int | None = None,
    direction: Direction,
    digits: int = 12,
) -> Real:
    """Return the smallest noise multiplier of one or two (ε,δ)-DP steps for a group (X.SG.GROUP).

    Raises:
        ValueError: also if every σ is private.
        ArithmeticError: if there are more than two steps.
    """
    group, ways = _group(Fraction(1), rate, steps, size, cap), orders_of(direction)
    if (1 - group.weights[0]) * group.steps <= delta:
        raise ValueError("sigma would be 0: every noise multiplier is private")

    def at(noise: Fraction) -> Real:
        return _largest(replace(group, sigma=noise), epsilon, ways, digits + _SPARE_DIGITS)

    return _falling(at, delta, digits)


def _group(sigma: Fraction, q: Fraction, steps: int, size: int, cap: int | None) -> _Group:
    most = size if cap is None else min(size, cap)
    if steps > _MOST_STEPS:
        raise ArithmeticError(f"the quadrature takes at most {_MOST_STEPS} steps, got {steps}")
    weights = [Fraction(0)] * (most + 1)
    for j in range(size + 1):
        weights[min(j, most)] += math.comb(size, j) * q**j * (1 - q) ** (size - j)
    return _Group(tuple(weights), sigma, steps)


def _largest(group: _Group, epsilon: Fraction, ways: tuple[str, ...], digits: int) -> Real:
    return max(_delta(group, epsilon, way, digits) for way in ways)


def _delta(group: _Group, epsilon: Fraction, way: str, digits: int) -> Real:
    if way == "add" and _vanishes(group, epsilon):
        return ZERO
    if group.steps == 1:
        found = settle(lambda ctx: _Pair(ctx, group, way).one(real(ctx, epsilon)), digits)
    else:
        found = _of_two(group, group, epsilon, way, digits)
    return found if found > 0 else ZERO


def _of_two(first: _Group, second: _Group, epsilon: Fraction, way: str, digits: int) -> Real:
    """Return δ(ε) of one step of each, such as those of two phases."""
    with working(2 * bits_for(digits)) as ctx:
        other = _Pair(ctx, second, way)
        found, error = _Pair(ctx, first, way).before(other, real(ctx, epsilon))
        if error > found / ctx.mpf(10) ** digits:
            raise ArithmeticError("the quadrature does not settle")
        return freeze(found)


def _vanishes(group: _Group, epsilon: Fraction) -> bool:
    """Whether ε is beyond the largest loss of the direction add, −T ln p₀."""
    if not group.weights[0]:
        return False
    with working(256) as ctx:
        most = -group.steps * ctx.log(real(ctx, group.weights[0]))
        return bool(real(ctx, epsilon) >= most)


class _Pair:
    """Both laws of one noisy sum, counted in σ: x/σ is standard normal plus a shift."""

    def __init__(self, ctx: Context, group: _Group, way: str) -> None:
        self.ctx, self.way = ctx, way
        sigma = real(ctx, group.sigma)
        self.shifts = [ctx.mpf(j) / sigma for j in range(len(group.weights))]
        self.weights = [real(ctx, each) for each in group.weights]

    def _terms(self, x: Real) -> list[Real]:
        """What each component adds to the mixture's density over that of the plain noise."""
        terms = zip(self.weights, self.shifts, strict=True)
        return [p * self.ctx.exp(m * x - m * m / 2) for p, m in terms]

    def _up(self, x: Real) -> Real:
        return self.ctx.fsum(self._terms(x))

    def _loss(self, x: Real) -> Real:
        """The loss where it rises: for add at the mirror image."""
        found = self.ctx.log(self._up(x))
        return found - self.ctx.log(self._up(-x)) if self.way == "replace" else found

    def _slope(self, x: Real, skipped: int) -> tuple[Real, Real]:
        """The logarithm of the density without some of the first components, and its slope."""
        terms, shifts = self._terms(x)[skipped:], self.shifts[skipped:]
        whole = self.ctx.fsum(terms)
        moved = self.ctx.fsum(m * each for m, each in zip(shifts, terms, strict=True))
        return self.ctx.log(whole), moved / whole

    def _tail(self, x: Real, sign: int = 1) -> Real:
        """What the mixture, or its mirror image, has above x."""
        ctx = self.ctx
        terms = zip(self.weights, self.shifts, strict=True)
        return ctx.fsum(p * ctx.erfc((x - sign * m) / ctx.sqrt(2)) / 2 for p, m in terms)

    def _where(self, level: Real) -> Real | None:
        """Where the rising loss is at a level, by Newton's method; None if it is never so low."""
        ctx = self.ctx
        if self.way == "replace":

            def at(x: Real) -> tuple[Real, Real]:
                (up, rise), (down, fall) = self._slope(x, 0), self._slope(-x, 0)
                return up - down - level, rise + fall
        else:
            left = ctx.exp(level) - self.weights[0]
            if left <= 0:
                return None
            goal = ctx.log(left)

            def at(x: Real) -> tuple[Real, Real]:  # its slope lies between two positive numbers
                found, rise = self._slope(x, 1)
                return found - goal, rise

        low = high = ctx.zero
        step = ctx.one
        while at(low)[0] > 0:
            low, step = low - step, 2 * step
        while at(high)[0] < 0:
            high, step = high + step, 2 * step
        x, moved = (low + high) / 2, ctx.inf
        for _ in range(8 * ctx.prec):
            if abs(moved) <= abs(x) * ctx.ldexp(1, 8 - ctx.prec) + ctx.ldexp(1, -2 * ctx.prec):
                break
            value, slope = at(x)
            low, high = (x, high) if value < 0 else (low, x)
            after = x - value / slope
            if not low <= after <= high:
                after = (low + high) / 2
            moved, x = after - x, after
        return x

    def one(self, e: Real) -> Real:
        """δ(e) of one step, for any real e."""
        ctx = self.ctx
        a = ctx.exp(e)
        x = self._where(-e if self.way == "add" else e)
        if self.way == "remove":
            return 1 - a if x is None else self._tail(x) - a * self._plain(x)
        if self.way == "replace":
            return self._tail(x) - a * self._tail(x, -1)
        if x is None:
            return ctx.zero
        return self._plain(-x) - a * (1 - self._tail(x))

    def _plain(self, x: Real) -> Real:
        return self.ctx.erfc(x / self.ctx.sqrt(2)) / 2

    def before(self, other: _Pair, e: Real) -> tuple[Real, Real]:
        """δ(e) of two steps: that of the other, at what is left of e, over the noise of this one.

        Beside it stands the quadrature's estimate of its error.
        """
        ctx, way = self.ctx, self.way

        def integrand(x: Real) -> Real:
            loss = -self._loss(x) if way == "add" else self._loss(x)
            weight = ctx.one if way == "add" else self._up(x)
            return weight * ctx.npdf(x) * other.one(e - loss)

        edge = ctx.sqrt(2 * ctx.prec * ctx.ln2)
        low, high = -edge, edge + self.shifts[-1]
        places = [low + (high - low) * k / _PIECES for k in range(_PIECES + 1)]
        if way != "replace":  # where the other step's loss has come to its end
            level = (e if way == "remove" else -e) - ctx.log(other.weights[0])
            end = self._where(level)
            if end is not None and low < end < high:
                places = sorted([*places, end])
        value, error = ctx.quad(integrand, places, error=True)
        return value, error


def _falling(value: Callable[[Fraction], Real], target: Fraction, digits: int) -> Real:
    """Return the positive point at which a falling function is at its target."""
    with working(2 * bits_for(digits + _SPARE_DIGITS)) as ctx:
        goal = real(ctx, target)

        def excess(x: Real) -> Real:
            ratio = real(ctx, value(arguments.exact("x", freeze(x)))) / goal
            return ctx.log(ratio) if ratio > _NOTHING else ctx.log(_NOTHING)

        low, high = ctx.one, ctx.one
        while excess(low) < 0:
            low /= 2
        while excess(high) > 0:
            high *= 2
        tolerance = ctx.mpf(10) ** (-2 * digits - _SPARE_DIGITS)
        root = ctx.findroot(excess, (low, high), solver="illinois", tol=tolerance, maxsteps=400)
        return freeze(root)
