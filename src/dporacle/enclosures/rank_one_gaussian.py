"""Enclosures for the rank-one Gaussian mechanism R1SMG (JL24.T1, JL24.T2, JL24.T3, X.R1.*).

The mechanism adds n = u·√σ*·z to an answer in R^M, u uniform on the unit sphere and z standard
normal. σ* is a variance. Every function returns an `arb` that contains the exact value.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures.arithmetic.balls import ball, precision, tighten
from dporacle.enclosures.rank_one import bounds
from dporacle.enclosures.rank_one.angles import (
    rank_one_cosecant_tail,
    rank_one_cotangent_tail,
    rank_one_loss,
    rank_one_loss_bound,
)
from dporacle.enclosures.rank_one.published import (
    rank_one_psi,
    rank_one_published_apollonius,
    rank_one_published_delta,
    rank_one_published_inner_ball,
    rank_one_published_total_variation,
    rank_one_sigma_star,
)
from dporacle.enclosures.rank_one.roots import calibrated_variance, epsilon_root
from dporacle.enclosures.rank_one.tight import Law, tight_profile

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

_DECISION_BITS = 1 << 14


def _variance(sigma_star: Exact, sensitivity: Exact) -> Fraction:
    """Return σ*/Δ²."""
    distance = arguments.positive("sensitivity", sensitivity)
    return arguments.positive("sigma_star", sigma_star) / distance**2


def rank_one_delta_at_epsilon(
    *,
    epsilon: Exact,
    sigma_star: Exact,
    dimension: int,
    sensitivity: Exact = 1,
    digits: int = 50,
) -> arb:
    """Enclose δ(ε), the smallest δ for which the mechanism is (ε,δ)-DP (X.R1.PROFILE).

    Args:
        epsilon: in [0, ∞).
        sigma_star: variance of the signed length of the noise, in (0, ∞).
        dimension: M, from 2 to 10^9.
        sensitivity: ℓ2-sensitivity, in (0, ∞), in the unit of √sigma_star.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: if 2^18 bits do not do. It is not met while ε, 1/ε, σ*/Δ² and Δ²/σ* are
            at most 10^20. The note on the mechanism says where it is slow.
    """
    eps, power = arguments.epsilon(epsilon), arguments.dimension(dimension, least=2) - 1
    s = _variance(sigma_star, sensitivity)
    return tight_profile(Law(power, lambda: ball(eps), lambda: ball(s)), arguments.digits(digits))


def rank_one_intervals(
    *, epsilon: Exact, sigma_star: Exact, dimension: int, sensitivity: Exact = 1
) -> int:
    """Return 1 or 2, the proved number of intervals of radii in the profile's integral.

    It is 2 when outputs at some distance r never have a loss above ε, that is when the minimum
    over r of g(r+Δ) − g(r), reached at r(r+Δ) = (M−1)σ*, lies below ε.

    Args:
        epsilon: in (0, ∞).
        sigma_star: variance of the signed length of the noise, in (0, ∞).
        dimension: M, from 2 to 10^9.
        sensitivity: ℓ2-sensitivity, in (0, ∞), in the unit of √sigma_star.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: if that minimum and ε agree to about 5,000 digits.
    """
    eps = arguments.positive("epsilon", epsilon)
    power = arguments.dimension(dimension, least=2) - 1
    s = _variance(sigma_star, sensitivity)
    bits = 64
    while bits <= _DECISION_BITS:
        with precision(bits):
            r = 2 * power * ball(s) / (1 + (1 + 4 * power * ball(s)).sqrt())
            excess = power * (1 / r).log1p() + (2 * r + 1) / (2 * ball(s)) - ball(eps)
            if excess > 0:
                return 1
            if excess < 0:
                return 2
        bits *= 2
    raise ArithmeticError("epsilon is too close to the least largest loss")


def rank_one_epsilon_at_delta(
    *,
    delta: Exact,
    sigma_star: Exact,
    dimension: int,
    sensitivity: Exact = 1,
    digits: int = 20,
) -> arb:
    """Enclose the smallest ε ≥ 0 for which the mechanism is (ε,δ)-DP (X.R1.PROFILE).

    Args:
        delta: in (0, 1].
        sigma_star: variance of the signed length of the noise, in (0, ∞).
        dimension: M, from 2 to 10^9.
        sensitivity: ℓ2-sensitivity, in (0, ∞), in the unit of √sigma_star.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: if δ and δ(0) agree to about 1,000 digits, or the root is out of reach.
    """
    target = arguments.delta(delta, one_allowed=True)
    power = arguments.dimension(dimension, least=2) - 1
    s, asked = _variance(sigma_star, sensitivity), arguments.digits(digits)
    return arb(0) if target == 1 else epsilon_root(power, s, target, asked)


def rank_one_private_sigma_star(
    *, epsilon: Exact, delta: Exact, dimension: int, sensitivity: Exact = 1, digits: int = 20
) -> arb:
    """Enclose the smallest σ* for which the mechanism is (ε,δ)-DP (X.R1.PROFILE).

    Args:
        epsilon: in [0, ∞).
        delta: in (0, 1).
        dimension: M, from 2 to 10^9.
        sensitivity: ℓ2-sensitivity, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: if the root is out of reach.
    """
    eps, target = arguments.epsilon(epsilon), arguments.delta(delta)
    power = arguments.dimension(dimension, least=2) - 1
    square = arguments.positive("sensitivity", sensitivity) ** 2
    asked = arguments.digits(digits)
    s = calibrated_variance(power, eps, target, asked + 1)
    return tighten(lambda: s * ball(square), asked)


def rank_one_limit_constant(*, epsilon: Exact, dimension: int, digits: int = 50) -> arb:
    """Enclose lim (√σ*/Δ)·δ(ε) for σ* → ∞ (X.R1.SCALING).

    Args:
        epsilon: in (0, ∞).
        dimension: M, from 2 to 10^9.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps = arguments.positive("epsilon", epsilon)
    power = arguments.dimension(dimension, least=2) - 1
    return tighten(lambda: bounds.limit_constant(power, ball(eps)), arguments.digits(digits))


