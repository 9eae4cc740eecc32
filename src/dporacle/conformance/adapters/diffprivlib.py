"""diffprivlib (IBM): the noise of its analytic and of its classical Gaussian mechanism.

| function | quantity | mapping |
|---|---|---|
| mechanisms.GaussianAnalytic(epsilon, delta, sensitivity) | calibrate_sigma | √variance(0) |
| mechanisms.Gaussian(epsilon, delta, sensitivity) | calibrate_sigma | √variance(0) |
| mechanisms.Gaussian(epsilon, delta, sensitivity) | classical_sigma | √variance(0) |
| mechanisms.GaussianDiscrete(epsilon, delta, sensitivity) | discrete_calibrate_sigma | its scale |
| mechanisms.Laplace(epsilon, delta, sensitivity) | laplace_calibrate_scale | its noise, see below |

| sampler | law | mapping |
|---|---|---|
| mechanisms.GaussianAnalytic.randomise | gaussian | at (1, 1e-5), by the sensitivity that gives σ |
| mechanisms.GaussianDiscrete.randomise | discrete | its scale is set to σ |
| mechanisms.Laplace.randomise | laplace | at ε = 1, where the sensitivity is b |

Laplace keeps no scale: it is the noise that it adds where its sampler is made to draw one unit.
The noise is read as the mechanism's own scale, since squaring and taking the root would round.
"""

from diffprivlib.mechanisms import Gaussian, GaussianAnalytic, GaussianDiscrete, Laplace

DISTRIBUTION = "diffprivlib"


def _scale(mechanism):
    scale = mechanism._scale
    variance = mechanism.variance(0)
    if scale**2 != variance:  # the public figure, which is its square, computed in the same way
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


def _gaussian_noise(sigma):
    unit = GaussianAnalytic(epsilon=1.0, delta=1e-5, sensitivity=1.0)._scale
    return _repeated(GaussianAnalytic(epsilon=1.0, delta=1e-5, sensitivity=sigma / unit), float)


def _discrete_noise(sigma):
    mechanism = GaussianDiscrete(epsilon=1.0, delta=1e-5)
    mechanism._scale = sigma
    return _repeated(mechanism, int)


def _laplace_noise(scale):
    return _repeated(Laplace(epsilon=1.0, delta=0.0, sensitivity=scale), float)


def _repeated(mechanism, kind):
    def draw(value, rows, dimension):
        return [mechanism.randomise(kind(value)) for _ in range(rows * dimension)]

    return draw


SAMPLERS = {
    "GaussianAnalytic.randomise": ("gaussian", _gaussian_noise),
    "GaussianDiscrete.randomise": ("discrete", _discrete_noise),
    "Laplace.randomise": ("laplace", _laplace_noise),
}
