"""Cases for DP-SGD: the Poisson-subsampled Gaussian, composed."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from dporacle.vectors.grid import GridPoint

_Setting = tuple[float, float, int]
_USUAL: tuple[_Setting, ...] = (
    (1.1, 256 / 60000, 14063),
    (1.0, 0.01, 1000),
    (2.0, 0.05, 100),
    (0.7, 0.004, 11250),
    (4.0, 0.001, 10**6),
    (10.0, 0.1, 10**5),
)
_SHARED = (_USUAL[0], _USUAL[2])  # asked in each direction
_LIMITED = _USUAL[1]
_SINGLE: tuple[_Setting, ...] = ((1.0, 0.01, 1), (0.5, 0.1, 1), (2.0, 0.5, 1))


def _inputs(setting: _Setting, **given: float) -> dict[str, int | float]:
    sigma, rate, steps = setting
    return {**given, "sigma": sigma, "rate": rate, "steps": steps}


def _epsilons(direction: str) -> Iterator[GridPoint]:
    own = {"add": "two-directions", "remove": "two-directions", "replace": "antipodal"}
    more = (own[direction],) if direction in own else ()
    for setting in _USUAL if direction == "both" else (*_SHARED, (0.8, 0.02, 500)):
        limit = ("central-limit",) if setting == _LIMITED else ()
        yield GridPoint(_inputs(setting, delta=1e-5), ("core", *more, *limit))
    # What was found in accountants comes first: the slow ones are not asked everything.
    for delta in (1e-13, 1e-12) if direction == "both" else ():
        yield GridPoint(_inputs((1.0, 0.01, 1000), delta=delta), ("fft-noise", "deep-tail"))
    yield GridPoint(_inputs((1.0, 0.01, 10**4), delta=1e-9), ("fft-noise", *more))
    for setting in _SINGLE:
        yield GridPoint(_inputs(setting, delta=1e-5), ("single-step", *more))
    yield GridPoint(_inputs((4.0, 1.0, 100), delta=1e-5), ("no-sampling", *more))
    yield GridPoint(_inputs((1.0, 0.001, 1), delta=0.01), ("zero-answer", "single-step", *more))
    if direction != "both":
        return
    yield GridPoint(_inputs((1.0, 0.01, 10**4), delta=1e-13), ("fft-noise",))
    yield GridPoint(_inputs((4.0, 0.00033, 10000), delta=1.1e-18), ("tiny-delta", "deep-tail"))
    yield GridPoint(_inputs((1.0, 0.02, 1000), delta=1e-100), ("tiny-delta",))
    yield GridPoint(_inputs((1.0, 1e-5, 1), delta=1e-9), ("tiny-rate", "single-step"))
    yield GridPoint(_inputs((1.1, 256 / 60000, 14100), delta=1e-5), ("partial-batches",))
    yield GridPoint(_inputs((1.0, 0.04, 250), delta=1e-5), ("accumulated",))
    yield GridPoint(_inputs((1.0, 0.016, 80), delta=1e-6), ("loader-rate",))
    yield GridPoint(_inputs((1.0, 5000 / 763430, 4120), delta=1e-9), ("averaged-noise",))
    yield GridPoint(_inputs((1.0, 50 / 3012, 100), delta=1e-5), ("rounds-of-clients",))
    yield GridPoint(_inputs((1.54, 1024 / 50000, 1464), delta=1e-5), ("loose-conversion",))
    yield GridPoint(_inputs((1.0, 105 / 100000, 1), delta=1e-3), ("order-at-one",))
    yield GridPoint(_inputs((0.7, 0.05, 2000), delta=1e-5), ("many-epsilons",))
    yield GridPoint(_inputs((1.0, 0.2, 1000), delta=1e-5), ("large-epsilon", "many-epsilons"))


def _deltas(direction: str) -> Iterator[GridPoint]:
    own = {"add": "two-directions", "remove": "two-directions", "replace": "antipodal"}
    more = (own[direction],) if direction in own else ()
    epsilons = (0.5, 2.0) if direction == "both" else (1.5,)
    for setting, epsilon in itertools.product(_SHARED, epsilons):
        yield GridPoint(_inputs(setting, epsilon=epsilon), ("core", *more))
    yield GridPoint(_inputs((1.0, 0.01, 1000), epsilon=0.0), ("zero-epsilon", *more))
    yield GridPoint(_inputs((2.0, 0.5, 1), epsilon=0.5), ("single-step", *more))
    yield GridPoint(_inputs((4.0, 1.0, 100), epsilon=10.0), ("no-sampling", *more))
    if direction == "both":
        yield GridPoint(_inputs((1.0, 0.01, 10**4), epsilon=8.765354603461917), ("fft-noise",))
        yield GridPoint(_inputs((1.0, 0.01, 1), epsilon=5.0), ("tiny-delta", "single-step"))


def _sigmas(direction: str) -> Iterator[GridPoint]:
    more = ("antipodal",) if direction == "replace" else ()

    def asked(epsilon: float, delta: float, rate: float, steps: int) -> dict[str, int | float]:
        return {"epsilon": epsilon, "delta": delta, "rate": rate, "steps": steps}

    yield GridPoint(asked(2.0, 1e-5, 0.01, 1000), ("core", *more))
    if direction == "replace":  # the direction add needs no noise there
        yield GridPoint(asked(1.0, 1e-6, 0.01, 1), ("single-step", *more))
    yield GridPoint(asked(0.3, 1e-6, 0.5, 1), ("single-step", *more))
    if direction == "both":
        yield GridPoint(asked(8.0, 1e-5, 256 / 60000, 14063), ("core",))
        yield GridPoint(asked(3.0, 1e-9, 0.05, 500), ("core",))
        yield GridPoint(asked(8.0, 1e-5, 1000 / 67349, 200), ("search-below",))
        yield GridPoint(asked(8.765354603461917, 1e-9, 0.01, 10**4), ("fft-noise",))
        yield GridPoint(asked(4.0, 1e-5, 1.0, 100), ("no-sampling",))


_CHANGES: tuple[tuple[_Setting, _Setting], ...] = (
    ((1.0, 0.01, 1000), (2.0, 0.02, 500)),
    ((1.1, 256 / 60000, 10000), (0.9, 256 / 60000, 4063)),
    ((4.0, 0.001, 10**5), (2.0, 0.1, 50)),
    ((8.0, 1.0, 20), (4.0, 1.0, 10)),
)


def _phases(name: str) -> Iterator[GridPoint]:
    given = {"epsilon": 2.0} if name == "epsilon" else {"delta": 1e-5}
    for first, (sigma, rate, steps) in _CHANGES:
        later = {"later_sigma": sigma, "later_rate": rate, "later_steps": steps}
        usual = "core" if rate < 1 else "no-sampling"
        yield GridPoint({**_inputs(first, **given), **later}, (usual, "schedule"))


CASES: Mapping[str, Callable[[], Iterator[GridPoint]]] = {
    f"subsampled_{kind}{suffix}": partial(cases, direction)
    for direction, suffix in (
        ("both", ""),
        ("add", "_add"),
        ("remove", "_remove"),
        ("replace", "_replace"),
    )
    for kind, cases in (("delta", _deltas), ("epsilon", _epsilons))
} | {
    "subsampled_sigma": partial(_sigmas, "both"),
    "subsampled_sigma_replace": partial(_sigmas, "replace"),
    "subsampled_phases_delta": partial(_phases, "epsilon"),
    "subsampled_phases_epsilon": partial(_phases, "delta"),
}
"""Group -> what it is asked, but for what it is to refuse."""
