"""Poisson batches of which at most B records are kept: the upper end of δ (X.BAT.CAP).

Of one batch or two, by quadrature over the noisy sum of the first one: of two, what the second one
adds is a list of normal tails between the zeros of a polynomial, for each of the two places that a
displaced record may have, and the larger of both counts. Of more, δ is P(L > ε) − e^ε·P'(L > ε),
and each tail is inverted on a vertical line from the moments of its own law, trapezoid sums over
the real line; the enclosures invert δ at once, from panels of a path above the line. The chances
are incomplete beta functions, which the enclosures add up.
`proofs_notes/truncated.md` has the pair of laws.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from dporacle import arguments
from dporacle.interface import Direction, orders_of, witness
from dporacle.reference.drawn_batches import fixed_size_delta, fixed_size_epsilon
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
from dporacle.reference.subsampled.few_steps import vanishes
from dporacle.reference.subsampled.root import bracketed
from dporacle.reference.subsampled_gaussian import subsampled_delta, subsampled_epsilon

_FEW = 2  # steps whose quadrature is made: each more nests another one
_MOST_NODES = 8_000
_SPARE = 12  # bits: of a tail, and of integers, what is rounded
_LEFT = 4  # bits of a share: a node that is smaller counts no more
_BEYOND = range(-4, 11)  # powers of 2, by which another line is on the right of one
_NEAR_SADDLE = 1.05  # of the real part of a line, which is told so well
_NEAR_LINE = 0.02  # of 1 + ε: how far from the ε of a line it serves
_MOST_LINES, _MOST_SECANTS = 8, 60
_WIDTH = 8  # of the trapezoid rule, over the precision in bits: `settle` compares two
_REACH = 1.2  # of the deviations beyond which the noise is nothing at a precision
_CLOSE = (-2, -1, 1, 2)  # deviations from a corner of the integrand, where it bends


_Batch = tuple[Fraction, Fraction, int, int]
"""σ, q, n and B."""

_Law = Mapping[int, Real]
"""The weight of N(m, σ²), for each m of −1, 0 and 1 that has one."""


@witness
def truncated_delta(
    *,
    epsilon: Fraction,
    sigma: Fraction,
    rate: Fraction,
    records: int,
    cap: int,
    steps: int,
    direction: Direction,
    digits: int = 12,
) -> Real:
    """Return an upper end of δ(ε) of T truncated Poisson batches (X.BAT.CAP).

    Raises:
        ArithmeticError: if the moments do not die out soon enough.
    """
    if known := _known(rate, records, cap):
        curve, _, share = known
        return curve(
            epsilon=epsilon,
            sigma=sigma,
            rate=share,
            steps=steps,
            direction=direction,
            digits=digits,
        )
    batch = sigma, rate, records, cap
    return max(_delta(epsilon, batch, steps, each, digits) for each in orders_of(direction))


@witness
def truncated_epsilon(
    *,
    delta: Fraction,
    sigma: Fraction,
    rate: Fraction,
    records: int,
    cap: int,
    steps: int,
    direction: Direction,
    digits: int = 12,
) -> Real:
    """Return an upper end of the least ε ≥ 0 of T truncated Poisson batches (X.BAT.CAP).

    Raises:
        ArithmeticError: if the moments do not die out soon enough.
    """
    if known := _known(rate, records, cap):
        _, least, share = known
        return least(
            delta=delta, sigma=sigma, rate=share, steps=steps, direction=direction, digits=digits
        )
    batch = sigma, rate, records, cap
    return max(_epsilon(delta, batch, steps, each, digits) for each in orders_of(direction))


def _known(
    rate: Fraction, records: int, cap: int
) -> tuple[Callable[..., Real], Callable[..., Real], Fraction] | None:
    """Return δ and ε of a scheme that the batches are, and its rate: where all or none are cut."""
    if cap >= records:
        return subsampled_delta, subsampled_epsilon, rate
    if rate == 1:
        return fixed_size_delta, fixed_size_epsilon, Fraction(cap, records)
    return None


def _delta(
    epsilon: Fraction, batch: _Batch, steps: int, way: str, digits: int, *, tails: bool = False
) -> Real:
    """Return δ(ε) in one direction; of one step by tails alone, if that is said."""
    sigma, rate, *_ = batch
    # The ratio of the laws of a record that is added is 1 − q at least, as in Poisson sampling.
    if way == "add" and vanishes(epsilon, [(sigma, rate, steps)]):
        return ZERO

    def terms(ctx: Context) -> tuple[Real, ...]:
        step = _step(ctx, *batch)
        if steps > _FEW:
            return _Tails(ctx, step, steps, way).delta(real(ctx, epsilon))
        a = ctx.exp(real(ctx, epsilon))
        at = a if way == "remove" else 1 / a
        value = step.one(at) if tails else step.composed(at, steps)
        return (value,) if way == "remove" else (ctx.one, -a, a * value)

    return settle(terms, digits)


def _epsilon(target: Fraction, batch: _Batch, steps: int, way: str, digits: int) -> Real:
    """Return the least ε ≥ 0 in one direction."""
    with working(96) as ctx:  # T times the total variation of a step bounds that of all
        if steps * _step(ctx, *batch).composed(ctx.one, 1) <= real(ctx, target):
            return ZERO
    if steps <= _FEW:
        return _of_few(target, batch, steps, way, digits)
    # δ is a share of P(L > ε) ≤ 1, so that the tails cancel no more bits than δ has before it.
    small = math.log2(target.denominator) - math.log2(target.numerator)
    bits, before, start = bits_for(digits) + math.ceil(small) + 32, None, None
    while True:
        with working(bits) as ctx:
            tails, goal = _Tails(ctx, _step(ctx, *batch), steps, way), ctx.log(real(ctx, target))
            slope, at = start or tails.about(goal)
            found = tails.epsilon(goal, at, slope)
            if found <= 0:  # δ(ε) goes on below 0, where it is no privacy's
                return ZERO
            if before is not None and abs(found - before) <= found * ctx.mpf(10) ** -digits:
                return freeze(found)
            before, bits = freeze(found), bits + 64
            start = slope, before


def _of_few(target: Fraction, batch: _Batch, steps: int, way: str, digits: int) -> Real:
    """Return the ε of one step or two.

    Of one the tails find it, and the quadrature confirms it: of either side it has the right sign.
    """
    sigma, rate, *_ = batch
    tails = steps == 1
    found = bracketed(
        lambda at, digits: _delta(at, batch, steps, way, digits, tails=tails),
        target,
        [(sigma, rate, steps)],
        way,
        digits,
    )
    if tails and found > 0:
        least = Fraction(1, 10**digits)
        middle = arguments.exact("epsilon", found)
        ends = [
            arguments.exact("δ", _delta(middle * (1 + side * least), batch, 1, way, digits + 4))
            for side in (1, -1)
        ]
        if not ends[0] <= target <= ends[1]:
            raise ArithmeticError(f"the quadrature has δ in [{ends[0]}, {ends[1]}] there")
    return found


@dataclass(frozen=True)
class _Part:
    """Two densities, on a part of the line."""

    first: _Law
    second: _Law
    low: Real
    high: Real


class _Step:
    """The pair of laws of one step: without a cut, and with one, where two curves are the larger.

    Attributes:
        plain: Poisson sampling, as often as fewer than B − 1 others are drawn.
        sides: the laws of all else with a displaced record that contributes −1, and 1.
        parts: the pair whose curve is the larger of both.
        atom: what has one ratio only, where both curves meet.
    """

    def __init__(self, ctx: Context, sigma: Real, chances: tuple[Real, ...], q: Real) -> None:
        few, following, many, kept, displaced = chances
        self._ctx, self._sigma, self._q = ctx, sigma, q
        rest, moved = many - kept, following * q + kept
        self.plain = {0: few * (1 - q), 1: few * q}, {0: few}
        none = following * (1 - q)
        self.sides = (
            ({-1: rest, 0: none, 1: moved}, {0: following, -1: many}),
            ({0: none, 1: moved + rest}, {0: following, 1: many}),
        )
        self._meeting = rest / many
        place = sigma**2 * ctx.log(following * displaced / many / moved) + ctx.mpf(0.5)
        self._ends = ends = ctx.sqrt(2 * ctx.prec * ctx.ln2) * _REACH * sigma + 2
        self.parts = [
            _Part(*self.plain, -ends, ends),
            _Part(*self.sides[0], min(max(place, -ends), ends), ends),
            _Part(*self.sides[1], -ends, min(max(place, -ends), ends)),
        ]
        if place > 0:  # 1 − N₋₁(x > x₀) − N₁(x < x₀)
            missing = self._above(place, 1) - self._above(place, -1)
        else:
            missing = self._above(-place, 1) - self._above(-place, -1)
        self.atom = rest * missing, many * missing

    def _above(self, x: Real, mean: int) -> Real:
        return self._ctx.erfc((x - mean) / (self._sigma * self._ctx.sqrt(2))) / 2

    def rows(self) -> list[tuple[Real, Real, Real]]:
        """Return weights, and the logarithms of both densities there, of a sum that is M(s).

        A half line is x = x₀ ± σ·ln(1 + e^{w − e^{−w}}): its terms fall doubly exponentially.
        """
        ctx, s = self._ctx, self._sigma
        h = ctx.mpf(_WIDTH) / ctx.prec
        found = []
        for part in self.parts:
            places: list[tuple[Real, Real]] = []
            whole = -part.low == part.high
            start = part.low if whole or part.high == self._ends else part.high
            side = 1 if start == part.low else -1
            length = (part.high - part.low) / s
            if whole:
                count = int(length / h) + 1
                places = [(part.low + k * h * s, h * s) for k in range(count + 1)]
            elif length > 0:
                for k in range(-int((ctx.log(ctx.prec) + 1) / h), int(length / h) + 2):
                    grown = ctx.exp(k * h - ctx.exp(-k * h))
                    slope = (1 + ctx.exp(-k * h)) * grown / (1 + grown)
                    places.append((start + side * s * ctx.log(1 + grown), h * s * slope))
            for x, width in places:
                p, other = self._densities(part, x)
                if p > 0 and other > 0:
                    found.append((width, ctx.log(p), ctx.log(other)))
        first, second = self.atom
        found.append((ctx.one, ctx.log(first), ctx.log(second)))
        return found

    def composed(self, a: Real, steps: int) -> Real:
        """Return H_a of one step or two."""
        first, second = self.atom
        total = self._then(first, second, a, steps)
        for part in self.parts:
            corners = self._corners(part, a, steps)
            total += self._ctx.quad(
                lambda x, part=part: self._then(*self._densities(part, x), a, steps), corners
            )
        return total

    def _then(self, p: Real, other: Real, a: Real, steps: int) -> Real:
        """Return what is left of p − a·p' after the steps that follow."""
        if steps == 1:
            return max(p - a * other, self._ctx.zero)
        return p * self.one(a * other / p)

    def _densities(self, part: _Part, x: Real) -> tuple[Real, Real]:
        ctx, s = self._ctx, self._sigma
        at = {
            m: ctx.exp(-(((x - m) / s) ** 2) / 2) / (s * ctx.sqrt(2 * ctx.pi)) for m in (-1, 0, 1)
        }
        p, other = (
            ctx.fsum(weight * at[m] for m, weight in law.items())
            for law in (part.first, part.second)
        )
        return p, other

    def _corners(self, part: _Part, a: Real, steps: int) -> list[Real]:
        """Return the ends of a part, and where the integrand is not smooth, or nearly so."""
        ratios = [a] if steps == 1 else [a / self._meeting, a / (1 - self._q)]
        found = {part.low, part.high}
        for ratio in ratios:
            for place in self._zeros(part.first, part.second, ratio):
                found |= {place, *(place + k * self._sigma for k in _CLOSE)}
        found |= {k * self._sigma for k in range(-8, 9, 4)} | {1 + k * self._sigma for k in (-3, 3)}
        return sorted(each for each in found if part.low <= each <= part.high)

    def _zeros(self, first: _Law, second: _Law, a: Real) -> list[Real]:
        """Return the places where p = a·p': the logarithms of the zeros of a polynomial."""
        ctx, square = self._ctx, self._sigma**2
        low, middle, high = (
            (first.get(m, ctx.zero) - a * second.get(m, ctx.zero)) * ctx.exp(-m * m / (2 * square))
            for m in (-1, 0, 1)
        )
        found = []
        if low == 0:
            found = [-middle / high] if high != 0 else []
        else:
            inside = middle * middle - 4 * high * low
            if inside > 0:
                far = -(middle + (ctx.sqrt(inside) if middle >= 0 else -ctx.sqrt(inside))) / 2
                found = [far / high] if high != 0 else []
                found += [low / far] if far != 0 else []
        return sorted(square * ctx.log(each) for each in found if each > 0)

    def one(self, a: Real) -> Real:
        """Return H_a of one step: the larger curve of both, and Poisson sampling's."""
        return self._positive(*self.plain, a) + max(self._positive(*laws, a) for laws in self.sides)

    def _positive(self, first: _Law, second: _Law, a: Real) -> Real:
        """Return ∫(p − a·p')₊."""
        ctx = self._ctx
        zeros = self._zeros(first, second, a)
        whole = {m: first.get(m, ctx.zero) - a * second.get(m, ctx.zero) for m in (-1, 0, 1)}
        total = ctx.zero
        ends = [None, *zeros, None]
        for low, high in itertools.pairwise(ends):
            share = ctx.zero
            for m, weight in whole.items():
                if weight:
                    left = ctx.one if low is None else self._above(low, m)
                    right = ctx.zero if high is None else self._above(high, m)
                    share += weight * (left - right)
            total += max(share, ctx.zero)  # of one sign between two zeros
        return total


