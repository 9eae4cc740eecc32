"""The discrete Gaussian mechanism in float64 (X.DG).

Scalars or arrays that broadcast, element by element: below σ = 2000 by sums with as many terms as σ
asks for, from there on by the continuous noise and Euler and Maclaurin's corrections.
δ, σ and the accuracy are at least the exact value; δ is at most 2^-36 above it (relatively, above
1e-290, for ε up to 10⁴), σ at most 2^-34 (for δ from 1e-290).
The tail and the variance are within 2^-40 relatively. σ at an accuracy is at most the exact value,
and at most 2^-36 below it.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.special import erfcx, ndtri

from dporacle.fast import analytic_gaussian
from dporacle.fast._broadcast import (
    Array,
    Number,
    above,
    below,
    give,
    integers,
    quiet,
    quiet_down,
    reals,
)

__all__ = [
    "discrete_accuracy",
    "discrete_calibrate_sigma",
    "discrete_delta_at_epsilon",
    "discrete_sigma_at_accuracy",
    "discrete_tail",
    "discrete_variance",
]

MAX_SIGMA = 1e150  # its square is a float64

_WIDE = 2e3  # from here on (40/σ)⁵ is too small to matter in the corrections
_DELTA_ULPS = 2.0**14
_TINY = 1e-290
_REACH = 40.0  # e^{−40²/2} is below float64's range


def _sigma(sigma: Any) -> Array:
    return reals("sigma", sigma, high=MAX_SIGMA, high_allowed=True)


def _each(function: Any, *arrays: Array) -> Any:
    """Apply a function of floats to every element."""
    arrays = tuple(np.broadcast_arrays(*arrays))
    found = [
        function(*(float(each) for each in row)) for row in zip(*map(np.ravel, arrays), strict=True)
    ]
    return give(np.array(found).reshape(arrays[0].shape))


def _norm(sigma: float) -> float:
    """Z = Σ e^{−x²/2σ²} over the integers."""
    x = np.arange(1, math.ceil(_REACH * sigma) + 2)
    return 1 + 2 * float(np.sum(np.exp(-((x / sigma) ** 2) / 2)[::-1]))


@quiet
def discrete_delta_at_epsilon(*, epsilon: Number, sigma: Number, sensitivity: Number = 1) -> Any:
    """Return δ(ε) = Pr[Y > εσ²/D − D/2] − e^ε·Pr[Y > εσ²/D + D/2] (X.DG).

    Args:
        epsilon: in [0, ∞).
        sigma: the parameter of the noise Y ~ N_ℤ(0, σ²), in (0, 1e150].
        sensitivity: D, integers from 1 to 10⁶.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, s = reals("epsilon", epsilon, low_allowed=True), _sigma(sigma)
    value = _each(_delta, eps, s, integers("sensitivity", sensitivity, most=10**6))
    return give(np.minimum(above(np.asarray(value), _DELTA_ULPS), 1.0))


def _delta(eps: float, sigma: float, distance: float, lift: float = 0.0) -> float:
    """Σ p(x)(1 − e^{ε − (2x+D)D/2σ²}) over the x at which the bracket is positive.

    Times e^lift for σ below `_WIDE`, so that no digit of a subnormal sum is lost.
    """
    if sigma >= _WIDE:
        return _wide_delta(eps, sigma, distance)
    # The bracket is 1 − e^{(D/σ²)(c − x)}; for large ε no float of c would be near enough.
    scale, size = Fraction(sigma), Fraction(distance)
    centre = Fraction(eps) * scale**2 / size - size / 2
    if centre > _REACH * scale:
        return 5e-324
    first = math.floor(centre)
    x = np.arange(first + 1, max(first, 0) + math.ceil(_REACH * sigma) + 2, dtype=np.float64)
    past = (x - (first + 1)) + float(first + 1 - centre)
    gain = -np.expm1(-(distance / sigma / sigma) * past)
    return float(np.sum((np.exp(lift - ((x / sigma) ** 2) / 2) * gain)[::-1])) / _norm(sigma)


def _wide_delta(eps: float, sigma: float, distance: float) -> float:
    """hΣG(kh) over kh > t₀, G(t) = φ(t) − e^ε φ(t+μ) and h = 1/σ, from ∫G, the continuous δ.

    With θ from σt₀ up to the next integer, Σ = ∫ − Σ_j B_j(θ)/j!·h^j·G^{(j−1)}(t₀), and at t₀
    e^ε φ(w) = φ(t₀), w = t₀ + μ. The normaliser is 1 to within e^{−2π²σ²}.
    """
    smooth = float(
        analytic_gaussian.delta_at_epsilon(epsilon=eps, sigma=sigma, sensitivity=distance)
    )
    scale, size = Fraction(sigma), Fraction(distance)
    centre = Fraction(eps) * scale**2 / size - size / 2
    if centre > _REACH * scale:
        return smooth
    theta = float(math.floor(centre) + 1 - centre)
    mu, t, h = distance / sigma, float(centre / scale), 1 / sigma
    w = t + mu
    height = math.exp(-t * t / 2) / math.sqrt(2 * math.pi)
    second = theta * theta - theta + 1 / 6
    third = theta * (theta - 0.5) * (theta - 1)
    fourth = theta * theta * (theta - 1) ** 2 - 1 / 30
    # G′ = μφ(t₀), G″ = −(w² − t₀²)φ(t₀) and G‴ = (w³ − t₀³ − 3μ)φ(t₀), and w² − t₀² = 2ε.
    cubic = mu * (w * w + w * t + t * t - 3)
    change = second / 2 * mu - third / 6 * h * 2 * eps + fourth / 24 * h * h * cubic
    return smooth - h * h * height * change


