"""The normal density φ(y) beyond the last bit, with a power of two kept apart."""

from typing import Any

from dporacle.fast.gaussian.kernel import Table, integer, row
from dporacle.fast.tables import EXP, STEP_HEAD, STEP_REST, STEPS_PER_UNIT

_EXP = Table(EXP)
_TO_INTEGER = 6755399441055744.0  # 1.5·2^52: adding and subtracting it rounds to an integer


def exponential(r: Any) -> Any:
    """Return e^r − 1 for |r| ≤ 0.0055."""
    return r + r * r * (0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * (1.0 / 120.0 + r / 720.0))))


def density(y: Any, low: Any) -> tuple[Any, Any, Any]:
    """Return n, head, rest with φ(y + low) = 2⁻ⁿ(head + rest), for |y| < 2000.

    With y split into 26 bits and the rest, y²/2 is a double without error plus a small rest.
    The head has 26 bits; the rest is at most 0.6 % of it and carries all the rounding errors.
    """
    shifted = y * 134217729.0  # as `split` does
    y_head = shifted - (shifted - y)
    y_rest = (y - y_head) + low
    z = (0.5 * y_head) * y_head
    steps = (z * STEPS_PER_UNIT + _TO_INTEGER) - _TO_INTEGER
    r = (steps * STEP_HEAD - z) + (steps * STEP_REST - y_rest * (y_head + 0.5 * y_rest))
    p = exponential(r)
    whole = integer(steps)
    head, rest = row(_EXP, whole & 63)
    return whole >> 6, head, rest + (head + rest) * p
