"""PipelineDP: calibration and thresholds through python-dp, and its own δ and ε.

| function | quantity | mapping |
|---|---|---|
| dp_computations.compute_sigma(eps, delta, l2_sensitivity) | calibrate_sigma | |
| dp_computations.gaussian_delta(sigma, epsilon) | delta_at_epsilon | sensitivity 1 |
| dp_computations.gaussian_epsilon(sigma, delta) | epsilon_at_delta | sensitivity 1 |
| LaplaceMechanism.create_from_epsilon(…).noise_parameter | laplace_calibrate_scale | δ = 0 |
| compute_sensitivities(SUM, AggregateParams(min_value, max_value, …)).l1 | sum_sensitivity | |
| … AggregateParams(min_sum_per_partition, max_sum_per_partition, …) | sum_sensitivity | |
| compute_l1_sensitivity(l0, linf) | counts_sensitivity | |
| compute_l2_sensitivity(l0, linf) | counts_sensitivity_squared | its square |
| NaiveBudgetAccountant(ε, δ), GAUSSIAN k times, its mechanism's std | repeated_sigma | |
| PLDBudgetAccountant(ε, δ), the same | repeated_sigma | |
| …, LAPLACE once, its mechanism's noise_parameter | laplace_calibrate_scale | |
| create_gaussian_thresholding(sigma, delta, 1).threshold | count_threshold | k = 1 |
| create_partition_selection_strategy(LAPLACE…, …).threshold | laplace_count_threshold | |

Its sensitivities are those of a privacy unit that is there or not. max_contributions, a bound of
all contributions together, excludes l0 and linf; where both are given nothing bounds the total.
Budgets are requested as DPEngine does it: with a sensitivity of 1, and the mechanism is made with
the sensitivity of the query. The accountant by privacy loss distributions has a grid of 1e-4, and
is slow.

Asked for at k = 1: for more partitions create_gaussian_thresholding adds noise of √k times the σ
that it is given, where its documentation says N(0, σ²), and sets the threshold for that. In 0.3.1,
σ = 2 and δ = 1e-5 give at k = 4 the threshold 19.276978973226164 and noise of standard deviation 4,
at k = 9 29.42024859729619 and 6. Privacy loses nothing by it.
"""

import math
from fractions import Fraction

from pipeline_dp import (
    AggregateParams,
    Metrics,
    NoiseKind,
    PartitionSelectionStrategy,
    dp_computations,
    partition_selection,
)
from pipeline_dp.aggregate_params import MechanismType
from pipeline_dp.budget_accounting import NaiveBudgetAccountant, PLDBudgetAccountant

DISTRIBUTION = "pipeline-dp"
REFUSALS = (RuntimeError,)  # how python-dp's INVALID_ARGUMENT arrives


def _sum_sensitivity(**bounds):
    parameters = AggregateParams(
        metrics=[Metrics.SUM],
        noise_kind=NoiseKind.LAPLACE,
        max_partitions_contributed=1,
        max_contributions_per_partition=1,
        **bounds,
    )
    return dp_computations.compute_sensitivities(Metrics.SUM, parameters).l1


def _squared(number):
    return Fraction(float(number)) ** 2 if math.isfinite(number) else number


def _mechanism(accountant, kind, epsilon, delta, sensitivity, releases=1):
    budget = accountant(epsilon, delta)
    spec = budget.request_budget(kind, count=int(releases))
    budget.compute_budgets()
    stated = dp_computations.Sensitivities(l1=sensitivity, l2=sensitivity)
    return dp_computations.create_additive_mechanism(spec, stated)


def _repeated(accountant):
    return lambda epsilon, delta, releases, sensitivity: (
        _mechanism(
            accountant, MechanismType.GAUSSIAN, epsilon, delta, sensitivity, releases
        ).noise_parameter
    )


FUNCTIONS = {
    "compute_sigma": (
        "calibrate_sigma",
        lambda epsilon, delta, sensitivity: dp_computations.compute_sigma(
            epsilon, delta, sensitivity
        ),
    ),
    "gaussian_delta": (
        "delta_at_epsilon",
        lambda epsilon, sigma: dp_computations.gaussian_delta(sigma, epsilon),
    ),
    "gaussian_epsilon": (
        "epsilon_at_delta",
        lambda delta, sigma: dp_computations.gaussian_epsilon(sigma, delta),
    ),
    "LaplaceMechanism.create_from_epsilon": (
        "laplace_calibrate_scale",
        lambda epsilon, sensitivity: (
            dp_computations.LaplaceMechanism.create_from_epsilon(
                epsilon, sensitivity
            ).noise_parameter
        ),
    ),
    "create_gaussian_thresholding": (
        "count_threshold",
        lambda delta, sigma: (
            partition_selection.create_gaussian_thresholding(sigma, delta, 1).threshold
        ),
    ),
    "create_partition_selection_strategy(LAPLACE)": (
        "laplace_count_threshold",
        lambda epsilon, delta, contributions: (
            partition_selection.create_partition_selection_strategy(
                PartitionSelectionStrategy.LAPLACE_THRESHOLDING, epsilon, delta, int(contributions)
            ).threshold
        ),
    ),
}
FUNCTIONS |= {
    "compute_sensitivities(SUM), values": (
        "sum_sensitivity",
        lambda lower, upper: _sum_sensitivity(min_value=lower, max_value=upper),
    ),
    "compute_sensitivities(SUM), partitions": (
        "sum_sensitivity",
        lambda lower, upper: _sum_sensitivity(
            min_sum_per_partition=lower, max_sum_per_partition=upper
        ),
    ),
    "compute_l1_sensitivity": (
        "counts_sensitivity",
        lambda l0, linf: dp_computations.compute_l1_sensitivity(l0, linf),
    ),
    "compute_l2_sensitivity": (
        "counts_sensitivity_squared",
        lambda l0, linf: _squared(dp_computations.compute_l2_sensitivity(l0, linf)),
    ),
    "NaiveBudgetAccountant, GAUSSIAN, k": ("repeated_sigma", _repeated(NaiveBudgetAccountant)),
    "PLDBudgetAccountant, GAUSSIAN, k": ("repeated_sigma", _repeated(PLDBudgetAccountant)),
    "PLDBudgetAccountant, LAPLACE": (
        "laplace_calibrate_scale",
        lambda epsilon, delta, sensitivity: (
            _mechanism(
                PLDBudgetAccountant, MechanismType.LAPLACE, epsilon, delta, sensitivity
            ).noise_parameter
        ),
    ),
}
SLOW = {name for name in FUNCTIONS if name.startswith("PLD")}