class _Tails:
    """δ of T steps, P(L > ε) − e^ε·P'(L > ε): each tail is inverted from its own law's moments."""

    def __init__(self, ctx: Context, step: _Step, steps: int, way: str) -> None:
        self._ctx, self._steps = ctx, steps
        rows = step.rows()
        if way == "add":
            rows = [(width, second, first) for width, first, second in rows]
        self._first, self._second = (
            _Tail(ctx, steps, [(ctx.log(row[0]) + row[law], row[1] - row[2]) for row in rows])
            for law in (1, 2)
        )

    def delta(self, epsilon: Real) -> tuple[Real, Real]:
        """Return terms whose sum is δ(ε)."""
        mine, other = (tail.near(epsilon)(epsilon) for tail in (self._first, self._second))
        return mine, -self._ctx.exp(epsilon) * other

    def about(self, goal: Real) -> tuple[float, float]:
        """Return about the slope of ln δ(ε), and the ε, where it is so much."""
        c, epsilon = self._first.saddle(float(goal))
        return -c, epsilon

    def epsilon(self, goal: Real, start: Real, slope: Real) -> Real:
        """Return where ln δ(ε) is so much, by its secant: below 0 too."""
        ctx, at = self._ctx, self._ctx.mpf(start)
        for _ in range(_MOST_LINES):
            first, second = self._first.near(at), self._second.near(at)
            near, last, before = at, at, ctx.zero
            for _ in range(_MOST_SECANTS):
                mine = first(near)
                value = mine - ctx.exp(near) * second(near)
                if not value > 0:
                    raise ArithmeticError("no δ is told from 0 on these lines")
                miss = ctx.log(value) - goal
                if abs(miss) < ctx.ldexp(mine / value, _SPARE - ctx.prec):  # what cancels
                    break
                if near != last:
                    slope = (miss - before) / (near - last)
                last, before, near = near, miss, near - miss / slope
            else:
                raise ArithmeticError("the secant of ln δ does not settle")
            if abs(near - at) <= _NEAR_LINE * (1 + abs(at)):
                return near
            at = near
        raise ArithmeticError("the lines do not settle on an ε")


