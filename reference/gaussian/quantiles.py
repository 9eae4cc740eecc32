"""The z that a standard normal number exceeds in size with a given probability."""

from fractions import Fraction

from dporacle.reference.numerics.functions import log, ncdf, npdf
from dporacle.reference.numerics.log_odds import split
from dporacle.reference.numerics.precision import Real, freeze, real, working
from dporacle.reference.numerics.roots import positive_root, scaled


def two_sided_quantile(level: Fraction, digits: int) -> Real:
    """Return the z > 0 with erfc(z/√2) = α, by Newton's method on the log-odds of α."""

    def newton(z: Real, digits: int) -> tuple[Real, Real]:
        upper, lower = split(
            lambda ctx: 2 * ncdf(ctx, lambda c: (-real(c, z),)),
            lambda ctx: ctx.erf(real(ctx, z) / ctx.sqrt(2)),
            level,
            digits,
        )
        with working(4 * digits + 64) as ctx:
            x, up, low = real(ctx, z), real(ctx, upper), real(ctx, lower)
            odds = ctx.log(low / real(ctx, 1 - level)) - ctx.log(up / real(ctx, level))
            slope = 2 * x * npdf(ctx, z) / (up * low)  # in ln z
            return freeze(odds), freeze(scaled(ctx, x, -odds / slope))

    with working(64) as ctx:
        # erfc(z/√2) ≤ e^{−z²/2} puts the root below this point.
        start = freeze(ctx.sqrt(-2 * log(ctx, level)))
    return positive_root(newton, start=start, digits=digits)
