"""Calibrators without a fault, in different styles: none of them may be accused.

They share no code with each other beyond the witness that each stands on, and each keeps the
promise that the vectors ask for: the answer is a float64 on the safe side.
"""

import math
from collections.abc import Callable
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import partial

from dporacle import arguments, enclosures, fast, reference
from dporacle.dev.specimens.faulty import FAULTY
from dporacle.dev.specimens.specimen import Calibrator, Specimen
from dporacle.enclosures.arithmetic import rounding
from dporacle.vocabulary import QUANTITIES

_DIGITS = 120  # Φ loses x²/2 of them in units of ln 10: about 60 at the deepest x here
_TAIL = Decimal(10) ** -(_DIGITS + 5)
_STEPS = 90
_MARGIN = 1e-12  # far above the error of erfc, of exp and of their rounded arguments for |t| ≤ 20


def _covered(epsilon: float, delta: float, sensitivity: float) -> None:
    if not (1e-3 <= epsilon <= 60 and 1e-13 <= delta <= 0.25 and 1e-100 <= sensitivity <= 1e100):
        raise ValueError(f"not covered: {epsilon=}, {delta=}, {sensitivity=}")


def _phi(x: Decimal) -> Decimal:
    """Return Φ(x) by x + x³/3 + x⁵/15 + …, whose terms all have the sign of x."""
    term = total = x
    odd = 1
    while abs(term) > _TAIL:
        odd += 2
        term *= x * x / odd
        total += term
    return Decimal("0.5") + total * (-x * x / 2).exp() / _ROOT_TWO_PI


def _pi() -> Decimal:
    """Return π by Machin's formula."""

    def arctan_of_inverse(n: int) -> Decimal:
        power = total = Decimal(1) / n
        k, sign = 1, 1
        while power > _TAIL:
            power /= n * n
            k, sign = k + 2, -sign
            total += sign * power / k
        return total

    return 4 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239))


with localcontext(Context(prec=_DIGITS + 10)):
    _ROOT_TWO_PI = (2 * _pi()).sqrt()


def decimals(*, epsilon: float, delta: float, sensitivity: float) -> float:
    """Halve a bracket for σ/Δ in decimal arithmetic of 120 digits, and round its upper end up."""
    _covered(epsilon, delta, sensitivity)
    with localcontext(Context(prec=_DIGITS)):
        exact_epsilon, target = Decimal(epsilon), Decimal(delta)
        factor = exact_epsilon.exp()

        def private(ratio: Decimal) -> bool:
            middle, half = exact_epsilon * ratio, 1 / (2 * ratio)
            if middle - half > 20:  # δ is below Φ(−20) < 10^-88
                return True
            return _phi(half - middle) - factor * _phi(-half - middle) <= target

        low, high = Decimal("0.05"), Decimal(20000)
        for _ in range(_STEPS):
            middle = (low * high).sqrt() if high > 2 * low else (low + high) / 2
            low, high = (low, middle) if private(middle) else (middle, high)
        sigma = high * Decimal(sensitivity)
        nearest = float(sigma)
        return nearest if Decimal(nearest) >= sigma else math.nextafter(nearest, math.inf)


def float_with_margin(*, epsilon: float, delta: float, sensitivity: float) -> float:
    """Halve a bracket in float64 on an upper bound of δ: the difference, and a margin for it."""
    _covered(epsilon, delta, sensitivity)
    factor = math.exp(epsilon)

    def bound(ratio: float) -> float:
        middle, half = epsilon * ratio, 0.5 / ratio
        first = math.erfc((middle - half) / math.sqrt(2)) / 2
        second = factor * math.erfc((middle + half) / math.sqrt(2)) / 2
        return first - second + _MARGIN * (first + second)

    low, high = 0.05, 20000.0
    for _ in range(_STEPS):
        middle = math.sqrt(low * high) if high > 2 * low else (low + high) / 2
        low, high = (low, middle) if bound(middle) <= delta else (middle, high)
    return math.nextafter(high * sensitivity, math.inf)


def laplace_with_margin(*, epsilon: float, delta: float, sensitivity: float) -> float:
    """The closed form in float64, and a margin for its few roundings."""
    noise = 0 <= epsilon <= 1e4 and (1e-100 <= delta < 1 or (delta == 0 and epsilon >= 1e-100))
    if not (noise and 1e-100 <= sensitivity <= 1e100):
        raise ValueError(f"not covered: {epsilon=}, {delta=}, {sensitivity=}")
    return sensitivity / (epsilon - 2 * math.log1p(-delta)) * (1 + _MARGIN)


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
