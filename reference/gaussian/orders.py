"""The best order of the Rényi conversion."""

from fractions import Fraction

from dporacle.reference.numerics.functions import exp, fine
from dporacle.reference.numerics.precision import Context, Real, freeze, real, working
from dporacle.reference.numerics.roots import positive_root, scaled

_SPARE = 12


def best_order(eps: Fraction, rho: Fraction, digits: int) -> Real:
    """Return the t = α − 1 > 0 at which (2t + 1)ρ − ε − ln(1 + 1/t) = 0, whose left side rises.

    At a minimum half of the digits are enough, so as many of t are found as an exponent to so many
    digits takes.
    """

    def excess(c: Context, x: Real) -> tuple[Real, ...]:
        return 2 * x * real(c, rho), real(c, rho - eps), -c.log1p(1 / x)

    def newton(t: Real, digits: int) -> tuple[Real, Real]:
        """With t = α − 1."""
        with working(4 * digits + 64) as ctx:
            x, r = real(ctx, t), real(ctx, rho)
            residual = real(ctx, fine(ctx, lambda c: excess(c, real(c, t))))
            slope = 2 * r * x + 1 / (1 + x)  # in ln t
            return freeze(residual), freeze(scaled(ctx, x, -residual / slope))

    with working(64) as ctx:
        start = freeze(_order(ctx, real(ctx, rho), real(ctx, eps - rho)))
        # A relative error of t adds half its square, times this, to the exponent.
        steep = int(ctx.log10(1 + 2 * real(ctx, rho) * (start + 1) ** 2))
    return positive_root(newton, start=start, digits=(digits + steep) // 2 + _SPARE)


def _order(ctx: Context, rho: Real, excess: Real) -> Real:
    """About the root t of 2tρ − ln(1 + 1/t) = ε − ρ, by 1/t for the logarithm or by −ln t."""
    large = (excess + ctx.sqrt(excess * excess + 8 * rho)) / (4 * rho)
    if large > 1:
        return large
    power = ctx.log(2 * rho) + excess  # 2ρt is Lambert's W of e to this
    return (power - ctx.log(power) if power > 1 else exp(ctx, power)) / (2 * rho)
