"""Functions that treat their inputs wrongly: clip, ignore, mix up or accept them."""

import math
from collections.abc import Mapping, Sequence

import dporacle
from dporacle import fast
from dporacle.dev.specimens.formulas import (
    default_for_zero,
    errors_become_zero,
    exact_sigma,
    magnitudes,
)
from dporacle.dev.specimens.specimen import Collection
from dporacle.vocabulary import QUANTITIES

INPUTS = Collection()


@INPUTS.add(
    "calibrate_sigma", "zero-sensitivity", source="tmodel-ccs2018/privcount#400", batch=True
)
def one_zero_zeroes_all(inputs: Sequence[Mapping[str, float]]) -> list[float]:
    """One sensitivity of 0 in a batch turns the noise of all the others into 0."""
    if any(each["sensitivity"] == 0 for each in inputs):
        return [0.0 for _ in inputs]
    return [exact_sigma(**each) for each in inputs]


@INPUTS.add("calibrate_sigma", "nonsense")
def nan_passes_the_check(epsilon: float, delta: float, sensitivity: float) -> float:
    """The check is `if x < 0: raise`, which NaN passes; a clamp then makes a number of it."""
    epsilon, delta, sensitivity = (
        0.5 if math.isnan(each) else each for each in (epsilon, delta, sensitivity)
    )
    return exact_sigma(epsilon, delta, sensitivity)


_OVERFLOW = ("nonsense", "overflow")
for _function, _expected in {
    "delta_at_epsilon": ("nonsense",),
    "epsilon_at_delta": _OVERFLOW,
    "accuracy": _OVERFLOW,
    "alpha_at_accuracy": ("nonsense",),
    "sigma_at_accuracy": _OVERFLOW,
    "classical_sigma": ("nonsense",),
}.items():
    INPUTS.add(_function, *_expected, name=f"errors_become_zero_in_{_function}")(
        errors_become_zero(getattr(dporacle, _function))
    )

for _row in QUANTITIES.values():
    if _row.mechanism.name == "audit":
        INPUTS.add(_row.name, "nonsense", name=f"errors_become_zero_in_{_row.name}")(
            errors_become_zero(_row.of(fast))
        )
    if _row.mechanism.law in ("discrete-gaussian-sum", "discrete-laplace-sum", "skellam"):
        INPUTS.add(_row.name, "nonsense")(magnitudes(_row))
    if _row.mechanism.law in ("laplace", "laplace-gaussian", "rank-one"):
        INPUTS.add(_row.name, "nonsense")(magnitudes(_row))
        _defaults = {"sensitivity": 2.0} | ({"delta": 1e-5} if "rank" in _row.mechanism.law else {})
        for _name, _value in _defaults.items():
            if _name in _row.arguments:
                INPUTS.add(_row.name, f"zero-{_name}")(default_for_zero(_row, _name, _value))
