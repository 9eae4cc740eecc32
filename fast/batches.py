"""Balls-and-bins batches, one epoch, in float64: T batches, a record in one of them (X.BAT.BINS).

Of k random batches it has the upper end (X.BAT.ALLOC), the product of k blocks, by connecting the
dots: each block's loss on a lattice, tilted so that what the Fourier transforms round is small
beside δ. Where rounding hides E(W − a)₊ that of one Y bounds it. At a δ below k·10^-14 or so, ε may
be that of k releases whose batches are known, far above the end.

With W the mean of T lognormal variables Y = e^{Z/σ − 1/2σ²} and a = e^ε, δ is E(W − a)₊ =
1 − a + E(a − W)₊ where the record is removed, E(1 − aW)₊ where it is added. E(a − W)₊ is inverted
from ℓ(z/T)^T/z², ℓ(z) = E e^{−zY}, on a hyperbola round the negative axis; 1 − ℓ is a sum over the
real line of Z, which is turned where z points to the left.

A bound of the error is added: the difference from the rule with half the points, and the rounding
of all that is added up. That a trapezoid rule errs by less than that difference is measured, not
proved. No answer is above that of one release at σ, which W, a mean, stays below (Jensen): it is
the answer where the bound is large, as for δ far below 10^-13·e^ε, and for σ outside [0.25, 50].
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from dporacle.fast._broadcast import Array, each_of, witness
from dporacle.fast._lattice import Losses, product, tilt_for, tilt_of
from dporacle.fast.analytic_gaussian import delta_at_epsilon, epsilon_at_delta
from dporacle.interface import Direction, orders_of

_ULP = 2.0**-52  # the spacing of float64 from 1 on
_LEAST_SIGMA, _MOST_SIGMA = 0.25, 50.0
_NATS = 38.0  # to which the coarser grids resolve
_ENDS = 9.5  # of Z
_MOST_NODES = 6000
_BLOCK = 64  # nodes that are summed at once, before the rest is looked at
_SMALL = 0.01  # ℓ below which 1 − ℓ has lost two digits
_FARTHEST = 40.0  # standard deviations by which Z is moved, at most
_STRIDE = 16  # of a first look at where to cross the axis
_LEAST = 5e-324  # the least float64: a δ that is not 0 is not rounded to 0
_CLOSE = 1e-12  # of ln δ
_CELLS = 40.0  # of the lattice of a block, in a standard deviation of its loss
_TOGETHER = 10  # points that one hyperbola serves


@witness
def balls_and_bins_delta(
    *, epsilon: Array, sigma: Array, batches: Array, direction: Direction
) -> Any:
    """Return δ(ε) of one epoch of T balls-and-bins batches, not below it (X.BAT.BINS)."""
    return _each(_delta, (epsilon, sigma, batches), direction)


@witness
def balls_and_bins_epsilon(
    *, delta: Array, sigma: Array, batches: Array, direction: Direction
) -> Any:
    """Return the least ε ≥ 0 of T balls-and-bins batches (one epoch), rounded up (X.BAT.BINS)."""
    return _each(_epsilon, (delta, sigma, batches), direction)


@witness
def random_allocation_delta(
    *, epsilon: Array, sigma: Array, batches: Array, participations: Array, direction: Direction
) -> Any:
    """Return an upper end of δ(ε) of k random batches of T, that of its blocks (X.BAT.ALLOC)."""
    _need_some(batches, participations)
    return _each(_allocated_delta, (epsilon, sigma, batches, participations), direction)


@witness
def random_allocation_epsilon(
    *, delta: Array, sigma: Array, batches: Array, participations: Array, direction: Direction
) -> Any:
    """Return an upper end of the least ε ≥ 0 of k random batches of T (X.BAT.ALLOC)."""
    _need_some(batches, participations)
    return _each(_allocated_epsilon, (delta, sigma, batches, participations), direction)


def _need_some(batches: Array, participations: Array) -> None:
    beyond = np.asarray(participations) > np.asarray(batches)
    if beyond.any():
        worst = np.broadcast_to(participations, beyond.shape)[beyond].flat[0]
        raise ValueError(f"participations must be at most batches, got {worst:g}")


def _allocated_delta(epsilon: float, sigma: float, batches: float, k: float, way: str) -> float:
    """Return δ(ε) of the blocks in one direction, not below it."""
    together = float(delta_at_epsilon(epsilon=epsilon, sigma=_together(sigma, k)))
    if k == batches or not _LEAST_SIGMA <= sigma <= _MOST_SIGMA or epsilon > 300:
        return together
    if k == 1:
        return _delta(epsilon, sigma, batches, way)
    width, parts, rest = _blocks(sigma, int(batches), int(k), way)
    law = product(parts, width, tilt_of(parts, width, epsilon), rest, _CLOSE)
    return min(together, max(law.delta(epsilon), _LEAST))


def _allocated_epsilon(delta: float, sigma: float, batches: float, k: float, way: str) -> float:
    """Return the least ε ≥ 0 of the blocks in one direction, not below it."""
    together = float(epsilon_at_delta(delta=delta, sigma=_together(sigma, k)))
    if k == batches or not _LEAST_SIGMA <= sigma <= _MOST_SIGMA or together == 0:
        return together
    if k == 1:
        return _epsilon(delta, sigma, batches, way)
    width, parts, rest = _blocks(sigma, int(batches), int(k), way)
    law = product(parts, width, tilt_for(parts, width, delta), rest, _CLOSE)
    if law.delta(0.0) <= delta:
        return 0.0
    if not law.delta(together) < delta:
        return together

    def excess(epsilon: float) -> float:
        return math.log(law.delta(epsilon)) - math.log(delta)

    found = float(brentq(excess, 0.0, together, xtol=_CLOSE * together, rtol=1e-14))
    return min(together, found * (1 + 4 * _CLOSE))


def _together(sigma: float, k: float) -> float:
    """Return at most the σ of one release that costs what k do."""
    return sigma / math.sqrt(k) * (1 - 4 * _ULP)


@functools.lru_cache(maxsize=8)
def _blocks(sigma: float, batches: int, k: int, way: str) -> tuple[float, list[Losses], float]:
    """Return the width of a lattice, laws on it that dominate k blocks, and what is infinite.

    Each block's δ is that of the lattice at its points, and the chord of e^ε in between, which is
    above it; a product of laws that dominate dominates.
    """
    size, larger = divmod(batches, k)
    s = 1 / sigma
    spreads = [math.sqrt(math.log1p(math.expm1(s * s) / each)) for each in (size, size + 1)]
    width = min(spreads) / _CELLS
    parts, rest = [], 0.0
    for each, count in ((size, k - larger), (size + 1, larger)):
        if count:
            first, masses, lost = _one_block(s, each, width, way)
            parts.append(Losses(first, masses, count))
            rest += count * lost
    return width, parts, rest


def _one_block(s: float, size: int, step: float, way: str) -> tuple[int, Array, float]:
    """Return the first index, the masses of one block's loss, and what is infinite or left out."""
    spread = math.sqrt(math.log1p(math.expm1(s * s) / size))
    # One of the Y is large, or all are a little.
    wide = 1.2 * _ENDS * spread + 0.1
    right = max(math.log1p(math.expm1(min(_ENDS * s + s * s / 2, 600.0)) / size), wide)
    left, right = min(_ENDS * s, wide), min(_ENDS * s + s * s, right)
    indices = np.arange(-math.ceil(left / step) - 1, math.ceil(right / step) + 2)
    a = np.exp(indices * step)
    if size == 1:
        put = ndtr(np.log(a) / s + s / 2) * a - ndtr(np.log(a) / s - s / 2)
        puts, errors = np.maximum(put, 0.0), 8 * _ULP * (1 + a)
    else:
        parts = [_puts(each, s, size) for each in np.array_split(a, math.ceil(len(a) / _TOGETHER))]
        puts, errors = (np.concatenate(each) for each in zip(*parts, strict=True))
    # (W − a)₊ is at most the mean of the (Y − a)₊, which is all that is known far out.
    mean = ndtr(s / 2 - np.log(a) / s) - a * ndtr(-s / 2 - np.log(a) / s)
    calls = np.minimum(np.maximum(puts + 1 - a, 0.0) + errors, mean * (1 + 1e-12))
    puts = puts + errors
    # W on the points, on 0 and infinite: what is bounded at the points, and convex. A slope that
    # rounding has changed is that of its neighbour, so that the curve is farther out.
    nothing = float(puts[0]) / a[0]
    rising = np.maximum.accumulate(np.clip(np.diff(puts) / np.diff(a), nothing, 1.0))
    falling = np.maximum.accumulate(np.clip(-np.diff(calls) / np.diff(a), 0.0, 1.0)[::-1])[::-1]
    below = np.diff(np.concatenate(([nothing], rising, [1.0])))
    above = -np.diff(np.concatenate(([1.0], falling, [0.0])))
    masses = np.where(indices <= 0, below, above)
    if way == "remove":
        return int(indices[0]), masses * a, float(calls[-1])
    return -int(indices[-1]), masses[::-1], nothing  # δ is E(1 − e^εW)₊: that W is 0


