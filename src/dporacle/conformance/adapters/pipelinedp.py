"""PipelineDP: calibration and thresholds through python-dp, and its own δ and ε.

| function | quantity | mapping |
|---|---|---|
| dp_computations.compute_sigma(eps, delta, l2_sensitivity) | calibrate_sigma | |
| dp_computations.gaussian_delta(sigma, epsilon) | delta_at_epsilon | sensitivity 1 |
| dp_computations.gaussian_epsilon(sigma, delta) | epsilon_at_delta | sensitivity 1 |
| LaplaceMechanism.create_from_epsilon(…).noise_parameter | laplace_calibrate_scale | δ = 0 |
| create_gaussian_thresholding(sigma, delta, 1).threshold | count_threshold | k = 1 |
| create_partition_selection_strategy(LAPLACE…, …).threshold | laplace_count_threshold | |

Asked for at k = 1: for more partitions create_gaussian_thresholding adds noise of √k times the σ
that it is given, where its documentation says N(0, σ²), and sets the threshold for that. In 0.3.1,
σ = 2 and δ = 1e-5 give at k = 4 the threshold 19.276978973226164 and noise of standard deviation 4,
at k = 9 29.42024859729619 and 6. Privacy loses nothing by it.
"""

from pipeline_dp import PartitionSelectionStrategy, dp_computations, partition_selection

DISTRIBUTION = "pipeline-dp"
REFUSALS = (RuntimeError,)  # how python-dp's INVALID_ARGUMENT arrives

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
