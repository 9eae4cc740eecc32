"""python-dp (OpenMined), the Python face of Google's C++ library.

| function | quantity | mapping |
|---|---|---|
| numerical_mechanisms.GaussianMechanism(epsilon, delta, sensitivity).std | calibrate_sigma | |
"""

from pydp.algorithms import numerical_mechanisms

DISTRIBUTION = "python-dp"
REFUSALS = (RuntimeError,)  # how the C++ library's INVALID_ARGUMENT arrives in Python

FUNCTIONS = {
    "GaussianMechanism": (
        "calibrate_sigma",
        lambda epsilon, delta, sensitivity: (
            numerical_mechanisms.GaussianMechanism(epsilon, delta, sensitivity).std
        ),
    ),
}
