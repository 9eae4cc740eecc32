"""The discrete Gaussian mechanism in float64 (X.DG).

Scalars or arrays that broadcast, element by element: below σ = 2000 by sums with as many terms as σ
asks for, from there on by the continuous noise and Euler and Maclaurin's corrections.
δ, σ and the accuracy are at least the exact value; δ is at most 2^-36 above it (relatively, above
1e-290, for ε up to 10⁴), σ at most 2^-34.
The tail and the variance are within 2^-40 relatively. σ at an accuracy is at most the exact value,
and at most 2^-36 below it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import erfcx, ndtri

from dporacle.fast import analytic_gaussian
from dporacle.fast._broadcast import Array, Number, above, below, each_of, give, reals, witness
from dporacle.fast.discrete import profile
from dporacle.fast.discrete.lattice import REACH, WIDE, norm
from dporacle.fast.discrete.profile import centre_of, log_complement, log_delta

_DELTA_ULPS = 2.0**14


def _sigma(sigma: Any) -> Array:
    return reals("sigma", sigma, high=MAX_SIGMA, high_allowed=True)


@witness
def discrete_delta_at_epsilon(*, epsilon: Array, sigma: Number, sensitivity: Array) -> Any:
    """Return δ(ε) = Pr[Y > εσ²/D − D/2] − e^ε·Pr[Y > εσ²/D + D/2] (X.DG).

    Args:
        sigma: the parameter of the noise, in (0, 1e150].
    """
    s = _sigma(sigma)
    value = each_of(profile.delta, (epsilon, s, sensitivity))
    return give(np.minimum(above(np.asarray(value), _DELTA_ULPS), 1.0))


@witness
def discrete_calibrate_sigma(*, epsilon: Array, delta: Array, sensitivity: Array) -> Any:
    """Return the least σ such that every larger σ is private too (X.DG).

    δ(ε) does not always fall as σ rises: a smaller σ may be private too.
    """
    value = each_of(calibrated, (epsilon, delta, sensitivity))
    return above(np.asarray(value), 2.0**16)


@witness
def discrete_tail(*, error: Array, sigma: Number) -> Any:
    """Return Pr[|Y| > a], Y ~ N_ℤ(0, σ²), rounded up and never 0 (X.DG).

    Args:
        sigma: the parameter of the noise, in (0, 1e150].
    """
    value = np.asarray(each_of(tail, (error, _sigma(sigma))))
    # A sum of subnormal numbers has lost a few units of the last place.
    return give(np.minimum(above(value, _DELTA_ULPS) + 2.0**-1068, 1.0))


@witness
def discrete_accuracy(*, alpha: Array, sigma: Number) -> Any:
    """Return the least integer a with Pr[|Y| > a] ≤ α (X.DG), or that of a level 2^-39 below it.

    Args:
        sigma: the parameter of the noise, in (0, 1e150].
    """
    return each_of(accuracy, (alpha, _sigma(sigma)))


@witness
def discrete_sigma_at_accuracy(*, error: Array, alpha: Array) -> Any:
    """Return the largest σ with Pr[|Y| > a] ≤ α, rounded down (X.DGACC)."""
    # The tail is within 2^-40, and its logarithm rises by 1/2 and more where σ rises by e.
    return below(each_of(sigma_at, (error, alpha)), 2.0**15)


@witness
def discrete_variance(*, sigma: Number) -> Any:
    """Return E[Y²], less than σ² (X.DG).

    Args:
        sigma: the parameter of the noise, in (0, 1e150].
    """
    return each_of(_variance, (_sigma(sigma),))


def _variance(sigma: float) -> float:
    if sigma >= WIDE:
        return sigma * sigma  # less by the part e^{−2π²σ²}
    x = np.arange(1, math.ceil(REACH * sigma) + 2)
    return 2 * float(np.sum((x * x * np.exp(-((x / sigma) ** 2) / 2))[::-1])) / norm(sigma)


MAX_SIGMA = 1e150
"""Its square is a float64."""

_VERY_WIDE = 2.0**20  # from here on discrete and continuous σ differ by less than 2^-37
_SLACK = 2.0**-37  # by which ln δ may be too small


def calibrated(eps: float, target: float, distance: float) -> float:
    """Down from a σ above which all are private, piece after piece.

    δ(ε) bends where εσ²/D − D/2 is an integer t. Between two bends it rises and then falls as σ
    rises, and where t < 0 it only falls (proofs_notes/discrete_gaussian.md).
    """
    log = -math.log(target)
    high = distance / (2 * target)
    if eps > 0:
        high = min(high, distance * ((math.sqrt(log + eps) + math.sqrt(log)) / eps) / math.sqrt(2))
    high = min(high, 4 * MAX_SIGMA)
    high = _all_private(eps, target, distance, high) * (1 + 2.0**-40)
    if high > MAX_SIGMA:
        raise ValueError(f"sigma could be above {MAX_SIGMA:g} at epsilon = {eps}, delta = {target}")
    first = math.floor(centre_of(eps, high, distance)) + 1
    if first > 0 and high >= _VERY_WIDE:
        return high  # discrete and continuous noise are as one
    # Near 1 it is 1 − δ that has digits; δ ≥ 1/2 is met where the first term is not above 0.
    goal = math.log(target) if target < 0.5 else -math.log1p(-target)

    def height(sigma: float) -> float:
        if target < 0.5:
            return log_delta(eps, sigma, distance, first if first > 0 else None)
        return -log_complement(eps, sigma, distance)

    def end(last: int) -> float:
        return math.sqrt(distance * (last + distance / 2)) / math.sqrt(eps)

    if first > 0 and target >= 0.5:
        first, high = 0, min(high, end(0))  # Pr[Y ≥ 1] is below a half
    if height(high) > goal:
        return high
    low = high
    while first > 0:
        below = min(end(first - 1), high)
        low = below if height(below) > goal else _top(height, below, high)
        if height(low) > goal - _SLACK:
            break
        first, high = first - 1, below
    if first <= 0:
        low = high / 2
        while height(low) <= goal:
            low, high = low / 2, low
    for _ in range(56):
        middle = (low + high) / 2
        if height(middle) > goal:
            low = middle
        else:
            high = middle
    return high


def _top(height: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that rises and then falls is largest in an interval."""
    width = high - low
    if height(low + width / 64) < height(low):
        return low
    if height(high - width / 64) < height(high):
        return high
    found = minimize_scalar(
        lambda part: -height(low + part * width), bounds=(0.0, 1.0), method="bounded"
    )
    return low + float(found.x) * width


