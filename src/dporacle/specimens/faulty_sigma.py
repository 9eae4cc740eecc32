"""Calibrators of σ whose formula, search or rounding is wrong.

Each adds one fault to the exact answer, or is the faulty algorithm where the fault is its
method, so that what convicts it is the fault and nothing else.
"""

import math
import struct
from collections.abc import Callable

from dporacle.specimens.formulas import exact_sigma, naive_delta, phi
from dporacle.specimens.specimen import Collection, steps

SIGMA = Collection()


@SIGMA.add(
    "calibrate_sigma", "algorithm-1-sign", source="opendifferentialprivacy/smartnoise-core#316"
)
def flipped_alpha(epsilon: float, delta: float, sensitivity: float) -> float:
    """Algorithm 1 with the sign of √(u/2) flipped, which turns α into 1/α."""
    sigma = exact_sigma(epsilon, delta, sensitivity)
    if epsilon == 0:
        return sigma
    return sensitivity / (2 * epsilon) / (sigma / sensitivity)


@SIGMA.add(
    "calibrate_sigma",
    "beyond-classical",
    source="opendp/smartnoise-sdk#462, programming-dp#45, Qrlew#190",
)
def classical_everywhere(epsilon: float, delta: float, sensitivity: float) -> float:
    """The classical formula, used at ε > 1 where its theorem does not hold."""
    sigma = exact_sigma(epsilon, delta, sensitivity)
    if epsilon <= 1:
        return sigma
    return sensitivity * math.sqrt(2 * (math.log(1.25) - math.log(delta))) / epsilon


@SIGMA.add("calibrate_sigma", "zero-epsilon", source="opendp/opendp#429")
def endless_at_zero(epsilon: float, delta: float, sensitivity: float) -> float:
    """The step of the search is a fraction of ε: at ε = 0 it stays where it is."""
    sigma = exact_sigma(epsilon, delta, sensitivity)
    reached = 0.0
    for _ in steps():
        reached += epsilon
        if reached >= 10 * epsilon and reached > 0:
            break
    return sigma


@SIGMA.add("calibrate_sigma", "large-epsilon", source="yuxiangw/autodp#39")
def loose_then_failing(epsilon: float, delta: float, sensitivity: float) -> float:
    """Rényi orders from 2 only: loose at large ε, and above 700 the root finder gives up."""
    sigma = exact_sigma(epsilon, delta, sensitivity)
    if epsilon < 50:
        return sigma
    if epsilon > 700:
        raise RuntimeError("f(a) and f(b) must have different signs")
    least = math.inf
    for order in range(2, 500):
        room = epsilon + math.log(delta) / (order - 1)
        if room > 0:
            least = min(least, math.sqrt(order / (2 * room)))
    return sensitivity * least


@SIGMA.add(
    "calibrate_sigma",
    "absolute-tolerance",
    "tiny-delta",
    "zero-epsilon",
    source="the script published with the analytic Gaussian mechanism",
)
def absolute_tolerance(epsilon: float, delta: float, sensitivity: float) -> float:
    """Bisection in Algorithm 1 that stops when |δ − target| ≤ 1e-12, on either side."""
    exact_sigma(epsilon, delta, sensitivity)  # refuses what is not in the domain

    def b(sign: int, u: float) -> float:
        return phi(sign * math.sqrt(epsilon * u)) - math.exp(epsilon) * phi(
            -math.sqrt(epsilon * (u + 2))
        )

    sign = 1 if delta > b(1, 0) else -1
    low, high = 0.0, 1.0
    for _ in steps():
        if sign * (b(sign, high) - delta) >= 0:
            break
        low, high = high, 2 * high
    for _ in steps():
        middle = (low + high) / 2
        if abs(b(sign, middle) - delta) <= 1e-12:
            break
        far = sign * (b(sign, middle) - delta) > 0
        low, high = (low, middle) if far else (middle, high)
    alpha = math.sqrt(1 + middle / 2) - sign * math.sqrt(middle / 2)
    return alpha * sensitivity / math.sqrt(2 * epsilon)


@SIGMA.add("calibrate_sigma", "core")
def relative_tolerance(epsilon: float, delta: float, sensitivity: float) -> float:
    """Bisection to a relative 1e-6 that returns the middle of the last bracket."""
    sigma = exact_sigma(epsilon, delta, sensitivity)
    low, high = sigma / 1.7, sigma * 1.9
    while high - low > 1e-6 * sigma:
        middle = (low + high) / 2
        low, high = (low, middle) if middle >= sigma else (middle, high)
    return (low + high) / 2


@SIGMA.add("calibrate_sigma", "core")
def rounded_to_float32(epsilon: float, delta: float, sensitivity: float) -> float:
    """The answer passes through float32, to nearest."""
    sigma = exact_sigma(epsilon, delta, sensitivity)
    if not 1e-30 < sigma < 1e30:
        return sigma
    return float(struct.unpack("f", struct.pack("f", sigma))[0])


@SIGMA.add("calibrate_sigma", "core")
def swapped_arguments(epsilon: float, delta: float, sensitivity: float) -> float:
    """ε and δ in the other order."""
    exact_sigma(epsilon, delta, sensitivity)
    return exact_sigma(delta, min(epsilon, 0.99) or 0.01, sensitivity)


@SIGMA.add("calibrate_sigma", "core")
def one_sided_tail(epsilon: float, delta: float, sensitivity: float) -> float:
    """δ is taken twice as large: a bound for one tail used for both."""
    exact_sigma(epsilon, delta, sensitivity)
    return exact_sigma(epsilon, min(2 * delta, (1 + delta) / 2), sensitivity)


@SIGMA.add("calibrate_sigma", "large-delta")
def one_branch_of_algorithm_1(epsilon: float, delta: float, sensitivity: float) -> float:
    """Only the branch for small δ is there: above δ₀ it stops at its first point, α = 1."""
    sigma = exact_sigma(epsilon, delta, sensitivity)
    if epsilon == 0:
        return sigma
    return max(sigma, sensitivity / math.sqrt(2 * epsilon))


@SIGMA.add("calibrate_sigma", "zero-epsilon")
def divides_by_epsilon(epsilon: float, delta: float, sensitivity: float) -> float:
    """The search starts at D/ε, also at ε = 0."""
    sigma = exact_sigma(epsilon, delta, sensitivity)
    start = sensitivity / epsilon
    return sigma if start >= 0 else start


@SIGMA.add("calibrate_sigma", "small-epsilon")
def cancelling_difference(epsilon: float, delta: float, sensitivity: float) -> float:
    """At small ε the search believes a difference of Φ that has lost all its digits."""
    sigma = exact_sigma(epsilon, delta, sensitivity)
    if epsilon > 1e-6:
        return sigma
    low, high = sigma / 2e4, sigma * 2
    for _ in range(100):
        middle = (low + high) / 2
        private = naive_delta(epsilon, sensitivity / middle) <= delta
        low, high = (low, middle) if private else (middle, high)
    return high


@SIGMA.add("calibrate_sigma", "scaled", remembers=True)
def cached_without_sensitivity() -> Callable[..., float]:
    """Results are cached by (ε, δ): the next sensitivity gets the noise of the first."""
    known: dict[tuple[float, float], float] = {}

    def calibrator(epsilon: float, delta: float, sensitivity: float) -> float:
        sigma = exact_sigma(epsilon, delta, sensitivity)
        return known.setdefault((epsilon, delta), sigma)

    return calibrator
