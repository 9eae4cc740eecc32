"""Noisy max with Gumbel noise in float64 (X.EXPMECH).

Scalars or arrays that broadcast. Every result is on the private side of the exact one, at most
16·2^-52 of it away, or next to it among the subnormal numbers; `exponential_mechanism_epsilon`, a
difference, by at most 2^-48·η, η = 2Δ/b. Of n repeated ones δ is at most 2^-38 of itself above, and
an ε 2^-34 of nη. Beyond the largest float64 a result is infinite.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from dporacle.fast._broadcast import Array, above, give, witness
from dporacle.fast.gaussian.rounding import LEAST
from dporacle.fast.laplace import shortfall

_ULPS = 8  # a dozen operations, each within 2^-53, and a few functions within 2^-52
_DEPTH = 24  # of the continued fraction, whose rest at z ≤ 16 is below 2^-60 then
_TERMS = 24  # of the series of sinh
_SMALL = 200  # binary digits of 1/η from which on 1 − e^{−η} is η


@witness
def exponential_mechanism_delta(*, epsilon: Array, scale: Array, sensitivity: Array) -> Any:
    """Return δ(ε) = (1 − e^{(ε−η)/2})²/(1 − e^{−η}), not below it (X.EXPMECH)."""
    d, p = np.frexp(sensitivity)
    b, r = np.frexp(scale)
    tiny = r - p > _SMALL
    # Where η is tiny it is (η − ε)²/4η, and both are multiplied by the same power of two.
    shift: Array = np.where(tiny, r - p, 0)
    moved: Array = np.where(tiny, d, sensitivity)
    width: Array = np.where(tiny, b, scale)
    gap = shortfall(np.ldexp(epsilon, shift), width, moved, times=2.0)
    eta = 2 * (moved / width)
    square = np.where(tiny, gap * (gap / eta) / 4, np.expm1(-gap / 2) ** 2 / -np.expm1(-eta))
    value = np.ldexp(square, -shift)
    return give(np.where(gap > 0, np.minimum(above(value, _ULPS), 1.0), 0.0))


@witness
def exponential_mechanism_epsilon(*, delta: Array, scale: Array, sensitivity: Array) -> Any:
    """Return the smallest ε ≥ 0 with (ε,δ)-DP, not below it (X.EXPMECH).

    It is max(0, η + 2 ln(1 − r)), r² = δ(1 − e^{−η}).
    """
    eta = 2 * (sensitivity / scale)
    lack = -np.expm1(-eta)
    root = np.sqrt(delta) * np.sqrt(lack)
    # Near r = 1 by 1 − r² = 1 − δ + δe^{−η}, of which nothing cancels.
    rest = ((1 - delta) + delta * np.exp(-eta)) / (1 + root)
    spent = -2 * np.where(root < 0.5, np.log1p(-root), np.log(rest))
    # Below 0 by more than its error, the difference is 0 for certain.
    value = (eta - spent) + (2.0**-49 * eta + 4 * LEAST)
    return give(np.where(value >= 0, np.nextafter(value, np.inf), 0.0))


@witness
def exponential_mechanism_zcdp_rho(*, scale: Array, sensitivity: Array) -> Any:
    """Return ρ = (h coth h − 1) + ln(sinh h/h), h = Δ/b, not below it (X.EXPMECH)."""
    h = sensitivity / scale
    near = np.minimum(h, 4.0)
    z = near * near
    fraction = np.full_like(z, 2.0 * _DEPTH + 1)
    for odd in range(2 * _DEPTH - 1, 1, -2):
        fraction = odd + z / fraction  # Lambert's fraction: h coth h − 1 = z/(3 + z/(5 + …))
    series = np.zeros_like(z)
    for k in range(_TERMS, 0, -1):
        series = (1.0 + series) * (z / (2 * k * (2 * k + 1)))
    close = z / fraction + np.log1p(series)
    fall = np.exp(-2 * h)
    far = 2 * h - (1 + np.log(h) + math.log(2)) + (2 * h * fall / (1 - fall) + np.log1p(-fall))
    value = np.where(h < 4, close, np.where(np.isinf(2 * h), np.inf, far))
    return above(value + np.where(z < 2.0**-1020, 2 * LEAST, 0.0), _ULPS)


@witness
def exponential_mechanism_repeated_delta(
    *, epsilon: Array, selection_epsilon: Array, releases: Array
) -> Any:
    """Return δ(ε) of n exponential mechanisms that see no earlier answer (X.SELECTIONS)."""
    return give(_several(epsilon, selection_epsilon, releases))


@witness
def exponential_mechanism_repeated_epsilon(
    *, delta: Array, selection_epsilon: Array, releases: Array
) -> Any:
    """Return the least ε ≥ 0 at which n such exponential mechanisms are (ε,δ)-DP (X.SELECTIONS)."""
    return give(_least(delta, selection_epsilon, releases))


_SLIP = 2.0**13  # so many 2^-52 are lost in sums of logarithms, each below 800 where it counts
_HALVED = 64
_LN2 = math.log(2.0)


def _profile(epsilon: float, eta: float, releases: float) -> float:
    """Return δ(ε), not below it."""
    total, shift = _logarithm(epsilon, eta, releases)
    if total == -math.inf:
        return 0.0
    value = math.ldexp(math.exp(min(total, 0.0)), -shift)
    return min(float(above(value, _SLIP)), 1.0)


def _logarithm(
    epsilon: float, eta: float, releases: float, *, lack: bool = False
) -> tuple[float, int]:
    """Return ln δ, or of 1 − δ, and the power of two by which δ is to be divided then.

    δ is the largest Σ_{j≤J} C(n,j) p^{n−j}(1−p)^j (1 − e^{−g−(J−j)η}), g = ((n−J)η − ε)/(n+1),
    p = (1 − e^{−g})/(1 − e^{−η}). A tiny η is multiplied by a power of two, and ε: δ is too, but
    for less than rounding. 1 − δ is a sum of positive terms too: what the other losses have, and
    e^{−g−(J−j)η} of these.
    """
    n = int(releases)
    shift = max(0, -_SMALL - math.frexp(eta)[1])
    one, far = math.ldexp(eta, shift), math.ldexp(epsilon, shift)
    left = np.arange(n, 0, -1.0)
    gaps = shortfall(np.float64(far), np.float64(1.0), np.float64(one), left)
    left = left[: int(np.sum(gaps > 0))]
    if not len(left):
        return (0.0 if lack else -math.inf), 0
    last = n - left
    with np.errstate(all="ignore"):  # what is infinite has an exponential that is 0
        gap = gaps[: len(left)] / (n + 1)
        top = far / (n + 1) + one * ((last + 1) / (n + 1))
        whole = np.expm1(-one)
        high = np.log(np.expm1(-gap) / whole)
        low = np.log(np.expm1(-top) / whole) - gap
        j = np.arange(n + 1 if lack else len(left))
        between = last[:, None] - j
        logs = _choices(n)[: len(j)] + np.where(j < n, (n - j) * high[:, None], 0.0)
        logs = logs + np.where(j > 0, j * low[:, None], 0.0)
        above_it = gap[:, None] + np.maximum(between, 0) * one
        if lack:
            logs = logs - np.where(between >= 0, above_it, 0.0)
        else:
            logs = logs + np.where(between >= 0, np.log(-np.expm1(-above_it)), -np.inf)
        tops = logs.max(axis=1)
        total = tops + np.log(np.exp(logs - tops[:, None]).sum(axis=1))
    return float(total.min() if lack else total.max()), shift


_several = np.vectorize(_profile, otypes=[float])


@functools.lru_cache(maxsize=256)
def _choices(n: int) -> Array:
    """Return ln C(n,j), j = 0, …, n."""
    return np.array([math.log(math.comb(n, j)) for j in range(n + 1)])


def _root(delta: float, eta: float, releases: float) -> float:
    """Return where the upper δ passes δ, by halves; above, it is below δ."""
    low, high = 0.0, float(np.nextafter(releases * eta, np.inf))
    if not delta or math.isinf(high):
        return high
    if delta == 1:
        return low

    slip = 1.5 * _SLIP * 2.0**-52  # of both logarithms

    def is_enough(epsilon: float) -> bool:
        if delta >= 0.5:
            return _logarithm(epsilon, eta, releases, lack=True)[0] - slip >= math.log1p(-delta)
        total, shift = _logarithm(epsilon, eta, releases)
        return total - shift * _LN2 + slip <= math.log(delta)

    if is_enough(low):
        return low
    for _ in range(_HALVED):
        middle = low + (high - low) / 2
        if not low < middle < high:
            break
        if is_enough(middle):
            high = middle
        else:
            low = middle
    return high


_least = np.vectorize(_root, otypes=[float])