def _each(formula: Callable[..., float], given: tuple[Any, ...], direction: str) -> Any:
    ways = orders_of(direction)
    return each_of(lambda *each: max(formula(*each, way) for way in ways), given)


def _delta(epsilon: float, sigma: float, batches: float, way: str) -> float:
    """Return δ(ε) in one direction, not below it."""
    single = float(delta_at_epsilon(epsilon=epsilon, sigma=sigma))
    if batches == 1 or not _LEAST_SIGMA <= sigma <= _MOST_SIGMA or epsilon > 300:
        return single
    a = math.exp(epsilon)
    value, error = _put(a if way == "remove" else 1 / a, 1 / sigma, batches)
    if way == "remove":
        value, error = 1 - a + value, error + 8 * _ULP * a
    else:
        value, error = a * value, a * error + 8 * _ULP * a * value
    bound = value + 2 * error
    return min(single, max(bound, error, _LEAST)) if math.isfinite(bound) else single


def _epsilon(delta: float, sigma: float, batches: float, way: str) -> float:
    """Return the smallest ε ≥ 0 in one direction, not below it."""
    single = float(epsilon_at_delta(delta=delta, sigma=sigma))
    if batches == 1 or single == 0 or _delta(0.0, sigma, batches, way) <= delta:
        return single if batches == 1 else 0.0

    def excess(epsilon: float) -> float:
        return math.log(_delta(epsilon, sigma, batches, way)) - math.log(delta)

    # The bound of the error grows with ε: from where ε would be if the loss were normal.
    mu = math.sqrt(math.log1p(math.expm1(sigma**-2) / batches))
    high = min(single, mu * mu / 2 + mu * math.sqrt(-2 * math.log(delta)))
    while excess(high) >= 0:
        if high >= single:
            return single
        high = min(single, 1.3 * high)
    found = float(brentq(excess, 0.0, high, xtol=_CLOSE * high, rtol=1e-14))
    step = 2 * _CLOSE
    while _delta(found, sigma, batches, way) > delta and found < single:
        found, step = found * (1 + step), 2 * step
    return min(found, single)


