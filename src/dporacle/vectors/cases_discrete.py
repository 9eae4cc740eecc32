"""Cases for the discrete Gaussian mechanism."""

import itertools
from collections.abc import Callable, Iterator, Mapping

from dporacle.vectors.grid import DEEPEST, TINY, GridPoint, delta_flags, epsilon_flags

_SIGMA = (0.05, 0.3, 0.5, 1.0, 2.0, 3.730631634815942, 10.0, 100.0)


def _sigma_flags(sigma: float) -> tuple[str, ...]:
    if sigma < 0.5:
        return ("concentrated",)
    return ("wide-lattice",) if sigma >= 100 else ("core",)


def _profiles() -> Iterator[GridPoint]:
    for epsilon, sigma, sensitivity in itertools.product(
        (0.0, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 710.0), _SIGMA, (1, 2, 10)
    ):
        if epsilon * sigma / sensitivity - sensitivity / (2 * sigma) > DEEPEST / 2:
            continue
        inputs = {"epsilon": epsilon, "sigma": sigma, "sensitivity": sensitivity}
        flags = (*_sigma_flags(sigma), *epsilon_flags(epsilon), "lattice")
        yield GridPoint(inputs, (*flags, "scaled") if sensitivity > 1 else flags)
    # On both sides of an integer of εσ²/D + D/2.
    for sigma in (1.2247448713915889, 1.224744871391589, 1.2247448713915892):
        yield GridPoint({"epsilon": 1.0, "sigma": sigma, "sensitivity": 1}, ("lattice",))


def _calibrations() -> Iterator[GridPoint]:
    for epsilon, delta in itertools.product((1.0, 2.0, 5.0), (1e-9, 1e-5, 0.1)):
        inputs = {"epsilon": epsilon, "delta": delta, "sensitivity": 1}
        yield GridPoint(inputs, ("core", "lattice"))
    yield GridPoint({"epsilon": 0.0, "delta": 0.1, "sensitivity": 1}, ("zero-epsilon", "lattice"))
    yield GridPoint({"epsilon": 5.0, "delta": 1e-5, "sensitivity": 2}, ("scaled", "lattice"))
    # σ lies just below 1/10, where εσ²/D − D/2 passes 0.
    yield GridPoint({"epsilon": 50.0, "delta": 1e-5, "sensitivity": 1}, ("concentrated", "lattice"))


def _tails() -> Iterator[GridPoint]:
    for error, sigma in itertools.product((0, 1, 2, 5, 10, 100), _SIGMA):
        if error / sigma <= DEEPEST / 2:
            yield GridPoint({"error": error, "sigma": sigma}, _sigma_flags(sigma))


def _accuracies() -> Iterator[GridPoint]:
    for alpha, sigma in itertools.product((1e-16, 1e-5, 0.01, 0.05, 0.5, 1.0), _SIGMA):
        everyday = ("alpha-matters",) if 0 < alpha < 0.9 else ("zero-answer",)
        flags = [flag for flag in _sigma_flags(sigma) if flag != "core"]
        yield GridPoint({"alpha": alpha, "sigma": sigma}, (*everyday, *flags, "integer-answer"))


def _scales() -> Iterator[GridPoint]:
    for error, alpha in itertools.product((1, 2, 5, 10, 100), (1e-9, 1e-5, 0.01, 0.05, 0.5)):
        yield GridPoint({"error": error, "alpha": alpha}, ("alpha-matters",))
    for error, alpha in itertools.product((0, 1, 10), (TINY, 1e-100, 1e-16, 0.9, 0.999)):
        yield GridPoint({"error": error, "alpha": alpha}, tuple(delta_flags(alpha)) or ("lattice",))
    for alpha in (1e-5, 0.05, 0.5):
        yield GridPoint({"error": 0, "alpha": alpha}, ("concentrated",))


def _variances() -> Iterator[GridPoint]:
    for sigma in (*_SIGMA[:-1], 0.1, 0.75, 1.5, 3.0, 30.3, 100.1, 300.3):
        yield GridPoint({"sigma": sigma}, _sigma_flags(sigma))


CASES: Mapping[str, Callable[[], Iterator[GridPoint]]] = {
    "discrete_delta_at_epsilon": _profiles,
    "discrete_calibrate_sigma": _calibrations,
    "discrete_tail": _tails,
    "discrete_accuracy": _accuracies,
    "discrete_sigma_at_accuracy": _scales,
    "discrete_variance": _variances,
}
"""Group -> what it is asked, but for what it is to refuse."""
