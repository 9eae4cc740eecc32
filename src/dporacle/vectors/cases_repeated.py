"""Cases for k equal releases together, and for k answers at once."""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping

from dporacle.vectors.grid import (
    ALMOST_ONE,
    CORE_SIGMA,
    DEEPEST,
    TINY,
    GridPoint,
    delta_flags,
    epsilon_flags,
)

_RELEASES = (1, 2, 4, 10, 100, 1000, 10**6)
_QUERIES = (1, 2, 10, 1000, 10**6, 10**9)
_BETA = (TINY, 1e-100, 1e-12, 0.01, 0.05, 0.5, 0.9, ALMOST_ONE)


def _count_flags(releases: int) -> tuple[str, ...]:
    return ("composition", *(("many-releases",) if releases >= 1000 else ()))


def _mus() -> Iterator[GridPoint]:
    for mu, releases in itertools.product((0.01, 0.1, 1.0, 1.7), _RELEASES):
        yield GridPoint({"mu": mu, "releases": releases}, ("core", *_count_flags(releases)))
    for mu, releases in itertools.product((TINY, 1e-300, 1e300), (2, 10**6, 2**53)):
        yield GridPoint({"mu": mu, "releases": releases}, ("wide-bracket", *_count_flags(releases)))


def _rhos() -> Iterator[GridPoint]:
    for mu, releases in itertools.product((0.01, 0.1, 1.0, 1.7), _RELEASES):
        flags = ("core", "factor-two", *_count_flags(releases))
        yield GridPoint({"mu": mu, "releases": releases}, flags)
    for mu, releases in itertools.product((1e-150, 1e140), (2, 2**53)):
        yield GridPoint({"mu": mu, "releases": releases}, ("wide-bracket", *_count_flags(releases)))


def _totals() -> Iterator[GridPoint]:
    for delta, mu, releases in itertools.product((1e-9, 1e-5, 0.1), (0.01, 0.1, 1.0), _RELEASES):
        inputs = {"delta": delta, "mu": mu, "releases": releases}
        yield GridPoint(inputs, ("core", "factor-two", *_count_flags(releases)))
    for delta, releases in itertools.product((TINY, 1e-100, 0.9, ALMOST_ONE), (3, 10**6)):
        inputs = {"delta": delta, "mu": 0.01, "releases": releases}
        yield GridPoint(inputs, (*delta_flags(delta), *_count_flags(releases)))


def _sigmas() -> Iterator[GridPoint]:
    for epsilon, delta, releases in itertools.product((0.1, 1.0, 5.0), (1e-9, 1e-5), _RELEASES):
        inputs = {"epsilon": epsilon, "delta": delta, "releases": releases, "sensitivity": 1.0}
        yield GridPoint(inputs, ("core", *_count_flags(releases)))
    for epsilon, delta, releases in itertools.product((0.0, 710.0), (1e-100, 0.5), (3, 10**6)):
        inputs = {"epsilon": epsilon, "delta": delta, "releases": releases, "sensitivity": 1.0}
        yield GridPoint(
            inputs, (*epsilon_flags(epsilon), *delta_flags(delta), *_count_flags(releases))
        )
    for sensitivity in (1e-300, 0.1, 1e300):
        inputs = {"epsilon": 1.0, "delta": 1e-5, "releases": 10, "sensitivity": sensitivity}
        yield GridPoint(inputs, ("scaled", "composition"))


def _profiles() -> Iterator[GridPoint]:
    for epsilon, (sigma, releases) in itertools.product((0.0, 0.1, 1.0, 5.0, 710.0), _noises()):
        mu = releases**0.5 / sigma
        if epsilon / mu - mu / 2 > DEEPEST:
            continue
        inputs = {"epsilon": epsilon, "sigma": sigma, "releases": releases, "sensitivity": 1.0}
        usual = ("core",) if 0 < epsilon < 10 else ()
        yield GridPoint(inputs, (*usual, *epsilon_flags(epsilon), *_count_flags(releases)))
    inputs = {"epsilon": 1.0, "sigma": 3.730631634815942, "releases": 2, "sensitivity": 1.0}
    yield GridPoint(inputs, ("two-aggregates", "composition"))
    inputs = {"epsilon": 1.0, "sigma": 2e-300, "releases": 3, "sensitivity": 1e-300}
    yield GridPoint(inputs, ("scaled", "composition"))


