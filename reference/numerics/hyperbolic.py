"""The hyperbolic functions without their first terms."""

from collections.abc import Iterator
from fractions import Fraction
from math import factorial

from dporacle.reference.numerics.functions import exp
from dporacle.reference.numerics.precision import Context, Real, real

_WIDE = 64
"""Beyond 2k and this, few digits cancel on the way upwards."""


def tails(ctx: Context, most: int, a: Fraction, fade: Fraction) -> list[Real]:
    """Return e^{−T}·S_n(a) for n = 0, …, k, S_n(a) = a^{n+1}/(n+1)! + a^{n+3}/(n+3)! + ….

    Args:
        ctx: where to compute.
        most: k.
        a: positive.
        fade: T.
    """
    x, powers = real(ctx, a), [exp(ctx, -fade)]
    for n in range(1, most + 2):
        powers.append(powers[-1] * x / n)
    if a > 2 * most + _WIDE:
        # From S₋₁ = cosh a and S₀ = sinh a upwards.
        more, less = exp(ctx, a - fade) / 2, exp(ctx, -a - fade) / 2
        sums = [more + less, more - less]
        for n in range(1, most + 1):
            sums.append(sums[-2] - powers[n - 1])
        return sums[1:]
    sums = [ctx.fsum(_falling(ctx, x, n)) * powers[0] for n in (most + 1, most)]
    for n in range(most - 1, -1, -1):
        sums.append(sums[-2] + powers[n + 1])
    return sums[:0:-1]


def _falling(ctx: Context, x: Real, n: int) -> Iterator[Real]:
    """The terms of S_n(x), all positive, until they are too small to count."""
    term, first, i = x ** (n + 1) / factorial(n + 1), None, n + 1
    while first is None or i < 2 * x or term > ctx.ldexp(first, -ctx.prec - 8):
        yield term
        first = first or term
        term *= x * x / ((i + 1) * (i + 2))
        i += 2
