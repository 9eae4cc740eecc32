"""The least σ of discrete Gaussian noise from which on every σ is private (X.DG)."""

import math
from collections.abc import Callable

from scipy.optimize import minimize_scalar

from dporacle.fast import analytic_gaussian
from dporacle.fast.discrete.profile import centre_of, log_complement, log_delta

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