def _noises() -> Iterator[tuple[float, int]]:
    """Yield σ and k such that √k/σ is neither tiny nor huge."""
    for sigma, releases in itertools.product((1.0, 4.0, *CORE_SIGMA[4:], 1e3), _RELEASES):
        if 1e-3 <= releases**0.5 / sigma <= 20:
            yield sigma, releases


def _inversions() -> Iterator[GridPoint]:
    for delta, (sigma, releases) in itertools.product((1e-9, 1e-5, 0.1), _noises()):
        inputs = {"delta": delta, "sigma": sigma, "releases": releases, "sensitivity": 1.0}
        yield GridPoint(inputs, ("core", *_count_flags(releases)))
    inputs = {"delta": 1e-5, "sigma": math.sqrt(2), "releases": 20, "sensitivity": 1.0}
    yield GridPoint(inputs, ("other-figures", "composition"))
    for delta, releases in itertools.product((TINY, 1e-100, 0.9, ALMOST_ONE), (3, 10**6)):
        inputs = {"delta": delta, "sigma": 100.0, "releases": releases, "sensitivity": 1.0}
        yield GridPoint(inputs, (*delta_flags(delta), *_count_flags(releases)))
    inputs = {"delta": 1e-5, "sigma": 2e-300, "releases": 3, "sensitivity": 1e-300}
    yield GridPoint(inputs, ("scaled", "composition"))


def _query_flags(queries: int, beta: float) -> tuple[str, ...]:
    usual = ("core",) if queries <= 1000 and 1e-12 <= beta <= 0.5 else ()
    flags = [flag for flag in delta_flags(beta) if not flag.endswith("-delta")]
    if queries == 1:
        flags.append("single-query")
    if queries >= 1000 or beta <= 1e-12:
        flags.append("many-queries")
    if beta >= 0.5:
        flags.append("union-gap")
    return (*usual, *flags)


def _quantiles() -> Iterator[GridPoint]:
    for queries, beta in itertools.product(_QUERIES, _BETA):
        inputs = {"queries": queries, "beta": beta, "sigma": 1.0}
        yield GridPoint(inputs, _query_flags(queries, beta))
    for queries, sigma in itertools.product((1, 1000), (1e-300, 3.730631634815942, 1e300)):
        yield GridPoint({"queries": queries, "beta": 0.05, "sigma": sigma}, ("scaled",))


def _probabilities() -> Iterator[GridPoint]:
    for queries, error in itertools.product(_QUERIES, (0.0, 1e-10, 0.5, 2.0, 5.0, 10.0, 37.0)):
        flags = _query_flags(queries, 0.1)
        inputs = {"queries": queries, "error": error, "sigma": 1.0}
        if error in (0.0, 1e-10, 37.0):
            flags = ("wide-bracket", *(flag for flag in flags if flag != "core"))
        yield GridPoint(inputs, flags)
    for queries in (1, 1000):
        inputs = {"queries": queries, "error": 10.0, "sigma": 3.730631634815942}
        yield GridPoint(inputs, ("scaled",))


CASES: Mapping[str, Callable[[], Iterator[GridPoint]]] = {
    "repeated_mu": _mus,
    "repeated_rho": _rhos,
    "repeated_zcdp_epsilon": _totals,
    "repeated_sigma": _sigmas,
    "repeated_delta": _profiles,
    "repeated_epsilon": _inversions,
    "max_error_quantile": _quantiles,
    "max_error_probability": _probabilities,
    "max_error_bound": _quantiles,
}
"""Group -> what it is asked, but for what it is to refuse."""
