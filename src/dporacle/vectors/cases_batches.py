"""Cases for DP-SGD whose batches are not drawn by Poisson sampling."""

from collections.abc import Callable, Iterator, Mapping

from dporacle.vectors.grid import GridPoint

_Setting = tuple[float, float, int]
_USUAL: tuple[_Setting, ...] = ((2.2, 256 / 60000, 14063), (2.0, 0.01, 1000), (4.0, 0.05, 100))
_ONE_STEP: tuple[_Setting, ...] = ((2.0, 0.01, 1), (1.0, 0.1, 1), (4.0, 0.5, 1))


def _inputs(setting: _Setting, **given: float) -> dict[str, int | float]:
    sigma, rate, steps = setting
    return {**given, "sigma": sigma, "rate": rate, "steps": steps}


def _size_epsilons() -> Iterator[GridPoint]:
    for setting in _USUAL:
        yield GridPoint(_inputs(setting, delta=1e-5), ("core", "half-noise"))
    for setting in _ONE_STEP:
        yield GridPoint(_inputs(setting, delta=1e-5), ("single-step", "half-noise"))
    yield GridPoint(
        _inputs((1.1, 256 / 60000, 14063), delta=1e-5),
        ("core", "replaced-twice", "constant-batches"),
    )
    yield GridPoint(_inputs((2.0, 0.01, 1000), delta=1e-12), ("fft-noise", "deep-tail"))
    yield GridPoint(_inputs((2.0, 1e-5, 1), delta=1e-9), ("tiny-rate", "single-step"))


def _size_deltas() -> Iterator[GridPoint]:
    for setting, epsilon in zip(_USUAL, (2.0, 0.5, 0.5), strict=True):
        yield GridPoint(_inputs(setting, epsilon=epsilon), ("core", "half-noise"))
    yield GridPoint(_inputs((2.0, 0.01, 1000), epsilon=0.0), ("zero-epsilon",))
    for setting in _ONE_STEP:
        yield GridPoint(_inputs(setting, epsilon=0.5), ("single-step", "half-noise"))
    yield GridPoint(_inputs((2.0, 0.01, 1), epsilon=5.0), ("tiny-delta", "single-step"))


def _size_sigmas() -> Iterator[GridPoint]:
    for epsilon, delta, rate, steps in ((2.0, 1e-5, 0.01, 1000), (3.0, 1e-9, 0.05, 500)):
        given = {"epsilon": epsilon, "delta": delta, "rate": rate, "steps": steps}
        yield GridPoint(given, ("core", "half-noise"))
    given = {"epsilon": 0.3, "delta": 1e-6, "rate": 0.5, "steps": 1}
    yield GridPoint(given, ("single-step", "half-noise"))


CASES: Mapping[str, Callable[[], Iterator[GridPoint]]] = {
    "fixed_size_delta": _size_deltas,
    "fixed_size_epsilon": _size_epsilons,
    "fixed_size_sigma": _size_sigmas,
}
"""Group -> what it is asked, but for what it is to refuse."""
