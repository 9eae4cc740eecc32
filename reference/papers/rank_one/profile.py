"""The exact privacy profile of the rank-one mechanism, by two derivations (X.R1.PROFILE)."""

from __future__ import annotations

from fractions import Fraction

from dporacle.interface import witness
from dporacle.reference.numerics.precision import Context, Formula, Real, settle
from dporacle.reference.papers.rank_one import integrals

_MAX_LOST_BITS = 3000  # what may cancel in the integrals before an answer is refused


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


@witness
def rank_one_delta_at_epsilon(
    *, epsilon: Fraction, sigma_star: Fraction, dimension: int, sensitivity: Fraction, digits: int
) -> Real:
    """Return δ(ε), the smallest δ for which the mechanism is (ε,δ)-DP (X.R1.PROFILE).

    By the elementary integral over q, the difference of the squared distances of an output from
    the two inputs.

    Raises:
        ArithmeticError: if thousands of bits would cancel (ε/(M−1) or σ*/Δ² are enormous).
    """
    power, s = dimension - 1, sigma_star / sensitivity**2
    check_reach(power, epsilon, s)
    formula = deep(power, lambda ctx: integrals.elementary(ctx, power, epsilon, s))
    return settle(formula, digits)


@witness
def rank_one_delta_by_radius(
    *, epsilon: Fraction, sigma_star: Fraction, dimension: int, sensitivity: Fraction, digits: int
) -> Real:
    """Return δ(ε) again, by Beta CDFs over the radius; five times slower (X.R1.PROFILE).

    Raises:
        ArithmeticError: as for `rank_one_delta_at_epsilon`.
    """
    power, s = dimension - 1, sigma_star / sensitivity**2
    check_reach(power, epsilon, s)
    formula = deep(power, lambda ctx: integrals.by_radius(ctx, power, epsilon, s))
    return settle(formula, digits)
