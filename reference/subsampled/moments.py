"""The moments of the privacy loss, E[e^{sL}], by the trapezoid rule over the real line."""

from collections.abc import Callable
from fractions import Fraction

from dporacle.reference.numerics.precision import Context, Real, real

Phase = tuple[Fraction, Fraction, int]
"""The noise multiplier σ, the sampling rate q and the number of steps T."""

Plan = list[Phase]


def log_moments(ctx: Context, plan: Plan, way: str, c: Real, reach: Real) -> Callable[[Real], Real]:
    """Return ln K(s) as a function of s on the line Re s = c, Im s up to about `reach`."""
    tables = []
    size = (ctx.prec + 8) * ctx.ln2
    for sigma_exact, rate, steps in plan:
        sigma, q = real(ctx, sigma_exact), real(ctx, rate)
        # The trapezoid rule of step h errs by e^{−2πb/h} times what the line Im t = b makes larger.
        b = min(ctx.mpf("0.9") * ctx.pi * sigma, ctx.sqrt(2 * size))
        weight = reach * (2 if way == "replace" else 1)
        h = 2 * ctx.pi * b / (size + b * b / 2 + weight * b / sigma + (c + 1) + 8)
        pull = (2 * c + 1) / sigma
        edge = ctx.sqrt(2 * size)
        low = -int((edge + (pull if way == "add" else 0)) / h)
        high = int((edge + (0 if way == "add" else pull)) / h)
        rows = []
        for k in range(low, high + 1):
            t = k * h
            plus = ctx.log(1 - q + q * ctx.exp(t / sigma - 1 / (2 * sigma**2)))
            minus = ctx.log(1 - q + q * ctx.exp(-t / sigma - 1 / (2 * sigma**2)))
            rows.append((plus, minus, -t * t / 2))
        tables.append((rows, h / ctx.sqrt(2 * ctx.pi), steps))

    def log_moment(s: Real) -> Real:
        total = ctx.zero
        for rows, width, steps in tables:
            if way == "remove":
                terms = (ctx.exp((1 + s) * plus + log) for plus, _, log in rows)
            elif way == "add":
                terms = (ctx.exp(log - s * plus) for plus, _, log in rows)
            else:
                terms = (ctx.exp((1 + s) * plus - s * minus + log) for plus, minus, log in rows)
            total += steps * ctx.log(ctx.fsum(terms) * width)
        return total

    return log_moment
