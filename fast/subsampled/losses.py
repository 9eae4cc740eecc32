"""The privacy loss of one step as powers of the likelihood ratios w₊ and w₋.

With t standard normal, w_±(t) = 1 − q + q·e^{±t/σ − 1/2σ²} is the ratio of the density of a step
with the record (whose contribution is ±1) to that without it. Of a group, whose members that are
there contribute a share f_j of the largest sum with the chance q·r_j, it is 1 − q + q·e^{τ(±t)},
e^τ = Σ r_j·e^{f_j·t/σ − f_j²/2σ²}. The moment of a step is

    M(s) = E[w₊(t)^α · w₋(t)^β],

with (α, β) = (1 + s, 0) for remove, (−s, 0) for add and (1 + s, −s) for replace-one: each is
E[e^{sL}] of the privacy loss L under the first of the two distributions.
"""

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy.special import log1p as complex_log1p

from dporacle.fast._broadcast import Array

DIRECTIONS = ("add", "remove", "replace")

_LARGE = 600.0  # of ln of a ratio, beyond which 1 − q counts for nothing beside it
_POINTS = 2e5  # of a sum
_NEAR = 2.0**-20  # of a saddle, which only says where sums are taken
_REACH = 9.0  # standard deviations of normal noise beyond which e^{−t²/2} < 3e-18


class FloatPhase(NamedTuple):
    """Steps with the same noise multiplier and sampling rate.

    Of a group, σ is over the largest sum and the rate the chance that any member is there. Its
    shares are (f_j, ln r_j), f_j in ascending order. Where |Im t/σ| < 0.6π·strip, w has no zeros
    and turns by less than π from what its mean share says.
    """

    sigma: float
    rate: float
    steps: float
    shares: tuple[tuple[float, float], ...] = ()
    strip: float = 1.0

    @property
    def spread(self) -> float:
        """The largest sum of a group over its smallest."""
        return 1 / self.shares[0][0] if self.shares else 1.0


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


def log_odds(phase: FloatPhase) -> float:
    """Return ln((1 − q)/q), of being there."""
    return math.log1p(-phase.rate) - math.log(phase.rate)


@lru_cache(maxsize=512)
def odds(phase: FloatPhase) -> float:
    """Return the v₀ = t/σ at which being there is as likely as not: e^τ = (1 − q)/q."""
    if not phase.shares:
        return log_odds(phase) + 0.5 / phase.sigma**2
    return _crossing(lambda x: float(tilt(phase, np.float64(x))) - log_odds(phase))


@lru_cache(maxsize=512)
def last(phase: FloatPhase) -> float:
    """Return the t/σ from which on the largest sum is likelier than all others together."""
    if not phase.shares:
        return odds(phase)

    def excess(x: float) -> float:
        *terms, top = _terms(phase, x)
        return float(top - np.logaddexp.reduce(np.array(terms)))

    return _crossing(excess)


def _crossing(rising: Callable[[float], float]) -> float:
    """Return where a rising function of slope 1/64 and more passes 0, or nearly there."""
    high = 1.0
    while rising(high) < 0:
        high *= 2
    low = -1.0
    while rising(low) > 0:
        low *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return high


def _terms(phase: FloatPhase, x: Any) -> list[Any]:
    """Return the logarithms of the terms of w₊ at t/σ = x."""
    half, q = 0.5 / phase.sigma**2, math.log(phase.rate)
    shares = phase.shares or ((1.0, 0.0),)
    return [math.log1p(-phase.rate) + 0 * x, *(q + r + f * x - f * f * half for f, r in shares)]


def tilt(phase: FloatPhase, x: Array) -> Array:
    """Return τ at t/σ = x, real for real x; a group's in its strip, or right of the last zeros."""
    half = 0.5 / phase.sigma**2
    if not phase.shares:
        return x - half
    terms = np.array([r + f * x - f * f * half for f, r in phase.shares])
    if not np.iscomplexobj(terms):
        found: Array = np.logaddexp.reduce(terms)
        return found
    # Left of the last zeros it turns about as much as its mean term, right of them as its last.
    top = np.max(terms.real, axis=0)
    weights = np.exp(terms.real - top)
    whole = (weights * np.exp(1j * terms.imag)).sum(axis=0)
    sizes = np.array([f for f, _ in phase.shares]).reshape(-1, *([1] * np.ndim(x)))
    about = x.imag * (sizes * weights).sum(axis=0) / weights.sum(axis=0)
    turns = np.round((about - np.angle(whole)) / (2 * math.pi))
    low = top + np.log(whole) + 2j * math.pi * turns
    far = x.real > last(phase)
    rest = np.where(far, terms[:-1] - terms[-1], 0)
    high = terms[-1] + complex_log1p(np.exp(rest).sum(axis=0))
    return np.where(far, high, low)


