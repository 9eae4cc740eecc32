"""python-dp (OpenMined), the Python face of Google's C++ library.

| function | quantity | mapping |
|---|---|---|
| numerical_mechanisms.GaussianMechanism(epsilon, delta, sensitivity).std | calibrate_sigma | |
| … LaplaceMechanism(epsilon, sensitivity).diversity | laplace_calibrate_scale | δ = 0 |
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
