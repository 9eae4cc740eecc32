"""Cases for the other closed-form calibrations: what the formula says, private or not."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from dporacle.vectors.grid import (
    CORE_DELTA,
    CORE_EPSILON,
    HARD_DELTA,
    HARD_SENSITIVITY,
    GridPoint,
    delta_flags,
    epsilon_flags,
)


def _calibrations(theorem_up_to: float) -> Iterator[GridPoint]:
    for epsilon, delta in itertools.product(CORE_EPSILON, CORE_DELTA):
        inputs = {"epsilon": epsilon, "delta": delta, "sensitivity": 1.0}
        outside = ("outside-theorem",) if epsilon > theorem_up_to else ()
        yield GridPoint(inputs, ("core", *outside))
    for epsilon, delta in itertools.product((1e-12, 1.0, 710.0), HARD_DELTA):
        inputs = {"epsilon": epsilon, "delta": delta, "sensitivity": 1.0}
        outside = ("outside-theorem",) if epsilon > theorem_up_to else ()
        yield GridPoint(inputs, (*epsilon_flags(epsilon), *delta_flags(delta), *outside))
    for sensitivity in HARD_SENSITIVITY:
        yield GridPoint({"epsilon": 1.0, "delta": 1e-5, "sensitivity": sensitivity}, ("scaled",))


def _pinsker() -> Iterator[GridPoint]:
    for delta in CORE_DELTA:
        yield GridPoint({"delta": delta, "sensitivity": 1.0}, ("core",))
    for delta in HARD_DELTA:
        yield GridPoint({"delta": delta, "sensitivity": 1.0}, tuple(delta_flags(delta)))
    for sensitivity in HARD_SENSITIVITY:
        yield GridPoint({"delta": 1e-5, "sensitivity": sensitivity}, ("scaled",))


CASES: Mapping[str, Callable[[], Iterator[GridPoint]]] = {
    "pinsker_sigma": _pinsker,
    "dwork_2006_sigma": partial(_calibrations, 1.0),
    "dwork_roth_sigma": partial(_calibrations, 1.0),
    "vinterbo_sigma": partial(_calibrations, 1e300),
    "plrv_tail_sigma": partial(_calibrations, 1e300),
}
"""Group -> what it is asked, but for what it is to refuse."""
