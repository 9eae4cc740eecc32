"""Hypothesis strategies over the whole float64 domain, on log scales, subnormals included."""

import struct

from hypothesis import strategies as st

TINY = 5e-324
ALMOST_ONE = 1 - 2.0**-53
LARGEST = 1.7976931348623157e308


def _bits(value: float) -> int:
    return struct.unpack("<q", struct.pack("<d", value))[0]


def _from_bits(bits: int) -> float:
    return struct.unpack("<d", struct.pack("<q", bits))[0]


def positives(low: float = TINY, high: float = LARGEST) -> st.SearchStrategy[float]:
    """Positive float64s, uniform in their bit pattern: nearly uniform in the logarithm."""
    return st.integers(_bits(low), _bits(high)).map(_from_bits)


def epsilons(high: float = LARGEST, *, zero: bool = True) -> st.SearchStrategy[float]:
    """ε: of every magnitude, and often of the size that releases use."""
    drawn = (
        positives(TINY, high) | positives(1e-3, min(high, 50.0)) | positives(1e-12, min(high, 1e4))
    )
    return (st.just(0.0) | drawn) if zero else drawn


def deltas() -> st.SearchStrategy[float]:
    """δ in (0, 1): of every magnitude, and close to 1/2 and 1 as well."""
    near_one = positives(2.0**-53, 0.5).map(lambda rest: 1 - rest).filter(lambda d: d < 1)
    near_half = st.integers(-1000, 1000).map(lambda n: 0.5 + n * 2.0**-50)
    return positives(TINY, ALMOST_ONE) | positives(1e-12, 0.5) | near_one | near_half


def mus() -> st.SearchStrategy[float]:
    """D/σ of the sizes at which nothing but the formula is stressed."""
    return positives(1e-8, 1e4)


def powers(low: float, high: float) -> st.SearchStrategy[float]:
    """Numbers from 10^low to 10^high, even on a log scale."""
    return st.floats(low, high).map(lambda exponent: 10.0**exponent)
