"""Cases for Laplace noise, alone, k times and together with Gaussian noise."""

import itertools
from collections.abc import Callable, Iterator, Mapping

from dporacle.vectors.grid import (
    ALMOST_ONE,
    CORE_DELTA,
    CORE_EPSILON,
    HARD_SENSITIVITY,
    TINY,
    GridPoint,
    delta_flags,
    epsilon_flags,
)

_SCALE = (0.02, 0.1, 0.5, 1.0, 2.0, 10.0, 100.0)
_HARD_SCALE = (TINY, 1e-300, 1e-10, 1e6, 1e300)


def _calibrations() -> Iterator[GridPoint]:
    for epsilon, delta in itertools.product(CORE_EPSILON, (0.0, *CORE_DELTA)):
        flags = ("core", "pure") if delta == 0 else ("core",)
        yield GridPoint({"epsilon": epsilon, "delta": delta, "sensitivity": 1.0}, flags)
    for epsilon, delta in itertools.product((0.0, 1e-300, 710.0), (TINY, 1e-100, 0.5, ALMOST_ONE)):
        hard = (*epsilon_flags(epsilon), *delta_flags(delta))
        yield GridPoint({"epsilon": epsilon, "delta": delta, "sensitivity": 1.0}, hard)
    for delta, sensitivity in itertools.product((0.0, 1e-5), HARD_SENSITIVITY):
        yield GridPoint({"epsilon": 1.0, "delta": delta, "sensitivity": sensitivity}, ("scaled",))
    for sensitivity, why in ((2.0, "two-bins"), (10000.0, "one-bound"), (0.5, "unknown-size")):
        yield GridPoint({"epsilon": 1.0, "delta": 0.0, "sensitivity": sensitivity}, (why,))
    none = {"epsilon": 0.0, "delta": 0.0, "sensitivity": 1.0}
    yield GridPoint(none, ("nonsense",), wrong="epsilon")


def _profiles() -> Iterator[GridPoint]:
    for epsilon, scale in itertools.product((0.0, *CORE_EPSILON, 710.0), _SCALE):
        usual = ("core",) if 0 < epsilon < 1 / scale else ()
        pure = ("pure",) if epsilon >= 1 / scale else ()
        flags = (*usual, *pure, *epsilon_flags(epsilon))
        yield GridPoint({"epsilon": epsilon, "scale": scale, "sensitivity": 1.0}, flags)
    for epsilon, scale in itertools.product((0.0, 1.0), _HARD_SCALE):
        yield GridPoint({"epsilon": epsilon, "scale": scale, "sensitivity": 1.0}, ("wide-bracket",))
    # On both sides of ε = Δ/b, by a unit in the last place and less.
    for epsilon in (0.09999999999999999, 0.1, 0.10000000000000002, 0.09999999999999998):
        yield GridPoint({"epsilon": epsilon, "scale": 10.0, "sensitivity": 1.0}, ("pure-edge",))
    for sensitivity in (1e-300, 1e-10, 1e6, 1e300):
        inputs = {"epsilon": 1.0, "scale": sensitivity / 2, "sensitivity": sensitivity}
        yield GridPoint(inputs, ("scaled",))


def _inversions() -> Iterator[GridPoint]:
    for delta, scale in itertools.product((0.0, *CORE_DELTA), _SCALE):
        flags = ("core", "pure") if delta == 0 else ("core",)
        yield GridPoint({"delta": delta, "scale": scale, "sensitivity": 1.0}, flags)
    for delta, scale in itertools.product((TINY, 1e-100, 0.5, ALMOST_ONE, 1.0), (0.01, 1.0, 1e6)):
        yield GridPoint(
            {"delta": delta, "scale": scale, "sensitivity": 1.0}, tuple(delta_flags(delta))
        )
    for scale, sensitivity, why in (
        (30.0, 60.0, "both-ways"),
        (0.024, 2.0, "shares-for-counts"),
        (10 / 65536, 65536.0, "inverted-scale"),
    ):
        yield GridPoint({"delta": 0.0, "scale": scale, "sensitivity": sensitivity}, (why,))
    # Where Δ/b and −2 ln(1−δ) agree to 53 bits.
    close = {"delta": 0.3, "scale": 1.0, "sensitivity": 0.7133498878774648}
    yield GridPoint(close, ("pure-edge",))
    for delta, scale in itertools.product((0.0, 1e-5), (1e-300, 1e300)):
        yield GridPoint({"delta": delta, "scale": scale, "sensitivity": scale}, ("scaled",))


def _accuracies() -> Iterator[GridPoint]:
    for alpha, scale in itertools.product((1e-16, 1e-5, 0.01, 0.05, 0.5, 1.0), _SCALE):
        flags = ("alpha-matters",) if alpha < 0.9 else ("zero-answer",)
        yield GridPoint({"alpha": alpha, "scale": scale}, flags)
    for alpha, scale in itertools.product((TINY, 1e-300, ALMOST_ONE), (1e-300, 1.0, 1e300)):
        yield GridPoint({"alpha": alpha, "scale": scale}, ("scaled", *delta_flags(alpha)))


def _tails() -> Iterator[GridPoint]:
    for accuracy, scale in itertools.product((0.0, 0.1, 1.0, 10.0, 70.0), (0.1, 1.0, 10.0)):
        yield GridPoint({"accuracy": accuracy, "scale": scale}, ("core",))
    for accuracy, scale in ((1e-300, 1.0), (1e300, 1e300), (745.0, 1.0), (745.2, 1.0)):
        yield GridPoint({"accuracy": accuracy, "scale": scale}, ("wide-bracket",))