def rank_one_inner_ball_delta(
    *,
    epsilon: Exact,
    sigma_star: Exact,
    dimension: int,
    ratio: Exact = 2,
    sensitivity: Exact = 1,
    digits: int = 50,
) -> arb:
    """Enclose (1 − e^ε λ^{1−M})·erf(Δ/(√2σ* (1 + λ))) ≤ δ(ε) (X.R1.LEMMA).

    Args:
        epsilon: in [0, ∞).
        sigma_star: variance of the signed length of the noise, in (0, ∞).
        dimension: M, from 2 to 10^9.
        ratio: λ, in (1, ∞); the bound is negative, and says nothing, where λ^{M−1} < e^ε.
        sensitivity: ℓ2-sensitivity Δ, in (0, ∞), in the unit of √sigma_star.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, power = arguments.epsilon(epsilon), arguments.dimension(dimension, least=2) - 1
    s, factor = _variance(sigma_star, sensitivity), bounds.read_ratio(ratio)
    return tighten(
        lambda: bounds.inner_ball_bound(power, ball(eps), ball(s), ball(factor)),
        arguments.digits(digits),
    )


def rank_one_apollonius_delta(
    *,
    epsilon: Exact,
    sigma_star: Exact,
    dimension: int,
    ratio: Exact = 2,
    sensitivity: Exact = 1,
    digits: int = 50,
) -> arb:
    """Enclose the inner-ball lemma's bound for all of {ρ ≥ λr}, the Apollonius ball (X.R1.LEMMA).

    (1 − e^ε λ^{1−M})·(erf(X)/X)·(Δ/√2σ*)·λ ₂F₁(−1/2, (M−1)/2; M/2; λ⁻²)/(λ² − 1),
    X = Δ/((λ − 1)√2σ*): the chord of erf below its arc. Arguments and errors as for
    `rank_one_inner_ball_delta`.
    """
    eps, power = arguments.epsilon(epsilon), arguments.dimension(dimension, least=2) - 1
    s, factor = _variance(sigma_star, sensitivity), bounds.read_ratio(ratio)
    return tighten(
        lambda: bounds.apollonius_bound(power, ball(eps), ball(s), ball(factor)),
        arguments.digits(digits),
    )


def rank_one_total_variation(
    *, sigma_star: Exact, dimension: int, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose (2/B)(erf(a) + (a/√π)E₁(a²)) ≥ δ(0), a = Δ/(2√2σ*), B = B(1/2, (M−1)/2) (X.R1.TV).

    With equality for M = 3.

    Args:
        sigma_star: variance of the signed length of the noise, in (0, ∞).
        dimension: M, from 3 to 10^9.
        sensitivity: ℓ2-sensitivity Δ, in (0, ∞), in the unit of √sigma_star.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    power = arguments.dimension(dimension, least=3) - 1
    s = _variance(sigma_star, sensitivity)
    return tighten(lambda: bounds.total_variation_bound(power, ball(s)), arguments.digits(digits))
