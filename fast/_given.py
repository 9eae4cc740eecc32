"""Exact numbers, for functions of floats.

A `Fraction`, a `Decimal` or an mpmath `mpf` is the exact number that it is. Where no float64 equals
it, the function is asked at both of its float64 neighbours, and the answer on the safe side of both
is given: every function here is monotone between two neighbours, or has a margin that is wider
than what it can do between them.
"""

import functools
import itertools
import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from dporacle import arguments
from dporacle.common import ieee754
from dporacle.fast._labels import labelled

PLAIN = frozenset({float, int, str, bool, np.float64})
"""The types of which nothing has to be asked."""

_SAFE_INTEGER = 1 << 53  # up to it every integer is a float64
_MOST_BETWEEN = 8  # each doubles how often the function is asked: 256 times at most


def through(function: Callable[..., Any], round_down: bool, /, **given: Any) -> Any:
    """Call a function of floats and arrays with what was given.

    Args:
        function: takes the names of `given` as keywords.
        round_down: whether the safe side of its answer is down.
        given: its arguments.

    Raises:
        TypeError, ValueError: naming the argument, if it is no real number or out of float64's
            range, if labels differ, or if the function raises it.
        FloatingPointError: if the processor does not round to nearest or drops subnormals.
    """
    ieee754.demand()
    if all(map(_is_plain, given.values())):
        return function(**given)
    return labelled(functools.partial(_exact, function, round_down), given)


def _is_plain(value: Any) -> bool:
    kind = type(value)
    return kind in PLAIN or (kind is np.ndarray and value.dtype.kind != "O")


def _exact(function: Callable[..., Any], round_down: bool, /, **given: Any) -> Any:
    corners = _corners(given)
    try:
        answers = [function(**corner) for corner in corners]
    except ValueError as error:
        if len(corners) > 1:
            error.add_note("it was asked at the float64 neighbours of exact numbers that are none")
        raise
    return functools.reduce(functools.partial(_safer, round_down), answers)


def _safer(round_down: bool, first: Any, second: Any) -> Any:
    if isinstance(first, tuple):  # an interval: both ends move away from each other
        low, high = zip(first, second, strict=True)
        return type(first)((_safer(True, *low), _safer(False, *high)))
    if isinstance(first, float):
        return min(first, second) if round_down else max(first, second)
    return np.minimum(first, second) if round_down else np.maximum(first, second)


def _corners(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what to ask: every combination of neighbours."""
    choices = {name: _choices(name, value) for name, value in given.items()}
    between = [name for name, each in choices.items() if len(each) > 1]
    if len(between) > _MOST_BETWEEN:
        raise ValueError(
            f"at most {_MOST_BETWEEN} arguments may lie between float64 numbers, got {between}"
        )
    return [
        dict(zip(choices, corner, strict=True)) for corner in itertools.product(*choices.values())
    ]


def _choices(name: str, value: Any) -> list[Any]:
    """Return what to ask instead of a value: itself, the float that it is, or two neighbours."""
    if type(value) in PLAIN:
        return [value]
    if _is_exact(value):
        return _distinct(*_neighbours(name, value))
    if isinstance(value, (list, tuple)):
        try:
            array = np.asarray(value)
        except ValueError:  # not rectangular, which its reader says
            return [value]
        if array.dtype != object or not array.size:
            return [value]
        if all(isinstance(each, tuple) for each in value):
            # Records: what stands in one place of each is an argument of its own.
            columns = {
                f"{name}[…][{place}]": list(column)
                for place, column in enumerate(zip(*value, strict=True))
            }
            corners = _corners(columns)
            return [list(zip(*corner.values(), strict=True)) for corner in corners]
        return [each.tolist() for each in _array_choices(name, array)]
    if isinstance(value, np.ndarray) and value.dtype == object and value.size:
        return _array_choices(name, value)
    return [value]


def _is_exact(value: Any) -> bool:
    return isinstance(value, (Fraction, Decimal)) or hasattr(value, "_mpf_")


def _array_choices(name: str, array: Any) -> list[Any]:
    pairs = [_neighbours(_placed(name, array, at), each) for at, each in enumerate(array.flat)]
    low, high = (
        np.array(column, dtype=object).reshape(array.shape) for column in zip(*pairs, strict=True)
    )
    # As plain numbers: integers where all of them are.
    return [np.array(each.tolist()) for each in _distinct(low, high)]


def _placed(name: str, array: Any, at: int) -> str:
    index = ", ".join(str(int(i)) for i in np.unravel_index(at, array.shape))
    return f"{name}[{index}]" if array.ndim else name


def _distinct(low: Any, high: Any) -> list[Any]:
    return [low] if np.array_equal(low, high) else [low, high]


def _neighbours(name: str, value: Any) -> tuple[float, float]:
    """Return the float64 numbers next to an exact one, below and above; integers as integers."""
    if isinstance(value, float) and not math.isfinite(value):
        return value, value  # refused with all others that are not finite
    if isinstance(value, str):
        raise TypeError(f"{name} must be a real number, got str {arguments.show(value)}")
    number = arguments.exact(name, value)
    if number.denominator == 1 and abs(number) <= _SAFE_INTEGER:
        return int(number), int(number)
    try:
        near = float(number)
    except OverflowError:
        near = math.inf
    if math.isinf(near) or (near == 0.0 and number):
        shown = arguments.show(value)
        raise ValueError(f"{name} must be 0 or in the range of float64, got {shown}")
    exact = Fraction(near)
    if exact == number:
        return near, near
    if exact < number:
        return near, math.nextafter(near, math.inf)
    return math.nextafter(near, -math.inf), near
