"""How many inputs are drawn, and with which probability they meet a fault that is rare.

Imports nothing else of the judge, so that the options of `dporacle conform` are quick to print.
"""

import math

__all__ = ["LEAST_POWER", "LEAST_SHARE", "POWER", "SHARE", "power_of", "rounds_for"]

SHARE, POWER = 0.02, 0.95
"""By default a fault on this share of the drawn inputs is met with this probability."""

LEAST_SHARE, LEAST_POWER = 1 / 3, 0.9
"""Who is asked so little that a fault on this share is met with less than this is not judged."""


def rounds_for(*, share: float, power: float) -> int:
    """Return how many draws meet a fault on this share of what is drawn with this probability."""
    return math.ceil(math.log(1 - power) / math.log(1 - share))


def power_of(rounds: int, *, share: float) -> float:
    """Return the probability with which so many draws meet a fault on this share of them."""
    return float(1 - (1 - share) ** rounds)
