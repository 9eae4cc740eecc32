"""Enclosures for the rank-one Gaussian mechanism R1SMG (JL24.T1, JL24.T2, JL24.T3, X.R1.*).

The mechanism adds n = u·√σ*·z to an answer in R^M, u uniform on the unit sphere and z standard
normal. σ* is a variance. Every function returns an `arb` that contains the exact value.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from dporacle import arguments
from dporacle.enclosures.arithmetic.balls import ball, precision, tighten
from dporacle.interface import witness
from dporacle.wings.papers.enclosures.rank_one import bounds
from dporacle.wings.papers.enclosures.rank_one.published import (
    rank_one_psi,
    rank_one_published_apollonius,
    rank_one_published_delta,
    rank_one_published_inner_ball,
    rank_one_published_total_variation,
    rank_one_sigma_star,
)
from dporacle.wings.papers.enclosures.rank_one.roots import calibrated_variance, epsilon_root
from dporacle.wings.papers.enclosures.rank_one.tight import ProfileInputs, tight_profile


@witness
def rank_one_cotangent_tail(*, dimension: int, threshold: Fraction, digits: int) -> arb:
    """Enclose Pr[cot²θ > t] = I_{1/(1+t)}((M−1)/2, 1/2) (JL24.R2)."""
    return _sine_below(dimension - 1, threshold, digits)


def _sine_below(power: int, t: Fraction, digits: int) -> arb:
    """Pr[sin²θ < 1/(1+t)]: the incomplete Beta function, where the reference goes by the cosine.

    Next to 1 its series takes minutes; what is left there is Pr[cos²θ < t/(1+t)], below √(tM).
    """
    if not t:
        return arb(1)
    if 16 * t * power < 1:
        return tighten(
            lambda: 1 - ball(t / (1 + t)).beta_lower(arb(0.5), arb(power) / 2, regularized=True),
            digits,
        )
    return tighten(
        lambda: ball(1 / (1 + t)).beta_lower(arb(power) / 2, arb(0.5), regularized=True), digits
    )


@witness
def rank_one_cosecant_tail(*, dimension: int, threshold: Fraction, digits: int) -> arb:
    """Enclose Pr[1/sin²θ > t], which is 1 for t < 1 (JL24.R2)."""
    return _sine_below(dimension - 1, max(threshold - 1, Fraction(0)), digits)


@witness
def rank_one_loss(
    *, radius: Fraction, distance: Fraction, sigma_star: Fraction, dimension: int, digits: int
) -> arb:
    """Enclose L = g(ρ) − g(r), g(t) = (M−1)ln t + t²/2σ*, the loss of an output (JL24.R3)."""
    if radius == distance:
        return arb(0)

    def g(t: Fraction) -> arb:
        return (dimension - 1) * ball(t).log() + ball(t) ** 2 / (2 * ball(sigma_star))

    return tighten(lambda: g(distance) - g(radius), digits)


@witness
def rank_one_loss_bound(
    *,
    radius: Fraction,
    distance: Fraction,
    sigma_star: Fraction,
    sensitivity: Fraction,
    digits: int,
) -> arb:
    """Enclose (2/σ*)(D/sin θ)², by the area of the triangle (JL24.R3).

    D/sin θ = D·r·ρ/(2·area), and Heron's formula gives the area.
    """
    if not abs(radius - distance) < sensitivity < radius + distance:
        raise ValueError(
            "distance must be a side of the triangle with sides radius and sensitivity, "
            f"got {arguments.show(distance)}"
        )
    square = (
        (radius + distance + sensitivity)
        * (radius + distance - sensitivity)
        * (sensitivity + radius - distance)
        * (sensitivity - radius + distance)
    )  # 16·area²
    return tighten(
        lambda: 8 * ball(sensitivity * radius * distance) ** 2 / (ball(sigma_star) * ball(square)),
        digits,
    )


__all__ = [
    "rank_one_apollonius_delta",
    "rank_one_cosecant_tail",
    "rank_one_cotangent_tail",
    "rank_one_delta_at_epsilon",
    "rank_one_epsilon_at_delta",
    "rank_one_inner_ball_delta",
    "rank_one_intervals",
    "rank_one_limit_constant",
    "rank_one_loss",
    "rank_one_loss_bound",
    "rank_one_private_sigma_star",
    "rank_one_psi",
    "rank_one_published_apollonius",
    "rank_one_published_delta",
    "rank_one_published_inner_ball",
    "rank_one_published_total_variation",
    "rank_one_sigma_star",
    "rank_one_total_variation",
]

_DECISION_BITS = 1 << 14  # about 4,900 digits: what agrees so far cannot be told apart


@witness
def rank_one_delta_at_epsilon(
    *, epsilon: Fraction, sigma_star: Fraction, dimension: int, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose δ(ε), the smallest δ for which the mechanism is (ε,δ)-DP (X.R1.PROFILE).

    Raises:
        ArithmeticError: if 2^18 bits do not do. It is not met while ε, 1/ε, σ*/Δ² and Δ²/σ* are
            at most 10^20. The note on the mechanism says where it is slow.
    """
    power, s = dimension - 1, sigma_star / sensitivity**2
    return tight_profile(ProfileInputs(power, lambda: ball(epsilon), lambda: ball(s)), digits)


