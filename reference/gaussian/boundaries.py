"""Where the classical variance is a given multiple of the least."""

from fractions import Fraction

from dporacle.reference.numerics.functions import exp, ncdf, npdf
from dporacle.reference.numerics.precision import Context, Real, freeze, once, real, working
from dporacle.reference.numerics.roots import positive_root


def boundary(quotient: Fraction, eps: Fraction, digits: int) -> Real:
    """Return the c at which σ = D·c/(ε√q) has δ(ε) = 1.25·e^{−c²/2} (BW18.C1)."""

    def newton(point: Real, digits: int) -> tuple[Real, Real]:
        # c = point. δ(ε) at σ = D·c/(ε√q) against δ = 1.25·e^{−c²/2}, in the logarithm.
        def profile(ctx: Context) -> tuple[Real, Real]:
            def ends(c: Context) -> tuple[Real, Real]:
                k = real(c, point) / c.sqrt(real(c, quotient))
                return real(c, eps) / (2 * k), k

            near = ncdf(ctx, lambda c: (ends(c)[0], -ends(c)[1]))
            return near, -exp(ctx, eps) * ncdf(ctx, lambda c: tuple(-end for end in ends(c)))

        value = once(profile, digits + 4)
        with working(4 * digits + 64) as ctx:
            e, x, value = real(ctx, eps), real(ctx, point), real(ctx, value)
            k = x / ctx.sqrt(real(ctx, quotient))
            residual = ctx.log(value * 4 / 5) + x * x / 2
            slope = x - npdf(ctx, lambda c: (c.mpf(e / (2 * k) - k),)) * e / (k * x) / value
            return freeze(residual), freeze(x - residual / slope)

    with working(64) as ctx:
        # To the right of the root, where the residual is already rising.
        start = freeze(ctx.sqrt(100 - 8 * ctx.log(real(ctx, eps))))
    return positive_root(newton, start=start, digits=digits)
