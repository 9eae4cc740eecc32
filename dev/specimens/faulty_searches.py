"""Calibrators, and an accountant, whose formula, search or rounding is wrong.

Each adds one fault to the exact answer, or is the faulty algorithm where the fault is its
method, so that what convicts it is the fault and nothing else.
"""

import math
import struct
from collections.abc import Callable

import dporacle
from dporacle.dev.specimens.formulas import exact_sigma, naive_delta, phi
from dporacle.dev.specimens.specimen import Collection, steps

SEARCHES = Collection()


@SEARCHES.add("calibrate_sigma", "zero-epsilon", source="opendp/opendp#429")
def endless_at_zero(epsilon: float, delta: float, sensitivity: float) -> float:
    """The step of the search is a fraction of ε: at ε = 0 it stays where it is."""
    sigma = exact_sigma(epsilon, delta, sensitivity)
    reached = 0.0
    for _ in steps():
        reached += epsilon
        if reached >= 10 * epsilon and reached > 0:
            break
    return sigma


@SEARCHES.add("calibrate_sigma", "large-epsilon", source="yuxiangw/autodp#39")
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


@SEARCHES.add(
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


@SEARCHES.add("calibrate_sigma", "core")
def relative_tolerance(epsilon: float, delta: float, sensitivity: float) -> float:
    """Bisection to a relative 1e-6 that returns the middle of the last bracket."""
    sigma = exact_sigma(epsilon, delta, sensitivity)
    low, high = sigma / 1.7, sigma * 1.9
    while high - low > 1e-6 * sigma:
        middle = (low + high) / 2
        low, high = (low, middle) if middle >= sigma else (middle, high)
    return (low + high) / 2


@SEARCHES.add("calibrate_sigma", "core")
def rounded_to_float32(epsilon: float, delta: float, sensitivity: float) -> float:
    """The answer passes through float32, to nearest."""
    sigma = exact_sigma(epsilon, delta, sensitivity)
    if not 1e-30 < sigma < 1e30:
        return sigma
    return float(struct.unpack("f", struct.pack("f", sigma))[0])


@SEARCHES.add("calibrate_sigma", "small-epsilon")
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


@SEARCHES.add("calibrate_sigma", "scaled", remembers=True)
def cached_without_sensitivity() -> Callable[..., float]:
    """Results are cached by (ε, δ): the next sensitivity gets the noise of the first."""
    known: dict[tuple[float, float], float] = {}

    def calibrator(epsilon: float, delta: float, sensitivity: float) -> float:
        sigma = exact_sigma(epsilon, delta, sensitivity)
        return known.setdefault((epsilon, delta), sigma)

    return calibrator


@SEARCHES.add(
    "epsilon_at_delta", "zero-answer", "large-delta", source="pytorch/opacus#585, opendp/opendp#621"
)
def negative_epsilon(delta: float, sigma: float, sensitivity: float) -> float:
    """Where δ exceeds δ(0), the root of δ(ε) = δ is returned although it is negative."""
    epsilon = float(dporacle.epsilon_at_delta(delta=delta, sigma=sigma, sensitivity=sensitivity))
    mu = sensitivity / sigma
    if epsilon > 0 or not 1e-5 < mu < 30 or delta == 1:
        return epsilon
    low, high = -100.0, 0.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if naive_delta(middle, mu) <= delta else (middle, high)
    return high


@SEARCHES.add("accuracy", "alpha-matters", source="opendp/smartnoise-sdk#399")
def same_accuracy_for_every_alpha(alpha: float, sigma: float) -> float:
    """α is checked and then forgotten: the accuracy is the one for 0.05."""
    dporacle.accuracy(alpha=alpha, sigma=min(sigma, 1.0))
    return float(dporacle.accuracy(alpha=0.05, sigma=sigma))