def mean_share(phase: FloatPhase, x: Array) -> tuple[Array, Array]:
    """Return the mean contribution that a step which gave t/σ = x had, and its slope."""
    terms = np.array(_terms(phase, x))
    chances = np.exp(terms - np.max(terms, axis=0))
    chances = chances / chances.sum(axis=0)
    sizes = np.array([0.0, *(f for f, _ in phase.shares or ((1.0, 0.0),))])
    sizes = sizes.reshape(-1, *([1] * np.ndim(x)))
    mean = (sizes * chances).sum(axis=0)
    return mean, ((sizes - mean) ** 2 * chances).sum(axis=0)


def log_ratio(phase: FloatPhase, t: Array) -> Array:
    """Return ln w₊(t), for real t."""
    tau = tilt(phase, t / phase.sigma)
    if phase.rate == 1:
        return tau
    change = phase.rate * np.expm1(np.minimum(tau, _LARGE))
    # 1 + change would cancel where q is near 1.
    small = math.log1p(-phase.rate) + np.logaddexp(0.0, tau - log_odds(phase))
    near = np.where(change < -0.5, small, np.log1p(np.maximum(change, -0.5)))
    return np.where(tau < _LARGE, near, math.log(phase.rate) + tau)


def largest(phases: list[FloatPhase]) -> tuple[float, float]:
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


def first_saddle(c: float, phase: FloatPhase) -> float:
    """Return the t ≤ 0 at which φ(t)·w₊(t)^−c is largest, or just below it, c ≥ 0.

    There t = −(c/σ)ρ(t).
    """
    v0, high = odds(phase), 0.0
    # ρ(t) ≤ q for t ≤ 0, and ρ(t) ≤ e^{t/σ − v₀}, which is at most σ/c from this −t ≥ 1 on; a
    # group's falls as much slower as its smallest sum is smaller than its largest.
    far = phase.sigma * (phase.spread * abs(math.log(max(c, 1.0) / phase.sigma)) + abs(v0))
    low = -min(c * phase.rate / phase.sigma, max(1.0, far))
    while high - low > _NEAR * max(1.0, -low):
        t = (low + high) / 2
        if phase.shares:
            chance = float(mean_share(phase, np.float64(t / phase.sigma))[0])
        else:
            chance = 1 / (1 + math.exp(min(v0 - t / phase.sigma, _LARGE)))
        if -t * phase.sigma > c * chance:
            low = t
        else:
            high = t
    return low


def cumulants(c: float, phases: list[FloatPhase], direction: str) -> Cumulants:
    """Return what places and shapes the contour.

    In the direction add losses are told from their largest on, Λ of `largest`: next to it they are
    small differences. Where the points do not suffice ln K is infinite.
    """
    alpha, beta = (float(each) for each in exponents(np.float64(c), direction))
    total = np.zeros(4)
    for phase in phases:
        if phase.rate == 1.0:
            square = shift(direction) ** 2 / phase.sigma**2
            total += phase.steps * square * np.array([c * (c + 1) / 2, c + 0.5, 1.0, 0.0])
            continue
        # Poles and zeros of the powers of w₊ and w₋ are at Im t = πσ, or a group's strip.
        step = min(1 / 6, phase.sigma * phase.strip / 4)
        if direction == "add":
            # The weight's logarithm is concave, with a second derivative below −1.
            peak = first_saddle(c, phase)
            step = min(step, 1 / (6 * math.sqrt(1 - peak / phase.sigma)))
            left, right = peak - _REACH, peak + _REACH
        else:
            # The weight e^{−t²/2}w₊^α w₋^β has its saddles at t = (αρ₊ − βρ₋)/σ.
            left, right = -_REACH, (alpha - beta) / phase.sigma + _REACH
        count = (right - left) / step
        t = np.linspace(left, right, 64 + int(min(count, _POINTS)))
        if direction == "add":
            loss = -np.logaddexp(0.0, tilt(phase, t / phase.sigma) - log_odds(phase))
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
