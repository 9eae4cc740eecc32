"""Calibrators of σ that treat their inputs wrongly: clip, ignore, mix up or accept them."""

import math
from collections.abc import Mapping, Sequence

from dporacle.specimens.formulas import exact_sigma
from dporacle.specimens.specimen import Collection

SIGMA_INPUTS = Collection()


@SIGMA_INPUTS.add("calibrate_sigma", "clipped-epsilon", source="opendp/opendp#428")
def clipped_epsilon(epsilon: float, delta: float, sensitivity: float) -> float:
    """ε above 1 is silently taken as 1."""
    return exact_sigma(min(epsilon, 1.0), delta, sensitivity)


@SIGMA_INPUTS.add("calibrate_sigma", "zero-epsilon", "small-epsilon")
def raised_epsilon(epsilon: float, delta: float, sensitivity: float) -> float:
    """ε below 1e-3 is silently taken as 1e-3, to keep a division finite."""
    exact_sigma(epsilon, delta, sensitivity)
    return exact_sigma(max(epsilon, 1e-3), delta, sensitivity)


@SIGMA_INPUTS.add("calibrate_sigma", "tiny-delta")
def raised_delta(epsilon: float, delta: float, sensitivity: float) -> float:
    """δ below 1e-15 is silently taken as 1e-15."""
    exact_sigma(epsilon, delta, sensitivity)
    return exact_sigma(epsilon, max(delta, 1e-15), sensitivity)


@SIGMA_INPUTS.add("calibrate_sigma", "subnormal")
def flushed_delta(epsilon: float, delta: float, sensitivity: float) -> float:
    """Subnormal numbers are flushed: δ below 2.2e-308 becomes 2.2e-308."""
    exact_sigma(epsilon, delta, sensitivity)
    return exact_sigma(epsilon, max(delta, 2.2250738585072014e-308), sensitivity)


@SIGMA_INPUTS.add("calibrate_sigma", "almost-one")
def rounded_delta(epsilon: float, delta: float, sensitivity: float) -> float:
    """δ is rounded to 15 places first; what becomes 1 asks for no noise."""
    sigma = exact_sigma(epsilon, delta, sensitivity)
    return 0.0 if round(delta, 15) == 1 else sigma


@SIGMA_INPUTS.add("calibrate_sigma", "scaled")
def sensitivity_ignored(epsilon: float, delta: float, sensitivity: float) -> float:
    """The noise for sensitivity 1, whatever the sensitivity."""
    exact_sigma(epsilon, delta, sensitivity)
    return exact_sigma(epsilon, delta, 1.0)


@SIGMA_INPUTS.add("calibrate_sigma", "scaled")
def sensitivity_squared(epsilon: float, delta: float, sensitivity: float) -> float:
    """The sensitivity is multiplied in twice."""
    return exact_sigma(epsilon, delta, sensitivity) * sensitivity


@SIGMA_INPUTS.add("calibrate_sigma", "scaled")
def root_of_the_square(epsilon: float, delta: float, sensitivity: float) -> float:
    """σ is the root of a variance that over- or underflows where σ would not."""
    unit = exact_sigma(epsilon, delta, sensitivity) / sensitivity
    return math.sqrt(unit * unit * (sensitivity * sensitivity)) * (1 + 1e-15)


@SIGMA_INPUTS.add("calibrate_sigma", "core")
def half_the_sensitivity(epsilon: float, delta: float, sensitivity: float) -> float:
    """The sensitivity of adding one person, where one is replaced by another."""
    return exact_sigma(epsilon, delta, sensitivity) / 2


@SIGMA_INPUTS.add("calibrate_sigma", "zero-delta")
def default_for_zero_delta(epsilon: float, delta: float, sensitivity: float) -> float:
    """δ = 0 counts as not given, and a default takes its place."""
    return exact_sigma(epsilon, delta or 1e-10, sensitivity)


@SIGMA_INPUTS.add("calibrate_sigma", "zero-sensitivity", limit=True)
def no_noise_for_no_sensitivity(epsilon: float, delta: float, sensitivity: float) -> float:
    """A sensitivity of 0, often a bug of the caller, is answered by no noise at all."""
    return exact_sigma(epsilon, delta, sensitivity) if sensitivity else 0.0


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
