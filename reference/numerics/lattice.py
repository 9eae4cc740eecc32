"""Half-line sums of a Gaussian over the integers, for every width of it.

Σ e^{o−sx²} and Σ x²e^{o−sx²} over x ≥ n ≥ 1, as terms where few of them matter, else by the second
formula of Euler and Maclaurin, at c = n − 1/2:

    Σ f(x) = ∫_c^∞ f − Σ_{k≥1} B_{2k}(1/2)/(2k)!·f^{(2k−1)}(c).

Its terms fall below the working precision where the plain sum would be long.
"""

from fractions import Fraction

from dporacle.reference.numerics.functions import exp
from dporacle.reference.numerics.precision import Context, Real, real

_LEAST_TERMS = 32


def half_sums(
    ctx: Context, variance: Fraction, first: int, offset: Fraction | int = 0
) -> tuple[Real, Real]:
    """Σ e^{o−x²/2σ²} and Σ x²e^{o−x²/2σ²} over x ≥ first ≥ 1."""
    far = 2 * real(ctx, variance) * ctx.prec
    if far / (first + ctx.sqrt(far + ctx.mpf(first) ** 2)) < max(_LEAST_TERMS, ctx.prec):
        return _directly(ctx, variance, first, Fraction(offset))
    return _second_euler_maclaurin(ctx, variance, first, Fraction(offset))


def _directly(ctx: Context, variance: Fraction, first: int, offset: Fraction) -> tuple[Real, Real]:
    """Terms that fall faster than a geometric series of ratio r = e^{−(2x+1)/2σ²}.

    What follows a term is below it by the factor r/(1−r).
    """
    term = exp(ctx, offset - first**2 / (2 * variance))
    ratio = exp(ctx, -(2 * first + 1) / (2 * variance))
    step = exp(ctx, -1 / variance)
    total, square, x = ctx.zero, ctx.zero, first
    while True:
        total += term
        square += x * x * term
        if term * ratio * (x + 2) ** 2 < ctx.ldexp(total, -ctx.prec) * (1 - ratio) ** 3:
            return total, square
        term *= ratio
        ratio *= step
        x += 1


def _second_euler_maclaurin(
    ctx: Context, variance: Fraction, first: int, offset: Fraction
) -> tuple[Real, Real]:
    """By Taylor coefficients a of f and b of x²f at c, from f′ = −(x/σ²)f, relative to f(c)."""
    v, c = real(ctx, variance), real(ctx, first - Fraction(1, 2))
    z = c / ctx.sqrt(2 * v)
    mass = ctx.sqrt(2 * v) * _scaled_tail(ctx, z)
    total, square = mass, v * (c + mass)
    before, a = ctx.one, -c / v  # of orders j − 1 and j, at j = 1
    older, j = ctx.zero, 1
    tiny = ctx.ldexp(1, -ctx.prec)
    while True:
        # B_{2k}(1/2) = −(1 − 2^{1−2k})·B_{2k}, and f^{(2k−1)} = (2k−1)!·a.
        factor = (1 - ctx.ldexp(1, -j)) * ctx.bernoulli(j + 1) / (j + 1)
        b = c * c * a + 2 * c * before + older
        total += factor * a
        square += factor * b
        # Two in a row: a Hermite polynomial may be near one of its zeros.
        if abs(factor) * (abs(a) + abs(before)) < tiny * total and (
            abs(factor) * (c * c * (abs(a) + abs(before)) + abs(older)) < tiny * square
        ):
            head = exp(ctx, offset - (first - Fraction(1, 2)) ** 2 / (2 * variance))
            return head * total, head * square
        for _ in range(2):
            older, before, a = before, a, -(c * a + before) / (v * (j + 1))
            j += 1


def _scaled_tail(ctx: Context, z: Real) -> Real:
    """e^{z²}∫_z^∞ e^{−x²}dx; where z is large as Tricomi's U, which needs no large power."""
    if z > 16:
        return ctx.hyperu(0.5, 0.5, z * z) / 2
    return ctx.sqrt(ctx.pi) / 2 * ctx.exp(z * z) * ctx.erfc(z)


def normaliser(ctx: Context, variance: Fraction) -> tuple[Real, Real]:
    """Σ e^{−x²/2σ²} and Σ x²e^{−x²/2σ²} over all integers: the sums from 1 on, twice."""
    total, square = half_sums(ctx, variance, 1)
    return 1 + 2 * total, 2 * square
