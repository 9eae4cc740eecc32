"""The Mills ratio m(x) = Φ(−x)/φ(x), and the mean of −m′ over an interval."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dporacle.fast.gaussian.compensated import two_product
from dporacle.fast.gaussian.kernel import Table, integer, row
from dporacle.fast.tables import MILLS, SLOPE

FAR = 254.0
"""From here on the asymptotic series is exact to the last bit; the tables end at 254.25."""

LEAST = -0.75
"""The least x that the tables hold."""

_MILLS = Table(MILLS)
_SLOPE = Table(SLOPE)


def _far(x: Any, low: Any) -> tuple[Any, Any]:
    head = 1.0 / x
    product, error = two_product(head, x)
    return head, head * ((((1.0 - product) - error) - head * low) - far_series(head * head))


def far_series(a: Any) -> Any:
    """Return about 1 − x·m(x), for a = 1/x²."""
    return a * (1.0 - 3.0 * a * (1.0 - 5.0 * a))


def mills(x: Any, low: Any) -> tuple[Any, Any]:
    """Return m(x + low) as head + rest, for x ≥ −3/4.

    The head is a table entry; the rest is at most about 2⁻⁷ of it and carries all the
    rounding errors.
    """
    far = x >= FAR
    if not np.any(far):
        return mills_inside(x, low)
    head, rest = mills_inside(np.where(far, 1.0, x), low)
    far_head, far_rest = _far(np.where(far, x, FAR), low)
    return np.where(far, far_head, head), np.where(far, far_rest, rest)


def mills_inside(x: Any, low: Any) -> tuple[Any, Any]:
    """Return what `mills` does, for x < 254."""
    # 128 equal cells in each octave of x + 1.75, counted from 1.
    mantissa, octave = np.frexp(x + 1.75)
    cell = integer(mantissa * 256.0) + 128 * (octave - 2)
    found = row(_MILLS, cell)
    return mills_series(found, (x - found[0]) + low)


def mills_series(row: Sequence[Any], r: Any) -> tuple[Any, Any]:
    """Return m at a distance r from a cell's centre, as head + rest, from the cell's row."""
    _, head, rest, a1, a2, a3, a4, a5, a6, a7 = row
    s = a4 + r * (a5 + r * (a6 + r * a7))
    return head, rest + r * (a1 + r * (a2 + r * (a3 + r * s)))


def mean_slope(h: Any, low: Any, t: Any) -> tuple[Any, Any]:
    """Return the mean of −m′ over [h − t, h + t] as a 26-bit head + rest.

    It is (m(h−t) − m(h+t))/2t without the cancellation, for 0 ≤ t ≤ 0.03·(h + 1.75) and h < 254:
    Σ t²ⁱ/(2i+1)·bᵢ, with bᵢ = Σₙ C(n, 2i) aₙ rⁿ⁻²ⁱ and r the distance from the cell's centre.
    """
    mantissa, octave = np.frexp(h + 1.75)
    cell = integer(mantissa * 128.0) + 64 * (octave - 2)
    found = row(_SLOPE, cell)
    return slope_series(found, (h - found[0]) + low, t)


def slope_series(row: Sequence[Any], r: Any, t: Any) -> tuple[Any, Any]:
    """Return the mean of −m′ over [−t, t] around a distance r from a cell's centre."""
    _, head, rest, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12 = row
    tt = t * t
    b0 = a1 + r * (a2 + r * (a3 + r * (a4 + r * (a5 + r * (a6 + r * (a7 + r * a8))))))
    b1 = 5.0 * a6 + r * (7.0 * a7 + r * ((28.0 / 3.0) * a8 + r * (12.0 * a9 + r * (15.0 * a10))))
    b1 = a2 / 3.0 + r * (a3 + r * (2.0 * a4 + r * ((10.0 / 3.0) * a5 + r * b1)))
    b2 = 3.0 * a6 + r * (7.0 * a7 + r * (14.0 * a8 + r * (25.2 * a9 + r * (42.0 * a10))))
    b2 = a4 / 5.0 + r * (a5 + r * b2)
    b3 = a6 / 7.0 + r * (
        a7 + r * (4.0 * a8 + r * (12.0 * a9 + r * (30.0 * a10 + r * (66.0 * a11))))
    )
    b4 = a8 / 9.0 + r * (a9 + r * (5.0 * a10 + r * ((55.0 / 3.0) * a11)))
    b5 = a10 / 11.0 + r * a11
    b3 = b3 + tt * (b4 + tt * (b5 + tt * (a12 / 13.0)))
    return head, rest + (r * b0 + tt * (b1 + tt * (b2 + tt * b3)))
