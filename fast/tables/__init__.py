"""Tables of the float64 witness, as tools/make_fast_tables.py writes them.

A file holds the rows of a table one after the other, as little-endian float64 numbers.
"""

from __future__ import annotations

import pkgutil
import struct

__all__ = ["CONSTANTS", "EXP", "LOG", "MILLS", "SLOPE", "START"]

_WIDTHS = {"MILLS": 10, "SLOPE": 15, "EXP": 2, "LOG": 3, "START": 10, "CONSTANTS": 9}


def _rows(name: str) -> tuple[tuple[float, ...], ...]:
    numbers = pkgutil.get_data(__name__, f"{name.lower()}.f64")
    assert numbers is not None
    return tuple(struct.iter_unpack(f"<{_WIDTHS[name]}d", numbers))


MILLS, SLOPE = _rows("MILLS"), _rows("SLOPE")
"""The middle of each cell, the Mills ratio m(x) = Φ(−x)/φ(x) there, or −m′, as head and rest, and
the Taylor coefficients that follow."""

EXP = _rows("EXP")
"""Powers of two over √(2π), for φ: heads and rests."""

LOG = _rows("LOG")
"""A short number in each cell of [1, 2), and its logarithm as head and rest."""

START = _rows("START")
"""Where the solver starts: v/ω as cubics in the mantissas of two coordinates."""

CONSTANTS = _rows("CONSTANTS")
(
    (
        STEPS_PER_UNIT,
        STEP_HEAD,
        STEP_REST,
        LN2_HEAD,
        LN2_REST,
        LN_SQRT_2PI,
        LN_SQRT_2PI_REST,
        LN_1_25,
        LN_1_25_REST,
    ),
) = CONSTANTS
