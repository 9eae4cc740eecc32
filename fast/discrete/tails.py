"""Tails of discrete Gaussian noise for one element, and their inverses (X.DG, X.DGACC)."""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import erfcx, ndtri

from dporacle.fast.discrete.lattice import REACH, WIDE, norm

_TINY = 1e-290


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
