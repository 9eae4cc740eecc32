"""python-dp (OpenMined), the Python face of Google's C++ library.

| function | quantity | mapping |
|---|---|---|
| numerical_mechanisms.GaussianMechanism(epsilon, delta, sensitivity).std | calibrate_sigma | |
| … LaplaceMechanism(epsilon, sensitivity).diversity | laplace_calibrate_scale | δ = 0 |
| create_laplace_partition_strategy(epsilon, delta, k).threshold | laplace_count_threshold | |

| sampler | law | mapping |
|---|---|---|
| GaussianMechanism.add_noise | gaussian | at (1, 1e-5), by the sensitivity that gives σ |

Its Laplace noise lies on a grid of 2⁻⁴⁰ of its scale by design, which no law of the audit has.

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


def _gaussian_noise(sigma):
    unit = numerical_mechanisms.GaussianMechanism(1.0, 1e-5, 1.0).std
    mechanism = numerical_mechanisms.GaussianMechanism(1.0, 1e-5, sigma / unit)

    def draw(value, rows, dimension):
        return [mechanism.add_noise(value) for _ in range(rows * dimension)]

    return draw


SAMPLERS = {"GaussianMechanism.add_noise": ("gaussian", _gaussian_noise)}
