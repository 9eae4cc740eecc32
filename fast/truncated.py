"""Poisson batches of which at most B records are kept, in float64: the upper end of δ (X.BAT.CAP).

One batch is a list of normal tails. Of more, the loss of one is put on a lattice by connecting the
dots: its δ is right at each point, and the chord of e^ε in between, which is above it; a product of
laws that dominate dominates. A Fourier transform makes the product, on a window that Chernoff's
bound says is wide enough. Its rounding and what is beyond the window are added to δ, which is an
upper bound of the upper end for that.
"""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import bdtr, bdtrc, ndtr

from dporacle.fast._broadcast import Array, give, witness
from dporacle.fast._lattice import LatticeLaw
from dporacle.fast.drawn_batches import fixed_size_delta
from dporacle.fast.subsampled.losses import FloatPhase, largest
from dporacle.fast.subsampled_gaussian import subsampled_delta
from dporacle.interface import Direction

_ULP = 2.0**-53
_CLOSE = 1e-11  # of a chance, and of a sum of tails: some hundred roundings
_BALL = 2.0**-28  # the radius of a ball between two ends is rounded up to 30 bits
_CELLS = 40.0  # of the lattice, in a standard deviation of the loss of a step
_MOST_CELLS = 1 << 15  # of a step's loss: a coarser lattice is an upper bound too
_MOST_POINTS = 1 << 21  # of the product
_ENDS = 9.5  # standard deviations of the noise
_LOST = 41.0  # nats of what is beyond the window
_WAYS = {"add": ("add",), "remove": ("remove",), "both": ("remove", "add")}


@witness
def truncated_delta(
    *,
    epsilon: Array,
    sigma: Array,
    rate: Array,
    records: Array,
    cap: Array,
    steps: Array,
    direction: Direction,
) -> Any:
    """Return an upper end of δ(ε) of T truncated Poisson batches, not below it (X.BAT.CAP)."""
    arrays = np.broadcast_arrays(*map(np.asarray, (epsilon, sigma, rate, records, cap, steps)))
    found = [
        _delta(float(e), float(s), float(q), float(n), float(b), float(t), direction)
        for e, s, q, n, b, t in zip(*(array.flat for array in arrays), strict=True)
    ]
    return give(np.array(found).reshape(arrays[0].shape))


def _delta(
    epsilon: float,
    sigma: float,
    rate: float,
    records: float,
    cap: float,
    steps: float,
    direction: Direction,
) -> float:
    given: dict[str, Any] = {"epsilon": epsilon, "steps": int(steps), "direction": direction}
    if cap >= records:
        return float(subsampled_delta(sigma=sigma, rate=rate, **given))
    if rate == 1:
        share = math.nextafter(cap / records, 1.0)
        return float(fixed_size_delta(sigma=sigma, rate=share, **given))
    if epsilon > 300:
        raise ArithmeticError("epsilon must be at most 300 in float64")
    ways = _WAYS[direction]
    return max(_of_one_way(epsilon, _Step(sigma, rate, records, cap), steps, way) for way in ways)


def _of_one_way(epsilon: float, step: _Step, steps: float, way: str) -> float:
    near, rest = largest([FloatPhase(step.sigma, step.rate, steps)])
    if way == "add" and (near - epsilon) + rest <= 0:
        return 0.0
    if steps > 1:
        return min(1.0, _product(step, int(steps), way).delta(epsilon))
    a = np.array([math.exp(epsilon if way == "remove" else -epsilon)])
    puts, calls = step.curves(a)
    value = float(calls[0]) if way == "remove" else math.exp(epsilon) * float(puts[0])
    return min(1.0, value * (1 + _BALL) + 8 * _ULP * math.exp(epsilon))


