"""Balls that print the digits that were asked for.

python-flint prints as many digits as its global setting says, 15 unless told: a wider ball than
the one that was computed. What is computed from an answer is an ordinary `arb` again.
"""

from typing import Any

from flint import arb


class ShownBall(arb):
    """An `arb` that prints as many digits as its radius leaves, of those that were asked for."""

    digits: int

    def __str__(self) -> str:
        return str(self.str(self.digits))

    __repr__ = __str__


def show(value: Any, digits: int) -> Any:
    """Return an `arb` as an `ShownBall`, and what is none as it is."""
    if type(value) is not arb:
        return value
    answer = ShownBall(value)
    answer.digits = digits
    return answer
