"""Columns of lower triangular Toeplitz matrices whose entries fall: what they add up to."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeVar

from flint import arb

_Number = TypeVar("_Number", Fraction, arb)


def leftmost_square(
    entries: Sequence[Any], size: int, zero: _Number, most: int, separation: int
) -> _Number:
    """Return ‖Σ Cⱼ‖² over the columns 0, b, 2b, … of a Toeplitz matrix, row by row."""
    terms: list[_Number] = [*entries]
    terms += [zero] * (size - len(terms))
    sums: list[_Number] = []
    for i, term in enumerate(terms):
        before = sums[i - separation] if i >= separation else zero
        gone = i - most * separation
        sums.append(before + term - (terms[gone] if gone >= 0 else zero))
    return sum((each * each for each in sums), zero)


def sqrt_entries(count: int) -> list[arb]:
    """Return c_k = C(2k, k)/4^k for the first k, at the working precision."""
    found = [arb(1)]
    for k in range(1, count):
        found.append(found[-1] * (2 * k - 1) / (2 * k))
    return found
