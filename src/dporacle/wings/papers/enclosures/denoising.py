"""Enclosures for the exact risks of denoising (BW18.T10, BW18.T11, BW18.T12)."""

from __future__ import annotations

from fractions import Fraction

import flint
from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.enclosures.arithmetic.normal import normal_density, normal_tail
from dporacle.interface import Numbers, witness


@witness
def bayes_risk(*, dimension: int, prior_sigma: Fraction, sigma: Fraction, digits: int) -> arb:
    """Enclose d·w²σ²/(w²+σ²), the risk of the posterior mean (BW18.T10)."""
    risk = dimension * (prior_sigma * sigma) ** 2 / (prior_sigma * prior_sigma + sigma * sigma)
    return tighten(lambda: ball(risk), digits)


@witness
def james_stein_prior_risk(
    *, dimension: int, prior_sigma: Fraction, sigma: Fraction, digits: int
) -> arb:
    """Enclose dσ² − (d−2)σ⁴/(w²+σ²), the James–Stein risk under N(0, w²I) (BW18.T11).

    The dimension is at least 3.
    """
    risk = dimension * sigma * sigma - (dimension - 2) * sigma**4 / (
        prior_sigma * prior_sigma + sigma * sigma
    )
    return tighten(lambda: ball(risk), digits)


@witness
def james_stein_risk(*, dimension: int, norm: Fraction, sigma: Fraction, digits: int) -> arb:
    """Enclose the exact risk of θ̂ = (1 − (d−2)σ²/‖y‖²)·y (BW18.T11)."""
    x = (norm / sigma) ** 2 / 2
    return tighten(
        lambda: ball(sigma * sigma) * (dimension - (dimension - 2) * _confluent(dimension, x)),
        digits,
    )


def _confluent(d: int, x: Fraction) -> arb:
    """₁F₁(1; b; −x) = (b−1)·I₀, b = d/2 and I_k = ∫₀¹ s^k (1−s)^{b−2} e^{−xs} ds.

    By parts, q_k = I_k/I_{k−1} = k/(b−1+k+x − x·q_{k+1}). Hence 0 < q_k < k/(b−1+k), and with that
    for q_{k+1}, q_k < k(k+b)/(x(b−1)). Far enough out, this interval is the start; each step
    multiplies its width by q_k²x/k.
    """
    z, b, last = ball(x), arb(d) / 2, 2 * flint.ctx.prec
    bound = Fraction((last + 1) * (2 * last + 2 + d), d - 2) / x if x else Fraction(1)
    half = min(Fraction(1), bound) / 2
    ratio = ball(half) + arb(0, ball(half))
    for k in range(last, 0, -1):
        ratio = k / (b - 1 + k + z - z * ratio)
    return (b - 1) / (b - 1 + z - z * ratio)


@witness
def positive_part_risk(*, dimension: int, norm: Fraction, sigma: Fraction, digits: int) -> arb:
    """Enclose the exact risk of θ̂ = max(0, 1 − (d−2)σ²/‖y‖²)·y (BW18.T11, positive part)."""
    x = (norm / sigma) ** 2 / 2

    def formula() -> arb:
        risk = (
            dimension
            - (dimension - 2) * _confluent(dimension, x)
            + _positive_part_gain(dimension, x)
        )
        return ball(sigma * sigma) * risk

    return tighten(formula, digits)


