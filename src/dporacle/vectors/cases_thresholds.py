"""Cases for counts that are shown from a threshold on."""

import itertools
from collections.abc import Callable, Iterator, Mapping

from dporacle.vectors.grid import ALMOST_ONE, TINY, GridPoint, delta_flags

_DELTA = (1e-10, 1e-9, 1e-6, 1e-5, 1e-3, 0.1)
_HARD_DELTA = (TINY, 1e-100, 1e-16, 0.5)
_LIKELY_DELTA = (0.75, 0.9, ALMOST_ONE)
_EPSILON = (0.1, 0.5, 1.0, 2.0, 10.0)
_SIGMA = (0.5, 1.0, 3.730631634815942, 10.0, 100.0)
_COUNTS = (1, 2, 3, 10, 100)


def _count_flags(count: int) -> tuple[str, ...]:
    return ("contributions",) if count > 1 else ()


def _thresholds(noise: str, sizes: tuple[float, ...], little: float) -> Iterator[GridPoint]:
    for delta, size, count in itertools.product(_DELTA, sizes, _COUNTS):
        inputs = {"delta": delta, noise: size, "contributions": count}
        yield GridPoint(inputs, ("core", *_count_flags(count)))
    for delta, count in itertools.product(_HARD_DELTA, (1, 2, 10**9)):
        inputs = {"delta": delta, noise: 2.0, "contributions": count}
        yield GridPoint(inputs, (*delta_flags(delta), *_count_flags(count)))
    for delta in _LIKELY_DELTA:  # below 1, and above 0 as the noise is little
        inputs = {"delta": delta, noise: little, "contributions": 1}
        yield GridPoint(inputs, (*delta_flags(delta), "below-one"))
    for size in (1e-10, 1e10):
        inputs = {"delta": 1e-5, noise: size, "contributions": 3}
        yield GridPoint(inputs, ("wide-bracket", "contributions"))


def _gaussian() -> Iterator[GridPoint]:
    yield from _thresholds("sigma", _SIGMA, 0.1)
    inputs = {"delta": 1e-5, "sigma": 4.844805262605389, "contributions": 1}  # √(2 ln(1.25/δ))
    yield GridPoint(inputs, ("foreign-threshold",))


def _laplace() -> Iterator[GridPoint]:
    for case in _thresholds("epsilon", _EPSILON, 100.0):
        names = ("epsilon", "delta", "contributions")
        yield GridPoint({name: case.inputs[name] for name in names}, case.flags)


def _deltas(
    noise: str, sizes: tuple[float, ...], depth: Callable[[float, int], float]
) -> Iterator[GridPoint]:
    for size, far, count in itertools.product(sizes, (0.5, 1.0, 3.0, 4.5, 6.0), _COUNTS):
        tau = round(1 + far * depth(size, count), 3)
        inputs = {"threshold": tau, noise: size, "contributions": count}
        yield GridPoint(inputs, ("core", *_count_flags(count)))
    for tau, count in itertools.product((-10.0, 0.0, 0.75, 40.0), (1, 10**9)):
        inputs = {"threshold": tau, noise: 1.5, "contributions": count}
        yield GridPoint(inputs, ("below-one" if tau <= 1 else "tiny-delta", *_count_flags(count)))


def _gaussian_deltas() -> Iterator[GridPoint]:
    yield from _deltas("sigma", _SIGMA, lambda sigma, count: sigma)


def _laplace_deltas() -> Iterator[GridPoint]:
    yield from _deltas("epsilon", _EPSILON, lambda epsilon, count: 3 * count / epsilon)


def _integer_deltas() -> Iterator[GridPoint]:
    # The case of the thread first: 20,000 counts of 1 show 1.34 % of them, not 0.49 %.
    for tau, scale, count in itertools.product((2, 5, 21), (0.5, 1.0, 2.0, 10.0), (1, 3, 100)):
        inputs = {"threshold": tau, "scale": scale, "contributions": count}
        yield GridPoint(inputs, ("core", "mass-at-threshold", *_count_flags(count)))
    for tau, count in itertools.product((-9, 0, 1), (1, 10**9)):
        inputs = {"threshold": tau, "scale": 1.5, "contributions": count}
        yield GridPoint(inputs, ("below-one", *_count_flags(count)))
    for tau, scale in ((1001, 1.5), (10**6, 1e6), (2, 1e10)):
        yield GridPoint({"threshold": tau, "scale": scale, "contributions": 1}, ("wide-bracket",))


CASES: Mapping[str, Callable[[], Iterator[GridPoint]]] = {
    "count_threshold": _gaussian,
    "count_threshold_delta": _gaussian_deltas,
    "integer_count_threshold_delta": _integer_deltas,
    "laplace_count_threshold": _laplace,
    "laplace_count_threshold_delta": _laplace_deltas,
}
"""Group -> what it is asked, but for what it is to refuse."""
