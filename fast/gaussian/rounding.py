"""Rounding to the private side: from head + rest and an error bound to one float64."""

from typing import Any

import numpy as np

U = 2.0**-53  # the most that one rounding changes, relatively
LEAST = 5e-324  # the least positive float64
SMALLEST_NORMAL = 2.0**-1022  # below it a float64 has fewer digits, and a relative error no bound


def up(head: Any, rest: Any) -> Any:
    """Return the smallest float64 ≥ head + rest, for |rest| ≤ |head|."""
    total = head + rest
    return np.where(rest > total - head, np.nextafter(total, np.inf), total)


def scaled_up(x: Any, n: Any, strict: bool = False) -> Any:
    """Return the smallest float64 ≥ x·2ⁿ, for x > 0; inf beyond the largest.

    With `strict`, return 0 where x·2ⁿ is below the smallest positive number.
    """
    result = np.ldexp(x, n)
    small = result < 2.0 * SMALLEST_NORMAL
    if np.any(small):
        # Rounded among the subnormals: scaling back is exact and shows which way.
        back = np.ldexp(result, -n)
        result = np.where(small & (back < x), np.nextafter(result, np.inf), result)
        if strict:
            result = np.where(small & (np.ldexp(x, n + 1074) < 1.0), 0.0, result)
    return result


def down(head: Any, rest: Any) -> Any:
    """Return the largest float64 ≤ head + rest, for |rest| ≤ |head|."""
    return -up(-head, -rest)


def scaled_down(x: Any, n: Any) -> Any:
    """Return the largest float64 ≤ x·2ⁿ, for x ≥ 0; inf beyond the range."""
    result = np.ldexp(x, n)
    small = result < 2.0 * SMALLEST_NORMAL
    if np.any(small):
        back = np.ldexp(result, -n)
        result = np.where(small & (back > x), -np.nextafter(-result, np.inf), result)
    return result
