"""Equal (ε₀, δ₀) boxes, and reports by randomised response, in float64 (X.BOXES, X.REPORTS).

Scalars or arrays that broadcast. Every result is at least the exact one, and at most 2^-38 of it
above, or next to it among the subnormal numbers; an ε, a logarithm, is at most 2^-34 of kε₀ above.
"""

from __future__ import annotations

from fractions import Fraction
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


@witness
def box_composition_epsilon(
    *, delta: Array, box_epsilon: Array, box_delta: Array, releases: Array
) -> Any:
    """Return the least ε ≥ 0 at which k equal boxes together are (ε,δ)-DP (X.BOXES).

    Raises:
        ValueError: if δ is below 1 − (1−δ₀)^k, which is lost whatever ε is.
    """
    left = np.vectorize(_left, otypes=[float])(delta, box_delta, releases)
    return give(_least(left, box_epsilon, 2.0, releases))


@witness
def randomised_response_epsilon(
    *, delta: Array, report_epsilon: Array, kinds: Array, releases: Array
) -> Any:
    """Return the least ε ≥ 0 at which n reports on k values are (ε,δ)-DP (X.REPORTS)."""
    return give(_least(delta, report_epsilon, kinds, releases))


def _left(delta: float, leak: float, releases: float) -> float:
    """(δ−λ)/(1−λ), rounded down, exactly where the two are close."""
    if not leak:
        return delta
    kept = (1 - Fraction(leak)) ** int(releases)
    exact = Fraction(delta)
    if exact < 1 - kept:
        raise ValueError(f"delta must be at least 1 - (1 - box_delta)^releases, got {delta!r}")
    left = 1 - (1 - exact) / kept
    found = float(left)
    return found if Fraction(found) <= left else float(np.nextafter(found, 0.0))


_least = np.vectorize(lambda *given: _inverse(*given), otypes=[float])


def _inverse(delta: float, one: float, kinds: float, releases: float) -> float:
    """The largest ε at which the gains of the first losses are δ, each sum as its error allows.

    With D and B the sums of p(1 − e^{−g}) and of p·e^{−g} up to a loss g, e^ε = 1 + (D − δ)/B.
    """
    n = int(releases)
    if not one or delta == 1:
        return 0.0
    if not delta:
        return float(np.nextafter(n * one, np.inf))
    net = np.arange(n, 0, -1.0)
    parts, powers = _law(one, kinds, n, n)
    logs = np.log(parts) + powers * _LN2  # that of 0 is −∞
    losses = net * one
    slip = (_SHARE * n + _REST) * 2.0**-52 + 2.0**-41
    gains = np.cumsum(np.exp(logs) * -np.expm1(-losses))
    # e^{g} times the sum of p·e^{−g}, of which the last term is p.
    shrink, seconds, second = float(np.exp(-one)), [], 0.0
    for p in np.exp(logs).tolist():
        second = second * shrink + p
        seconds.append(second)
    rest = gains * (1 + slip) - delta * (1 - slip)
    known = (rest > 0) & (np.array(seconds) > 0)
    if not known.any():
        return 0.0
    share = rest[known] / (np.array(seconds)[known] * (1 - slip))
    far = losses[known]
    low = np.minimum(far, 30.0)
    near = np.log1p(share * np.exp(low))
    deep = far + np.log(share + np.exp(-np.minimum(far, 700.0)))
    found = float(np.max(np.where(far > 30, deep, near)))
    # No answer is above the largest loss.
    return min(found + n * one * 2.0**-49, float(np.nextafter(n * one, np.inf)))


_LN2 = float(np.log(2.0))


def _up(value: Array, releases: Array) -> Any:
    return above(value, _SHARE * releases + _REST)


_several = np.vectorize(lambda *given: _profile(*given), otypes=[float])


def _profile(epsilon: float, one: float, kinds: float, releases: float) -> float:
    """δ(ε) of n reports, Σ_j u_j (1 − e^{ε−(n−j)ε₀})/(1 + (k−1)x)ⁿ."""
    n = int(releases)
    net = np.arange(n, 0, -1.0)
    gaps = shortfall(np.float64(epsilon), np.float64(1.0), np.float64(one), net)
    gaps = gaps[: int(np.sum(gaps > 0))]
    if not len(gaps):
        return 0.0
    parts, powers = _law(one, kinds, n, len(gaps))
    gains, more = np.frexp(-np.expm1(-gaps))
    exponents = powers + more
    top = int(exponents[parts > 0].max())
    total = float(np.sum(np.ldexp(parts * gains, np.maximum(exponents - top, -2000))))
    return float(np.ldexp(total, top))


def _law(one: float, kinds: float, n: int, count: int) -> tuple[Array, Array]:
    """The masses of the losses nε₀, (n−1)ε₀, …, as fractions and their powers of two.

    Of (1 + (k−2)x z + x z²)ⁿ the coefficients are u_j = ((n−j+1)(k−2)x·u_{j−1} +
    (2n−j+2)x·u_{j−2})/j, in which every term is positive. Each term has its own power of two.
    """
    x = float(np.exp(-one))
    stay = (kinds - 2) * x
    size, shift = [], []
    before, now, moved = 0.0, 1.0, 0
    for j in range(1, count + 1):
        size.append(now)
        shift.append(moved)
        before, now = now, ((n - j + 1) * stay * now + (2 * n - j + 2) * x * before) / j
        if now > _LARGE:
            before, now, moved = before / _LARGE, now / _LARGE, moved + 400
    parts, powers = np.frexp(np.array(size))
    fraction, power = np.frexp(1 + (kinds - 1) * x)
    return parts * float(fraction) ** -n, powers.astype(int) + np.array(shift) - int(power) * n
