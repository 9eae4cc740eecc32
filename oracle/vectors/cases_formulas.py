"""Cases for the other closed-form calibrations: what the formula says, private or not."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from dporacle.vectors.grid import (
    CORE_DELTA,
    CORE_EPSILON,
    HARD_DELTA,
    HARD_SENSITIVITY,
    Case,
    Group,
    delta_flags,
    epsilon_flags,
    merge,
    refusals,
)

__all__ = ["GROUPS"]


def _calibrations(theorem_up_to: float) -> Iterator[Case]:
    for epsilon, delta in itertools.product(CORE_EPSILON, CORE_DELTA):
        inputs = {"epsilon": epsilon, "delta": delta, "sensitivity": 1.0}
        outside = ("outside-theorem",) if epsilon > theorem_up_to else ()
        yield Case(inputs, ("core", *outside))
    for epsilon, delta in itertools.product((1e-12, 1.0, 710.0), HARD_DELTA):
        inputs = {"epsilon": epsilon, "delta": delta, "sensitivity": 1.0}
        outside = ("outside-theorem",) if epsilon > theorem_up_to else ()
        yield Case(inputs, (*epsilon_flags(epsilon), *delta_flags(delta), *outside))
    for sensitivity in HARD_SENSITIVITY:
        yield Case({"epsilon": 1.0, "delta": 1e-5, "sensitivity": sensitivity}, ("scaled",))


def _pinsker() -> Iterator[Case]:
    for delta in CORE_DELTA:
        yield Case({"delta": delta, "sensitivity": 1.0}, ("core",))
    for delta in HARD_DELTA:
        yield Case({"delta": delta, "sensitivity": 1.0}, tuple(delta_flags(delta)))
    for sensitivity in HARD_SENSITIVITY:
        yield Case({"delta": 1e-5, "sensitivity": sensitivity}, ("scaled",))


def _formula(
    function: str, statements: tuple[str, ...], *, theorem_up_to: float, elementary: bool = True
) -> Group:
    return Group(
        function=function,
        statements=statements,
        rounding="up",
        harm="less noise than the formula says",
        kind="elementary" if elementary else "special",
        cases=merge(
            _calibrations(theorem_up_to), refusals(epsilon=1.0, delta=1e-5, sensitivity=1.0)
        ),
    )


GROUPS: tuple[Group, ...] = (
    Group(
        function="pinsker_sigma",
        statements=("BW18.T2",),
        rounding="up",
        harm="less noise than the formula says",
        kind="elementary",
        cases=merge(_pinsker(), refusals(delta=1e-5, sensitivity=1.0)),
    ),
    _formula("dwork_2006_sigma", ("X.CF",), theorem_up_to=1.0),
    _formula("dwork_roth_sigma", ("GMA.R1",), theorem_up_to=1.0),
    _formula("vinterbo_sigma", ("X.CF",), theorem_up_to=1e300),
    _formula(
        "plrv_tail_sigma", ("X.CF", "BW18.O1", "JL24.D1"), theorem_up_to=1e300, elementary=False
    ),
)
"""The groups about formulas."""