@quiet
def discrete_calibrate_sigma(*, epsilon: Number, delta: Number, sensitivity: Number = 1) -> Any:
    """Return the least σ from which on every σ is private (X.DG).

    δ(ε) does not always fall as σ rises: a smaller σ may be private too.

    Args:
        epsilon: in [0, ∞).
        delta: in (0, 1).
        sensitivity: D, integers from 1 to 10⁶.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, target = reals("epsilon", epsilon, low_allowed=True), reals("delta", delta, high=1.0)
    value = _each(_calibrate, eps, target, integers("sensitivity", sensitivity, most=10**6))
    return above(np.asarray(value), 2.0**16)


def _calibrate(eps: float, target: float, distance: float) -> float:
    """Down from a σ above which all are private, in steps that pass over no hump of δ(ε)."""
    log = -math.log(target)
    high = distance / (2 * target)
    if eps > 0:
        high = min(high, distance * (math.sqrt(log + eps) + math.sqrt(log)) / (math.sqrt(2) * eps))
    high = _all_private(eps, target, distance, high) * (1 + 2.0**-40)
    if high > MAX_SIGMA:
        raise ValueError(f"sigma could be above {MAX_SIGMA:g} at epsilon = {eps}, delta = {target}")
    lift = 200.0 if target < _TINY else 0.0

    def excess(sigma: float) -> float:
        if sigma >= _WIDE:
            # A subnormal δ is rounded to more than the corrections.
            most = math.nextafter(target, 0.0) if target < _TINY else target
            return _delta(eps, sigma, distance) - most
        return _delta(eps, sigma, distance, lift) - target * math.exp(lift)

    low, last = high, excess(high)
    if last > 0:
        return high
    older, before = high, last
    while True:
        # δ(ε) bends where εσ²/D − D/2 is an integer: a sixteenth of the way to the next bend.
        # Where 2ε ≤ D it falls across wide noise's. The least step bounds the work.
        step = 2.0**-8
        if 2 * eps > distance:
            step = min(step, max(distance / (32 * eps * high * high), 2.0**-16))
        low = high * (1 - step)
        value = excess(low)
        if value > 0:
            break
        if before < last > value:
            peak = _peak(excess, low, older)
            if excess(peak) > 0:
                low, high = peak, older
                break
        older, before, high, last = high, last, low, value
    for _ in range(56):
        middle = (low + high) / 2
        if excess(middle) > 0:
            low = middle
        else:
            high = middle
    return high


def _all_private(eps: float, target: float, distance: float, high: float) -> float:
    """Lower the bound `high` to a σ at which δ_cont + b ≤ δ: both fall in σ (the note)."""

    def private(sigma: float) -> bool:
        mu = distance / sigma
        t = eps / mu - mu / 2
        variation = 4.4 * mu + 2 * mu * mu + 2 * eps
        if t >= 1:
            sharper = mu * math.exp(-t * t / 2) / math.sqrt(2 * math.pi) * (4 + mu / t)
            variation = min(variation, sharper)
        smooth = analytic_gaussian.delta_at_epsilon(epsilon=eps, sigma=sigma, sensitivity=distance)
        return float(smooth) + variation / (8 * sigma * sigma) <= target * (1 - 2.0**-40)

    if target < _TINY or not private(high):
        return high
    low = high / 1024
    for _ in range(24):
        middle = math.sqrt(low * high)
        if private(middle):
            high = middle
        else:
            low = middle
    return high


def _peak(excess: Any, low: float, high: float) -> float:
    from scipy.optimize import minimize_scalar

    width = high - low
    found = minimize_scalar(
        lambda part: -excess(low + part * width), bounds=(0.0, 1.0), method="bounded"
    )
    return low + float(found.x) * width


@quiet
def discrete_tail(*, error: Number, sigma: Number) -> Any:
    """Return Pr[|Y| > a], Y ~ N_ℤ(0, σ²) (X.DG).

    Args:
        error: a, integers from 0.
        sigma: in (0, 1e150].

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return _each(_tail, integers("error", error, least=0), _sigma(sigma))


