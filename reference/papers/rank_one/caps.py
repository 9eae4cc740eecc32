"""The law of the cosine c of the angle between a uniform direction in R^{K+1} and an axis.

Its density is f(c) = (1 − c²)^{(K−2)/2}/B, B = B(1/2, K/2); F is its distribution function.
"""

from collections.abc import Callable

from dporacle.reference.numerics.precision import Context, Real


def norm(ctx: Context, power: int) -> Real:
    """B = B(1/2, K/2)."""
    return ctx.exp(
        ctx.log(ctx.pi) / 2
        + ctx.loggamma(ctx.mpf(power) / 2)
        - ctx.loggamma(ctx.mpf(power + 1) / 2)
    )


def density(ctx: Context, power: int, c: Real) -> Real:
    """f(c), without its factor 1/B; 0 from the ends on."""
    square = 1 - c * c
    return square ** (ctx.mpf(power - 2) / 2) if square > 0 else ctx.zero


def tail(ctx: Context, power: int) -> Callable[[Real], Real]:
    """Return c -> 1 − F(c) for 0 ≤ c, half of the Beta distribution function at y = 1 − c².

    Near the middle it is ½ − (c/B) y^{K/2} ₂F₁(1, (K+1)/2; 3/2; c²), whose terms are positive and
    grow until there are about Kc² of them; further out, c y^{K/2}/(K·B) over a continued fraction.
    """
    half, most = ctx.mpf(power) / 2, ctx.prec / 4
    with ctx.workprec(ctx.prec + int(most) + 16):
        whole = norm(ctx, power)

    def value(c: Real) -> Real:
        square = c * c
        if square >= 1:
            return ctx.zero
        if square < 0.5 and power * square < most:
            # y^{K/2} > 2^{−Kc²} for c² < ½: so many bits may cancel, and a few.
            with ctx.workprec(ctx.prec + int(power * square) + 16):
                series = ctx.hyp2f1(1, half + 0.5, 1.5, square)
                return 0.5 - c / whole * ctx.exp(half * ctx.log1p(-square)) * series
        # log1p, because the rounding of 1 − c² is too much for a power of 10^9.
        top = c * ctx.exp(half * ctx.log1p(-square)) / (power * whole)
        return top / _fraction(ctx, half, 1 - square)

    return value


def _fraction(ctx: Context, a: Real, y: Real) -> Real:
    """Return 1 + d₁/(1 + d₂/(1 + …)), that of the incomplete Beta function, by Lentz's method.

    d_{2m+1} = −(a+m)(a+m+½)y/((a+2m)(a+2m+1)), d_{2m} = m(½−m)y/((a+2m−1)(a+2m)): all are
    negative, so that the convergents fall to the value.
    """
    result = above = change = ctx.one
    below, n = ctx.zero, 0
    while n == 0 or abs(change - 1) > ctx.eps / 16:
        n += 1
        m, end = n // 2, a + n
        d = (m * (0.5 - m) if n % 2 == 0 else -(a + m) * (a + m + 0.5)) * y / (end * (end - 1))
        below = 1 / (1 + d * below)
        above = 1 + d / above
        change = above * below
        result *= change
    return result
