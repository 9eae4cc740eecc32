"""PipelineDP: calibration through python-dp, and its own δ and ε.

| function | quantity | mapping |
|---|---|---|
| dp_computations.compute_sigma(eps, delta, l2_sensitivity) | calibrate_sigma | |
| dp_computations.gaussian_delta(sigma, epsilon) | delta_at_epsilon | sensitivity 1 |
| dp_computations.gaussian_epsilon(sigma, delta) | epsilon_at_delta | sensitivity 1 |
"""

from pipeline_dp import dp_computations

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
}