@dataclass(frozen=True)
class _Step:
    """A step: σ, q, n and B."""

    sigma: float
    rate: float
    records: float
    cap: float

    @functools.cached_property
    def laws(self) -> list[list[tuple[tuple[int, float, float], ...]]]:
        """Return the labels, each with its laws: (m, weight under p, under p') of N(m, σ²).

        Of two laws of a label the one of the larger curve counts.
        """
        q, n, cap = self.rate, int(self.records), int(self.cap)
        few = float(bdtr(cap - 2, n - 1, q)) if cap > 1 else 0.0
        many, drawn = float(bdtrc(cap - 1, n - 1, q)), float(bdtrc(cap, n, q))
        odds = math.lgamma(n) - math.lgamma(cap) - math.lgamma(n - cap + 1)
        following = math.exp(odds + (cap - 1) * math.log(q) + (n - cap) * math.log1p(-q))
        kept = min(cap / n * drawn, q * many)
        rest, moved, none = many - kept, following * q + kept, following * (1 - q)
        return [
            [((0, few * (1 - q), few), (1, few * q, 0.0))],
            [
                ((-1, rest, many), (0, none, following), (1, moved, 0.0)),
                ((0, none, following), (1, rest + moved, many)),
            ],
        ]

    def curves(self, a: Array) -> tuple[Array, Array]:
        """Return E(a − R)₊ and E(R − a)₊ of the likelihood ratio R, without the record."""
        puts, calls = np.zeros(len(a)), np.zeros(len(a))
        for label in self.laws:
            found = [self._of(law, a) for law in label]
            puts += functools.reduce(np.maximum, (put for put, _ in found))
            calls += functools.reduce(np.maximum, (call for _, call in found))
        return puts, calls

    def _of(self, law: tuple[tuple[int, float, float], ...], a: Array) -> tuple[Array, Array]:
        """Return the same of one pair of laws: between the zeros of a polynomial in e^{x/σ²}."""
        s = self.sigma
        terms = {m: p - a * other for m, p, other in law}
        middle = terms[0] + 0.0
        front = math.exp(-0.5 / s**2)
        high = terms[1] * front
        low = terms[-1] * front if -1 in terms else np.zeros(len(a))
        inside = middle * middle - 4 * high * low
        far = -(middle + np.where(middle >= 0, 1, -1) * np.sqrt(np.maximum(inside, 0.0))) / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            zeros = np.array([far / high, low / far])
            zeros = np.where((inside > 0) & (zeros > 0), zeros, 0.0)
            places = np.sort(s * s * np.log(zeros), axis=0)
        ends = [np.full(len(a), -np.inf), *places, np.full(len(a), np.inf)]
        put, call = np.zeros(len(a)), np.zeros(len(a))
        for left, right in itertools.pairwise(ends):
            share = sum(
                (
                    weight
                    * np.where(
                        left > m,
                        ndtr((m - left) / s) - ndtr((m - right) / s),
                        ndtr((right - m) / s) - ndtr((left - m) / s),
                    )
                    for m, weight in terms.items()
                ),
                np.zeros(len(a)),
            )
            call += np.maximum(share, 0.0)
            put += np.maximum(-share, 0.0)
        return put, call

    @property
    def most(self) -> float:
        """Return a loss that is hardly passed."""
        x = 1 + _ENDS * self.sigma
        ratios = [1.0]
        for label in self.laws:
            for law in label:
                p, other = (
                    sum(
                        each[k] * math.exp(-((x - each[0]) ** 2 - x * x) / 2 / self.sigma**2)
                        for each in law
                    )
                    for k in (1, 2)
                )
                if other > 0:
                    ratios.append(p / other)
        return math.log(max(ratios))


@functools.lru_cache(maxsize=8)
def _product(step: _Step, steps: int, way: str) -> LatticeLaw:
    """Return a law of the loss of T steps that dominates theirs."""
    low, high = math.log1p(-step.rate), step.most
    _, losses, masses, _ = _one(step, (high - low) / 512, way)
    mean = float((masses * losses).sum())
    spread = math.sqrt(max(float((masses * (losses - mean) ** 2).sum()), 0.0))
    width = max(spread / _CELLS, (high - low) / _MOST_CELLS)
    while True:
        first, losses, masses, lost = _one(step, width, way)
        ends = _window(losses, masses, steps)
        points = math.ceil((ends[1] - ends[0]) / width) + 2
        if points <= _MOST_POINTS:
            break
        width *= 1.01 * points / _MOST_POINTS
    points = max(1 << (points - 1).bit_length(), 1 << (len(masses) - 1).bit_length())
    spectrum = np.fft.rfft(masses, points) ** steps
    total = np.fft.irfft(spectrum, points)
    start = math.floor(ends[0] / width)
    total = np.roll(total, -((start - first * steps) % points))
    # Each frequency is rounded as often as there are steps; the sum over all cells is of that size.
    rounding = 2 * _ULP * (steps + 4) * math.log2(points) * math.sqrt(points)
    rest = steps * lost + 2 * math.exp(-_LOST) + rounding
    return LatticeLaw((start + np.arange(points)) * width, np.maximum(total, 0.0), rest, _CLOSE)


def _window(losses: Array, masses: Array, steps: int) -> tuple[float, float]:
    """Return losses of all steps that are passed below and above with e^{−41} each (Chernoff)."""

    def bound(side: float) -> float:
        best = math.inf
        for c in np.geomspace(1e-3, 1e3, 61):
            powers = side * c * losses
            top = float(powers.max())
            log = top + math.log(float((masses * np.exp(powers - top)).sum()))
            best = min(best, (steps * log + _LOST) / c)
        return best

    return -bound(-1.0), bound(1.0)


def _one(step: _Step, width: float, way: str) -> tuple[int, Array, Array, float]:
    """Return the first index, losses and masses of one step, and what is infinite or rounded.

    R is 1 − q at least, so that no loss of a record that is added is infinite.
    """
    first = math.floor(math.log1p(-step.rate) / width) - 1
    indices = np.arange(first, math.ceil(step.most / width) + 2)
    a = np.exp(indices * width)
    puts, calls = step.curves(a)
    rising = np.maximum.accumulate(np.clip(np.diff(puts) / np.diff(a), 0.0, 1.0))
    falling = np.minimum.accumulate(np.clip(-np.diff(calls) / np.diff(a), 0.0, 1.0))
    below = np.diff(np.concatenate(([0.0], rising, [1.0])))
    above = -np.diff(np.concatenate(([1.0], falling, [0.0])))
    masses = np.where(indices <= 0, below, above)
    losses = indices * width
    if way == "remove":
        return first, losses, masses * a, float(calls[-1]) + _CLOSE
    return -int(indices[-1]), -losses[::-1], masses[::-1], float(puts[0]) / float(a[0]) + _CLOSE
