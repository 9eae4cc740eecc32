"""The regularised incomplete Gamma function of halves of integers."""

from fractions import Fraction

from dporacle.reference.numerics.functions import exp, ncdf
from dporacle.reference.numerics.precision import Context, Real, real


def upper_share(ctx: Context, m: int, x: Fraction) -> Real:
    """Return Q(m/2, x), in positive terms.

    By Q(a+1, x) = Q(a, x) + x^a e^{−x}/Γ(a+1), from Q(1/2, x) = erfc(√x) or Q(1, x) = e^{−x}.
    """
    half, z, fall = ctx.mpf(m) / 2, real(ctx, x), exp(ctx, -x)
    if m % 2:
        a = ctx.mpf(0.5)
        total = 2 * ncdf(ctx, lambda c: (-c.sqrt(real(c, 2 * x)),))
        term = fall * 2 * ctx.sqrt(z / ctx.pi)
    else:
        a, total, term = ctx.one, fall, fall * z
    while a < half:
        total += term
        a += 1
        term *= z / a
    return total
