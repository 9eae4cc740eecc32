"""Cases for the other currencies of privacy: zCDP, Rényi and Gaussian differential privacy."""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping

from dporacle.vectors.grid import (
    ALMOST_ONE,
    CORE_DELTA,
    CORE_EPSILON,
    CORE_MU,
    DEEPEST,
    HARD_DELTA,
    HARD_EPSILON,
    HARD_SENSITIVITY,
    TINY,
    GridPoint,
    delta_flags,
    epsilon_flags,
)

_HARD_MU = (TINY, 1e-200, 1e-160, 1e-10, 20.0, 40.0, 1e6, 1e160, 1e200)
_CORE_RHO = (1e-4, 1e-3, 0.01, 0.05, 0.125, 0.5, 1.0, 2.0, 8.0)
_HARD_RHO = (TINY, 1e-300, 1e-12, 1e3, 1e12, 1e300)
_ORDERS = (1.0 + 2.0**-40, 1.5, 2.0, 8.0, 32.0, 256.0, 1e6)
_ALPHA = (1e-300, 1e-16, 1e-9, 1e-5, 0.01, 0.05, 0.5, 0.9, ALMOST_ONE)


def _mu_flags(mu: float) -> tuple[str, ...]:
    power = math.frexp(mu)[0] == 0.5 and 1e-3 <= mu <= 1e3
    return (
        *(("core",) if mu in CORE_MU else ()),
        *(("exact-power",) if power else ()),
        *(("square-overflow",) if not 1e-150 < mu < 1e150 else ()),
        *(("wide-bracket",) if mu not in CORE_MU else ()),
    )


def _mus() -> Iterator[GridPoint]:
    for mu in (*CORE_MU, *_HARD_MU, 2.0**-10):
        yield GridPoint({"mu": mu}, (*_mu_flags(mu), "factor-two"))


def _rhos() -> Iterator[GridPoint]:
    for rho in _CORE_RHO:
        yield GridPoint({"rho": rho, "sensitivity": 1.0}, ("core", "factor-two"))
    for rho in _HARD_RHO:
        yield GridPoint({"rho": rho, "sensitivity": 1.0}, ("wide-bracket",))
    for rho, sensitivity in itertools.product((0.05, 2.0), HARD_SENSITIVITY):
        yield GridPoint({"rho": rho, "sensitivity": sensitivity}, ("scaled",))
    yield GridPoint({"rho": 1e-300, "sensitivity": 1e300}, ("scaled", "square-overflow"))
    yield GridPoint({"rho": 1e300, "sensitivity": 1e-300}, ("scaled", "square-overflow"))


def _rho_epsilons() -> Iterator[GridPoint]:
    for rho, delta in itertools.product(_CORE_RHO, CORE_DELTA):
        yield GridPoint({"rho": rho, "delta": delta}, ("core", "factor-two"))
    for rho, delta in itertools.product((0.05, 1.0), HARD_DELTA):
        yield GridPoint({"rho": rho, "delta": delta}, tuple(delta_flags(delta)))
    for rho, delta in itertools.product(_HARD_RHO, (1e-5, 0.5)):
        yield GridPoint({"rho": rho, "delta": delta}, ("wide-bracket", *delta_flags(delta)))


def _rho_sigmas() -> Iterator[GridPoint]:
    for epsilon, delta in itertools.product(CORE_EPSILON, CORE_DELTA):
        inputs = {"epsilon": epsilon, "delta": delta, "sensitivity": 1.0}
        yield GridPoint(inputs, ("core", "factor-two"))
    for epsilon, delta in itertools.product((1e-12, 1.0, 710.0, 1e4), HARD_DELTA):
        flags = (*epsilon_flags(epsilon), *delta_flags(delta))
        yield GridPoint({"epsilon": epsilon, "delta": delta, "sensitivity": 1.0}, flags)
    for sensitivity in HARD_SENSITIVITY:
        yield GridPoint({"epsilon": 1.0, "delta": 1e-5, "sensitivity": sensitivity}, ("scaled",))


