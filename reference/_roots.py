"""The root of a monotone function, bracketed, found by Newton's method, and checked by its sign."""

from __future__ import annotations

from collections.abc import Callable

from dporacle.reference._precision import Real, bits_for, freeze, real, working

__all__ = ["Newton", "positive_root"]

Newton = Callable[[Real, int], tuple[Real, Real]]
"""(u, digits) -> (residual, next u). The residual rises through 0 at the root, and its sign is
right; the next u is Newton's, in whatever coordinate suits the problem."""

_START_DIGITS = 12
_STEP_DIGITS = 6  # one more Newton step then gives the 12 digits that doubling starts from
_MAX_STEPS = 2000


def positive_root(newton: Newton, *, start: Real, digits: int, sharp: int = 0) -> Real:
    """Return the positive root of an increasing function to `digits` correct digits.

    Newton's steps are kept inside the bracket that the signs seen so far give. When they have
    become small the precision is doubled from step to step; in the end the sign must change
    across the root's last digit. Where the function turns from one end of its range to the
    other within a relative 10^-sharp of the root, that many digits are carried on top.

    Raises:
        ArithmeticError: if that last check fails.
    """
    low, high, root = None, None, start
    for _ in range(_MAX_STEPS):
        residual, proposal = newton(root, _START_DIGITS + sharp)
        if residual < 0:
            low = root
        else:
            high = root
        inside = (low is None or proposal > low) and (high is None or proposal < high)
        if not (inside and proposal > 0):
            proposal = _between(low, high)
        with working(64 + bits_for(sharp)) as context:
            moved = abs(real(context, proposal) / real(context, root) - 1)
            close = moved < context.mpf(10) ** (-_STEP_DIGITS - sharp)
        root = proposal
        if close:
            break
    reached = _START_DIGITS
    while reached + sharp < digits + 4:
        reached *= 2
        _, root = newton(root, min(reached + sharp, digits) + 4)
    with working(bits_for(digits + 8)) as context:
        width = context.mpf(10) ** -(digits + 1)
        below, above = (freeze(real(context, root) * (1 + side * width)) for side in (-1, 1))
    if not newton(below, digits + 4)[0] < 0 < newton(above, digits + 4)[0]:
        raise ArithmeticError(f"the root is not bracketed to {digits} digits")
    return root


def _between(low: Real | None, high: Real | None) -> Real:
    """Return a point inside a bracket, halving its logarithm; an open end is moved eightfold."""
    with working(64) as context:
        if low is None:
            return freeze(real(context, high) / 8)
        if high is None:
            return freeze(real(context, low) * 8)
        return freeze(context.sqrt(low) * context.sqrt(high))
