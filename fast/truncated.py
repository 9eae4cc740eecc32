"""Poisson batches of which at most B records are kept, in float64: the upper end of δ (X.BAT.CAP).

One batch is a list of normal tails. Of more, the loss of one is put on a lattice by connecting the
dots: its δ is right at each point, and the chord of e^ε in between, which is above it; a product of
laws that dominate dominates. A Fourier transform makes the product, on a window that Chernoff's
bound says is wide enough. Its rounding and what is beyond the window are added to δ, which is an
upper bound of the upper end for that. Chances and tails are right but for a share: where both laws
are wrong by a share η, δ is by (1 + η), and ε by 2η.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from dporacle.fast._broadcast import Array, each_of, witness
from dporacle.fast._lattice import LatticeLaw, Losses, product, tilt_for, tilt_of, window
from dporacle.fast.audit_statistics import binomial_around
from dporacle.fast.drawn_batches import fixed_size_delta, fixed_size_epsilon
from dporacle.fast.subsampled.losses import FloatPhase, largest
from dporacle.fast.subsampled_gaussian import subsampled_delta, subsampled_epsilon
from dporacle.interface import Direction, orders_of

_ULP = 2.0**-53
_CLOSE = 1e-11  # of two chances of 2^-38 each, and of a sum of tails, which some roundings change
_BALL = 2.0**-28  # the radius of a ball between two ends is rounded up to 30 bits
_CELLS = 40.0  # of the lattice, in a standard deviation of the loss of a step
_MOST_CELLS = 1 << 15  # of a step's loss: a coarser lattice is an upper bound too
_MOST_POINTS = 1 << 21  # of the product
_ENDS = 9.5  # standard deviations of the noise
_MOST_EPSILON = 300
_NEAR = 1e-12  # of an ε


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
    given = epsilon, sigma, rate, records, cap, steps
    return each_of(functools.partial(_delta, direction), given)


@witness
def truncated_epsilon(
    *,
    delta: Array,
    sigma: Array,
    rate: Array,
    records: Array,
    cap: Array,
    steps: Array,
    direction: Direction,
) -> Any:
    """Return an upper end of the least ε ≥ 0 of T truncated Poisson batches (X.BAT.CAP).

    Raises:
        ArithmeticError: if δ is hardly above the rounding of a sum, as below 10^-9 of many steps.
    """
    given = delta, sigma, rate, records, cap, steps
    return each_of(functools.partial(_epsilon, direction), given)


def _known(rate: float, records: float, cap: float) -> tuple[Any, Any, float] | None:
    """Return δ and ε of a scheme that the batches are, and its rate: where all or none are cut."""
    if cap >= records:
        return subsampled_delta, subsampled_epsilon, rate
    if rate == 1:
        return fixed_size_delta, fixed_size_epsilon, math.nextafter(cap / records, 1.0)
    return None


def _epsilon(
    direction: Direction,
    delta: float,
    sigma: float,
    rate: float,
    records: float,
    cap: float,
    steps: float,
) -> float:
    if known := _known(rate, records, cap):
        _, least, share = known
        found = least(delta=delta, sigma=sigma, rate=share, steps=int(steps), direction=direction)
        return float(found)
    step = _Step(sigma, rate, records, cap)
    return max(_epsilon_of_one_way(delta, step, steps, way) for way in orders_of(direction))


def _epsilon_of_one_way(delta: float, step: _Step, steps: float, way: str) -> float:
    law = _near_delta(step, int(steps), way, delta) if steps > 1 else None

    def excess(epsilon: float) -> float:
        value = _of_one_way(epsilon, step, steps, way, law)
        return math.log(value / delta) if value > 0 else -math.inf

    if excess(0.0) <= 0:
        return 0.0
    low, high = 0.0, 1.0
    while excess(high) > 0:
        low, high = high, 2 * high
        if high > _MOST_EPSILON:
            raise ArithmeticError(f"no epsilon up to {low} has so small a delta in float64")
    # Beyond the largest loss of a record that is added δ is 0, where it has no logarithm.
    found = float(
        brentq(lambda at: max(excess(at), -1.0), low, high, xtol=_NEAR * high, rtol=1e-14)
    )
    return found + 2 * _NEAR * high if excess(found + 2 * _NEAR * high) <= 0 else high


def _delta(
    direction: Direction,
    epsilon: float,
    sigma: float,
    rate: float,
    records: float,
    cap: float,
    steps: float,
) -> float:
    if known := _known(rate, records, cap):
        curve, _, share = known
        return float(
            curve(epsilon=epsilon, sigma=sigma, rate=share, steps=int(steps), direction=direction)
        )
    if epsilon > _MOST_EPSILON:
        raise ArithmeticError(f"epsilon must be at most {_MOST_EPSILON} in float64")
    ways = orders_of(direction)
    return max(_of_one_way(epsilon, _Step(sigma, rate, records, cap), steps, way) for way in ways)


def _of_one_way(
    epsilon: float, step: _Step, steps: float, way: str, law: LatticeLaw | None = None
) -> float:
    """Return δ(ε), of a law of all steps that is known, or that is made for this ε."""
    near, rest = largest([FloatPhase(step.sigma, step.rate, steps)])
    if way == "add" and (near - epsilon) + rest <= 0:
        return 0.0
    if steps > 1:
        law = law or _near_epsilon(step, int(steps), way, epsilon)
        return min(1.0, law.delta(epsilon))
    a = np.array([math.exp(epsilon if way == "remove" else -epsilon)])
    puts, calls = step.curves(a)
    value = float(calls[0]) if way == "remove" else math.exp(epsilon) * float(puts[0])
    return min(1.0, value * (1 + _BALL + step.close) + 8 * _ULP * math.exp(epsilon))


@dataclass(frozen=True)
class _Step:
    """A step: σ, q, n and B."""

    sigma: float
    rate: float
    records: float
    cap: float

    @property
    def close(self) -> float:
        """Return the share by which a weight may be wrong: τ − κ ≥ (1 − q)τ loses the most."""
        return _CLOSE / (1 - self.rate)

    @functools.cached_property
    def laws(self) -> list[list[tuple[tuple[int, float, float], ...]]]:
        """Return the labels, each with its laws: (m, weight under p, under p') of N(m, σ²).

        Of two laws of a label the one of the larger curve counts.
        """
        q, n, cap = self.rate, int(self.records), int(self.cap)
        few, following, many = binomial_around(cap - 1, n - 1, q)
        _, _, drawn = binomial_around(cap, n, q)
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


def _near_epsilon(step: _Step, steps: int, way: str, epsilon: float) -> LatticeLaw:
    """Return a law of the loss of T steps that dominates theirs, for about an ε."""
    width, _, law = _parts(step, steps, way)
    return _multiplied(step, steps, way, tilt_of([law], width, epsilon))


def _near_delta(step: _Step, steps: int, way: str, delta: float) -> LatticeLaw:
    """Return the same for about the ε of a δ."""
    width, _, law = _parts(step, steps, way)
    return _multiplied(step, steps, way, tilt_for([law], width, delta))


@functools.lru_cache(maxsize=8)
def _parts(step: _Step, steps: int, way: str) -> tuple[float, float, Losses]:
    """Return the width of the lattice, what is infinite in a step, and its law."""
    low, high = math.log1p(-step.rate), step.most
    width = (high - low) / 512
    law, _ = _one(step, width, way, steps)
    losses = law.at(width)
    mean = float((law.masses * losses).sum())
    spread = math.sqrt(max(float((law.masses * (losses - mean) ** 2).sum()), 0.0))
    width = max(spread / _CELLS, (high - low) / _MOST_CELLS)
    while True:
        law, lost = _one(step, width, way, steps)
        ends = window([law], width, 0.0)
        points = math.ceil((ends[1] - ends[0]) / width) + 2
        if points <= _MOST_POINTS:
            return width, lost, law
        width *= 1.01 * points / _MOST_POINTS


@functools.lru_cache(maxsize=8)
def _multiplied(step: _Step, steps: int, way: str, tilt: float) -> LatticeLaw:
    width, lost, law = _parts(step, steps, way)
    found = product([law], width, tilt, steps * lost, steps * step.close)
    # Both masses may be wrong by a share: a loss by two.
    return dataclasses.replace(found, losses=found.losses + 2 * steps * step.close)


def _one(step: _Step, width: float, way: str, steps: int) -> tuple[Losses, float]:
    """Return the law of one step, and what is infinite.

    R is 1 − q at least, so that no loss of a record that is added is infinite.
    """
    first = math.floor(math.log1p(-step.rate) / width) - 1
    indices = np.arange(first, math.ceil(step.most / width) + 2)
    a = np.exp(indices * width)
    puts, calls = step.curves(a)
    rising = np.maximum.accumulate(np.clip(np.diff(puts) / np.diff(a), 0.0, 1.0))
    falling = np.maximum.accumulate(np.clip(-np.diff(calls) / np.diff(a), 0.0, 1.0)[::-1])[::-1]
    below = np.diff(np.concatenate(([0.0], rising, [1.0])))
    above = -np.diff(np.concatenate(([1.0], falling, [0.0])))
    masses = np.where(indices <= 0, below, above)
    if way == "remove":
        return Losses(first, masses * a, steps), float(calls[-1])
    return Losses(-int(indices[-1]), masses[::-1], steps), float(puts[0]) / float(a[0])
