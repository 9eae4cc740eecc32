"""Verdicts on many privacy claims: float64 where its proved error allows, balls where not.

The float64 δ is within 2⁻⁵⁰ of the exact one, by the theorem of
proofs_notes/analytic_gaussian_float64.md. Its inputs are the nearest float64 of what was written,
each within 2⁻⁵³ of it; what that is worth in δ is bounded there too, by (w + 2)² times as much,
with w = ε/μ + μ/2. A claim whose δ is closer than four times both together, or outside of the
theorem's domain, is left to the balls: whatever within its error the float64 δ is, the verdict is
the same. Beyond that a HOLDS, as a VIOLATED, rests on the theorem.
"""

from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from dporacle import enclosures
from dporacle.fast.analytic_gaussian import delta_at_epsilon as float_delta
from dporacle.verdicts import Verdict, decide_at_most

OPEN, HOLDS, VIOLATED = 0, 1, 2
LETTERS = {Verdict.HOLDS: "H", Verdict.VIOLATED: "V", Verdict.UNDECIDED: "U"}

_UNIT = 2.0**-48  # 2⁻⁵⁰ for the float64 δ, 2⁻⁵⁰ for its inputs, and as much to spare
_SIZES = 2.0**-300, 2.0**300  # of all numbers: no square or quotient leaves float64
_FARTHEST = 2.0**30  # ε/μ in the theorem
_MOST_SLACK = 2.0**-6  # where float64 may err by more, balls decide
_LEAST_DELTA = 1e-290  # below it products on the way to δ may be subnormal, and lose digits
_BITS = (96, 192, 400)  # one after the other, until a row is decided
_HALF = fmpq(1, 2)
_DIRECT, _NO_TAIL = 600, 40  # ε and ε/μ + μ/2 up to which e^ε times a tail is taken as it stands


def by_floats(epsilon: Any, delta: Any, sigma: Any, sensitivity: Any) -> tuple[Any, Any]:
    """Return for each claim HOLDS, VIOLATED or OPEN, and the float64 δ(ε), NaN where unknown.

    Args:
        epsilon: float64 array, each the nearest of what was written; so are the others.
        delta: the claimed δ.
        sigma: σ of the noise.
        sensitivity: ℓ2-sensitivity.
    """
    low, high = _SIZES
    inside = (sigma >= low) & (sigma <= high) & (sensitivity >= low) & (sensitivity <= high)
    inside &= (epsilon == 0.0) | ((epsilon >= low) & (epsilon <= high))
    inside &= (delta >= _LEAST_DELTA) & (delta < 1.0)
    with np.errstate(all="ignore"):
        mu = sensitivity / sigma
        h = epsilon / mu
        inside &= h <= _FARTHEST
        w = h + (0.5 * mu + 2.0)
        slack = _UNIT * (w * w)
        inside &= slack <= _MOST_SLACK
        if not (inside.size and inside.all()):
            keep = np.flatnonzero(inside)
            found, value = np.zeros(len(mu), np.int8), np.full(len(mu), np.nan)
            if keep.size:
                found[keep], value[keep] = _compared(
                    *(each[keep] for each in (epsilon, delta, sigma, sensitivity, slack))
                )
            return found, value
        found, value = _compared(epsilon, delta, sigma, sensitivity, slack)
        return found, value


def _compared(epsilon: Any, delta: Any, sigma: Any, sensitivity: Any, slack: Any) -> Any:
    value = float_delta(epsilon=epsilon, sigma=sigma, sensitivity=sensitivity)
    gap, room = value - delta, value * slack
    # Far below, where the float64 δ is only an upper bound, nothing can be violated.
    violated = (gap > room) & (value >= _LEAST_DELTA)
    return (gap < -room).astype(np.int8) + (violated.astype(np.int8) << 1), value


def by_balls(
    *, epsilon: Fraction, delta: Fraction, sigma: Fraction, sensitivity: Fraction
) -> Verdict:
    """Decide one claim about exact numbers, at equality to 1,500 digits UNDECIDED."""
    if delta >= 1:
        return Verdict.HOLDS
    e, mu = _rational(epsilon), _rational(sensitivity) / _rational(sigma)
    far, half, claimed = e / mu, mu / 2, _rational(delta)
    if e < _DIRECT and far + half < _NO_TAIL:
        before = ctx.prec
        try:
            for bits in _BITS:
                ctx.prec = bits
                root = arb(_HALF).sqrt()
                left, right = (arb(far - half) * root).erfc(), (arb(far + half) * root).erfc()
                gap = (left - arb(e).exp() * right) / 2 - claimed
                if gap > 0:
                    return Verdict.VIOLATED
                if gap < 0:
                    return Verdict.HOLDS
        finally:
            ctx.prec = before

    def enclose(digits: int) -> arb:
        return enclosures.delta_at_epsilon(
            epsilon=epsilon, sigma=sigma, sensitivity=sensitivity, digits=digits
        )

    return decide_at_most(enclose, delta).verdict


def _rational(x: Fraction) -> fmpq:
    return fmpq(x.numerator, x.denominator)
