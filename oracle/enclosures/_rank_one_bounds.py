"""Closed-form bounds of the rank-one mechanism's privacy profile, as balls.

Distances are in units of the sensitivity, s is the variance of the radius, K = M − 1 and
λ = e^{ε'/K} for some ε' > ε. Each lower bound is (1 − e^{ε−ε'})·P(B) for a set B of outputs on
which the loss is at least ε'; the proofs are in `proofs_notes/rank_one_gaussian.md`.
"""

from __future__ import annotations

from flint import arb

from dporacle.enclosures._rank_one_curve import beta

__all__ = ["apollonius_bound", "limit_constant", "total_variation_bound", "witness_bound"]


def _share(power: int, epsilon: arb, ratio: arb) -> arb:
    """Return 1 − e^{ε−ε'} for λ = ratio."""
    return -(epsilon - power * ratio.log()).expm1()


def witness_bound(power: int, epsilon: arb, s: arb, ratio: arb) -> arb:
    """Return (1 − e^ε λ^{−K})·erf(1/(√2s (1 + λ))), P of the ball of radius 1/(1 + λ)."""
    return _share(power, epsilon, ratio) * (1 / ((2 * s).sqrt() * (1 + ratio))).erf()


def apollonius_bound(power: int, epsilon: arb, s: arb, ratio: arb) -> arb:
    """Return (1 − e^ε λ^{−K})·(erf(X)/X)·m/√2s for the whole Apollonius ball {ρ ≥ λr}.

    In the direction of cosine c its boundary is at t = 1/(c + √(c² + λ² − 1)), at most 1/(λ − 1);
    X = 1/((λ − 1)√2s), m = E t = λ ₂F₁(−1/2, K/2; (K+1)/2; λ⁻²)/(λ² − 1).
    """
    width, k = (2 * s).sqrt(), arb(power)
    furthest = 1 / ((ratio - 1) * width)
    series = (ratio**-2).hypgeom_2f1(arb(-0.5), k / 2, (k + 1) / 2)
    mean = ratio * series / (ratio**2 - 1)
    return _share(power, epsilon, ratio) * furthest.erf() / furthest * mean / width


def total_variation_bound(power: int, s: arb) -> arb:
    """Return (2/B)(erf(a) + (a/√π)·E₁(a²)) ≥ δ(0) ≥ δ(ε), a = 1/(2√2s), for K ≥ 2."""
    a = 1 / (8 * s).sqrt()
    return 2 * (a.erf() + a / arb.pi().sqrt() * (a * a).expint(arb(1))) / beta(power)


def limit_constant(power: int, epsilon: arb) -> arb:
    """Return lim √s·δ(ε) for s → ∞, ε > 0.

    √(2/π)·κ with κ = (K/((K+1)λ))·₂F₁(1/2, (K+2)/2; (K+1)/2 + 1; λ⁻²), λ = e^{ε/K}.
    """
    k, ratio = arb(power), (epsilon / power).exp()
    series = (ratio**-2).hypgeom_2f1(arb(0.5), (k + 2) / 2, (k + 3) / 2)
    return (2 / arb.pi()).sqrt() * k / ((k + 1) * ratio) * series
