"""diffprivlib (IBM): the noise of its analytic and of its classical Gaussian mechanism.

| function | quantity | mapping |
|---|---|---|
| mechanisms.GaussianAnalytic(epsilon, delta, sensitivity) | calibrate_sigma | √variance(0) |
| mechanisms.Gaussian(epsilon, delta, sensitivity) | calibrate_sigma | √variance(0) |
| mechanisms.Gaussian(epsilon, delta, sensitivity) | classical_sigma | √variance(0) |
| mechanisms.GaussianDiscrete(epsilon, delta, sensitivity) | discrete_calibrate_sigma | its scale |
| mechanisms.Laplace(epsilon, delta, sensitivity) | laplace_calibrate_scale | its noise, see below |

Laplace keeps no scale: it is the noise that it adds where its sampler is made to draw one unit.
The noise is read as the mechanism's own scale, since squaring and taking the root would round.
"""

from diffprivlib.mechanisms import Gaussian, GaussianAnalytic, GaussianDiscrete, Laplace

DISTRIBUTION = "diffprivlib"


def _scale(mechanism):
    scale = mechanism._scale
    variance = mechanism.variance(0)
    if scale * scale != variance:  # the public figure, which is its square
        raise RuntimeError(f"scale {scale!r} does not square to the variance {variance!r}")
    return scale


def _laplace(epsilon, delta, sensitivity):
    mechanism = Laplace(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    mechanism._laplace_sampler = lambda *uniforms: -1.0
    return mechanism.randomise(0.0)


FUNCTIONS = {
    "Laplace": ("laplace_calibrate_scale", _laplace),
    "GaussianAnalytic": (
        "calibrate_sigma",
        lambda epsilon, delta, sensitivity: _scale(
            GaussianAnalytic(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        ),
    ),
    "Gaussian": (
        "calibrate_sigma",
        lambda epsilon, delta, sensitivity: _scale(
            Gaussian(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        ),
    ),
    "Gaussian, formula": (
        "classical_sigma",
        lambda epsilon, delta, sensitivity: _scale(
            Gaussian(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        ),
    ),
    "GaussianDiscrete": (
        "discrete_calibrate_sigma",
        lambda epsilon, delta, sensitivity: (
            GaussianDiscrete(epsilon=epsilon, delta=delta, sensitivity=int(sensitivity))._scale
        ),
    ),
}
NOTES = {"Gaussian": "the classical formula; documented for ε ≤ 1 only"}
