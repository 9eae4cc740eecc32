"""Denoising the Gaussian mechanism: exact risks (BW18.T10, BW18.T11, BW18.T12).

One release y = θ + N(0, σ²I) in dimension d is post-processed to θ̂. The risk is E‖θ̂ − θ‖²; that of
θ̂ = y is dσ².
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from dporacle.interface import Numbers, witness
from dporacle.reference.numerics.functions import fine, ncdf, npdf
from dporacle.reference.numerics.precision import ZERO, Context, Real, real, settle, working


@witness
def bayes_risk(*, dimension: int, prior_sigma: Fraction, sigma: Fraction, digits: int) -> Real:
    """Return d·w²σ²/(w²+σ²), the risk of the posterior mean w²/(w²+σ²)·y (BW18.T10).

    θ is drawn from N(0, w²I). No estimator has a smaller risk.
    """
    risk = dimension * (prior_sigma * sigma) ** 2 / (prior_sigma * prior_sigma + sigma * sigma)
    return settle(lambda ctx: real(ctx, risk), digits)


@witness
def james_stein_prior_risk(
    *, dimension: int, prior_sigma: Fraction, sigma: Fraction, digits: int
) -> Real:
    """Return dσ² − (d−2)σ⁴/(w²+σ²), the James–Stein risk under the prior N(0, w²I) (BW18.T11).

    The dimension is at least 3.
    """
    risk = dimension * sigma * sigma - (dimension - 2) * sigma**4 / (
        prior_sigma * prior_sigma + sigma * sigma
    )
    return settle(lambda ctx: real(ctx, risk), digits)


@witness
def james_stein_risk(*, dimension: int, norm: Fraction, sigma: Fraction, digits: int) -> Real:
    """Return the exact risk of θ̂ = (1 − (d−2)σ²/‖y‖²)·y (BW18.T11).

    It is dσ² − (d−2)²σ⁴ E[1/‖y‖²], and ‖y‖²/σ² is noncentral χ²_d(λ) with λ = ‖θ‖²/σ², so that
    E[σ²/‖y‖²] = ₁F₁(1; d/2; −λ/2)/(d−2).
    """
    x = (norm / sigma) ** 2 / 2

    def formula(ctx: Context) -> tuple[Real, Real]:
        unit = real(ctx, sigma * sigma)
        return dimension * unit, -(dimension - 2) * unit * _inverse_length(ctx, dimension, x)

    return settle(formula, digits)


def _inverse_length(ctx: Context, d: int, x: Fraction) -> Real:
    """(d−2)·E[σ²/‖y‖²] = ₁F₁(1; d/2; −x) = E[(d/2−1)/(d/2−1+J)], J Poisson(x)."""
    return mean_of_share(ctx, ctx.mpf(d) / 2 - 1, x)


@witness
def positive_part_risk(*, dimension: int, norm: Fraction, sigma: Fraction, digits: int) -> Real:
    """Return the exact risk of θ̂ = max(0, 1 − (d−2)σ²/‖y‖²)·y (BW18.T11, positive part).

    By Stein's identity it is the James–Stein risk plus σ²E[(V − 2d + (d−2)²/V)·1{V < d−2}], with
    V = ‖y‖²/σ² a Poisson(λ/2) mixture over j of χ²_{d+2j}.
    """
    x = (norm / sigma) ** 2 / 2

    def formula(ctx: Context) -> tuple[Real, Real, Real]:
        unit = real(ctx, sigma * sigma)
        gain = _positive_part_gain(ctx, dimension, x)
        return (
            dimension * unit,
            -(dimension - 2) * unit * _inverse_length(ctx, dimension, x),
            unit * gain,
        )

    return settle(formula, digits)


def _positive_part_gain(ctx: Context, d: int, x: Fraction) -> Real:
    """E[(V − 2d + c²/V)·1{V < c}], c = d − 2.

    With P_k = Pr[χ²_k < c]: E[V·1] = k·P_{k+2} and E[1/V·1] = P_{k−2}/(k−2) for k = d+2j.
    """
    c = d - 2

    def term(j: int, below: Sequence[Real]) -> Real:
        before, at, after = below
        return (d + 2 * j) * after - 2 * d * at + ctx.mpf(c) * c / (c + 2 * j) * before

    return mean_where_below(ctx, d, x, term)


@witness
def universal_threshold(*, dimension: int, sigma: Fraction, digits: int) -> Real:
    """Return λ = σ√(2 ln d), the soft threshold (BW18.T12)."""
    if dimension == 1:
        return ZERO
    return settle(lambda ctx: real(ctx, sigma) * ctx.sqrt(2 * ctx.log(dimension)), digits)


@witness
def soft_threshold_coordinate_risk(
    *, mean: Fraction, threshold: Fraction, sigma: Fraction, digits: int
) -> Real:
    """Return E(sign(y)·max(0, |y|−λ) − θ)² for one coordinate y ~ N(θ, σ²) (BW18.T12).

    With σ = 1: 1 + λ² + (θ²−λ²−1)[Φ(λ−θ) − Φ(−λ−θ)] − (λ−θ)φ(λ+θ) − (λ+θ)φ(λ−θ).
    """
    theta = abs(mean) / sigma
    cut = threshold / sigma

    def formula(ctx: Context) -> tuple[Real, ...]:
        unit = real(ctx, sigma * sigma)
        terms = _coordinate(ctx, theta, lambda c: real(c, cut))
        return tuple(unit * term for term in terms)

    return settle(formula, digits)


def _coordinate(ctx: Context, theta: Fraction, cut: Callable[[Context], Real]) -> tuple[Real, ...]:
    def above(c: Context) -> tuple[Real, Real]:
        return cut(c), -real(c, theta)

    def below(c: Context) -> tuple[Real, Real]:
        return -cut(c), -real(c, theta)

    def squares(c: Context) -> tuple[Real, Real]:
        return real(c, theta * theta - 1), -(cut(c) ** 2)

    square = real(ctx, fine(ctx, squares))
    return (
        1 + cut(ctx) ** 2,
        square * ncdf(ctx, above),
        -square * ncdf(ctx, below),
        -real(ctx, fine(ctx, above)) * npdf(ctx, below),
        real(ctx, fine(ctx, below)) * npdf(ctx, above),
    )


@witness
def soft_threshold_risk(*, means: Numbers, sigma: Fraction, digits: int) -> Real:
    """Return the exact risk of soft thresholding at λ = σ√(2 ln d) (BW18.T12)."""

    def formula(ctx: Context) -> tuple[Real, ...]:
        unit = real(ctx, sigma * sigma)
        return tuple(
            unit * term
            for theta in means
            for term in _coordinate(
                ctx, abs(theta) / sigma, lambda c: c.sqrt(2 * c.log(len(means)))
            )
        )

    return settle(formula, digits)


@witness
def soft_threshold_oracle_bound(*, means: Numbers, sigma: Fraction, digits: int) -> Real:
    """Return (2 ln d + 1)(σ² + Σ min(θᵢ², σ²)), which the risk never exceeds (BW18.T12)."""
    oracle = sigma * sigma + sum(min(theta * theta, sigma * sigma) for theta in means)

    def formula(ctx: Context) -> Real:
        return (2 * ctx.log(len(means)) + 1) * real(ctx, oracle)

    return settle(formula, digits)


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
