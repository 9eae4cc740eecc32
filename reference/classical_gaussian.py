"""The classical calibration of the Gaussian mechanism (BW18.T1)."""

from __future__ import annotations

from fractions import Fraction

from dporacle.interface import witness
from dporacle.reference.numerics.precision import Context, Real, real, settle


@witness
def classical_sigma(
    *, epsilon: Fraction, delta: Fraction, sensitivity: Fraction, digits: int
) -> Real:
    """Return σ = D√(2 ln(1.25/δ))/ε (BW18.T1).

    The theorem says that it is (ε,δ)-DP for 0 < ε ≤ 1. The formula is evaluated for every ε > 0,
    so that a claim made outside the theorem's domain can be judged too.

    Returns:
        The standard deviation of the noise per coordinate, in the unit of sensitivity.
    """

    def formula(ctx: Context) -> Real:
        log = ctx.log(real(ctx, Fraction(5, 4) / delta))
        return real(ctx, sensitivity) * ctx.sqrt(2 * log) / real(ctx, epsilon)

    return settle(formula, digits)