def _bounds() -> Iterator[GridPoint]:
    for epsilon, mu in itertools.product(
        (0.0, *CORE_EPSILON, 1e-12, 710.0, 800.0, 1e4), (*CORE_MU, 20.0, 40.0)
    ):
        depth = epsilon / mu - mu / 2
        if depth > DEEPEST:
            continue
        hard = (*epsilon_flags(epsilon), *(("trivial-bound",) if depth <= 0 else ()))
        yield GridPoint({"epsilon": epsilon, "mu": mu}, (*_mu_flags(mu), *hard))


def _best_orders() -> Iterator[GridPoint]:
    for case in _bounds():
        epsilon, mu = case.inputs["epsilon"], case.inputs["mu"]
        order = (epsilon + mu * mu / 2) / (mu * mu)  # of the cruder bound; about the best one
        yield GridPoint(case.inputs, (*case.flags, *(("loose-order",) if order > 256 else ())))


def _orders() -> Iterator[GridPoint]:
    for order, mu in itertools.product(_ORDERS, CORE_MU):
        yield GridPoint({"order": order, "mu": mu}, _mu_flags(mu))
    for mu in CORE_MU:
        yield GridPoint({"order": 1.0, "mu": mu}, ("order-one", *_mu_flags(mu)))
    for order, mu in itertools.product((2.0, 1e6), _HARD_MU):
        yield GridPoint({"order": order, "mu": mu}, _mu_flags(mu))


def _tradeoffs() -> Iterator[GridPoint]:
    for alpha, mu in itertools.product(_ALPHA, (*CORE_MU, 1e-10, 20.0)):
        everyday = 1e-9 <= alpha <= 0.9 and mu in CORE_MU
        flags = [flag for flag in _mu_flags(mu) if flag != "core"]
        flags += ["core"] if everyday else ["near-diagonal"]
        yield GridPoint(
            {"alpha": alpha, "mu": mu}, (*flags, *(f for f in delta_flags(alpha) if "-d" not in f))
        )


def _profiles() -> Iterator[GridPoint]:
    for epsilon, mu in itertools.product(
        (*CORE_EPSILON, *HARD_EPSILON), (*CORE_MU, 1e-10, 20.0, 40.0)
    ):
        if epsilon / mu - mu / 2 > DEEPEST:
            continue
        flags = [flag for flag in _mu_flags(mu) if flag != "core"]
        flags += epsilon_flags(epsilon)
        if mu in CORE_MU and epsilon in CORE_EPSILON:
            flags.insert(0, "core")
        yield GridPoint({"epsilon": epsilon, "mu": mu}, tuple(flags))


def _inversions() -> Iterator[GridPoint]:
    for delta, mu in itertools.product((*CORE_DELTA, *HARD_DELTA), (*CORE_MU, 1e-10, 40.0, 1e6)):
        flags = [flag for flag in _mu_flags(mu) if flag != "core"]
        flags += delta_flags(delta)
        if mu in CORE_MU and delta in CORE_DELTA:
            flags.insert(0, "core")
        yield GridPoint({"delta": delta, "mu": mu}, tuple(flags))


CASES: Mapping[str, Callable[[], Iterator[GridPoint]]] = {
    "zcdp_rho": _mus,
    "zcdp_sigma": _rhos,
    "zcdp_delta": _bounds,
    "zcdp_epsilon": _rho_epsilons,
    "rho_epsilon": _rho_epsilons,
    "rho_sigma": _rho_sigmas,
    "rdp": _orders,
    "rdp_delta": _best_orders,
    "gdp_tradeoff": _tradeoffs,
    "gdp_delta": _profiles,
    "gdp_epsilon": _inversions,
}
"""Group -> what it is asked, but for what it is to refuse."""
