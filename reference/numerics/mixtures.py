"""Expectations over a Poisson mixture of χ² distributions, as the squared length of a Gaussian is.

‖θ + N(0, I)‖² in dimension d is χ²_{d+2J} with J Poisson of mean x = ‖θ‖²/2.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from dporacle.reference.numerics.precision import Context, Real, real, working

_MANY = 4096
"""Above this mean the sum over J is longer than the continued fraction."""


def mean_of_share(ctx: Context, b: Real, x: Fraction) -> Real:
    """Return E[b/(b + J)] = ₁F₁(1; b + 1; −x) for J Poisson of mean x; every term is positive."""
    z = real(ctx, x)
    if x > _MANY:
        # b·I₀ with I_k = ∫₀¹ s^k (1−s)^{b−1} e^{−xs} ds, k·I_{k−1} = (b + k + x)I_k − x·I_{k+1}.
        ratio = ctx.zero
        for k in range(2 * ctx.prec, 0, -1):
            ratio = k / (b + k + z - z * ratio)
        return b / (b + z - z * ratio)
    weight, total, j = ctx.exp(-z), ctx.zero, 0
    while j <= 2 * z or weight > ctx.ldexp(total, -ctx.prec):
        total += weight * b / (b + j)
        weight *= z / (j + 1)
        j += 1
    return total


def mean_where_below(
    ctx: Context, d: int, x: Fraction, term: Callable[[int, Sequence[Real]], Real]
) -> Real:
    """Return E[t_J] for J Poisson of mean x, to an absolute 2^-precision.

    Args:
        ctx: where to compute.
        d: the dimension, at least 3.
        x: the mean of J.
        term: t_j, from j and the probabilities P_{d+2j−2}, P_{d+2j}, P_{d+2j+2} that χ² of so many
            degrees of freedom is below d − 2; it is at most 2d·P_{d+2j−2} in size.
    """
    count = _terms(d, x, ctx.prec + 8)
    below = _below(ctx, d, count)
    z = real(ctx, x)
    weight, total = ctx.exp(-z), ctx.zero
    for j in range(count):
        total += weight * term(j, below[j : j + 3])
        weight *= z / (j + 1)
    return total


def _below(ctx: Context, d: int, count: int) -> list[Real]:
    """P_k = Pr[χ²_k < c], c = d − 2, for k = d − 2, d, …, d + 2·count.

    From the largest k downwards, by P_{k−2} = P_k + (c/2)^{k/2−1} e^{−c/2}/Γ(k/2).
    """
    half, k = ctx.mpf(d - 2) / 2, d + 2 * count
    step = ctx.exp((ctx.mpf(k) / 2) * ctx.log(half) - half - ctx.loggamma(ctx.mpf(k) / 2 + 1))
    term, total, n = step, step, 1
    while term > ctx.ldexp(total, -ctx.prec):
        term *= half / (ctx.mpf(k) / 2 + n)
        total += term
        n += 1
    found = [total]
    while k > d - 2:
        # step is (c/2)^{k/2} e^{−c/2}/Γ(k/2+1)
        step *= ctx.mpf(k) / 2 / half
        k -= 2
        total += step
        found.append(total)
    return found[::-1]


def _terms(d: int, x: Fraction, bits: int) -> int:
    """A J at which 2d·Pr[χ²_{d+2J−2} < d−2]·Pr[Poisson(x) ≥ J] < 2^-bits, by Chernoff bounds."""
    with working(64) as ctx:
        c, z = d - 2, real(ctx, x)
        wanted = bits * ctx.ln2 + ctx.log(2 * d)
        j = 2
        while True:
            k = c + 2 * j
            have = (c - k - k * ctx.log(ctx.mpf(c) / k)) / 2
            if j > z:
                have += z - j + (j * ctx.log(j / z) if z > 0 else ctx.inf)
            if have > wanted:
                return j
            j += max(1, j // 16)
