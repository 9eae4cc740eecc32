"""The exact privacy profile of the rank-one mechanism, by two derivations (X.R1.PROFILE)."""

from __future__ import annotations

from fractions import Fraction

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.reference.numerics.precision import Context, Formula, Real, settle
from dporacle.reference.rank_one import integrals

__all__ = [
    "check_reach",
    "deep",
    "rank_one_delta_at_epsilon",
    "rank_one_delta_by_radius",
    "variance_ratio",
]

_MAX_LOST_BITS = 3000  # what may cancel in the integrals before an answer is refused


def variance_ratio(sigma_star: Exact, sensitivity: Exact) -> Fraction:
    """Return σ*/Δ²."""
    distance = arguments.positive("sensitivity", sensitivity)
    return arguments.positive("sigma_star", sigma_star) / distance**2


def check_reach(power: int, epsilon: Fraction, s: Fraction) -> None:
    """Refuse what would cancel thousands of bits: about 2ε/K and ln √s of them."""
    magnitude = s.numerator.bit_length() - s.denominator.bit_length()
    if 3 * epsilon / power + max(0, magnitude) > _MAX_LOST_BITS:
        raise ArithmeticError(
            f"more than {_MAX_LOST_BITS} bits may cancel in delta here, where the reference stops"
        )


def deep(power: int, formula: Formula) -> Formula:
    """For M = 2 double the precision: the integrand is infinite at ends known to half of it."""

    def deeper(ctx: Context) -> Real | tuple[Real, ...]:
        with ctx.workprec(2 * ctx.prec if power == 1 else ctx.prec):
            return formula(ctx)

    return deeper


def rank_one_delta_at_epsilon(
    *,
    epsilon: Exact,
    sigma_star: Exact,
    dimension: int,
    sensitivity: Exact = 1,
    digits: int = 50,
) -> Real:
    """Return δ(ε), the smallest δ for which the mechanism is (ε,δ)-DP (X.R1.PROFILE).

    By the elementary integral over q, the difference of the squared distances of an output from
    the two inputs.

    Args:
        epsilon: in [0, ∞).
        sigma_star: variance of the signed length of the noise, in (0, ∞).
        dimension: M, from 2 to 10^9.
        sensitivity: ℓ2-sensitivity, in (0, ∞), in the unit of √sigma_star.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: if thousands of bits would cancel (ε/(M−1) or σ*/Δ² are enormous).
    """
    eps, power = arguments.epsilon(epsilon), arguments.dimension(dimension, least=2) - 1
    s = variance_ratio(sigma_star, sensitivity)
    check_reach(power, eps, s)
    formula = deep(power, lambda ctx: integrals.elementary(ctx, power, eps, s))
    return settle(formula, arguments.digits(digits))


def rank_one_delta_by_radius(
    *,
    epsilon: Exact,
    sigma_star: Exact,
    dimension: int,
    sensitivity: Exact = 1,
    digits: int = 50,
) -> Real:
    """Return δ(ε) again, by integrating Beta CDFs over the radius (X.R1.PROFILE).

    Arguments and errors as for `rank_one_delta_at_epsilon`. Up to five
    times slower.
    """
    eps, power = arguments.epsilon(epsilon), arguments.dimension(dimension, least=2) - 1
    s = variance_ratio(sigma_star, sensitivity)
    check_reach(power, eps, s)
    formula = deep(power, lambda ctx: integrals.by_radius(ctx, power, eps, s))
    return settle(formula, arguments.digits(digits))
