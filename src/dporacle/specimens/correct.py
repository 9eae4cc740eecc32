"""Calibrators without a fault, in different styles: none of them may be accused.

They share no code with each other beyond the witness that each stands on, and each keeps the
promise that the vectors ask for: the answer is a float64 on the safe side.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial

from dporacle import arguments, enclosures, fast, reference
from dporacle.enclosures.arithmetic import rounding
from dporacle.specimens.correct_plain import decimals, float_with_margin, laplace_with_margin
from dporacle.specimens.faulty import FAULTY
from dporacle.specimens.specimen import Calibrator, Specimen
from dporacle.vocabulary import QUANTITIES

GROUPS = tuple(name for name in QUANTITIES if name in {each.function for each in FAULTY})
"""The groups of which there are faulty ones: a correct one stands beside each of them."""

_SELDOM = 5  # of the vectors, where a proof takes as long as the row says


def _by_fast(function: str) -> Calibrator:
    """The float64 functions, which round to the safe side by an error analysis."""
    calibrator: Calibrator = QUANTITIES[function].of(fast)
    return calibrator


def _by_enclosures(function: str) -> Calibrator:
    """A ball that holds the exact value, made tighter until its end rounds one way."""
    row = QUANTITIES[function]
    enclose = row.of(enclosures)

    def calibrator(**inputs: float) -> float:
        return rounding.round_safely(
            lambda digits: enclose(**inputs, digits=digits), safe=row.safe, ceiling=row.kind.ceiling
        )

    return calibrator


def _above(value: Fraction) -> float:
    """Return a float64 above an exact number that is wrong by at most 10^-28 of itself."""
    return rounding.float_above(value * (1 + Fraction(1, 10**28)))


def newton_mpmath(*, epsilon: float, delta: float, sensitivity: float) -> float:
    """Newton's method on δ(ε) = δ in mpmath, rounded up."""
    sigma = reference.calibrate_sigma(
        epsilon=epsilon, delta=delta, sensitivity=sensitivity, digits=30
    )
    return _above(arguments.exact("sigma", sigma))


def algorithm_1_mpmath(*, epsilon: float, delta: float, sensitivity: float) -> float:
    """Algorithm 1 of the paper in mpmath, rounded up; at ε = 0, which it leaves out, erf⁻¹."""
    if epsilon == 0:
        return newton_mpmath(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    sigma = reference.algorithm_1(epsilon=epsilon, delta=delta, sensitivity=sensitivity, digits=30)
    return _above(arguments.exact("sigma", sigma))


def bisection_on_balls(*, epsilon: float, delta: float, sensitivity: float) -> float:
    """Halve a bracket of float64 numbers, and keep an upper end that is proved to be private."""
    target = arguments.delta(delta)  # a comparison alone would take δ = 1.5 for an easy target

    def private(sigma: float) -> bool:
        ball = enclosures.delta_at_epsilon(
            epsilon=epsilon, sigma=sigma, sensitivity=sensitivity, digits=20
        )
        return rounding.side(ball, target) <= 0

    low, high = 5e-324, 1.7976931348623157e308
    if not private(high):
        raise OverflowError("sigma is above the largest float64")
    while high - low > 1e-13 * high:
        if high / 4 > low:  # far apart: halve the exponents
            middle = math.ldexp(0.75, (math.frexp(low)[1] + math.frexp(high)[1]) // 2)
        else:
            middle = low + (high - low) / 2
        low, high = (low, middle) if private(middle) else (middle, high)
    return high


def _correct(name: str, function: str, make: Callable[[], Calibrator], every: int = 1) -> Specimen:
    return Specimen(name=name, function=function, fault="", make=make, every=every)


CORRECT: tuple[Specimen, ...] = (
    *(
        _correct(f"float64 with error bounds, {each}", each, partial(_by_fast, each))
        for each in GROUPS
        if QUANTITIES[each].public or QUANTITIES[each].rounds is not None
    ),
    *(
        _correct(
            f"enclosure rounded, {each}",
            each,
            partial(_by_enclosures, each),
            every=1 if QUANTITIES[each].rounds is None else _SELDOM,
        )
        for each in GROUPS
    ),
    _correct("bisection on balls", "calibrate_sigma", lambda: bisection_on_balls, every=5),
    _correct("Newton in mpmath", "calibrate_sigma", lambda: newton_mpmath, every=5),
    _correct("decimals", "calibrate_sigma", lambda: decimals, every=5),
    _correct("float64 with a margin", "calibrate_sigma", lambda: float_with_margin),
    _correct("Algorithm 1 in mpmath", "calibrate_sigma", lambda: algorithm_1_mpmath, every=5),
    _correct("Laplace scale with a margin", "laplace_calibrate_scale", lambda: laplace_with_margin),
)
"""The correct calibrators."""
