"""Products and lengths as a mantissa and a power of two: nothing on the way leaves the floats."""

from typing import Any

import numpy as np

from dporacle.fast._broadcast import ULP, Array, give

_LN2_HIGH = 0.6931471803691238  # 32 bits of ln 2: its product with k is exact
_LN2_LOW = 1.9082149292705877e-10  # what ln 2 has beyond them
_FAR = 20_000.0  # an exponent beyond which e^x is 0 or infinite in any product of floats

Parts = tuple[Array, Array]
"""(m, n), the number m·2ⁿ."""


def product(*factors: Any, over: tuple[Any, ...] = ()) -> Parts:
    """Return a product of floats, divided by others; each operation rounds once."""
    head: Array = 1.0
    power: Array = 0
    for factor in factors:
        mantissa, exponent = np.frexp(factor)
        head, power = head * mantissa, power + exponent.astype(np.int64)
    for factor in over:
        mantissa, exponent = np.frexp(factor)
        head, power = head / mantissa, power - exponent.astype(np.int64)
    return head, power


def length(values: Array, power: Array) -> Parts:
    """Return √Σ(m·2ⁿ)² over the last axis, for numbers that are given as parts."""
    mantissa, more = np.frexp(values)
    power = np.where(mantissa == 0, -(2**40), power + more)
    most = np.max(power, axis=-1)
    part = np.ldexp(mantissa, np.maximum(power - most[..., None], -2000))
    return np.sqrt(np.sum(part * part, axis=-1)), most


def exponential(value: Array) -> Parts:
    """Return e^x."""
    x = np.clip(value, -_FAR, _FAR)
    power = np.rint(x / _LN2_HIGH)
    return np.exp((x - power * _LN2_HIGH) - power * _LN2_LOW), power.astype(np.int64)


def scaled(parts: Parts) -> Any:
    """Return a number, rounded once."""
    return give(np.ldexp(parts[0], np.clip(parts[1], -5000, 5000).astype(np.int32)))


def scaled_above(parts: Parts, ulps: float) -> Any:
    """Return a number not below the truth, from one within `ulps`·2^-52 of it, relatively."""
    return give(np.nextafter(scaled((parts[0] * (1 + ulps * ULP), parts[1])), np.inf))
