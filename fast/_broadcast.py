"""Arguments and answers of the float64 functions: floats or arrays that broadcast."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import numpy as np

from dporacle.fast._arrays import Range, check, range_of, read, to_single
from dporacle.fast._given import through
from dporacle.interface import called, reading
from dporacle.vocabulary.domains import Domain
from dporacle.vocabulary.functions import rounds_down, rows_of

Array = Any
"""A float64 array."""

Number = Any
"""A real number or an array of them."""

Numbers = Any
"""Real numbers along the last axis of an array, which are taken together."""

ULP = 2.0**-52  # the spacing of float64 from 1 on

_Function = TypeVar("_Function", bound=Callable[..., Any])


def witness(formula: Callable[..., Any], reach: Mapping[str, Domain] = {}) -> Callable[..., Any]:
    """Return the public function of this witness, from a formula of float64 arrays.

    What the formula annotates as `Array`, `Numbers`, `int | None` or `Direction` is read before it
    is called; all else it reads itself. The row says on which side of its answer an error is safe.

    Args:
        formula: takes keywords.
        reach: domains of arguments that are narrower here than in their rows.
    """
    name, kinds = formula.__name__, formula.__annotations__
    rows = rows_of(name, reach)
    read = {each for each, kind in kinds.items() if kind in ("Array", "Numbers")} & rows.keys()
    readers = {each: reader(each, rows[each].domain, rows[each].not_zero) for each in read}
    optional = {each for each, kind in kinds.items() if kind == "int | None"} & rows.keys()
    readers |= {each: _optional(reader(each, rows[each].domain)) for each in optional}
    shown = {each: "Number" if kind == "Array" else kind for each, kind in kinds.items()}
    round_down = rounds_down(name)
    computed = _single(name, reading(formula, rows, readers, at_most), round_down)
    return called(formula, rows, shown, functools.partial(through, computed, round_down))


def reader(name: str, domain: Domain, not_zero: str = "") -> Callable[[Any], Array]:
    """Return what makes of a value the numbers of a domain, or names what is none."""
    if domain.whole:
        most = 1 << 53 if domain.most is None else int(domain.most)
        return functools.partial(integers, name, least=int(domain.least or 0), most=most)
    inside = range_of(name, domain, not_zero)
    return lambda value: _real(inside, value)


def _optional(read_number: Callable[[Any], Array]) -> Callable[[Any], int | None]:
    return lambda value: None if value is None else int(read_number(value))


def at_most(limit: str, most: Array, name: str, value: Array) -> None:
    """Refuse numbers that are above those of another argument.

    Args:
        limit: the other's name.
        most: the other's numbers.
        name: its own name.
        value: its numbers.

    Raises:
        ValueError: naming both arguments and the first value that is refused.
    """
    most, value = np.broadcast_arrays(most, value)
    if (above := value > most).any():
        first = int(np.argmax(above))
        raise ValueError(
            f"{name} must be at most {limit}, {most.flat[first]:.15g}, got {value.flat[first]:.15g}"
        )


def quiet(function: _Function) -> _Function:
    """Return a function whose formulas meet overflow and underflow without warnings."""

    @functools.wraps(function)
    def wrapped(*args: Any, **given: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*args, **given)

    return cast("_Function", wrapped)


def _single(name: str, function: Callable[..., Any], round_down: bool) -> Callable[..., Any]:
    """Return a quiet function whose result is of float32 where all arrays among its arguments are.

    It is then rounded once more, to the same side.
    """

    def computed(**given: Any) -> Any:
        with np.errstate(all="ignore"):
            result = function(**given)
            arrays = [v for v in given.values() if isinstance(v, np.ndarray) and v.ndim]
            single = arrays and all(v.dtype.type is np.float32 for v in arrays)
            if not single or not isinstance(result, np.ndarray) or result.dtype != np.float64:
                return result
            rounded = to_single(result, round_down)
            if np.any(np.isinf(rounded) & np.isfinite(result)):
                raise OverflowError(f"{name} is too large for a float32")
            return rounded

    return computed


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
    words = f"in {'[' if low_allowed else '('}{low:g}, {high:g}{']' if high_allowed else ')'}"
    return _real(Range(name, low, low_allowed, high, high_allowed, words), value)


def _real(domain: Range, value: Any) -> Array:
    array = read(domain.name, value)
    check(domain, array)
    return np.asarray(array, dtype=np.float64)


def integers(name: str, value: Any, *, least: int = 1, most: int = 1 << 53) -> Array:
    """Return whole numbers, as float64.

    Raises:
        TypeError, ValueError: naming the argument and the first value that is refused.
    """
    array = np.asarray(read(name, value), dtype=np.float64)
    given = np.asarray(value)
    if given.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, got {given.dtype} {value!r:.80}")
    good = (array >= least) & (array <= most)
    if not good.all():
        raise ValueError(f"{name} must be from {least} to {most}, got {given[~good].flat[0]}")
    return array


def give(value: Any) -> Any:
    """Return a float for a single number, else the array."""
    array = np.asarray(value, dtype=np.float64)
    return float(array) if array.ndim == 0 else array


def each_of(function: Callable[..., float], arrays: tuple[Any, ...]) -> Any:
    """Return a function of floats at each element of arrays that broadcast."""
    together = np.broadcast_arrays(*arrays)
    rows = zip(*(each.ravel() for each in together), strict=True)
    found = [function(*(float(each) for each in row)) for row in rows]
    return give(np.array(found).reshape(together[0].shape))


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
