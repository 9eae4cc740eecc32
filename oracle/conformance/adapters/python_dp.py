"""python-dp (OpenMined), the Python face of Google's C++ library.

| function | quantity | mapping |
|---|---|---|
| numerical_mechanisms.GaussianMechanism(epsilon, delta, sensitivity).std | calibrate_sigma | |
| … LaplaceMechanism(epsilon, sensitivity).diversity | laplace_calibrate_scale | δ = 0 |

| sampler | law | mapping |
|---|---|---|
| GaussianMechanism.add_noise | gaussian | at (1, 1e-5), by the sensitivity that gives σ |

Its Laplace noise lies on a grid of 2⁻⁴⁰ of its scale by design, which no law of the audit has.
"""

from pydp.algorithms import numerical_mechanisms

DISTRIBUTION = "python-dp"
REFUSALS = (RuntimeError,)  # how the C++ library's INVALID_ARGUMENT arrives in Python

FUNCTIONS = {
    "LaplaceMechanism": (
        "laplace_calibrate_scale",
        lambda epsilon, sensitivity: (
            numerical_mechanisms.LaplaceMechanism(epsilon, sensitivity).diversity
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
