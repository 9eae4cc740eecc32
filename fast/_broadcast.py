"""Arguments and answers of the float64 functions: floats or arrays that broadcast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Number", "above", "below", "give", "integers", "quiet", "reals"]

Array = Any
"""A float64 array."""

Number = Any
"""A real number or an array of them."""

ULP = 2.0**-52

quiet = np.errstate(all="ignore")
"""A decorator: overflow and underflow are met by the formulas, not by warnings."""


def _array(name: str, value: Any) -> NDArray[Any]:
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} must not be a masked array")
    array = np.asarray(value)
    if array.dtype.kind not in "iuf" or array.dtype.itemsize > 8:
        raise TypeError(f"{name} must be float64 numbers, got {array.dtype} {value!r:.80}")
    if array.size == 0:
        raise ValueError(f"{name} must not be empty")
    return array


def reals(
    name: str,
    value: Any,
    *,
    low: float = 0.0,
    high: float = np.inf,
    low_allowed: bool = False,
    high_allowed: bool = False,
) -> Array:
    """Return finite float64 numbers between two ends.

    Raises:
        TypeError, ValueError: naming the argument and the first value that is refused.
    """
    given = _array(name, value)
    array = given.astype(np.float64)
    if given.dtype.kind in "iu" and not np.array_equal(array.astype(given.dtype), given):
        raise ValueError(f"{name} must be float64 numbers, got an integer that is not one")
    good = np.isfinite(array) & (array >= low) & (array <= high)
    good &= (array != low) | low_allowed
    good &= (array != high) | high_allowed
    if not good.all():
        ends = f"{'[' if low_allowed else '('}{low:g}, {high:g}{']' if high_allowed else ')'}"
        raise ValueError(f"{name} must be in {ends}, got {array[~good].flat[0]}")
    return array


def integers(name: str, value: Any, *, least: int = 1, most: int = 1 << 53) -> Array:
    """Return whole numbers, as float64.

    Raises:
        TypeError, ValueError: naming the argument and the first value that is refused.
    """
    array = _array(name, value)
    if array.dtype.kind == "f":
        raise TypeError(f"{name} must be integers, got {array.dtype} {value!r:.80}")
    good = (array >= least) & (array <= most)
    if not good.all():
        raise ValueError(f"{name} must be from {least} to {most}, got {array[~good].flat[0]}")
    return array.astype(np.float64)


def give(value: Any) -> Any:
    """Return a float for a single number, else the array."""
    array = np.asarray(value, dtype=np.float64)
    return float(array) if array.ndim == 0 else array


def above(value: Any, ulps: float) -> Any:
    """Return a number not below the truth, from one within `ulps`·2^-52 of it, relatively."""
    return give(np.nextafter(value * (1 + ulps * ULP), np.inf))


def below(value: Any, ulps: float) -> Any:
    """Return a number not above the truth, from one within `ulps`·2^-52 of it, relatively."""
    return give(np.nextafter(value * (1 - ulps * ULP), -np.inf))


def bisect(function: Callable[[Array], Array], low: Array, high: Array) -> Array:
    """Return where increasing functions pass 0, to the last bits, between two ends."""
    for _ in range(64):
        middle = (low + high) / 2
        falls_short = function(middle) < 0
        low, high = np.where(falls_short, middle, low), np.where(falls_short, high, middle)
    return (low + high) / 2
