"""Correct calibrators that stand on none of the witnesses: decimals, and float64 with a margin.

They refuse what they do not cover, which convicts nobody.
"""

import math
from decimal import Context, Decimal, localcontext

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
