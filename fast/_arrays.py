"""Arguments in, results out: scalars as Python floats, arrays broadcast in bounded blocks."""

import math
import numbers
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dporacle.vocabulary.domains import Domain

BLOCK = 8192
"""Elements computed at a time: what memory a call needs beyond its result.

An array of them stays well below the 128 KiB from which on the allocator asks the system for each
and gives it back: every one of a formula's some hundred arrays would be paid for by page faults.
"""


class Range(NamedTuple):
    """An argument's name and the finite numbers it may be."""

    name: str
    low: float
    low_allowed: bool
    high: float
    high_allowed: bool
    words: str
    not_zero: str = ""


def range_of(name: str, domain: Domain, not_zero: str = "") -> Range:
    """Return what an argument may be, from its domain in the vocabulary, and why it is never 0."""
    return Range(
        name,
        -math.inf if domain.least is None else float(domain.least),
        not (domain.least is None or domain.open_below),
        math.inf if domain.most is None else float(domain.most),
        not (domain.most is None or domain.open_above),
        domain.words,
        not_zero,
    )


def read(name: str, value: Any) -> Any:
    """Return a float, or a float64 or float32 array with the same values exactly."""
    if _holds(value, np.ma.MaskedArray):
        raise TypeError(f"{name} must not be a masked array")
    if _holds(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be a real number or an array of them, got {value!r:.80}")
    if isinstance(value, (float, int, np.integer, np.floating)):
        return _exact_float(name, value)
    if isinstance(value, (list, tuple)):
        try:
            value = np.asarray(value)
        except ValueError:
            raise ValueError(f"{name} is not a rectangular array") from None
    if not isinstance(value, np.ndarray):
        kind = type(value).__name__
        raise TypeError(f"{name} must be a real number or an array of them, got {kind}")
    if value.size == 0:
        raise ValueError(f"{name} must not be empty, got shape {value.shape}")
    if value.dtype.kind not in "fiu":
        raise TypeError(f"{name} must hold real numbers, got an array of {value.dtype}")
    if value.ndim == 0:
        return _exact_float(name, value[()])
    if value.dtype in (np.float64, np.float32) or value.dtype.itemsize <= 4:
        return value
    with np.errstate(all="ignore"):
        converted = value.astype(np.float64)
        differs = (converted.astype(value.dtype) != value) & ~np.isnan(converted)
        if value.dtype.kind in "iu":  # the largest integers overflow on the way back
            differs |= converted >= 2.0 ** (8 * value.dtype.itemsize - (value.dtype.kind == "i"))
    if differs.any():
        index = _first(differs)
        raise ValueError(f"{name} must be exact in float64, got {value[index]} at index {index}")
    return converted


_PLAIN = {float, int, np.float64}


def _holds(value: Any, kind: type | tuple[type, ...]) -> bool:
    """Return whether a value is, or holds, what numpy would read as a number without a word."""
    if not isinstance(value, (list, tuple)):
        return isinstance(value, kind)
    return not set(map(type, value)) <= _PLAIN and any(_holds(each, kind) for each in value)


def _exact_float(name: str, value: Any) -> float:
    if isinstance(value, np.integer):
        value = int(value)  # numpy compares it with a float as floats
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if number == value or math.isnan(number):
        return number
    if isinstance(value, numbers.Integral):
        shown = repr(int(value)) if abs(int(value)) < 1 << 256 else "a larger integer"
        raise ValueError(f"{name} must be exact in float64, got {shown}")
    raise ValueError(f"{name} must be exact in float64, got {value!r}")


def _first(flags: Any) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(flags)), flags.shape))


def check(domain: Range, value: Any) -> None:
    """Refuse what is outside; the message names the argument, and the place in an array."""
    if isinstance(value, float):
        if not _inside(domain, value):
            raise ValueError(f"{_demand(domain, value)}, got {value!r}")
        return
    # A NaN makes both of these NaN, and then neither is inside.
    if _inside(domain, float(value.min())) and _inside(domain, float(value.max())):
        return
    index = next(i for i, x in np.ndenumerate(value) if not _inside(domain, float(x)))
    number = float(value[index])
    place = index[0] if len(index) == 1 else index
    raise ValueError(f"{_demand(domain, number)}, got {number!r} at index {place}")


