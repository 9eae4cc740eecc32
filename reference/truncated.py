"""Poisson batches of which at most B records are kept: the upper end of δ (X.BAT.CAP).

Of one batch or two, by quadrature over the noisy sum of the first one: of two, what the second one
adds is a list of normal tails between the zeros of a polynomial, for each of the two places that a
displaced record may have, and the larger of both counts. Of more, by the moments of the loss on a
vertical line, each a trapezoid sum over the real line, where the enclosures take panels of a path
above it. The chances are incomplete beta functions, which the enclosures add up.
`proofs_notes/truncated.md` has the pair of laws.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from dporacle.interface import Direction, witness
from dporacle.reference.drawn_batches import fixed_size_delta
from dporacle.reference.numerics.precision import ZERO, Context, Real, real, settle
from dporacle.reference.subsampled.few_steps import vanishes
from dporacle.reference.subsampled_gaussian import subsampled_delta

_FEW = 2  # steps whose quadrature is made: each more nests another one
_MOST_NODES = 600
_WIDTH = 8  # of the trapezoid rule, over the precision in bits: `settle` compares two
_REACH = 1.2  # of the deviations beyond which the noise is nothing at a precision
_CLOSE = (-2, -1, 1, 2)  # deviations from a corner of the integrand, where it bends

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
    if cap >= records:
        return subsampled_delta(
            epsilon=epsilon, sigma=sigma, rate=rate, steps=steps, direction=direction, digits=digits
        )
    if rate == 1:
        return fixed_size_delta(
            epsilon=epsilon,
            sigma=sigma,
            rate=Fraction(cap, records),
            steps=steps,
            direction=direction,
            digits=digits,
        )
    ways = ("remove", "add") if direction == "both" else (direction,)

    def value(way: str) -> Real:
        def terms(ctx: Context) -> tuple[Real, ...]:
            step = _step(ctx, sigma, rate, records, cap)
            if steps > _FEW:
                return (_Line(ctx, step, steps, way).delta(real(ctx, epsilon)),)
            a = ctx.exp(real(ctx, epsilon))
            if way == "remove":
                return (step.composed(a, steps),)
            return ctx.one, -a, a * step.composed(1 / a, steps)

        return settle(terms, digits)

    # The ratio of the laws of a record that is added is 1 − q at least, as in Poisson sampling.
    nothing = vanishes(epsilon, [(sigma, rate, steps)])
    return max(ZERO if way == "add" and nothing else value(way) for way in ways)


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


class _Line:
    """δ of T steps by the moments of their loss on a line Re s = c."""

    def __init__(self, ctx: Context, step: _Step, steps: int, way: str) -> None:
        self._ctx, self._steps = ctx, steps
        rows = step.rows()
        if way == "add":
            rows = [(width, second, first) for width, first, second in rows]
        self._rows = [(ctx.log(width) + first, first - second) for width, first, second in rows]

    def _log(self, s: Real) -> Real:
        ctx = self._ctx
        total = ctx.fsum(ctx.exp(log + s * loss) for log, loss in self._rows)
        return self._steps * ctx.log(total)

    def delta(self, epsilon: Real) -> Real:
        """Return δ(ε), by the trapezoid rule of a spacing at which its aliases are nothing."""
        ctx = self._ctx
        rises = {
            c: self._log(c).real - c * epsilon for c in (ctx.mpf(2) ** k for k in range(-4, 7))
        }
        c = min(rises, key=lambda each: rises[each] - ctx.log(each * (each + 1)))
        spare = (ctx.prec + 8) * ctx.ln2 - rises[c]
        beyond = min((spare + rises[r]) / (r - c) for r in rises if r > c)
        spacing = 2 * ctx.pi / max(spare / c, beyond)
        total, small, n = ctx.zero, 0, 0
        while small < 3:
            s = ctx.mpc(c, n * spacing)
            term = ctx.exp(self._log(s) - s * epsilon) / (s * (s + 1))
            total += term.real / (1 if n else 2)
            small = small + 1 if abs(term) < abs(total) * ctx.ldexp(1, 12 - ctx.prec) else 0
            n += 1
            if n > _MOST_NODES:
                raise ArithmeticError(f"the moments have not died out after {n} nodes")
        return total * spacing / ctx.pi


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
