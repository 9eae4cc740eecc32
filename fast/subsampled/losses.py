"""The privacy loss of one step as powers of the likelihood ratios w₊ and w₋.

With t standard normal, w_±(t) = 1 − q + q·e^{±t/σ − 1/2σ²} is the ratio of the density of a step
with the record (whose contribution is ±1) to that without it. The moment of a step is

    M(s) = E[w₊(t)^α · w₋(t)^β],

with (α, β) = (1 + s, 0) for remove, (−s, 0) for add and (1 + s, −s) for replace-one: each is
E[e^{sL}] of the privacy loss L under the first of the two distributions.
"""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from dporacle.fast._broadcast import Array

DIRECTIONS = ("add", "remove", "replace")

_LARGE = 600.0  # of ln of a ratio, beyond which 1 − q counts for nothing beside it
_POINTS = 2e5  # of a sum
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
    change = phase.rate * np.expm1(np.minimum(tau, _LARGE))
    # 1 + change would cancel where q is near 1.
    small = math.log1p(-phase.rate) + np.logaddexp(0.0, t / phase.sigma - odds(phase))
    near = np.where(change < -0.5, small, np.log1p(np.maximum(change, -0.5)))
    return np.where(tau < _LARGE, near, math.log(phase.rate) + tau)


def largest(phases: list[Phase]) -> tuple[float, float]:
    """Return Λ = −ΣT·ln(1 − q) over the q < 1, as a float and what it lacks.

    It is the largest loss of the direction add. To 60 digits, so that ε − Λ is one next to it.
    """
    total = Fraction(0)
    with localcontext() as context:
        context.prec = 60
        for phase in phases:
            if phase.rate < 1:
                total -= int(phase.steps) * Fraction((1 - Decimal(phase.rate)).ln())
    near = float(total)
    return near, float(total - Fraction(near))


def first_saddle(c: float, phase: Phase) -> float:
    """Return the t ≤ 0 at which φ(t)·w₊(t)^−c is largest: t = −(c/σ)ρ(t), c ≥ 0."""
    v0, high = odds(phase), 0.0
    # ρ(t) ≤ q for t ≤ 0, and ρ(t) ≤ e^{t/σ − v₀}, which is at most σ/c from this −t ≥ 1 on.
    far = max(1.0, phase.sigma * (math.log(max(c, 1.0) / phase.sigma) - v0))
    low = -min(c * phase.rate / phase.sigma, far)
    for _ in range(60):
        t = (low + high) / 2
        chance = 1 / (1 + math.exp(min(v0 - t / phase.sigma, _LARGE)))
        if -t * phase.sigma > c * chance:
            low = t
        else:
            high = t
    return low


def cumulants(
    c: float, phases: list[Phase], direction: str, edges: list[float] | None = None
) -> Cumulants:
    """Return what places and shapes the contour, and Chernoff's bounds.

    In the direction add losses are told from their largest on, Λ of `largest`: next to it they are
    small differences. With edges, those of the runs in which no step of a phase has a t beyond its
    edge; ln K is then not below its value, as the mass of the last cell is counted whole. Where the
    points do not suffice it is infinite.
    """
    alpha, beta = (float(each) for each in exponents(np.float64(c), direction))
    total = np.zeros(4)
    for phase, edge in zip(phases, edges or [math.inf] * len(phases), strict=True):
        if phase.rate == 1.0:
            square = shift(direction) ** 2 / phase.sigma**2
            total += phase.steps * square * np.array([c * (c + 1) / 2, c + 0.5, 1.0, 0.0])
            continue
        # Poles and zeros of the powers of w₊ and w₋ are at Im t = πσ.
        step = min(1 / 6, phase.sigma / 4)
        if direction == "add":
            # The weight's logarithm is concave, with a second derivative below −1.
            peak = first_saddle(c, phase)
            step = min(step, 1 / (6 * math.sqrt(1 - peak / phase.sigma)))
            left, right = peak - _REACH, min(peak + _REACH, edge)
        else:
            # The weight e^{−t²/2}w₊^α w₋^β has its saddles at t = (αρ₊ − βρ₋)/σ.
            left, right = -_REACH, min((alpha - beta) / phase.sigma + _REACH, edge)
        count = (right - left) / step
        t = np.linspace(left, right, 64 + int(min(count, _POINTS)))
        if direction == "add":
            loss = -np.logaddexp(0.0, t / phase.sigma - odds(phase))
            weight = c * loss - t * t / 2
        else:
            plus = log_ratio(phase, t)
            minus = log_ratio(phase, -t) if direction == "replace" else np.zeros_like(t)
            loss = plus - minus
            weight = alpha * plus + beta * minus - t * t / 2
        top = float(np.max(weight))
        mass = np.exp(weight - top)
        share = mass / np.sum(mass)
        mean = float(np.sum(share * loss))
        off = loss - mean
        log = top + math.log(float(np.sum(mass)) * float(t[1] - t[0]) / math.sqrt(2 * math.pi))
        log = log if count < _POINTS else math.inf
        total += phase.steps * np.array(
            [log, mean, float(np.sum(share * off**2)), float(np.sum(share * off**3))]
        )
    return Cumulants(*(float(each) for each in total))
