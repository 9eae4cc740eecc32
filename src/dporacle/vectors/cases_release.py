"""Cases for one release: calibration, δ, ε, accuracy and its inverses."""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping

from dporacle.vectors.grid import (
    ALMOST_ONE,
    CORE_DELTA,
    CORE_EPSILON,
    CORE_SIGMA,
    DEEPEST,
    HARD_DELTA,
    HARD_EPSILON,
    HARD_SENSITIVITY,
    HARD_SIGMA,
    TINY,
    GridPoint,
    delta_flags,
    epsilon_flags,
)


def _calibrations() -> Iterator[GridPoint]:
    for epsilon, delta in itertools.product(CORE_EPSILON, CORE_DELTA):
        flags = ["core"]
        if epsilon > 1:
            flags += ["beyond-classical", "clipped-epsilon"]
        if epsilon <= 1e-2 and delta <= 1e-9:
            flags.append("absolute-tolerance")
        yield _sigma_case(epsilon, delta, 1.0, *flags)
    yield _sigma_case(1.0, 1e-5, 1.0, "algorithm-1-sign")
    yield _sigma_case(1.0, 1e-5, math.sqrt(2), "two-bins")
    yield _sigma_case(1.0, 1e-5, 2 * math.sqrt(3), "missing-root")
    for epsilon, delta, sensitivity in itertools.product(
        HARD_EPSILON, HARD_DELTA, HARD_SENSITIVITY
    ):
        yield _sigma_case(epsilon, delta, sensitivity)
    for epsilon, delta in itertools.product(CORE_EPSILON, HARD_DELTA):
        yield _sigma_case(epsilon, delta, 1.0)
    for epsilon, delta in itertools.product(HARD_EPSILON, CORE_DELTA):
        yield _sigma_case(epsilon, delta, 1.0)
    for sensitivity in (*HARD_SENSITIVITY, 3.0, 0.1):
        yield _sigma_case(1.0, 1e-5, sensitivity)


def _sigma_case(epsilon: float, delta: float, sensitivity: float, *flags: str) -> GridPoint:
    reasons = (*flags, *epsilon_flags(epsilon), *delta_flags(delta))
    if sensitivity != 1:
        reasons += ("scaled",)
    return GridPoint(
        {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}, reasons or ("core",)
    )


def _sigma_flags(sigma: float) -> Iterator[str]:
    if sigma == TINY:
        yield "subnormal"
    if sigma in HARD_SIGMA:
        yield "wide-bracket"


def _profiles() -> Iterator[GridPoint]:
    for epsilon, sigma in itertools.product(
        (*CORE_EPSILON, *HARD_EPSILON), (*CORE_SIGMA, *HARD_SIGMA)
    ):
        if epsilon * sigma - 0.5 / sigma > DEEPEST:
            continue
        flags = (*epsilon_flags(epsilon), *_sigma_flags(sigma))
        yield GridPoint(
            {"epsilon": epsilon, "sigma": sigma, "sensitivity": 1.0}, flags or ("core",)
        )
    for sensitivity, sigma in ((1e300, 1e300), (1e-300, 1e-300), (3.0, 11.0), (1e6, 1e5)):
        inputs = {"epsilon": 1.0, "sigma": sigma, "sensitivity": sensitivity}
        yield GridPoint(inputs, ("scaled",))
    # The answers of exact calibrations, from below and above: where δ ≤ claimed turns.
    for sigma in (3.730631634815941, 3.7306316348159415, 3.730631634815942):
        yield GridPoint({"epsilon": 1.0, "sigma": sigma, "sensitivity": 1.0}, ("core",))


def _inversions() -> Iterator[GridPoint]:
    for delta, sigma in itertools.product((*CORE_DELTA, *HARD_DELTA), (*CORE_SIGMA, *HARD_SIGMA)):
        flags = (*delta_flags(delta), *_sigma_flags(sigma))
        yield GridPoint({"delta": delta, "sigma": sigma, "sensitivity": 1.0}, flags or ("core",))
    inputs = {"delta": 1e-5, "sigma": 2.0, "sensitivity": 1.0}
    yield GridPoint(inputs, ("core", "replaced-twice"))
    for sensitivity, sigma in ((1e300, 1e300), (1e-300, 1e-300), (3.0, 11.0), (1e6, 1e5)):
        inputs = {"delta": 1e-5, "sigma": sigma, "sensitivity": sensitivity}
        yield GridPoint(inputs, ("scaled",))


_ALPHA = (TINY, 1e-300, 1e-100, 1e-16, 1e-5, 0.01, 0.05, 0.1, 0.5, 0.9, ALMOST_ONE)


def _alpha_flags(alpha: float) -> tuple[str, ...]:
    return ("alpha-matters", *(flag for flag in delta_flags(alpha) if flag != "large-delta"))


def _accuracies() -> Iterator[GridPoint]:
    for alpha, sigma in itertools.product(
        (*_ALPHA, 1.0), (1e-300, 1e-10, 1.0, 3.730631634815942, 1e6, 1e300)
    ):
        flags = ("zero-answer",) if alpha == 1 else _alpha_flags(alpha)
        yield GridPoint({"alpha": alpha, "sigma": sigma}, flags)
    yield GridPoint({"alpha": 1e-300, "sigma": 1.7e308}, ("alpha-matters",))


def _significances() -> Iterator[GridPoint]:
    for accuracy, sigma in itertools.product(
        (0.0, 1e-300, 1e-10, 0.1, 1.0, 1.959963984540054, 10.0, 37.0, 40.0),
        (1e-10, 1.0, 3.730631634815942, 1e10),
    ):
        if accuracy / sigma > DEEPEST:
            continue
        flags = ("core",) if accuracy and 0.1 <= sigma <= 10 else ("wide-bracket",)
        yield GridPoint({"accuracy": accuracy, "sigma": sigma}, flags)


def _scales() -> Iterator[GridPoint]:
    for accuracy, alpha in itertools.product((1e-300, 1e-10, 1.0, 7.4, 1e6, 1e300), _ALPHA):
        yield GridPoint({"accuracy": accuracy, "alpha": alpha}, _alpha_flags(alpha))


def _classical() -> Iterator[GridPoint]:
    for epsilon, delta in itertools.product((1e-3, 1e-2, 0.1, 0.5, 1.0), CORE_DELTA):
        yield GridPoint({"epsilon": epsilon, "delta": delta, "sensitivity": 1.0}, ("core",))
    for epsilon, delta in itertools.product((1e-12, 1.0), HARD_DELTA):
        flags = (*epsilon_flags(epsilon), *delta_flags(delta))
        yield GridPoint({"epsilon": epsilon, "delta": delta, "sensitivity": 1.0}, flags)
    for sensitivity in HARD_SENSITIVITY:
        yield GridPoint({"epsilon": 1.0, "delta": 1e-5, "sensitivity": sensitivity}, ("scaled",))


CASES: Mapping[str, Callable[[], Iterator[GridPoint]]] = {
    "calibrate_sigma": _calibrations,
    "delta_at_epsilon": _profiles,
    "epsilon_at_delta": _inversions,
    "accuracy": _accuracies,
    "alpha_at_accuracy": _significances,
    "sigma_at_accuracy": _scales,
    "classical_sigma": _classical,
}
"""Group -> what it is asked, but for what it is to refuse."""