def _all_private(eps: float, target: float, distance: float, high: float) -> float:
    """Lower the bound `high` to a σ at which δ_cont + b ≤ δ: both fall in σ (the note)."""
    logarithm = math.log(target)

    def private(sigma: float) -> bool:
        mu = distance / sigma
        t = eps / mu - mu / 2
        variation = 4.4 * mu + 2 * mu * mu + 2 * eps
        log = math.log(variation / 8) if variation < math.inf else math.inf
        if t >= 1:
            sharper = math.log(mu * (4 + mu / t) / 8) - t * t / 2 - math.log(2 * math.pi) / 2
            log = min(log, sharper)
        smooth = analytic_gaussian.log_delta_at_epsilon(
            epsilon=eps, sigma=sigma, sensitivity=distance
        )
        share = math.exp(min(float(smooth) - logarithm, 1.0))
        return share + math.exp(min(log - logarithm - 2 * math.log(sigma), 1.0)) <= 1 - 2.0**-40

    if not private(high):
        return high
    low = high / 1024
    for _ in range(48):
        middle = math.sqrt(low) * math.sqrt(high)
        if private(middle):
            high = middle
        else:
            low = middle
    return high


_TINY = 1e-290  # terms of a tail that is smaller may be subnormal: below 2.2e-308 they lose digits


def tail(error: float, sigma: float) -> float:
    """Return Pr[|Y| > a]."""
    if sigma >= WIDE:
        # hΣφ(kh) over k ≥ n by the second formula of Euler and Maclaurin at c = (n − 1/2)h.
        c, h = (error + 0.5) / sigma, 1 / sigma
        height = math.exp(-c * c / 2) / math.sqrt(2 * math.pi)
        return 2 * height * (_mills(c) - h * h * _correction(c, h))
    x = np.arange(error + 1, max(error + 2, math.ceil(REACH * sigma) + 2))
    return 2 * float(np.sum(np.exp(-((x / sigma) ** 2) / 2)[::-1])) / norm(sigma)


