"""The closed formulas for σ, at sensitivity 1, as real numbers of Coq."""

from collections.abc import Callable
from fractions import Fraction
from typing import Final

from dporacle.wings.coq.reals import PI, Real, exp, ln, number, sqrt

_ONE, _TWO = number(1), number(2)


def linear_sigma(epsilon: Fraction, delta: Fraction, constant: Real) -> Real:
    """Return √(2 ln(c/δ))/ε."""
    return sqrt(_TWO * ln(constant / number(delta))) / number(epsilon)


def _classical(epsilon: Fraction, delta: Fraction) -> Real:
    return linear_sigma(epsilon, delta, number(Fraction(5, 4)))


def _dwork_2006(epsilon: Fraction, delta: Fraction) -> Real:
    return linear_sigma(epsilon, delta, _TWO)


def _dwork_roth(epsilon: Fraction, delta: Fraction) -> Real:
    return linear_sigma(epsilon, delta, sqrt(_TWO * exp(number(Fraction(8, 9))) / PI))


def _pinsker(epsilon: Fraction, delta: Fraction) -> Real:
    return _ONE / (_TWO * number(delta))


def _zcdp_conversion(epsilon: Fraction, delta: Fraction) -> Real:
    tail = _TWO * ln(_ONE / number(delta))
    twice = _TWO * number(epsilon)
    return (sqrt(tail) + sqrt(tail + twice)) / twice


def _vinterbo(epsilon: Fraction, delta: Fraction) -> Real:
    z = ln(number(1 / (4 * delta * (1 - delta))))
    under = number(epsilon) * sqrt(_TWO)
    if delta <= Fraction(1, 2):
        return (sqrt(z + number(epsilon)) + sqrt(z)) / under
    scaled = PI / number(4) * z
    return (sqrt(scaled + number(epsilon)) - sqrt(scaled)) / under


FORMULAS: Final[dict[str, Callable[[Fraction, Fraction], Real]]] = {
    "classical": _classical,
    "dwork-2006": _dwork_2006,
    "dwork-roth": _dwork_roth,
    "pinsker": _pinsker,
    "vinterbo-2020": _vinterbo,
    "zcdp-conversion": _zcdp_conversion,
}
"""Name of a calibration -> its σ at (ε, δ)."""