def _tail(error: float, sigma: float) -> float:
    if sigma >= _WIDE:
        # hΣφ(kh) over k ≥ n by the second formula of Euler and Maclaurin at c = (n − 1/2)h.
        c, h = (error + 0.5) / sigma, 1 / sigma
        height = math.exp(-c * c / 2) / math.sqrt(2 * math.pi)
        change = c / 24 - 7 / 5760 * h * h * c * (c * c - 3)
        mills = math.sqrt(math.pi / 2) * float(erfcx(c / math.sqrt(2)))
        return 2 * height * (mills - h * h * change)
    x = np.arange(error + 1, max(error + 2, math.ceil(_REACH * sigma) + 2))
    return 2 * float(np.sum(np.exp(-((x / sigma) ** 2) / 2)[::-1])) / _norm(sigma)


@quiet
def discrete_accuracy(*, alpha: Number, sigma: Number) -> Any:
    """Return the least integer a with Pr[|Y| > a] ≤ α (X.DG), or the next one within 2^-40 of α.

    Args:
        alpha: significance level, in (0, 1].
        sigma: in (0, 1e150].

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return _each(_accuracy, reals("alpha", alpha, high=1.0, high_allowed=True), _sigma(sigma))


def _accuracy(alpha: float, sigma: float) -> float:
    if sigma >= _WIDE:
        return _wide_accuracy(alpha, sigma)
    x = np.arange(1, math.ceil(_REACH * sigma) + 2)
    lift = 200.0 if alpha < _TINY else 0.0  # so that no digit of a subnormal tail is lost
    tails = 2 * np.cumsum(np.exp(lift - ((x / sigma) ** 2) / 2)[::-1])[::-1] / _norm(sigma)
    return float(np.count_nonzero(tails * (1 + 2.0**-40) > alpha * math.exp(lift)))


def _wide_accuracy(alpha: float, sigma: float) -> float:
    """By bisection between integers around the continuous noise's quantile."""

    def private(error: int) -> bool:
        tail = _tail(float(error), sigma) * (1 + 2.0**-40)
        return tail < alpha if alpha < _TINY else tail <= alpha  # a subnormal tail is rounded

    guess = -float(ndtri(alpha / 2)) if alpha > 1e-300 else _REACH
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


@quiet_down
def discrete_sigma_at_accuracy(*, error: Number, alpha: Number) -> Any:
    """Return the largest σ with Pr[|Y| > a] ≤ α, rounded down (X.DGACC).

    Args:
        error: a, integers from 0.
        alpha: significance level, in (0, 1).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    a, level = integers("error", error, least=0), reals("alpha", alpha, high=1.0)
    # The tail is within 2^-40, and its logarithm rises by 1/2 and more where σ rises by e.
    return below(_each(_sigma_at, a, level), 2.0**15)


def _sigma_at(error: float, alpha: float) -> float:
    """By the logarithm of the tail, or of the rest where that is the smaller one, in ln σ."""
    from scipy.optimize import brentq

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


def _log_tail(error: float, sigma: float) -> float:
    """Return ln Pr[|Y| > a], which may be far below that of any float."""
    n, h = error + 1, 1 / sigma
    if sigma >= _WIDE:
        c = (error + 0.5) * h
        mills = math.sqrt(math.pi / 2) * float(erfcx(c / math.sqrt(2)))
        change = c / 24 - 7 / 5760 * h * h * c * (c * c - 3)
        return math.log(2 / math.sqrt(2 * math.pi) * (mills - h * h * change)) - c * c / 2
    x = np.arange(n, n + math.ceil(_REACH * sigma) + 2)
    most = -((n * h) ** 2) / 2
    total = float(np.sum(np.exp(-((x - n) * h) * ((x + n) * h) / 2)[::-1]))
    return most + math.log(2 * total / _norm(sigma))


def _log_rest(error: float, sigma: float) -> float:
    """Return ln Pr[|Y| ≤ a]."""
    if sigma >= _WIDE:
        c, h = (error + 0.5) / sigma, 1 / sigma
        height = math.exp(-c * c / 2) / math.sqrt(2 * math.pi)
        change = c / 24 - 7 / 5760 * h * h * c * (c * c - 3)
        return math.log(math.erf(c / math.sqrt(2)) + 2 * height * h * h * change)
    x = np.arange(1, error + 1)
    inside = 1 + 2 * float(np.sum(np.exp(-((x / sigma) ** 2) / 2)[::-1]))
    return math.log(inside / _norm(sigma))


@quiet
def discrete_variance(*, sigma: Number) -> Any:
    """Return E[Y²], less than σ² (X.DG).

    Args:
        sigma: in (0, 1e150].

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return _each(_variance, _sigma(sigma))


def _variance(sigma: float) -> float:
    if sigma >= _WIDE:
        return sigma * sigma  # less by the part e^{−2π²σ²}
    x = np.arange(1, math.ceil(_REACH * sigma) + 2)
    return 2 * float(np.sum((x * x * np.exp(-((x / sigma) ** 2) / 2))[::-1])) / _norm(sigma)
