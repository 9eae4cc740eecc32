"""What the published theorem of the rank-one mechanism says, and the bounds at its σ* (JL24.T1)."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.enclosures.rank_one import bounds
from dporacle.enclosures.rank_one.tight import Law, tight_profile

__all__ = [
    "published_variance",
    "rank_one_psi",
    "rank_one_published_apollonius",
    "rank_one_published_delta",
    "rank_one_published_inner_ball",
    "rank_one_published_total_variation",
    "rank_one_sigma_star",
]


def _psi(target: Fraction, size: int) -> arb:
    m = arb(size)
    log = ball(target).log() + ((m - 1) / 2).lgamma() - (m / 2).lgamma() - arb.pi().log() / 2
    return (2 * log / (m - 2)).exp()


def published_variance(epsilon: Fraction, target: Fraction, size: int) -> arb:
    """Return the theorem's σ* for sensitivity 1."""
    return 2 / (ball(epsilon) * _psi(target, size))


def _claim(epsilon: Exact, delta: Exact, dimension: int) -> tuple[Fraction, Fraction, int]:
    """Read the three numbers of a claim of the theorem."""
    return (
        arguments.positive("epsilon", epsilon),
        arguments.delta(delta),
        arguments.dimension(dimension, least=3),
    )


def rank_one_psi(*, delta: Exact, dimension: int, digits: int = 50) -> arb:
    """Enclose ψ = (δ·Γ((M−1)/2)/(√π·Γ(M/2)))^{2/(M−2)} (JL24.T1).

    Args:
        delta: in (0, 1).
        dimension: M, from 3 to 10^9.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    target, size = arguments.delta(delta), arguments.dimension(dimension, least=3)
    return tighten(lambda: _psi(target, size), arguments.digits(digits))


def rank_one_sigma_star(
    *, epsilon: Exact, delta: Exact, dimension: int, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose 2Δ²/(εψ), the σ* of the published theorem (JL24.T1).

    Args:
        epsilon: in (0, ∞).
        delta: in (0, 1).
        dimension: M, from 3 to 10^9.
        sensitivity: ℓ2-sensitivity Δ, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, target, size = _claim(epsilon, delta, dimension)
    square = arguments.positive("sensitivity", sensitivity) ** 2
    return tighten(
        lambda: ball(square) * published_variance(eps, target, size), arguments.digits(digits)
    )


def rank_one_published_delta(
    *, epsilon: Exact, delta: Exact, dimension: int, digits: int = 50
) -> arb:
    """Enclose δ(ε) at the published theorem's own σ*, said to be at most δ (JL24.T1).

    Args:
        epsilon: in (0, ∞).
        delta: in (0, 1).
        dimension: M, from 3 to 10^9.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: as for `rank_one_delta_at_epsilon`.
    """
    eps, target, size = _claim(epsilon, delta, dimension)
    law = Law(size - 1, lambda: ball(eps), lambda: published_variance(eps, target, size))
    return tight_profile(law, arguments.digits(digits))


def rank_one_published_inner_ball(
    *, epsilon: Exact, delta: Exact, dimension: int, ratio: Exact = 2, digits: int = 50
) -> arb:
    """Enclose the inner-ball lemma's bound at the published σ* (X.R1.LEMMA, X.R1.COROLLARY).

    For λ = 2 it is (1 − e^ε 2^{1−M})·erf(√(εψ)/6).

    Args:
        epsilon: in (0, ∞).
        delta: in (0, 1).
        dimension: M, from 3 to 10^9.
        ratio: λ, in (1, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, target, size = _claim(epsilon, delta, dimension)
    factor = bounds.read_ratio(ratio)
    return tighten(
        lambda: bounds.inner_ball_bound(
            size - 1, ball(eps), published_variance(eps, target, size), ball(factor)
        ),
        arguments.digits(digits),
    )


def rank_one_published_apollonius(
    *, epsilon: Exact, delta: Exact, dimension: int, ratio: Exact = 2, digits: int = 50
) -> arb:
    """Enclose the Apollonius variant at the published σ* (X.R1.LEMMA).

    Arguments and errors as for `rank_one_published_inner_ball`.
    """
    eps, target, size = _claim(epsilon, delta, dimension)
    factor = bounds.read_ratio(ratio)
    return tighten(
        lambda: bounds.apollonius_bound(
            size - 1, ball(eps), published_variance(eps, target, size), ball(factor)
        ),
        arguments.digits(digits),
    )


def rank_one_published_total_variation(
    *, epsilon: Exact, delta: Exact, dimension: int, digits: int = 50
) -> arb:
    """Enclose the bound of `rank_one_total_variation` at the published σ* (X.R1.TV).

    Args:
        epsilon: in (0, ∞).
        delta: in (0, 1).
        dimension: M, from 3 to 10^9.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, target, size = _claim(epsilon, delta, dimension)
    return tighten(
        lambda: bounds.total_variation_bound(size - 1, published_variance(eps, target, size)),
        arguments.digits(digits),
    )
