"""The inversion of DP-SGD's transform as a sum over a line, in fixed-point integers."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import ClassVar

from mpmath.libmp import MPZ  # integers, which are gmpy2's where that is installed

from dporacle.identities.arithmetic import Context, Real, real
from dporacle.identities.subsampled_design import (
    ExactPhase,
    Exponents,
    exchanged,
    last_frequency,
    mesh,
)

_QUIET = 24  # terms below the error, one after the other, that end a sum
_MOST_TERMS = 20_000
_MOST_POINTS = 100_000  # of the mesh: with more, the sums' integers fill the memory
_MOST_WORK = 30_000_000  # points times terms
_KEPT = 8


class Sums:
    """The moments at c + 2πin/W, one n after the other, and their sum.

    They are kept for the other end of an enclosure, at which they are the same.
    """

    kept: ClassVar[dict[object, list[Real]]] = {}

    def __init__(
        self,
        ctx: Context,
        phases: Sequence[ExactPhase],
        c: float,
        period: float,
        nats: float,
        exponents: Exponents,
    ) -> None:
        self.ctx, self.c = ctx, ctx.mpf(c)
        steps = sum(each.steps for each in phases)
        self.bits = int(nats / math.log(2)) + steps.bit_length() + 32
        self.saved, ctx.prec = ctx.prec, self.bits
        self.period, self.small = ctx.mpf(period), -nats - 2.0
        self.key = (tuple(phases), c, period, nats, exponents)
        self.tables: list[tuple[list[list[int]], Real, int]] = []
        if self.key in self.kept:
            ctx.prec = self.saved
            return
        frequency = 2 * math.pi / period
        reach = last_frequency(phases, c, exponents, -nats, frequency)
        self.tables += [
            self._table(each, exponents(c), exponents is exchanged, reach, nats) for each in phases
        ]
        ctx.prec = self.saved

    def _table(
        self,
        phase: ExactPhase,
        powers: tuple[float, float],
        mirrored: bool,
        reach: float,
        nats: float,
    ) -> tuple[list[list[int]], Real, int]:
        """Return weights and turns, both in integers, and the weights' true sum."""
        ctx = self.ctx
        sigma, rest = real(ctx, phase.sigma), real(ctx, 1 - phase.rate)
        terms = [(real(ctx, chance), real(ctx, share) / sigma) for share, chance in phase.terms]

        def log_w(t: Real) -> Real:
            found = ctx.fsum(chance * ctx.exp(m * t - m * m / 2) for chance, m in terms)
            return ctx.log(rest + found)

        h, low, high = mesh(phase, powers, mirrored, reach, nats)
        if high - low > _MOST_POINTS:
            raise ArithmeticError(f"the mesh would have {high - low} points")
        rows = []
        turn = 2 * ctx.pi / self.period
        sign = 1 if mirrored or powers[0] > 0 else -1
        for k in range(low, high + 1):
            t = k * ctx.mpf(h)
            plus = log_w(t)
            log, loss = -t * t / 2 + ctx.mpf(powers[0]) * plus, plus
            if mirrored:
                minus = log_w(-t)
                log, loss = log + ctx.mpf(powers[1]) * minus, plus - minus
            rows.append((ctx.exp(log), sign * turn * loss))
        weight = ctx.fsum(each for each, _ in rows)
        table = [
            [
                MPZ(int(ctx.floor(ctx.ldexp(each / weight, self.bits)))),
                MPZ(0),
                MPZ(int(ctx.floor(ctx.ldexp(ctx.cos(angle), self.bits)))),
                MPZ(int(ctx.floor(ctx.ldexp(ctx.sin(angle), self.bits)))),
            ]
            for each, angle in rows
        ]
        table = [row for row in table if row[0]]
        return table, weight * ctx.mpf(h) / ctx.sqrt(2 * ctx.pi), phase.steps

    def _all_moments(self) -> list[Real]:
        """Return K(c) and then K(c + 2πin/W)/K(c), n = 0, 1, …, until they have died out."""
        if self.key in self.kept:
            return self.kept[self.key]
        ctx = self.ctx
        found = [ctx.exp(ctx.fsum(steps * ctx.log(weight) for _, weight, steps in self.tables))]
        quiet, limit = 0, ctx.exp(self.small)
        most = min(_MOST_TERMS, _MOST_WORK // sum(len(rows) for rows, _, _ in self.tables))
        for moment in self._moments():
            found.append(moment)
            quiet = quiet + 1 if abs(moment) < limit else 0
            if quiet > _QUIET:
                break
            if len(found) > most:
                raise ArithmeticError(f"the transform has not died out after {most} terms")
        if len(self.kept) >= _KEPT:
            self.kept.clear()
        self.kept[self.key] = found
        return found

    def _moments(self) -> Iterator[Real]:
        ctx, bits = self.ctx, self.bits
        while True:
            product = ctx.mpc(1)
            for table, _, steps in self.tables:
                re, im = sum(row[0] for row in table), sum(row[1] for row in table)
                mean = ctx.mpc(ctx.ldexp(ctx.mpf(re), -bits), ctx.ldexp(ctx.mpf(im), -bits))
                product *= mean**steps
            yield product
            for table, _, _ in self.tables:
                for row in table:
                    x, y, u, v = row
                    row[0], row[1] = (x * u - y * v) >> bits, (x * v + y * u) >> bits

    def total(self, epsilon: Fraction, *, squared: bool = False) -> Real:
        """Return e^{−cy}/W·ΣK(s)e^{−2πiny/W}/(s(s+1)), with n and −n together; or with |K|²."""
        ctx = self.ctx
        ctx.prec = self.bits
        try:
            y, found = real(ctx, epsilon), ctx.zero
            turn = 2 * ctx.pi / self.period
            top, *moments = self._all_moments()
            if squared:
                top, moments = top**2, [abs(moment) ** 2 for moment in moments]
            for n, moment in enumerate(moments):
                s = ctx.mpc(self.c, n * turn)
                term = (moment * ctx.expjpi(-2 * n * y / self.period) / (s * (s + 1))).real
                found += term if n == 0 else 2 * term
            return top * ctx.exp(-self.c * y) / self.period * found
        finally:
            ctx.prec = self.saved
