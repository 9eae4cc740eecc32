"""δ(ε) by a vertical line through the saddle, where a few hundred moments are enough."""

import math
from collections.abc import Callable

from dporacle.reference.numerics.precision import Context, Real, working
from dporacle.reference.subsampled.moments import Plan, log_moments

MOST_NODES = 1500


def nodes(
    ctx: Context, log_moment: Callable[[Real], Real], c: Real, step: Real
) -> list[tuple[Real, Real]]:
    """Return s and ln K(s) − ln K(c) on the line, until they are too small to count.

    Raises:
        ArithmeticError: if that takes too many of them.
    """
    found: list[tuple[Real, Real]] = []
    top = log_moment(ctx.mpc(c)).real
    small = 0
    for n in range(MOST_NODES):
        s = ctx.mpc(c, n * step)
        value = log_moment(s) - top
        found.append((s, value))
        small = small + 1 if value.real < -(ctx.prec + 8) * ctx.ln2 else 0
        if small == 3:
            return found
    raise ArithmeticError(f"the moments have not died out after {MOST_NODES} nodes")


def line_sum(
    ctx: Context,
    line: list[tuple[Real, Real]],
    step: Real,
    epsilon: Real,
    over: Callable[[Real], Real] = lambda s: s * (s + 1),
) -> Real:
    """Return e^{cε}/K(c) times the expectation, for the ε asked.

    With s instead of s(s + 1) it is P(L > ε), with s + 1 it is e^ε times the other law's.
    """
    c = line[0][0].real
    total = ctx.zero
    for n, (s, value) in enumerate(line):
        term = (ctx.exp(value - (s - c) * epsilon) / over(s)).real
        total += term / 2 if n == 0 else term
    return total * step / ctx.pi


class LineMoments:
    """The moments on a vertical line that fits the ε with a saddle at c."""

    def __init__(self, ctx: Context, plan: Plan, way: str, c: float, log_delta: float):
        with working(64) as rough:
            shape = log_moments(rough, plan, way, rough.mpf(c), rough.mpf(2))
            step = c / 16
            logs = [shape(rough.mpc(c + k * step)).real for k in (-1, 0, 1)]
            variance = float((logs[0] - 2 * logs[1] + logs[2]) / step**2)
        size = (ctx.prec + 8) * math.log(2)
        spread = math.sqrt(variance)
        # Aliases: e^{−cW} against δ below, and the far tail above.
        window = max((size - log_delta + 3) / c, 1.2 * math.sqrt(2 * size) * spread)
        self.ctx, self.step = ctx, 2 * ctx.pi / ctx.mpf(window)
        reach = math.sqrt(2 * size) / spread
        # A normal loss's moments have died out at the reach, those of others further out.
        for end in (2 * reach, 6 * reach):
            log_moment = log_moments(ctx, plan, way, ctx.mpf(c), ctx.mpf(end))
            self.top = log_moment(ctx.mpc(c)).real
            if log_moment(ctx.mpc(c, end)).real < self.top - ctx.prec * ctx.ln2:
                break
        else:
            raise ArithmeticError("the moments do not die out on a vertical line")
        self.line = nodes(ctx, log_moment, ctx.mpf(c), self.step)

    def delta(self, epsilon: Real) -> Real:
        """Return δ(ε)."""
        ctx, c = self.ctx, self.line[0][0].real
        return ctx.exp(self.top - c * epsilon) * line_sum(ctx, self.line, self.step, epsilon)

    def tail(self, epsilon: Real, law: int) -> Real:
        """Return P(L > ε) (law = 0) or Q(L > ε) (law = 1)."""
        ctx, c = self.ctx, self.line[0][0].real
        found = line_sum(ctx, self.line, self.step, epsilon, lambda s: s + law)
        return ctx.exp(self.top - (c + law) * epsilon) * found


def saddle(plan: Plan, way: str, goal: Callable[[float, float, float], bool]) -> float:
    """Return the c at which a condition on ln K, ε and ln δ (all to a few digits) turns true."""
    low = high = 0.0
    c = 1.0
    # From 1 outwards: the sums are long where c is large.
    for _ in range(24):
        with working(53) as ctx:
            log = log_moments(ctx, plan, way, ctx.mpf(c), ctx.mpf(1))
            step = c / 1024
            at = [float(log(ctx.mpc(c + k * step)).real) for k in (-1, 0, 1)]
        mean, variance = (at[2] - at[0]) / (2 * step), (at[2] - 2 * at[1] + at[0]) / step**2
        epsilon = mean - 1 / c - 1 / (1 + c)
        second = max(variance, 0.0) + 1 / c**2 + 1 / (1 + c) ** 2
        log_delta = at[1] - c * epsilon - math.log(c * (1 + c)) - math.log(2 * math.pi * second) / 2
        if goal(c, epsilon, log_delta):
            high = c
        else:
            low = c
        if low and high:
            if high < 1.05 * low:
                break
            c = math.sqrt(low * high)
        else:
            c = c / 2 if high else c * 2
    if not high:
        raise ArithmeticError("no saddle was found")
    return high
