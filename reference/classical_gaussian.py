"""The classical calibration of the Gaussian mechanism (BW18.T1)."""

from __future__ import annotations

from fractions import Fraction

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.reference.numerics.precision import Context, Real, real, settle

__all__ = ["classical_sigma"]


def classical_sigma(
    *, epsilon: Exact, delta: Exact, sensitivity: Exact = 1, digits: int = 50
) -> Real:
    """Return σ = D√(2 ln(1.25/δ))/ε (BW18.T1).

    The theorem says that it is (ε,δ)-DP for 0 < ε ≤ 1. The formula is evaluated for every ε > 0,
    so that a claim made outside the theorem's domain can be judged too.

    Args:
        epsilon: in (0, ∞).
        delta: in (0, 1).
        sensitivity: ℓ2-sensitivity D, in (0, ∞).
        digits: correct decimal digits wanted.

    Returns:
        The standard deviation of the noise per coordinate, in the unit of sensitivity.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, target = arguments.positive("epsilon", epsilon), arguments.delta(delta)
    distance = arguments.positive("sensitivity", sensitivity)

    def formula(ctx: Context) -> Real:
        log = ctx.log(real(ctx, Fraction(5, 4) / target))
        return real(ctx, distance) * ctx.sqrt(2 * log) / real(ctx, eps)

    return settle(formula, arguments.digits(digits))
