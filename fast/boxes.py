"""Equal (ε₀, δ₀) boxes, and reports by randomised response, in float64 (X.BOXES, X.REPORTS).

Scalars or arrays that broadcast. Every result is at least the exact one, and at most 2^-38 of it
above, or next to it among the subnormal numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dporacle.fast._broadcast import Array, above, give, witness
from dporacle.fast.laplace import shortfall

_SHARE = 6  # of each release: so many 2^-52 may be lost in its three products and its power
_REST = 16  # of what is done once, however many the releases
_LARGE = 2.0**400  # far below the largest float, and divided out without an error


@witness
def box_composition_delta(
    *, epsilon: Array, box_epsilon: Array, box_delta: Array, releases: Array
) -> Any:
    """Return the least δ(ε) of k equal (ε₀, δ₀) boxes together, not below it (X.BOXES)."""
    kept = releases * np.log1p(-box_delta)
    rest = _several(epsilon, box_epsilon, 2.0, releases)
    total = -np.expm1(kept) + np.exp(kept) * rest
    return give(np.where(total > 0, np.minimum(_up(total, releases), 1.0), 0.0))


@witness
def randomised_response_delta(
    *, epsilon: Array, report_epsilon: Array, kinds: Array, releases: Array
) -> Any:
    """Return the least δ(ε) of n reports by randomised response, not below it (X.REPORTS)."""
    total = _several(epsilon, report_epsilon, kinds, releases)
    pure = ~(shortfall(epsilon, 1.0, report_epsilon, releases) > 0)
    return give(np.where(pure, 0.0, np.minimum(_up(total, releases), 1.0)))


def _up(value: Array, releases: Array) -> Any:
    return above(value, _SHARE * releases + _REST)


_several = np.vectorize(lambda *given: _profile(*given), otypes=[float])


def _profile(epsilon: float, one: float, kinds: float, releases: float) -> float:
    """δ(ε) of n reports, Σ_j u_j (1 − e^{ε−(n−j)ε₀})/(1 + (k−1)x)ⁿ.

    Of (1 + (k−2)x z + x z²)ⁿ the coefficients are u_j = ((n−j+1)(k−2)x·u_{j−1} +
    (2n−j+2)x·u_{j−2})/j, in which every term is positive. Each term has its own power of two.
    """
    n = int(releases)
    net = np.arange(n, 0, -1.0)
    gaps = shortfall(np.float64(epsilon), np.float64(1.0), np.float64(one), net)
    gaps = gaps[: int(np.sum(gaps > 0))]
    if not len(gaps):
        return 0.0
    x = float(np.exp(-one))
    stay = (kinds - 2) * x
    size, before, now, moved = [], 0.0, 1.0, 0
    shift = []
    for j in range(1, len(gaps) + 1):
        size.append(now)
        shift.append(moved)
        before, now = now, ((n - j + 1) * stay * now + (2 * n - j + 2) * x * before) / j
        if now > _LARGE:
            before, now, moved = before / _LARGE, now / _LARGE, moved + 400
    parts, powers = np.frexp(np.array(size))
    gains, more = np.frexp(-np.expm1(-gaps))
    exponents = powers.astype(int) + more + np.array(shift)
    top = int(exponents[parts > 0].max())
    total = float(np.sum(np.ldexp(parts * gains, np.maximum(exponents - top, -2000))))
    fraction, power = np.frexp(1 + (kinds - 1) * x)
    return float(np.ldexp(total * float(fraction) ** -n, top - int(power) * n))
