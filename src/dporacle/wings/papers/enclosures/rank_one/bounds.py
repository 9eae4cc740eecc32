"""Closed-form bounds of the rank-one mechanism's privacy profile, as balls.

Distances are in units of the sensitivity, s is the variance of the radius, K = M − 1 and
λ = e^{ε'/K} for some ε' > ε. Each lower bound is (1 − e^{ε−ε'})·P(B) for a set B of outputs on
which the loss is at least ε'; the proofs are in `proofs_notes/rank_one_gaussian.md`.
"""

from collections.abc import Callable

import flint
from flint import acb, arb

from dporacle.wings.papers.enclosures.rank_one.curve import beta
from dporacle.wings.papers.enclosures.rank_one.stretch import integrate
from dporacle.wings.papers.enclosures.rank_one.work_limit import Work

_FEW = 500  # up to this K the series is quicker


def _share(power: int, epsilon: arb, ratio: arb) -> arb:
    """Return 1 − e^{ε−ε'} for λ = ratio."""
    return -(epsilon - power * ratio.log()).expm1()


def inner_ball_bound(power: int, epsilon: arb, s: arb, ratio: arb) -> arb:
    """Return (1 − e^ε λ^{−K})·erf(1/(√2s (1 + λ))), P of the ball of radius 1/(1 + λ)."""
    return _share(power, epsilon, ratio) * (1 / ((2 * s).sqrt() * (1 + ratio))).erf()


def apollonius_bound(power: int, epsilon: arb, s: arb, ratio: arb) -> arb:
    """Return (1 − e^ε λ^{−K})·(erf(X)/X)·m/√2s for the whole Apollonius ball {ρ ≥ λr}.

    In the direction of cosine c its boundary is at t = 1/(c + √(c² + λ² − 1)), at most 1/(λ − 1);
    X = 1/((λ − 1)√2s), m = E t = E √(λ² − 1 + c²)/(λ² − 1), and
    E √(λ² − 1 + c²) = λ ₂F₁(−1/2, K/2; (K+1)/2; λ⁻²).
    """
    width, k = (2 * s).sqrt(), arb(power)
    furthest = 1 / ((ratio - 1) * width)
    excess = ratio**2 - 1
    mean = _mean(
        power,
        lambda square, analytic: (excess + square).sqrt(analytic=analytic),
        lambda c: (excess + 1).sqrt(),
    )
    if mean is None:
        mean = ratio * (ratio**-2).hypgeom_2f1(arb(-0.5), k / 2, (k + 1) / 2)
    mean /= excess
    return _share(power, epsilon, ratio) * furthest.erf() / furthest * mean / width


def _mean(power: int, of: Callable[[acb, bool], acb], most: Callable[[arb], arb]) -> arb | None:
    """Enclose the mean of a function of c², or return None for a small K or very many bits.

    The ₂F₁ for it have parameters of the size of K, at which python-flint loses its digits. c has
    density (1 − c²)^{(K−2)/2}/B, of which next to nothing lies beyond a few 1/√K.

    Args:
        power: K.
        of: the function, of c² and whether it has to be analytic.
        most: bounds it for all c beyond one.
    """
    bits = flint.ctx.prec
    cut = (2 * arb(bits) / power).sqrt().mid()  # (1 − cut²)^{K/2} is below 2^-bits
    if power < _FEW or not cut < 0.5:
        return None
    work = Work()

    def function(c: acb, analytic: bool) -> acb:
        work.spend()
        fade = (1 - c * c).log(analytic=analytic) * (arb(power) / 2 - 1)
        return of(c * c, analytic) * fade.exp()

    body = integrate(function, arb(0), cut, arb(2) ** -bits / power, work)
    # 1 − F(cut) ≤ (1 − cut²)^{K/2}/(K·B·cut)
    rest = most(cut) * ((1 - cut * cut).log() * power / 2).exp() / (power * cut)
    return 2 * (body + arb(0, rest.upper())) / beta(power)


def total_variation_bound(power: int, s: arb) -> arb:
    """Return (2/B)(erf(a) + (a/√π)·E₁(a²)) ≥ δ(0) ≥ δ(ε), a = 1/(2√2s), for K ≥ 2."""
    a = 1 / (8 * s).sqrt()
    return 2 * (a.erf() + a / arb.pi().sqrt() * (a * a).expint(arb(1))) / beta(power)


def large_loss_bound(power: int, epsilon: arb, s: arb) -> arb:
    """Return a bound of Pr[L > ε] ≥ δ(ε), ε > 0: the noise's part close to the input and far out.

    As ρ ≤ r + 1, L ≤ K ln(1 + 1/r) + (2r + 1)/2s. If that is above ε, the first term is above ε/2,
    r < r₁ = 1/(e^{ε/2K} − 1), or the second, r > r₂ = (εs − 1)/2.
    """
    fade = -epsilon / (2 * power)
    near, far = -fade.exp() / fade.expm1(), (epsilon * s - 1) / 2
    if not far > 0:
        return arb(1)
    width = (2 * s).sqrt()
    return (near / width).erf() + (far / width).erfc()


def limit_constant(power: int, epsilon: arb) -> arb:
    """Return lim √s·δ(ε) for s → ∞, ε > 0.

    √(2/π)·κ with κ = (K/((K+1)λ))·₂F₁(1/2, (K+2)/2; (K+1)/2 + 1; λ⁻²), λ = e^{ε/K}, which is
    E (1 − c²)/√(λ² − 1 + c²).
    """
    k, ratio, excess = arb(power), (epsilon / power).exp(), (2 * epsilon / power).expm1()
    kappa = _mean(
        power,
        lambda square, analytic: (1 - square) * (excess + square).rsqrt(analytic=analytic),
        lambda c: 1 / c,
    )
    if kappa is None:
        series = (ratio**-2).hypgeom_2f1(arb(0.5), (k + 2) / 2, (k + 3) / 2)
        kappa = k / ((k + 1) * ratio) * series
    return (2 / arb.pi()).sqrt() * kappa
