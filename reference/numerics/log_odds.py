"""The log-odds of a probability: near-linear in the unknown at both ends of (0, 1)."""

from fractions import Fraction

from dporacle.reference.numerics.precision import (
    Context,
    Formula,
    Real,
    bits_for,
    freeze,
    once,
    real,
    working,
)


def split(
    formula: Formula, complement: Formula, target: Fraction, digits: int
) -> tuple[Real, Real]:
    """Return δ and 1 − δ to so many digits each; the larger of them is 1 minus the smaller.

    The one on the target's side of 1/2 comes first: near the root it is enough.
    """
    first, second = (formula, complement) if 2 * target <= 1 else (complement, formula)
    part = once(first, digits)
    if not 0 < part < 1:
        raise ArithmeticError(f"a probability of {part} at {digits} digits")
    if 4 * part > 3:
        other = once(second, digits)
    else:
        with working(bits_for(digits) + 64) as ctx:
            other = freeze(1 - real(ctx, part))
    return (part, other) if first is formula else (other, part)


def log_odds(
    ctx: Context, value: Real, rest: Real, target: Fraction, slope: Real
) -> tuple[Real, Real]:
    """Return ln(δ/(1−δ)) less its target, and its slope, from δ, 1 − δ and the slope of δ."""
    value, rest = real(ctx, value), real(ctx, rest)
    odds = ctx.log(value / real(ctx, target)) - ctx.log(rest / real(ctx, 1 - target))
    return odds, slope / (value * rest)
