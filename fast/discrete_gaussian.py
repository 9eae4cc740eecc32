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
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import erfcx, logsumexp, ndtr, ndtri

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
_VERY_WIDE = 2.0**20  # from here on discrete and continuous σ differ by less than 2^-37
_SLACK = 2.0**-37  # by which ln δ may be too small
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


def _delta(eps: float, sigma: float, distance: float) -> float:
    if sigma >= _WIDE:
        smooth = analytic_gaussian.delta_at_epsilon(epsilon=eps, sigma=sigma, sensitivity=distance)
        height, change = _correction(eps, sigma, distance)
        return float(smooth) - math.exp(height) * change
    logarithm, share = _sum(eps, sigma, distance)
    return math.exp(logarithm) * share if share else 5e-324


def _log_delta(eps: float, sigma: float, distance: float, member: int | None = None) -> float:
    """The logarithm of δ(ε), which has its digits where δ(ε) is below the floats.

    On the piece of a member, its first term is known, whatever σ at a bend was rounded to.
    """
    if sigma >= _WIDE:
        smooth = float(
            analytic_gaussian.log_delta_at_epsilon(epsilon=eps, sigma=sigma, sensitivity=distance)
        )
        height, change = _correction(eps, sigma, distance)
        return smooth + math.log1p(-math.exp(height - smooth) * change)
    logarithm, share = _sum(eps, sigma, distance, member)
    return logarithm + math.log(share) if share else -math.inf


def _log_complement(eps: float, sigma: float, distance: float) -> float:
    """The logarithm of 1 − δ(ε) = Pr[Y ≤ c] + e^ε·Pr[Y > c + D], c = εσ²/D − D/2 < 0."""
    centre = _centre(eps, sigma, distance)
    if sigma >= _WIDE:
        t = float(centre / Fraction(sigma))
        height, change = _correction(eps, sigma, distance)
        far = erfcx((t + distance / sigma) / math.sqrt(2)) / 2 * math.exp(-t * t / 2)
        return math.log(float(ndtr(t)) + float(far) + math.exp(height) * change)
    first = math.floor(centre) + 1
    below = np.arange(1 - first, 1 - first + math.ceil(_REACH * sigma) + 2, dtype=np.float64)
    above = np.arange(first, math.ceil(_REACH * sigma) + 2, dtype=np.float64)
    past = (above - first) + float(first - centre)
    powers = np.concatenate(
        [
            -((below / sigma) ** 2) / 2,
            -((above / sigma) ** 2) / 2 - (distance / sigma / sigma) * past,
        ]
    )
    return float(logsumexp(powers)) - math.log(_norm(sigma))


def _sum(
    eps: float, sigma: float, distance: float, member: int | None = None
) -> tuple[float, float]:
    """Logarithm of the largest weight and, in units of it, Σ p(x)(1 − e^{ε − (2x+D)D/2σ²}).

    Over the x at which the bracket is positive; 0 where float64 has no such weight.
    """
    # The bracket is 1 − e^{(D/σ²)(c − x)}; for large ε no float of c would be near enough.
    centre = _centre(eps, sigma, distance)
    first = math.floor(centre) + 1 if member is None else member
    least = float(max(first, 0))
    top = -((least / sigma) * (least / sigma)) / 2
    if not math.isfinite(top):
        return 0.0, 0.0
    x = np.arange(first, least + math.ceil(_REACH * sigma) + 1, dtype=np.float64)
    past = (x - first) + max(float(first - centre), 0.0)
    gain = -np.expm1(-(distance / sigma / sigma) * past)
    weights = np.exp(-((x / sigma) ** 2) / 2 - top)
    return top, float(np.sum((weights * gain)[::-1])) / _norm(sigma)


def _correction(eps: float, sigma: float, distance: float) -> tuple[float, float]:
    """Logarithm of h²φ(t₀), and by how many of these δ(ε) is below ∫G, the continuous δ(ε).

    It is hΣG(kh) over kh > t₀, G(t) = φ(t) − e^ε φ(t+μ) and h = 1/σ.
    With θ from σt₀ up to the next integer, Σ = ∫ − Σ_j B_j(θ)/j!·h^j·G^{(j−1)}(t₀), and at t₀
    e^ε φ(w) = φ(t₀), w = t₀ + μ. The normaliser is 1 to within e^{−2π²σ²}.
    """
    scale, centre = Fraction(sigma), _centre(eps, sigma, distance)
    if centre > _REACH * scale:
        return -math.inf, 0.0
    theta = float(math.floor(centre) + 1 - centre)
    mu, t, h = distance / sigma, float(centre / scale), 1 / sigma
    w = t + mu
    second = theta * theta - theta + 1 / 6
    third = theta * (theta - 0.5) * (theta - 1)
    fourth = theta * theta * (theta - 1) ** 2 - 1 / 30
    # G′ = μφ(t₀), G″ = −(w² − t₀²)φ(t₀) and G‴ = (w³ − t₀³ − 3μ)φ(t₀), and w² − t₀² = 2ε.
    cubic = mu * (w * w + w * t + t * t - 3)
    change = second / 2 * mu - third / 6 * h * 2 * eps + fourth / 24 * h * h * cubic
    return -t * t / 2 - math.log(2 * math.pi) / 2 - 2 * math.log(sigma), change


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
    first = math.floor(_centre(eps, high, distance)) + 1
    if first > 0 and high >= _VERY_WIDE:
        return high  # discrete and continuous noise are as one
    # Near 1 it is 1 − δ that has digits; δ ≥ 1/2 is met where the first term is not above 0.
    goal = math.log(target) if target < 0.5 else -math.log1p(-target)

    def height(sigma: float) -> float:
        if target < 0.5:
            return _log_delta(eps, sigma, distance, first if first > 0 else None)
        return -_log_complement(eps, sigma, distance)

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


def _centre(eps: float, sigma: float, distance: float) -> Fraction:
    """εσ²/D − D/2."""
    size = Fraction(distance)
    return Fraction(eps) * Fraction(sigma) ** 2 / size - size / 2


def _top(height: Any, low: float, high: float) -> float:
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
