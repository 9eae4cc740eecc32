"""The interval around δ(ε) of rank-one noise anywhere: what lies beyond its reach is at its end.

δ(ε) falls with ε and with σ* (X.R1.INVERSE), so that its value at an end bounds all beyond.
"""

from dporacle.fast.papers.rank_one.interval import interval

LEAST, MOST = 1e-6, 1e20
"""The σ*/Δ² between which the interval was compared with enclosures."""

_LEAST_EPSILON, _MOST_EPSILON = 1e-8, 1e4  # between which it was, and at 0
_ROUNDED = 1 - 2.0**-51  # σ*/Δ² was rounded three times


def around(power: float, epsilon: float, s: float) -> tuple[float, float]:
    """Return numbers that δ(ε) lies between, for one ε ≥ 0, one K ≥ 1 and one s = σ*/Δ²."""
    tiny = epsilon < _LEAST_EPSILON
    near = 0.0 if tiny else min(epsilon, _MOST_EPSILON)
    low, high = interval(power, near, min(max(s, LEAST), MOST))
    if tiny:  # δ(0) − (e^ε − 1) ≤ δ(ε)
        low = max(0.0, low - 2 * epsilon)
    beyond = s > MOST or epsilon > _MOST_EPSILON
    return 0.0 if beyond else low, 1.0 if s < LEAST else high


def delta_above(power: float, epsilon: float, s: float) -> float:
    """Return a number not below δ(ε) for one ε ≥ 0, one K ≥ 1 and one rounded s = σ*/Δ²."""
    return around(power, epsilon, s * _ROUNDED)[1]