@witness
def rank_one_intervals(
    *, epsilon: Fraction, sigma_star: Fraction, dimension: int, sensitivity: Fraction
) -> int:
    """Return 1 or 2, the proved number of intervals of radii in δ(ε)'s integral (X.R1.PROFILE).

    It is 2 when outputs at some distance r never have a loss above ε, that is when the minimum
    over r of g(r+Δ) − g(r), reached at r(r+Δ) = (M−1)σ*, lies below ε.

    Raises:
        ArithmeticError: if that minimum and ε agree to about 5,000 digits.
    """
    power, s = dimension - 1, sigma_star / sensitivity**2
    bits = 64
    while bits <= _DECISION_BITS:
        with precision(bits):
            r = 2 * power * ball(s) / (1 + (1 + 4 * power * ball(s)).sqrt())
            excess = power * (1 / r).log1p() + (2 * r + 1) / (2 * ball(s)) - ball(epsilon)
            if excess > 0:
                return 1
            if excess < 0:
                return 2
        bits *= 2
    raise ArithmeticError("epsilon is too close to the least largest loss")


@witness
def rank_one_epsilon_at_delta(
    *,
    delta: Fraction,
    sigma_star: Fraction,
    dimension: int,
    sensitivity: Fraction,
    digits: int = 20,
) -> arb:
    """Enclose the smallest ε ≥ 0 for which the mechanism is (ε,δ)-DP (X.R1.INVERSE).

    Raises:
        ArithmeticError: if δ and δ(0) agree to about 1,000 digits, or the root is out of reach.
    """
    power, s = dimension - 1, sigma_star / sensitivity**2
    return arb(0) if delta == 1 else epsilon_root(power, s, delta, digits)


@witness
def rank_one_private_sigma_star(
    *, epsilon: Fraction, delta: Fraction, dimension: int, sensitivity: Fraction, digits: int = 20
) -> arb:
    """Enclose the smallest σ* for which the mechanism is (ε,δ)-DP (X.R1.PRIVATE).

    Raises:
        ArithmeticError: if the root is out of reach.
    """
    s = calibrated_variance(dimension - 1, epsilon, delta, digits + 1)
    return tighten(lambda: s * ball(sensitivity**2), digits)


@witness
def rank_one_limit_constant(*, epsilon: Fraction, dimension: int, digits: int) -> arb:
    """Enclose lim (√σ*/Δ)·δ(ε) for σ* → ∞ (X.R1.SCALING)."""
    return tighten(lambda: bounds.limit_constant(dimension - 1, ball(epsilon)), digits)


@witness
def rank_one_inner_ball_delta(
    *,
    epsilon: Fraction,
    sigma_star: Fraction,
    dimension: int,
    ratio: Fraction,
    sensitivity: Fraction,
    digits: int,
) -> arb:
    """Enclose (1 − e^ε λ^{1−M})·erf(Δ/(√2σ* (1 + λ))) ≤ δ(ε) (X.R1.LEMMA).

    Where λ^{M−1} < e^ε it is negative, and says nothing.
    """
    power, s = dimension - 1, sigma_star / sensitivity**2
    return tighten(
        lambda: bounds.inner_ball_bound(power, ball(epsilon), ball(s), ball(ratio)), digits
    )


@witness
def rank_one_apollonius_delta(
    *,
    epsilon: Fraction,
    sigma_star: Fraction,
    dimension: int,
    ratio: Fraction,
    sensitivity: Fraction,
    digits: int,
) -> arb:
    """Enclose the lemma's bound for all of {ρ ≥ λr}, the Apollonius ball (X.R1.APOLLONIUS).

    (1 − e^ε λ^{1−M})·(erf(X)/X)·(Δ/√2σ*)·λ ₂F₁(−1/2, (M−1)/2; M/2; λ⁻²)/(λ² − 1),
    X = Δ/((λ − 1)√2σ*): the chord of erf below its arc.
    """
    power, s = dimension - 1, sigma_star / sensitivity**2
    return tighten(
        lambda: bounds.apollonius_bound(power, ball(epsilon), ball(s), ball(ratio)), digits
    )


@witness
def rank_one_total_variation(
    *, sigma_star: Fraction, dimension: int, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose (2/B)(erf(a) + (a/√π)E₁(a²)) ≥ δ(0), a = Δ/(2√2σ*), B = B(1/2, (M−1)/2) (X.R1.TV).

    With equality for M = 3.
    """
    power, s = dimension - 1, sigma_star / sensitivity**2
    return tighten(lambda: bounds.total_variation_bound(power, ball(s)), digits)
