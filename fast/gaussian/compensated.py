"""Sums and products of float64 numbers without their rounding errors.

The functions take floats or arrays alike and use +, − and × only, which IEEE 754 rounds
correctly everywhere: a scalar and an array give the same bits.
"""

from typing import Any

_SPLITTER = 134217729.0  # 2^27 + 1


def split(x: Any) -> Any:
    """Return x rounded to 26 bits; x minus the result is exact and has 26 bits too (Dekker)."""
    shifted = x * _SPLITTER
    return shifted - (shifted - x)


def two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """Return a + b rounded, and the rounding error, exactly (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def two_product(a: Any, b: Any) -> tuple[Any, Any]:
    """Return a·b rounded, and the rounding error, exactly unless it underflows (Dekker)."""
    product = a * b
    shifted = a * _SPLITTER
    a_head = shifted - (shifted - a)
    a_rest = a - a_head
    shifted = b * _SPLITTER
    b_head = shifted - (shifted - b)
    b_rest = b - b_head
    error = ((a_head * b_head - product) + a_head * b_rest + a_rest * b_head) + a_rest * b_rest
    return product, error
