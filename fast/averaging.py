"""What the divisor of a noisy sum tells, in float64 (X.AVG.SCALE).

Scalars or arrays that broadcast. Under the first law w = |x|²/2s² is a Gamma(k) variable, k = D/2,
and the loss is ε ± B(w − w*): δ(ε) = E(1 − e^{−B|w−w*|}) over one side of w*, by Gauss and
Legendre's rule over v = √w, whose density is about as wide as 1 for every k. Nothing cancels: the
density's logarithm is computed from v − √k. The place w* is moved to its safe side by its rounding.
A result is never below the exact one; above it by at most 2^-30 of it, and by what a change of w*
by 2^-49·k makes, where δ is above 1e-290.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from scipy import special
from scipy.optimize import brentq

from dporacle.fast._broadcast import Array, give, witness

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)
_PANELS = 24  # of at most two thirds of the density's width
_LAYERS = 2.0 ** np.arange(-30, 1)  # of the first panel, where the other factor may turn soon
_REACH = 7.0  # in v: e^{−2·7²} is below 2^-141
_ABOVE = 1 + 2.0**-32  # the exponent's rounding, a few hundred times 2^-53, the rule, and the rest
_ROUNDED = 2.0**-49  # of k and of w*: the logarithm, a product, a sum and a quotient
_FEW = 50.0  # k up to which the density's logarithm needs no care
_SERIES = 0.25  # |u| up to which u − ln(1 + u) is its series, of so many terms
_TERMS = 40  # 0.25^41 is 2^-82: far below the rounding of the first term


def _log_density(v: Array, shift: Array, k: float) -> Array:
    """Return ln of the density 2v^{2k−1}e^{−v²}/Γ(k) of v = √k + shift."""
    if k < _FEW:
        return (2 * k - 1) * np.log(v) - v * v + np.log(2) - special.gammaln(k)
    u = shift / np.sqrt(k)
    near = np.where(np.abs(u) < _SERIES, u, 0.0)
    bend = np.zeros_like(near)
    for n in range(_TERMS, -1, -1):
        bend = 1 / (n + 2) - near * bend
    bend = np.where(np.abs(u) < _SERIES, bend, (u - np.log1p(u)) / np.where(u == 0, 1.0, u * u))
    stirling = (1 / 12 - (1 / 360 - 1 / (1260 * k * k)) / (k * k)) / k
    square = shift * shift
    constant = np.log(2) / 2 - np.log(np.pi) / 2 - stirling
    return constant - square - 2 * square * bend - np.log1p(u)


def _delta(epsilon: float, divisor: float, other: float, coordinates: float) -> float:
    """Return δ(ε), not below it."""
    if divisor == other:
        return 0.0
    k, narrow = coordinates / 2, divisor > other
    large, small = max(divisor, other), min(divisor, other)
    # The difference is exact where they are near; where they are far apart the quotient overflows.
    near = large <= 2 * small
    log_ratio = np.log1p((large - small) / small) if near else np.log(large) - np.log(small)
    level = coordinates * log_ratio
    slope = -np.expm1(-2 * log_ratio) if narrow else np.expm1(2 * log_ratio)
    w = (level - epsilon) / slope if narrow else (level + epsilon) / slope
    if w == np.inf:  # of a wide law alone: δ at so large an ε is below all floats
        return 5e-324
    slack = _ROUNDED * (abs(level) + epsilon) / slope * 4
    w = w + slack if narrow else max(w - slack, 0.0)
    if w <= 0:
        return 0.0 if narrow else 1.0
    edge, middle = np.sqrt(w), np.sqrt(k)
    mode = np.sqrt(max(k - 0.5, 0.0))
    # Farther than the reach from the mode there is nothing, on either side.
    if narrow:
        least = max(0.0, edge - mode - _REACH)
        most = edge - max(0.0, min(edge, mode) - _REACH)
    else:
        least, most = max(0.0, mode - edge - _REACH), max(edge, mode) + _REACH - edge
    panel = (most - least) / _PANELS
    ends = np.concatenate([[0.0], _LAYERS * panel, np.arange(2, _PANELS + 1) * panel]) + least
    width = np.diff(ends)[:, None]
    t = ends[:-1, None] + (1 + _NODES) / 2 * width
    sign = -1.0 if narrow else 1.0
    gap = t * (2 * edge + sign * t)
    # √w* − √k without the roots' rounding, which large k would show.
    shift = (w - k) / (edge + middle) + sign * t
    heights = np.exp(_log_density(edge + sign * t, shift, k)) * -np.expm1(-slope * gap)
    total = float((heights * _WEIGHTS * width / 2).sum())
    return min(1.0, max(float(np.nextafter(total * _ABOVE, 1.0)), 5e-324))


def _epsilon(delta: float, divisor: float, other: float, coordinates: float) -> float:
    """Return the smallest ε ≥ 0 with δ(ε) ≤ δ, not below it: one at which that is sure."""

    def miss(epsilon: float) -> float:
        return float(np.log(_delta(epsilon, divisor, other, coordinates) or 5e-324) - target)

    target = float(np.log(delta))
    if divisor == other or miss(0.0) <= 0:
        return 0.0
    high = 1.0
    while miss(high) > 0:
        high *= 2
        if high == np.inf:
            return high
    root = float(brentq(miss, 0.0 if high == 1.0 else high / 2, high, xtol=1e-300, rtol=1e-15))
    step = np.spacing(root)
    while root < np.inf and miss(root) > 0:
        root, step = root + step, 2 * step
    return root


_each = functools.partial(np.vectorize, otypes=[float])


@witness
def divisor_delta(
    *, epsilon: Array, divisor: Array, other_divisor: Array, coordinates: Array
) -> Any:
    """Return δ(ε) of N(0, (σ/b)²I) against N(0, (σ/b')²I), not below it (X.AVG.SCALE)."""
    return give(_each(_delta)(epsilon, divisor, other_divisor, coordinates))


@witness
def divisor_epsilon(
    *, delta: Array, divisor: Array, other_divisor: Array, coordinates: Array
) -> Any:
    """Return the smallest ε ≥ 0 with δ(ε) ≤ δ, not below it (X.AVG.SCALE)."""
    return give(_each(_epsilon)(delta, divisor, other_divisor, coordinates))