def _allowed() -> Iterator[GridPoint]:
    for accuracy, alpha in itertools.product((0.1, 1.0, 10.0), (1e-16, 1e-5, 0.05, 0.5)):
        yield GridPoint({"accuracy": accuracy, "alpha": alpha}, ("alpha-matters",))
    for accuracy, alpha in itertools.product((1e-300, 1.0, 1e290), (TINY, ALMOST_ONE)):
        yield GridPoint({"accuracy": accuracy, "alpha": alpha}, ("scaled", *delta_flags(alpha)))


def _quantiles() -> Iterator[GridPoint]:
    for queries, beta in itertools.product((1, 10, 1000, 10**9), (1e-12, 0.05, 0.5, ALMOST_ONE)):
        usual = ("core",) if beta in (0.05, 0.5) else ("many-queries",)
        yield GridPoint({"queries": queries, "beta": beta, "scale": 1.0}, usual)
    yield GridPoint({"queries": 2**53, "beta": TINY, "scale": 1.0}, ("subnormal", "many-queries"))
    yield GridPoint({"queries": 10, "beta": 0.05, "scale": 1e300}, ("scaled",))


def _max_tails() -> Iterator[GridPoint]:
    for queries, error in itertools.product((1, 10, 1000, 10**9), (0.0, 0.5, 3.0, 20.0, 100.0)):
        usual = ("core",) if queries <= 1000 else ("many-queries",)
        yield GridPoint({"queries": queries, "error": error, "scale": 1.0}, usual)


def _divergences() -> Iterator[GridPoint]:
    for order, scale in itertools.product((1.0, 1.5, 2.0, 8.0, 64.0, 1e6), _SCALE):
        flags = ("core", "order-one") if order == 1 else ("core",)
        yield GridPoint({"order": order, "scale": scale, "sensitivity": 1.0}, flags)
    for order, scale in itertools.product((0.5, 1 + 2.0**-52, 1e300), (1e-10, 1.0, 1e10, 1e100)):
        inputs = {"order": order, "scale": scale, "sensitivity": 1.0}
        yield GridPoint(inputs, ("order-one",) if 1 < order < 2 else ("square-overflow",))


def _rhos() -> Iterator[GridPoint]:
    for scale in _SCALE:
        yield GridPoint({"scale": scale, "sensitivity": 1.0}, ("core",))
    for scale in (1e-300, 1e-10, 1e6, 1e140):
        yield GridPoint({"scale": scale, "sensitivity": 1.0}, ("square-overflow",))
    yield GridPoint({"scale": 1e-300, "sensitivity": 2e-300}, ("scaled",))


def _repeated() -> Iterator[GridPoint]:
    for releases, scale, share in itertools.product(
        (1, 2, 3, 10, 30), (0.5, 2.0, 10.0, 100.0), (0.0, 0.25, 0.5, 0.9)
    ):
        epsilon = round(releases / scale * share, 3)
        usual = ("core",) if epsilon else ("zero-epsilon",)
        inputs = {"epsilon": epsilon, "scale": scale, "releases": releases, "sensitivity": 1.0}
        yield GridPoint(inputs, (*usual, "composition"))
    inputs = {"epsilon": 1.5, "scale": 5.0, "releases": 30, "sensitivity": 1.0}
    yield GridPoint(inputs, ("divided-noise", "composition"))
    for scale in (1e-10, 1e10):
        inputs = {"epsilon": 0.0, "scale": scale, "releases": 10, "sensitivity": 1.0}
        yield GridPoint(inputs, ("wide-bracket", "composition"))
    yield GridPoint(
        {"epsilon": 1.0, "scale": 1e-300, "releases": 4, "sensitivity": 1e-300},
        ("scaled", "composition"),
    )


def _mixed() -> Iterator[GridPoint]:
    for epsilon, scale, mu in itertools.product(
        (0.0, 0.1, 1.0, 3.0), (0.5, 1.0, 10.0), (0.1, 0.5, 2.0)
    ):
        if epsilon - 1 / scale > 30 * mu:
            continue
        usual = ("core",) if epsilon else ("zero-epsilon",)
        inputs = {"epsilon": epsilon, "scale": scale, "mu": mu, "sensitivity": 1.0}
        yield GridPoint(inputs, (*usual, "composition"))
    for scale, mu in ((1e100, 1.0), (0.5, 1e-3), (1.0, 40.0)):
        inputs = {"epsilon": 1.0, "scale": scale, "mu": mu, "sensitivity": 1.0}
        yield GridPoint(inputs, ("wide-bracket", "composition"))


CASES: Mapping[str, Callable[[], Iterator[GridPoint]]] = {
    "laplace_calibrate_scale": _calibrations,
    "laplace_delta_at_epsilon": _profiles,
    "laplace_epsilon_at_delta": _inversions,
    "laplace_accuracy": _accuracies,
    "laplace_alpha_at_accuracy": _tails,
    "laplace_scale_at_accuracy": _allowed,
    "laplace_max_error_quantile": _quantiles,
    "laplace_max_error_probability": _max_tails,
    "laplace_rdp": _divergences,
    "laplace_zcdp_rho": _rhos,
    "laplace_repeated_delta": _repeated,
    "laplace_gaussian_delta": _mixed,
}
"""Group -> what it is asked, but for what it is to refuse."""