def _put(a: float, s: float, batches: float) -> tuple[float, float]:
    """Return E(a − W)₊ and about how far off it may be."""
    value, error = _puts(np.array([a]), s, batches)
    return float(value[0]), float(error[0])


def _puts(a: Array, s: float, batches: float) -> tuple[Array, Array]:
    """Return the same at several a that are near each other, on one hyperbola."""
    ends = batches * a
    bend, margin = min(0.6, 1.2 * s), min(0.8, 1.2 * s)
    crossing = _crossing(s, batches, float(ends[len(a) // 2]))
    scale = crossing / (1 - math.sin(bend))
    step = math.pi * 0.9 * bend / _NATS
    parts: list[tuple[Array, Array]] = []
    largest = 0.0
    while True:  # until what is left out is as small as the rounding
        count = _BLOCK * len(parts)
        if count > _MOST_NODES:
            return np.full(len(a), math.nan), np.full(len(a), math.nan)
        angle = -bend + 1j * step * np.arange(count, count + _BLOCK)
        z = scale * (1 + np.sin(angle))
        log, sizes = _log_transform(z, s, margin)
        lost = np.isneginf(log.real)  # ℓ is rounded to 0: it is no larger than that rounding
        log, sizes = np.where(lost, math.log(_ULP), log), np.where(lost, 1 / _ULP, sizes)
        front = scale * np.cos(angle) / (z * z) * step / math.pi
        terms = np.exp(ends[:, None] * z + batches * log) * front
        parts.append((terms, 16 + 4 * abs(ends[:, None] * z) + 4 * batches * sizes))
        largest = max(largest, float(abs(terms).max()))
        if not float(abs(terms[:, -8:]).max()) > _ULP / 16 * largest:
            break
    terms, sizes = (np.concatenate(each, axis=1) for each in zip(*parts, strict=True))
    terms[:, 0] /= 2
    value = terms.real.sum(axis=1) / batches
    coarse = 2 * terms.real[:, ::2].sum(axis=1) / batches
    rounding = _ULP * (abs(terms) * sizes).sum(axis=1)
    return value, abs(value - coarse) + rounding / batches


def _log_transform(z: Array, s: float, margin: float) -> tuple[Array, Array]:
    """Return ln ℓ(z), and the sizes whose rounding it has."""
    step = min(0.125, math.pi * margin / (s * _NATS))
    # e^{−zY} moves the mass of Z by at most zs to the left.
    first = _ENDS + min(_FARTHEST, s * float(abs(z).max()))
    t = np.arange(-math.ceil(first / step), math.ceil(_ENDS / step) + 1) * step
    turn = np.maximum(0.0, np.angle(z) - (math.pi / 2 - margin))[:, None]
    scale = step / math.sqrt(2 * math.pi)
    weight = -t * t / 2 + 1j * turn * t / s + (turn / s) ** 2 / 2  # its logarithm
    losses = (z[:, None] * np.exp(-1j * turn)) * np.exp(s * t - s * s / 2)
    missing = scale * np.exp(weight) * -np.expm1(-losses)
    total = missing.sum(axis=1)
    small = abs(1 - total) < _SMALL  # there ℓ is summed itself
    with np.errstate(divide="ignore", invalid="ignore"):
        log, sizes = np.log1p(-total), abs(missing).sum(axis=1) / abs(1 - total)
    if small.any():
        inner = np.broadcast_to(weight, losses.shape)[small] - losses[small]
        top = inner.real.max(axis=1)
        terms = scale * np.exp(inner - top[:, None])
        whole = terms.sum(axis=1)
        log[small] = np.log(whole) + top
        sizes[small] = (abs(terms) * (1 + 2 * abs(losses[small]))).sum(axis=1) / abs(whole)
    return log, sizes


def _crossing(s: float, batches: float, end: float) -> float:
    """Return where the hyperbola crosses the axis: near the saddle point, or where S is wide."""
    wide = 3 * s * math.sqrt(batches) + max(0.0, end - batches)
    places = np.geomspace(1e-6 / (end + wide), 1e6 / end, 400)

    def lowest(some: Array) -> Any:
        heights = some * end + batches * _log_transform(some + 0j, s, min(0.8, 1.2 * s))[0].real
        return np.argmin(np.where(np.isfinite(heights), heights, np.inf))

    near = _STRIDE * int(lowest(places[::_STRIDE]))  # the heights are convex
    some = places[max(near - _STRIDE, 0) : near + _STRIDE + 1]
    return max(float(some[lowest(some)]), 4 / wide)
