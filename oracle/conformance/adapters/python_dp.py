"""python-dp (OpenMined), the Python face of Google's C++ library.

| function | quantity | mapping |
|---|---|---|
| numerical_mechanisms.GaussianMechanism(epsilon, delta, sensitivity).std | calibrate_sigma | |
| … LaplaceMechanism(epsilon, sensitivity).diversity | laplace_calibrate_scale | δ = 0 |
| create_laplace_partition_strategy(epsilon, delta, k).threshold | laplace_count_threshold | |

Its Gaussian thresholds belong to a noise that it does not tell, and its confidence intervals take
1 − α, which is rounded: neither can be judged from outside.
"""

from pydp.algorithms import numerical_mechanisms, partition_selection

DISTRIBUTION = "python-dp"
REFUSALS = (RuntimeError,)  # how the C++ library's INVALID_ARGUMENT arrives in Python

FUNCTIONS = {
    "LaplaceMechanism": (
        "laplace_calibrate_scale",
        lambda epsilon, sensitivity: (
            numerical_mechanisms.LaplaceMechanism(epsilon, sensitivity).diversity
        ),
    ),
    "create_laplace_partition_strategy": (
        "laplace_count_threshold",
        lambda epsilon, delta, contributions: (
            partition_selection.create_laplace_partition_strategy(
                epsilon, delta, int(contributions)
            ).threshold
        ),
    ),
    "GaussianMechanism": (
        "calibrate_sigma",
        lambda epsilon, delta, sensitivity: (
            numerical_mechanisms.GaussianMechanism(epsilon, delta, sensitivity).std
        ),
    ),
}