def _log_tail(error: float, sigma: float) -> float:
    """Return ln Pr[|Y| > a], which may be far below that of any float."""
    n, h = error + 1, 1 / sigma
    if sigma >= WIDE:
        c = (error + 0.5) * h
        share = _mills(c) - h * h * _correction(c, h)
        return math.log(2 / math.sqrt(2 * math.pi) * share) - c * c / 2
    x = np.arange(n, n + math.ceil(REACH * sigma) + 2)
    most = -((n * h) ** 2) / 2
    total = float(np.sum(np.exp(-((x - n) * h) * ((x + n) * h) / 2)[::-1]))
    return most + math.log(2 * total / norm(sigma))


def _log_rest(error: float, sigma: float) -> float:
    """Return ln Pr[|Y| ≤ a]."""
    if sigma >= WIDE:
        c, h = (error + 0.5) / sigma, 1 / sigma
        height = math.exp(-c * c / 2) / math.sqrt(2 * math.pi)
        outside = height * h * h * _correction(c, h)
        return math.log(math.erf(c / math.sqrt(2)) + 2 * outside)
    x = np.arange(1, error + 1)
    inside = 1 + 2 * float(np.sum(np.exp(-((x / sigma) ** 2) / 2)[::-1]))
    return math.log(inside / norm(sigma))


def accuracy(alpha: float, sigma: float) -> float:
    """Return the least integer a with Pr[|Y| > a] ≤ α, or that of a level 2^-39 below it."""
    if sigma >= WIDE:
        return _wide_accuracy(alpha, sigma)
    x = np.arange(1, math.ceil(REACH * sigma) + 2)
    lift = 200.0 if alpha < _TINY else 0.0  # so that no digit of a subnormal tail is lost
    tails = 2 * np.cumsum(np.exp(lift - ((x / sigma) ** 2) / 2)[::-1])[::-1] / norm(sigma)
    return float(np.count_nonzero(tails * (1 + 2.0**-40) > alpha * math.exp(lift)))


def _wide_accuracy(alpha: float, sigma: float) -> float:
    """By bisection between integers around the continuous noise's quantile."""

    def private(error: int) -> bool:
        if alpha < _TINY:  # a subnormal tail is rounded
            return _log_tail(float(error), sigma) + 2.0**-40 <= math.log(alpha)
        return tail(float(error), sigma) * (1 + 2.0**-40) <= alpha

    guess = -float(ndtri(alpha / 2)) if alpha > 1e-300 else REACH
    low, high = int(max(guess - 1e-3, 0) * sigma) - 2, int((guess + 1e-3) * sigma) + 2
    while low >= 0 and private(low):
        low = low // 2 - 1
    low = max(low, -1)
    while not private(high):
        high *= 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if private(middle) else (middle, high)
    found = float(high)
    return found if int(found) >= high else math.nextafter(found, math.inf)


def sigma_at(error: float, alpha: float) -> float:
    """Return the largest σ with Pr[|Y| > a] ≤ α.

    By the logarithm of the tail, or of the rest where that is the smaller one, in ln σ.
    """
    goal = math.log(alpha) if alpha <= 0.5 else math.log1p(-alpha)

    def excess(log_sigma: float) -> float:
        sigma = math.exp(log_sigma)
        return _log_tail(error, sigma) - goal if alpha <= 0.5 else goal - _log_rest(error, sigma)

    # Pr[|Y| > a] is about 2e^{−(a+1/2)²/2σ²} where it is small, else 1 − (2a+1)/√(2π)σ.
    if alpha <= 0.5:
        start = math.log((error + 0.5) / math.sqrt(2 * (math.log(2) - goal)))
    else:
        start = math.log((2 * error + 1) / math.sqrt(2 * math.pi)) - goal
    low, high = start - 0.5, start + 0.5
    while excess(low) > 0:
        low -= 0.5
    while excess(high) < 0:
        high += 0.5
    return math.exp(float(brentq(excess, low, high, xtol=2.0**-52, rtol=2.0**-50)))


def _correction(c: float, h: float) -> float:
    """Return what the second formula of Euler and Maclaurin takes off a tail from c on.

    In units of h²φ(c), for the sum over the midpoints of steps of h.
    """
    return c / 24 - 7 / 5760 * h * h * c * (c * c - 3)


def _mills(c: float) -> float:
    """Return Pr[t > c]/φ(c)."""
    return math.sqrt(math.pi / 2) * float(erfcx(c / math.sqrt(2)))
