"""The σ* from which on rank-one noise is private, by the upper end of its interval."""

import math

from scipy import optimize

from dporacle.fast.papers.rank_one.reach import LEAST, MOST, delta_above

_NUDGE = 2.0**-44  # of ln σ*, from the root on: twice as far each time until δ is met


def least_variance(power: float, epsilon: float, target: float) -> float:
    """Return a σ*/Δ² at which δ(ε) is at most a target, M = power + 1.

    Raises:
        OverflowError: if it is outside the reach of the interval.
    """

    def excess(log: float) -> float:
        return math.log(delta_above(power, epsilon, math.exp(log))) - math.log(target)

    low, high = math.log(LEAST) + 1e-9, math.log(MOST) - 1e-9
    if excess(low) < 0 or excess(high) > 0:
        raise OverflowError("the smallest private sigma_star is out of reach in float64")
    root = optimize.brentq(excess, low, high, xtol=1e-13, rtol=1e-14)
    step = _NUDGE
    while excess(root) > 0:
        root += step
        step *= 2
    return math.exp(root)
