"""Selections that are made again and again, in float64: ends from above (X.ADAPTIVE, X.FLIPS).

Of n exponential mechanisms that may see earlier answers, by a game on a grid through ε = 0 that no
other witness has: its error is that of the grid. Of n permute-and-flips it is that of n Laplace
releases: δ is at most 2^-39 of itself above, and ε where such a δ passes.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from dporacle.fast._broadcast import Array, above, give, witness
from dporacle.fast.laplace import shortfall
from dporacle.fast.laplace_composition import laplace_repeated_delta

_GRID = 1500  # so many points to all ranges together
_FEWEST, _MOST = 12, 60  # and to one of them
_UP = 1 + 2.0**-44  # more than the rounding of one stage: a dozen operations, and their weights'
_LEAST = 1e-300  # more than is lost where float64 runs out of exponents
_SMALL = 200  # binary digits of 1/η from which on all is multiplied by a power of two
_HALVED = 80
_WIDE = 300.0


@witness
def exponential_mechanism_adaptive_delta(
    *, epsilon: Array, selection_epsilon: Array, releases: Array
) -> Any:
    """Return an upper end of δ(ε) of n exponential mechanisms that may see earlier answers.

    By a game on a grid (X.ADAPTIVE).
    """
    return give(_values(epsilon, selection_epsilon, releases))


@witness
def exponential_mechanism_adaptive_epsilon(
    *, delta: Array, selection_epsilon: Array, releases: Array
) -> Any:
    """Return an upper end of the least ε ≥ 0 of such exponential mechanisms (X.ADAPTIVE)."""
    return give(_places(delta, selection_epsilon, releases))


@witness
def permute_and_flip_repeated_delta(
    *, epsilon: Array, selection_epsilon: Array, releases: Array
) -> Any:
    """Return an upper end of δ(ε) of n permute-and-flips: that of n Laplace releases (X.FLIPS)."""
    return laplace_repeated_delta(
        epsilon=epsilon,
        scale=1.0,
        releases=np.asarray(releases).astype(int),
        sensitivity=selection_epsilon,
    )


@witness
def permute_and_flip_repeated_epsilon(
    *, delta: Array, selection_epsilon: Array, releases: Array
) -> Any:
    """Return an upper end of the least ε ≥ 0 of n permute-and-flips (X.FLIPS)."""
    return give(_flipped(delta, selection_epsilon, releases))


def _flip_root(delta: float, eta: float, releases: float) -> float:
    """Return the least float found, by halves, at which the upper δ is at most δ."""
    low, high = 0.0, float(np.nextafter(releases * eta, np.inf))
    if math.isinf(high):
        return high

    def is_enough(epsilon: float) -> bool:
        found = laplace_repeated_delta(
            epsilon=epsilon, scale=1.0, releases=int(releases), sensitivity=eta
        )
        return bool(found <= delta)

    if is_enough(low):
        return low
    for _ in range(_HALVED):
        middle = low + (high - low) / 2
        if not low < middle < high or high - low <= 2.0**-50 * high:
            break
        if is_enough(middle):
            high = middle
        else:
            low = middle
    return high


_flipped = np.vectorize(_flip_root, otypes=[float])


@functools.lru_cache(maxsize=64)
def _table(eta: float, n: int) -> tuple[float, Array]:
    """Return η/h and what V_n is not above at jh, j from −2n/h to where it is 0, as in `_stage`.

    The values are joined by chords in e^ε, V_n being convex in it.
    """
    steps = min(max(_GRID // n, _FEWEST), _MOST)
    h = eta / steps
    size = n * steps
    values: Array = np.maximum(-np.expm1(h * np.arange(-size, size + 1)), 0.0)
    for _ in range(n):
        values = _stage(values, steps, eta)
    return h, values[size:]


def _stage(values: Array, steps: int, eta: float) -> Array:
    """Return what the value of one more selection is not above, of the values of what follows.

    A choice t = ih has the value p·V(x−t) + (1−p)·V(x−t+η), p = (1 − e^{t−η})/(1 − e^{−η}). Between
    two of them, y = e^{−t}, it is f(y) = α + βy + κ/y, whose chord it is above by 4u(1−u) times
    `arch` at most, and only where κ < 0.
    """
    h, size = eta / steps, (len(values) - 1) // 2
    left = -np.expm1(h * np.arange(-size - steps, -size))
    padded = np.concatenate([left, values, np.zeros(steps)])
    t = h * np.arange(steps + 1)
    whole = -math.expm1(-eta)
    first, second = -np.expm1(t - eta) / whole, np.exp(t - eta) * -np.expm1(-t) / whole
    second[-1] = 1.0
    per_step = -1 / math.expm1(-h)
    arches = np.exp(t - eta) / whole * math.expm1(min(h, _WIDE)) ** 2 / 4
    best = np.zeros(2 * size + 1)

    def at(shift: int) -> Array:
        return padded[steps - shift : steps - shift + 2 * size + 1]

    here, far = at(0), at(-steps)
    end = first[0] * here + second[0] * far
    for i in range(steps):
        there, farther = at(i + 1), at(i + 1 - steps)
        following = first[i + 1] * there + second[i + 1] * farther
        # How much V falls from x − t − h to x − t, over that from x − t − h + η on, at y = 0.
        bend = (here - far) + ((there - farther) - (here - far)) * per_step
        bend += 2.0**-48 * per_step * (here + there)
        arch = arches[i] * np.maximum(bend, 0.0) * (1 + 2.0**-40)
        apart = np.abs(end - following) * (1 - 2.0**-30)
        inside = np.maximum(4 * arch - apart, 0.0) ** 2 / (16 * np.maximum(arch, 1e-300))
        inside = inside if h < _WIDE else 1.0  # nothing is said of so wide cells
        best = np.maximum(best, np.maximum(end, following) + inside * (1 + 2.0**-40))
        here, far, end = there, farther, following
    return np.minimum(best * _UP + _LEAST, 1.0)


def _scaled(eta: float) -> int:
    """Return the power of two by which a tiny η is multiplied: δ is linear there."""
    return max(0, -_SMALL - math.frexp(eta)[1])


def _value(epsilon: float, eta: float, releases: float) -> float:
    n, shift = int(releases), _scaled(eta)
    one, far = math.ldexp(eta, shift), math.ldexp(epsilon, shift)
    gap = float(shortfall(np.float64(far), np.float64(1.0), np.float64(one), np.float64(n)))
    if gap <= 0:
        return 0.0
    if gap <= one * (1 - 2.0**-40):  # all of the larger loss, or nothing
        return min(math.ldexp(math.exp(min(_logarithm(gap, one, n), 0.0)), -shift), 1.0)
    h, values = _table(one, n)
    place = min(int(far / h), len(values) - 1)
    if place * h > far:
        place -= 1
    low = float(values[place])
    high = float(values[place + 1]) if place + 1 < len(values) else 0.0
    part = max(far - place * h * (1 + 2.0**-50), 0.0)
    share = math.exp(min(part - h, 0.0)) * math.expm1(-part) / math.expm1(-h)
    found = low - (low - high) * max(0.0, min(share * (1 - 2.0**-40), 1.0))
    return min(float(above(math.ldexp(found, -shift), 2.0**6)), 1.0)


def _logarithm(gap: float, eta: float, n: int) -> float:
    """Return (n+1) ln(1 − e^{−gap/(n+1)}) − n ln(1 − e^{−η}), not below it: each of 2^-45."""
    logs = (n + 1) * math.log(-math.expm1(-gap / (n + 1))), -n * math.log(-math.expm1(-eta))
    return sum(logs) + 2.0**-45 * (n + 1 + sum(map(abs, logs)))


_values = np.vectorize(_value, otypes=[float])


def _place(delta: float, eta: float, releases: float) -> float:
    n, shift = int(releases), _scaled(eta)
    most = float(np.nextafter(releases * eta, np.inf))
    if math.isinf(most):
        return most
    one, goal = math.ldexp(eta, shift), math.ldexp(delta, shift)
    if math.log(goal) < _logarithm(one, one, n) - 2.0**-30:
        # There the δ of all of the larger loss passes the one asked for.
        part = (math.log(goal) + n * math.log(-math.expm1(-one))) / (n + 1)
        gap = -(n + 1) * math.log1p(-math.exp(part))
        slip = 2.0**-44 * (n * one + gap * (2 + abs(part)))
        return min(math.ldexp(n * one - gap + slip, -shift), most)
    h, values = _table(one, n)
    enough = np.flatnonzero(values <= goal)
    if not len(enough):
        return most
    place = int(enough[0])
    if not place:
        return 0.0
    low, high = float(values[place - 1]), float(values[place])
    share = min((low - goal) / (low - high) * (1 + 2.0**-40), 1.0)
    found = (place - 1) * h + (math.log1p(share * math.expm1(h)) if h < _WIDE else h)
    return min(float(above(math.ldexp(found, -shift), 2.0**10)), most)


_places = np.vectorize(_place, otypes=[float])