class _Tail:
    """The loss of T steps under one law: how likely it is to be above an ε.

    On a line Re s = c > 0 it is (1/2πi)∫ (E e^{sL})^T e^{−sε}/s ds. Floats choose c and the spacing
    of the trapezoid rule, whose aliases are then a share 2^(−8−precision) of Chernoff's bound.
    """

    def __init__(self, ctx: Context, steps: int, rows: list[tuple[Real, Real]]) -> None:
        self._ctx, self._steps, self._rows = ctx, steps, rows
        self._floats = [(float(log), float(loss)) for log, loss in rows]

    def _weights(self, c: float) -> tuple[float, list[float]]:
        """Return ln E e^{cL} of a step in float64, and the share that each row has of it."""
        terms = [log + c * loss for log, loss in self._floats]
        most = max(terms)
        weights = [math.exp(each - most) for each in terms]
        total = math.fsum(weights)
        return most + math.log(total), [each / total for each in weights]

    def saddle(self, goal: float) -> tuple[float, float]:
        """Return c, and about the ε, of a ln δ, if this is the law that has the losses."""

        def about(c: float) -> tuple[float, float]:
            log, weights = self._weights(c)
            losses = [loss for _, loss in self._floats]
            mean = math.fsum(w * loss for w, loss in zip(weights, losses, strict=True))
            variance = math.fsum(
                w * (loss - mean) ** 2 for w, loss in zip(weights, losses, strict=True)
            )
            epsilon = self._steps * mean - 1 / c - 1 / (1 + c)
            bend = self._steps * variance + 1 / c**2 + 1 / (1 + c) ** 2
            found = self._steps * log - c * epsilon - math.log(c * (c + 1))
            return found - math.log(2 * math.pi * bend) / 2, epsilon

        low, high = 2.0**-6, 2.0**10
        while high > low * _NEAR_SADDLE:
            middle = math.sqrt(low * high)
            low, high = (middle, high) if about(middle)[0] > goal else (low, middle)
        return high, about(high)[1]

    def near(self, epsilon: Real) -> Callable[[Real], Real]:
        """Return the tail near an ε. The line is that of Chernoff's bound."""
        ctx, steps = self._ctx, self._steps
        middle = float(epsilon)
        low, high = (middle + side * _NEAR_LINE * (1 + abs(middle)) for side in (-1, 1))

        def bound(c: float) -> float:
            return steps * self._weights(c)[0] - c * middle - math.log(c)

        line = min((2.0**k for k in range(-4, 8)), key=bound)
        line = min((line * 2 ** (k / 4) for k in range(-3, 4)), key=bound)
        logs = {r: steps * self._weights(r)[0] for r in (line, *(line + 2.0**k for k in _BEYOND))}
        spare = (ctx.prec + 8) * math.log(2)
        # The tail is 1 at most below, and above it has Chernoff's bounds of larger r.
        below = (spare - logs[line] + line * high) / line
        above = min((spare + logs[r] - logs[line]) / (r - line) - low for r in logs if r > line)
        c, spacing = ctx.mpf(line), 2 * ctx.pi / ctx.mpf(max(below, above))
        one = ctx.log(ctx.fsum(ctx.exp(log + c * loss) for log, loss in self._rows))
        values, total, small = [], ctx.zero, 0
        for n, moment in enumerate(self._moments(c, one, spacing)):
            s = ctx.mpc(c, n * spacing)
            values.append(moment**steps / s / (1 if n else 2))
            term = values[-1] * ctx.exp(ctx.mpc(0, -n * spacing * epsilon))
            total += term.real
            small = small + 1 if abs(term) < abs(total) * ctx.ldexp(1, _LEFT - ctx.prec) else 0
            if small == 3:
                break
            if n > _MOST_NODES:
                raise ArithmeticError(f"the moments have not died out after {n} nodes")

        def tail(at: Real) -> Real:
            turn, series = ctx.exp(ctx.mpc(0, -spacing * at)), ctx.zero
            for value in reversed(values):
                series = series * turn + value
            return series.real * ctx.exp(steps * one - c * at) * spacing / ctx.pi

        return tail

    def _moments(self, c: Real, one: Real, spacing: Real) -> Iterator[Real]:
        """Yield E e^{sL} of a step at s = c + in·spacing, n = 0, 1, …, over that at c, e^one.

        A node turns each term by the same angle again: in integers, which is much quicker.
        """
        ctx = self._ctx
        bits = ctx.prec + 2 * _SPARE + self._steps.bit_length() + _MOST_NODES.bit_length()
        terms = []
        for log, loss in self._rows:
            weight = int(ctx.ldexp(ctx.exp(log + c * loss - one), bits))
            if weight:
                turn = ctx.exp(ctx.mpc(0, spacing * loss))
                terms.append((weight, *(int(ctx.ldexp(x, bits)) for x in (turn.real, turn.imag))))
        turns = [(p, q) for _, p, q in terms]
        state = [(weight, 0) for weight, _, _ in terms]
        while True:
            yield ctx.mpc(
                *(ctx.ldexp(ctx.mpf(sum(part)), -bits) for part in zip(*state, strict=True))
            )
            state = [
                ((x * p - y * q) >> bits, (x * q + y * p) >> bits)
                for (x, y), (p, q) in zip(state, turns, strict=True)
            ]


def _step(ctx: Context, sigma: Fraction, rate: Fraction, records: int, cap: int) -> _Step:
    q = real(ctx, rate)
    return _Step(ctx, real(ctx, sigma), _chances(ctx, q, records, cap), q)


def _chances(ctx: Context, q: Real, n: int, cap: int) -> tuple[Real, ...]:
    """Return W, w, τ, κ and qτ − κ of n − 1 others, M ~ Bin(n − 1, q)."""

    def at_least(k: int, of: int) -> Real:
        """P(Bin(of, q) ≥ k) = I_q(k, of − k + 1)."""
        if k > of:
            return ctx.zero
        return ctx.betainc(k, of - k + 1, 0, q, regularized=True)

    few = ctx.zero
    if cap > 1:  # P(M ≤ B − 2) = I_{1−q}(n − 1 − (B − 2), B − 1)
        few = ctx.betainc(n - cap + 1, cap - 1, 0, 1 - q, regularized=True)
    following = ctx.binomial(n - 1, cap - 1) * q ** (cap - 1) * (1 - q) ** (n - cap)
    many = at_least(cap, n - 1)
    kept = ctx.mpf(cap) / n * at_least(cap + 1, n)
    return few, following, many, kept, q * many - kept
