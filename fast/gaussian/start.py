"""Where the solver starts: a table in two bounded coordinates, or a normal quantile.

The table's answer is good to a few parts in 10⁶ over most of its reach. A start decides only
how many steps are taken.
"""

from typing import Any

import numpy as np

from dporacle.fast.gaussian.compensated import split
from dporacle.fast.gaussian.kernel import Table, integer, row
from dporacle.fast.gaussian.logarithm import logarithm
from dporacle.fast.tables import LOG, START

TABLE_END = 1000.0
"""The table holds ε up to here."""

_START = Table(START)
_LOG = Table(tuple(row[:2] for row in LOG))
PER_LN2 = 1.4426950408889634  # 1/ln 2
# Cells: four in each octave of X, from 1 to 2¹¹ (X stays below 1100); for ω one below 2⁻⁷, then
# two in each octave up to 2¹⁰.
_COLUMNS = 35


def mu_start(k: Any, delta: Any) -> Any:
    """Return μ roughly, to 26 bits, for ε = k ≤ 1000 and δ ≤ 1/2.

    The coordinates are ω = ε + δ′ and X = 1 + log₂(ω/δ′), δ′ = δ/(1 + ε/2): for small ε and δ
    the answer depends on their ratio alone. The table holds μ/ω.
    """
    # Scaled, lest the smallest δ underflow here or its reciprocal overflow there.
    small = (delta * 2.0**100) / (1.0 + 0.5 * k)
    omega = k + small * 2.0**-100
    mantissa, exponent = np.frexp(omega / small)
    mantissa = mantissa + mantissa
    c, log = row(_LOG, integer(mantissa * 128.0) - 128)
    gap = (mantissa - c) / c
    # 1e-6 keeps X above 1 where ω = δ′ and rounding errors go down.
    x = (exponent + 100.000001) + (log + gap * (1.0 - 0.5 * gap)) * PER_LN2
    x, octave = np.frexp(x)
    part = integer(x * 8.0)
    u = (x + x) - (part * 0.25 + 0.125)
    i = 4 * octave + part - 8
    w, octave = np.frexp(omega)
    part = integer(w * 4.0)
    z = (w + w) - (part * 0.5 + 0.25)
    j = np.maximum(2 * octave + part + 11, 0)
    c0, c1, c2, c3, d0, d1, d2, e0, e1, f0 = row(_START, i * _COLUMNS + j)
    ratio = (c0 + z * (c1 + z * (c2 + z * c3))) + u * (
        (d0 + z * (d1 + z * d2)) + u * ((e0 + z * e1) + u * f0)
    )
    return split(omega * ratio)


def quantile_start(tail: Any) -> Any:
    """Return y with Φ(−y) = tail roughly, for tail ≤ 1/2 (Abramowitz and Stegun 26.2.23)."""
    s = np.sqrt(-2.0 * logarithm(tail)[0])
    top = 2.515517 + s * (0.802853 + s * 0.010328)
    return s - top / (1.0 + s * (1.432788 + s * (0.189269 + s * 0.001308)))
