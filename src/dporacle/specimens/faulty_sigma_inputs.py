"""Calibrators of σ that treat their inputs wrongly: clip, ignore, mix up or accept them."""

import math
from collections.abc import Mapping, Sequence

from dporacle.specimens.formulas import exact_sigma
from dporacle.specimens.specimen import Collection

SIGMA_INPUTS = Collection()


@SIGMA_INPUTS.add("calibrate_sigma", "scaled")
def root_of_the_square(epsilon: float, delta: float, sensitivity: float) -> float:
    """σ is the root of a variance that over- or underflows where σ would not."""
    unit = exact_sigma(epsilon, delta, sensitivity) / sensitivity
    return math.sqrt(unit * unit * (sensitivity * sensitivity)) * (1 + 1e-15)


@SIGMA_INPUTS.add(
    "calibrate_sigma", "zero-sensitivity", source="tmodel-ccs2018/privcount#400", batch=True
)
def one_zero_zeroes_all(inputs: Sequence[Mapping[str, float]]) -> list[float]:
    """One sensitivity of 0 in a batch turns the noise of all the others into 0."""
    if any(each["sensitivity"] == 0 for each in inputs):
        return [0.0 for _ in inputs]
    return [exact_sigma(**each) for each in inputs]


@SIGMA_INPUTS.add("calibrate_sigma", "nonsense")
def magnitudes_only(epsilon: float, delta: float, sensitivity: float) -> float:
    """Signs are dropped: a negative ε, δ or sensitivity is answered like its magnitude."""
    return exact_sigma(abs(epsilon), abs(delta), abs(sensitivity))


@SIGMA_INPUTS.add("calibrate_sigma", "nonsense")
def nan_passes_the_check(epsilon: float, delta: float, sensitivity: float) -> float:
    """The check is `if x < 0: raise`, which NaN passes; a clamp then makes a number of it."""
    epsilon, delta, sensitivity = (
        0.5 if math.isnan(each) else each for each in (epsilon, delta, sensitivity)
    )
    return exact_sigma(epsilon, delta, sensitivity)


@SIGMA_INPUTS.add("calibrate_sigma", "nonsense")
def percent_for_probability(epsilon: float, delta: float, sensitivity: float) -> float:
    """A δ above 1 is read as a percentage."""
    return exact_sigma(epsilon, delta / 100 if delta > 1 else delta, sensitivity)