def _inside(domain: Range, x: float) -> bool:
    return (domain.low < x < domain.high) or (
        (x == domain.low and domain.low_allowed) or (x == domain.high and domain.high_allowed)
    )


def _demand(domain: Range, x: float) -> str:
    if not math.isfinite(x):
        return f"{domain.name} must be " + " and ".join(filter(None, ["finite", domain.words]))
    why = f" ({domain.not_zero})" if x == 0.0 and domain.not_zero else ""
    return f"{domain.name} must be {domain.words}{why}"


def evaluate(
    result_name: str,
    many: Callable[..., Any],
    domains: list[Range],
    round_down: bool,
    zero_is_range: bool,
    /,
    **given: Any,
) -> Any:
    """Check the arguments and compute the result, for floats or blocks of arrays.

    Args:
        result_name: what the result is called, for the error message.
        many: the function of float64 arrays of one dimension and equal length.
        domains: what each argument may be, in the order in which `many` takes them.
        round_down: the private side, when a result is to be stored in float32.
        zero_is_range: whether a 0 from `many` means "below the range".
        given: the arguments.

    Raises:
        TypeError: if an argument is not a real number or an array of real numbers.
        ValueError: if it is outside its domain, empty, or its shape fits no other.
        OverflowError: if a result is outside the range of float64.
    """
    values = [read(domain.name, given[domain.name]) for domain in domains]
    for domain, value in zip(domains, values, strict=True):
        check(domain, value)
    if all(isinstance(value, float) for value in values):
        with np.errstate(all="ignore"):
            result = float(many(*(np.full(1, value) for value in values))[0])
        if result in (math.inf, -math.inf) or (zero_is_range and result == 0.0):
            raise OverflowError(_range_message(result_name, result))
        return result
    arrays = {d.name: v for d, v in zip(domains, values, strict=True) if _is_array(v)}
    try:
        shape = np.broadcast_shapes(*(array.shape for array in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"shapes do not broadcast: {shapes}") from None
    single = all(array.dtype.type is np.float32 for array in arrays.values())
    out = np.empty(shape, np.float32 if single else np.float64)
    _fill(out, many, values, result_name, round_down, zero_is_range)
    return out


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray)


def _fill(
    out: Any,
    many: Callable[..., Any],
    values: list[Any],
    result_name: str,
    round_down: bool,
    zero_is_range: bool,
) -> None:
    inputs = [np.broadcast_to(np.asarray(value), out.shape) for value in values]
    blocks: Any = np.nditer(  # type: ignore[call-overload]
        [*inputs, out],
        flags=["external_loop", "buffered"],
        op_flags=[["readonly", "aligned"]] * len(inputs) + [["writeonly"]],
        op_dtypes=[np.float64] * len(inputs) + [out.dtype],
        buffersize=BLOCK,
        order="C",
        casting="same_kind",
    )
    done = 0
    with np.errstate(all="ignore"), blocks:
        for *block, target in blocks:
            result = many(*block)
            if target.dtype == np.float32:
                result = to_single(result, round_down)
            bad = np.isinf(result)
            if zero_is_range:
                bad |= result == 0.0
            if bad.any():
                at = int(np.argmax(bad))
                index = tuple(int(i) for i in np.unravel_index(done + at, out.shape))
                place = index[0] if len(index) == 1 else index
                raise OverflowError(f"{_range_message(result_name, result[at])}, at index {place}")
            target[...] = result
            done += target.size


def to_single(result: Any, round_down: bool) -> Any:
    """Return a float64 array as float32, rounded to one side."""
    single = result.astype(np.float32)
    if round_down:
        return np.where(single > result, np.nextafter(single, np.float32(-np.inf)), single)
    return np.where(single < result, np.nextafter(single, np.float32(np.inf)), single)


def _range_message(name: str, result: float) -> str:
    side = "small" if result == 0.0 else "large"
    return f"{name} is too {side} for a float64"
