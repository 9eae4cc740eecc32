"""The privacy loss of one step as powers of the likelihood ratios w₊ and w₋.

With t standard normal, w_±(t) = 1 − q + q·e^{±t/σ − 1/2σ²} is the ratio of the density of a step
with the record (whose contribution is ±1) to that without it. The moment of a step is

    M(s) = E[w₊(t)^α · w₋(t)^β],

with (α, β) = (1 + s, 0) for remove, (−s, 0) for add and (1 + s, −s) for replace-one: each is
E[e^{sL}] of the privacy loss L under the first of the two distributions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dporacle.fast._broadcast import Array

__all__ = ["DIRECTIONS", "Cumulants", "Phase", "cumulants", "exponents", "odds", "shift"]

DIRECTIONS = ("add", "remove", "replace")

_LARGE = 600.0  # of ln of a ratio, beyond which 1 − q counts for nothing beside it
_REACH = 9.0  # standard deviations of normal noise beyond which e^{−t²/2} < 3e-18


class Phase(NamedTuple):
    """Steps with the same noise multiplier and sampling rate."""

    sigma: float
    rate: float
    steps: float


class Cumulants(NamedTuple):
    """ln K(c), and the mean, variance and third cumulant of the loss tilted by c."""

    log: float
    mean: float
    variance: float
    third: float


def exponents(s: Array, direction: str) -> tuple[Array, Array]:
    """Return (α, β)."""
    if direction == "remove":
        return 1 + s, 0 * s
    return (-s, 0 * s) if direction == "add" else (1 + s, -s)


def shift(direction: str) -> float:
    """Return how far apart the two Gaussians are when every record is in every batch."""
    return 2.0 if direction == "replace" else 1.0


def odds(phase: Phase) -> float:
    """Return the v₀ with e^{t/σ − v₀} = q·e^{t/σ − 1/2σ²}/(1 − q), the odds of being sampled."""
    return math.log1p(-phase.rate) - math.log(phase.rate) + 0.5 / phase.sigma**2


def log_ratio(phase: Phase, t: Array) -> Array:
    """Return ln w₊(t), for real t."""
    tau = t / phase.sigma - 0.5 / phase.sigma**2
    near = np.log1p(phase.rate * np.expm1(np.minimum(tau, _LARGE)))
    return np.where(tau < _LARGE, near, math.log(phase.rate) + tau)


def cumulants(
    c: float, phases: list[Phase], direction: str, edges: list[float] | None = None
) -> Cumulants:
    """Return what places and shapes the contour, and Chernoff's bounds.

    With edges, those of the runs in which no step of a phase has a t beyond its edge; ln K is then
    not below its value, as the mass of the last cell is counted whole.
    """
    alpha, beta = exponents(np.float64(c), direction)
    total = np.zeros(4)
    for phase, edge in zip(phases, edges or [math.inf] * len(phases), strict=True):
        if phase.rate == 1.0:
            square = shift(direction) ** 2 / phase.sigma**2
            total += phase.steps * square * np.array([c * (c + 1) / 2, c + 0.5, 1.0, 0.0])
            continue
        # The weight e^{−t²/2}w₊^α w₋^β has its saddles at t = (αρ₊ − βρ₋)/σ, ρ₊ ≤ q where t ≤ 0.
        right = max(float(alpha), 0.0) / phase.sigma - float(beta) / phase.sigma + _REACH
        right = min(right, edge)
        left = max(float(-alpha), 0.0) * phase.rate / phase.sigma + _REACH
        t = np.linspace(-left, right, 64 + int(min(6 * (left + right), 2e5)))
        plus = log_ratio(phase, t)
        minus = log_ratio(phase, -t) if direction == "replace" else np.zeros_like(t)
        weight = float(alpha) * plus + float(beta) * minus - t * t / 2
        top = float(np.max(weight))
        mass = np.exp(weight - top)
        share = mass / np.sum(mass)
        loss = (
            plus - minus if direction == "replace" else (plus if direction == "remove" else -plus)
        )
        mean = float(np.sum(share * loss))
        off = loss - mean
        log = top + math.log(float(np.sum(mass)) * float(t[1] - t[0]) / math.sqrt(2 * math.pi))
        total += phase.steps * np.array(
            [log, mean, float(np.sum(share * off**2)), float(np.sum(share * off**3))]
        )
    return Cumulants(*(float(each) for each in total))
