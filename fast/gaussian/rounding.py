"""Rounding to the private side: from head + rest and an error bound to one float64."""

from typing import Any

from dporacle.fast.gaussian.kernel import Kernel

U = 2.0**-53
LEAST = 5e-324
SMALLEST_NORMAL = 2.0**-1022


def up(kernel: Kernel, head: Any, rest: Any) -> Any:
    """Return the smallest float64 ≥ head + rest, for |rest| ≤ |head|."""
    total = head + rest
    return kernel.where(rest > total - head, kernel.next_up(total), total)


def scaled_up(kernel: Kernel, x: Any, n: Any, strict: bool = False) -> Any:
    """Return the smallest float64 ≥ x·2ⁿ, for x > 0; inf beyond the largest.

    With `strict`, return 0 where x·2ⁿ is below the smallest positive number.
    """
    result = kernel.scale(x, n)
    small = result < 2.0 * SMALLEST_NORMAL
    if kernel.any(small):
        # Rounded among the subnormals: scaling back is exact and shows which way.
        back = kernel.scale(result, -n)
        result = kernel.where(small & (back < x), kernel.next_up(result), result)
        if strict:
            result = kernel.where(small & (kernel.scale(x, n + 1074) < 1.0), 0.0, result)
    return result


def down(kernel: Kernel, head: Any, rest: Any) -> Any:
    """Return the largest float64 ≤ head + rest, for |rest| ≤ |head|."""
    return -up(kernel, -head, -rest)


def scaled_down(kernel: Kernel, x: Any, n: Any) -> Any:
    """Return the largest float64 ≤ x·2ⁿ, for x ≥ 0; inf beyond the range."""
    result = kernel.scale(x, n)
    small = result < 2.0 * SMALLEST_NORMAL
    if kernel.any(small):
        back = kernel.scale(result, -n)
        result = kernel.where(small & (back > x), -kernel.next_up(-result), result)
    return result