def _positive_part_gain(d: int, x: Fraction) -> arb:
    """E[(V − 2d + c²/V)·1{V < c}], c = d − 2, a Poisson(x) mixture over j of χ²_{d+2j}.

    The mixture runs over j < J; the rest is at most 2d·P_{d+2J−2}·Pr[Poisson(x) ≥ J], and the
    last factor at most p_J/(1 − x/(J+1)) where J + 1 > x, else 1 (both proved in the note).
    """
    c, z, bits = d - 2, ball(x), flint.ctx.prec
    terms = 16
    while True:
        rest = 2 * d * _chi_square_cdf(d + 2 * terms - 2, c)
        if x < terms + 1:
            log = terms * z.log() - z - arb(terms + 1).lgamma() if x else arb("-inf")
            rest *= log.exp() / (1 - z / (terms + 1))
        if rest < arb(2) ** -bits:
            break
        terms += terms // 2
    # P_k from the largest k down, P_{k−2} = P_k + (c/2)^{k/2−1} e^{−c/2}/Γ(k/2).
    half, k = arb(c) / 2, d + 2 * terms
    tails = [_chi_square_cdf(k, c)]
    step = (arb(k) / 2 * half.log() - half - (arb(k) / 2 + 1).lgamma()).exp()
    while k > d - 2:
        step *= arb(k) / 2 / half
        k -= 2
        tails.append(tails[-1] + step)
    tails.reverse()
    weight, gain = (-z).exp(), arb(0)
    for j, (below, at, after) in enumerate(zip(tails, tails[1:], tails[2:], strict=False)):
        gain += weight * ((d + 2 * j) * after - 2 * d * at + arb(c * c) / (c + 2 * j) * below)
        weight *= z / (j + 1)
    return gain + arb(0, rest.upper())


def _chi_square_cdf(k: int, c: int) -> arb:
    """Pr[χ²_k < c] for k ≥ c: z^a e^{−z}/Γ(a+1)·Σ zⁿ/((a+1)…(a+n)), a = k/2, z = c/2."""
    a, z = arb(k) / 2, arb(c) / 2
    term = (a * z.log() - z - (a + 1).lgamma()).exp()
    total, n = arb(0), 1
    while True:
        total += term
        ratio = z / (a + n)
        term *= ratio
        n += 1
        if term < total / arb(2) ** flint.ctx.prec:
            return total + arb(0, (term / (1 - ratio)).upper())


@witness
def universal_threshold(*, dimension: int, sigma: Fraction, digits: int) -> arb:
    """Enclose λ = σ√(2 ln d), the soft threshold (BW18.T12)."""
    if dimension == 1:
        return arb(0)
    return tighten(lambda: ball(sigma) * (2 * arb(dimension).log()).sqrt(), digits)


@witness
def soft_threshold_coordinate_risk(
    *, mean: Fraction, threshold: Fraction, sigma: Fraction, digits: int
) -> arb:
    """Enclose E(sign(y)·max(0, |y|−λ) − θ)² for one coordinate y ~ N(θ, σ²) (BW18.T12)."""
    theta = abs(mean) / sigma
    cut = threshold / sigma
    return tighten(lambda: ball(sigma * sigma) * _coordinate(ball(theta), ball(cut)), digits)


def _coordinate(theta: arb, cut: arb) -> arb:
    """θ² + G(λ−θ) + G(λ+θ) − 2θ(H(λ−θ) − H(λ+θ)), H(a) = E(Z−a)₊, G(a) = E(Z−a)₊²."""
    near, far = cut - theta, cut + theta
    return theta * theta + _second(near) + _second(far) - 2 * theta * (_first(near) - _first(far))


def _first(a: arb) -> arb:
    return normal_density(a) - a * normal_tail(a)


def _second(a: arb) -> arb:
    return (1 + a * a) * normal_tail(a) - a * normal_density(a)


@witness
def soft_threshold_risk(*, means: Numbers, sigma: Fraction, digits: int) -> arb:
    """Enclose the exact risk of soft thresholding at λ = σ√(2 ln d) (BW18.T12)."""

    def formula() -> arb:
        cut = (2 * arb(len(means)).log()).sqrt() if len(means) > 1 else arb(0)
        return ball(sigma * sigma) * sum(
            (_coordinate(ball(abs(t) / sigma), cut) for t in means), arb(0)
        )

    return tighten(formula, digits)


@witness
def soft_threshold_oracle_bound(*, means: Numbers, sigma: Fraction, digits: int) -> arb:
    """Enclose (2 ln d + 1)(σ² + Σ min(θᵢ², σ²)), which the risk never exceeds (BW18.T12)."""
    oracle = sigma * sigma + sum(min(theta * theta, sigma * sigma) for theta in means)
    return tighten(lambda: (2 * arb(len(means)).log() + 1) * ball(oracle), digits)
