"""What the published theorem of the rank-one mechanism says, and the bounds at its σ* (JL24.T1)."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.interface import witness
from dporacle.wings.papers.enclosures.rank_one import bounds
from dporacle.wings.papers.enclosures.rank_one.tight import ProfileInputs, tight_profile


def _psi(target: Fraction, size: int) -> arb:
    m = arb(size)
    log = ball(target).log() + ((m - 1) / 2).lgamma() - (m / 2).lgamma() - arb.pi().log() / 2
    return (2 * log / (m - 2)).exp()


def published_variance(epsilon: Fraction, target: Fraction, size: int) -> arb:
    """Return the theorem's σ* for sensitivity 1."""
    return 2 / (ball(epsilon) * _psi(target, size))


@witness
def rank_one_psi(*, delta: Fraction, dimension: int, digits: int) -> arb:
    """Enclose ψ = (δ·Γ((M−1)/2)/(√π·Γ(M/2)))^{2/(M−2)} (JL24.T1)."""
    return tighten(lambda: _psi(delta, dimension), digits)


@witness
def rank_one_sigma_star(
    *, epsilon: Fraction, delta: Fraction, dimension: int, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose 2Δ²/(εψ), the σ* of the published theorem (JL24.T1)."""
    return tighten(
        lambda: ball(sensitivity**2) * published_variance(epsilon, delta, dimension), digits
    )


@witness
def rank_one_published_delta(
    *, epsilon: Fraction, delta: Fraction, dimension: int, digits: int
) -> arb:
    """Enclose δ(ε) at the published theorem's own σ*, said to be at most δ (X.R1.M3).

    Raises:
        ArithmeticError: as for `rank_one_delta_at_epsilon`.
    """
    law = ProfileInputs(
        dimension - 1, lambda: ball(epsilon), lambda: published_variance(epsilon, delta, dimension)
    )
    return tight_profile(law, digits)


@witness
def rank_one_published_inner_ball(
    *, epsilon: Fraction, delta: Fraction, dimension: int, ratio: Fraction, digits: int
) -> arb:
    """Enclose the inner-ball lemma's bound at the published σ* (X.R1.LEMMA, X.R1.COROLLARY).

    For λ = 2 it is (1 − e^ε 2^{1−M})·erf(√(εψ)/6).
    """
    return tighten(
        lambda: bounds.inner_ball_bound(
            dimension - 1, ball(epsilon), published_variance(epsilon, delta, dimension), ball(ratio)
        ),
        digits,
    )


@witness
def rank_one_published_apollonius(
    *, epsilon: Fraction, delta: Fraction, dimension: int, ratio: Fraction, digits: int
) -> arb:
    """Enclose the Apollonius variant at the published σ* (X.R1.COROLLARY)."""
    return tighten(
        lambda: bounds.apollonius_bound(
            dimension - 1, ball(epsilon), published_variance(epsilon, delta, dimension), ball(ratio)
        ),
        digits,
    )


@witness
def rank_one_published_total_variation(
    *, epsilon: Fraction, delta: Fraction, dimension: int, digits: int
) -> arb:
    """Enclose the bound of `rank_one_total_variation` at the published σ* (X.R1.M3)."""
    return tighten(
        lambda: bounds.total_variation_bound(
            dimension - 1, published_variance(epsilon, delta, dimension)
        ),
        digits,
    )
