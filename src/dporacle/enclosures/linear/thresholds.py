"""The least of the largest private ε over all δ, proved over the continuum (X.CFMAX, GMA.R1)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from flint import arb, arb_series

from dporacle.enclosures.arithmetic.balls import bits_for, precision
from dporacle.enclosures.linear.calibration import LogConstant, classical, dwork_2006, dwork_roth
from dporacle.interface import witness

_MAX_BOXES = 100_000


@witness
def classical_epsilon_threshold(*, digits: int) -> arb:
    """Enclose the largest ε up to which the σ of BW18.T1 is enough at every δ (X.CFMAX).

    A proof over the continuum of all δ: see `_epsilon_threshold`.
    """
    return _epsilon_threshold(classical, (3.79, 0.82), digits)


@witness
def dwork_roth_epsilon_threshold(*, digits: int) -> arb:
    """Enclose the smallest `dwork_roth_epsilon_max` over all δ (GMA.R1)."""
    return _epsilon_threshold(dwork_roth, (3.75, 0.81), digits)


@witness
def dwork_2006_epsilon_threshold(*, digits: int) -> arb:
    """Enclose the smallest `dwork_2006_epsilon_max` over all δ (X.CFMAX)."""
    return _epsilon_threshold(dwork_2006, (6.37, 1.55), digits)


def _excess(log_constant: LogConstant, eps: arb, c: Any) -> Any:
    """ln(δ(ε)/δ) at μ = ε/c and δ = a·e^{−c²/2}; negative where the calibration is private.

    c is a ball or a power series.
    """
    y, w = c - eps / (2 * c), c + eps / (2 * c)
    gap = mills_of(y) - mills_of(w)
    return (
        gap.log() - eps * eps / (8 * c * c) + (eps / 2 - log_constant() - (2 * arb.pi()).log() / 2)
    )


def mills_of(x: Any) -> Any:
    """m(x), for a moderate x that may be a power series."""
    return (x * x / 2).exp() * (x / arb(2).sqrt()).erfc() * (arb.pi() / 2).sqrt()


def _jet(log_constant: LogConstant, eps: arb, c: arb, length: int) -> list[arb]:
    """The Taylor coefficients of the excess in c; over a ball c they hold all its points'."""
    series = _excess(log_constant, eps, arb_series([c, 1], length))
    return [series[index] for index in range(length)]


def _epsilon_threshold(log_constant: LogConstant, start: tuple[float, float], digits: int) -> arb:
    """Prove two bounds on min over δ of ε_max(δ), 10^-digits apart.

    Above: at one c, the excess is positive at the upper ε. Below: at the lower ε the excess is
    negative for every c from √(2 ln a) on. Near its maximum it is concave, by the sign of its
    second derivative over an interval; elsewhere by subdivision; and beyond c = 5 because
    m(y) − m(w) ≤ (w−y)/(1+y²), which falls there.
    """
    bits = bits_for(digits) + 64
    with precision(2 * bits):
        eps, c = arb(start[0]), arb(start[1])
        for _ in range(8 + digits.bit_length()):
            value, slope, half_bend = _jet(log_constant, eps, c, 3)
            c = (c - slope / (2 * half_bend)).mid()
            value = _jet(log_constant, eps, c, 1)[0]
            rise = (_excess(log_constant, eps * (1 + arb(2) ** -bits), c) - value) / (
                eps * arb(2) ** -bits
            )
            eps = (eps - value / rise).mid()
        margin = arb(10) ** -(digits + 2)
        low, high = (eps - margin).mid(), (eps + margin).mid()
        if not _excess(log_constant, high, c) > 0:
            raise ArithmeticError("the threshold has no upper bound")
        reach = arb(1) / 4096
        near = c + arb(0, reach)
        value, slope = _jet(log_constant, low, c, 2)
        if not (_jet(log_constant, low, near, 3)[2] < 0 and value + abs(slope) * reach < 0):
            raise ArithmeticError("the threshold has no lower bound near the maximum")
    with precision(96):
        least = (2 * log_constant()).sqrt().lower()
        excess = partial(_excess, log_constant, low)
        prove_negative(excess, least, (c - reach).mid())
        prove_negative(excess, (c + reach).mid(), arb(5))
        y = 5 - low / 10
        bound = low / 2 + (low / 5 / (1 + y * y)).log() - log_constant() - (2 * arb.pi()).log() / 2
        if not (y > 0 and bound < 0):
            raise ArithmeticError("the threshold has no lower bound at large c")
    with precision(bits):
        return low.union(high)


def prove_negative(excess: Callable[[Any], Any], low: arb, high: arb) -> None:
    """Prove that a function of c is negative over an interval, by the mean value theorem."""
    boxes = [(low, high)]
    for _ in range(_MAX_BOXES):
        if not boxes:
            return
        left, right = boxes.pop()
        if not left < right:
            continue
        middle, radius = ((left + right) / 2).mid(), ((right - left) / 2).upper()
        try:
            slope = excess(arb_series([middle + arb(0, radius), 1], 2))[1]
        except ValueError:  # a box too wide for the logarithm or the quotient
            slope = arb("nan")
        if excess(middle) + abs(slope) * radius < 0:
            continue
        boxes += [(left, middle), (middle, right)]
    raise ArithmeticError("the calibration is not proved private by so many boxes")
