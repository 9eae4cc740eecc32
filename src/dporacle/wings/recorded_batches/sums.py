"""Logarithms of sums, means and binomial coefficients."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln


def log_choose(n: ArrayLike, k: ArrayLike) -> NDArray[np.float64]:
    """Return the logarithm of binomial coefficients of whole numbers; −∞ where k > n."""
    every, some = np.asarray(n, dtype=float), np.asarray(k, dtype=float)
    rest = every - some
    found: NDArray[np.float64] = (
        gammaln(every + 1) - gammaln(some + 1) - gammaln(np.maximum(rest, 0) + 1)
    )
    return np.where(rest < 0, -np.inf, found)


def log_beta(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """Return the logarithm of the beta function."""
    one, two = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    found: NDArray[np.float64] = gammaln(one) + gammaln(two) - gammaln(one + two)
    return found


def log_sum(logs: Sequence[float]) -> float:
    """Return the logarithm of a sum, from the logarithms of its terms."""
    top = max(logs, default=-math.inf)
    if top == -math.inf:
        return top
    return top + math.log(sum(math.exp(each - top) for each in logs))


def log_mean(logs: Sequence[float]) -> float:
    """Return the logarithm of a mean, from the logarithms of its terms."""
    return log_sum(logs) - math.log(len(logs))


def times_log(count: float, value: float) -> float:
    """Return count·ln value, 0 for no count."""
    if not count:
        return 0.0
    return count * math.log(value) if value > 0 else -math.inf
