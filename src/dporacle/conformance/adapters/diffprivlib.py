"""diffprivlib (IBM): the noise of its analytic and of its classical Gaussian mechanism.

| function | quantity | mapping |
|---|---|---|
| mechanisms.GaussianAnalytic(epsilon, delta, sensitivity) | calibrate_sigma | √variance(0) |
| mechanisms.Gaussian(epsilon, delta, sensitivity) | calibrate_sigma | √variance(0) |
| mechanisms.Gaussian(epsilon, delta, sensitivity) | classical_sigma | √variance(0) |
| mechanisms.GaussianDiscrete(epsilon, delta, sensitivity) | discrete_calibrate_sigma | its scale |
| mechanisms.Laplace(epsilon, delta, sensitivity) | laplace_calibrate_scale | its noise, see below |
| tools.sum(array, bounds=(L, U)) | sum_sensitivity_replace | that of its mechanism |
| tools.mean(array of N, bounds=(L, U)) | mean_sensitivity | the same |
| tools.var(array of N, bounds=(L, U)) | variance_sensitivity | the same, divisor N |

| sampler | law | mapping |
|---|---|---|
| mechanisms.GaussianAnalytic.randomise | gaussian | at (1, 1e-5), by the sensitivity that gives σ |
| mechanisms.GaussianDiscrete.randomise | discrete | its scale is set to σ |
| mechanisms.Laplace.randomise | laplace | at ε = 1, where the sensitivity is b |

Laplace keeps no scale: it is the noise that it adds where its sampler is made to draw one unit.
The noise is read as the mechanism's own scale, since squaring and taking the root would round.

A statistic's sensitivity is the one with which it makes its mechanism, which is kept as it is made.
"""

import numpy as np
from diffprivlib import tools
from diffprivlib.mechanisms import Gaussian, GaussianAnalytic, GaussianDiscrete, Laplace

DISTRIBUTION = "diffprivlib"
_MOST_RECORDS = 2**22


class _NotAskedError(Exception):
    """More records than the adapter makes an array of."""


SKIPS = (_NotAskedError,)


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


class _MadeError(Exception):
    """What the mechanism of a statistic was made with."""


def _stated(statistic, mechanism, records, lower, upper):
    """Return the sensitivity with which a statistic of so many records makes its mechanism."""
    if not records <= _MOST_RECORDS:
        raise _NotAskedError(f"{records:g} records are more than the adapter makes")
    module = tools.utils
    kind = getattr(module, mechanism)

    class Kept(kind):
        def randomise(self, value):
            raise _MadeError(self.sensitivity)

    setattr(module, mechanism, Kept)
    try:
        with np.errstate(all="ignore"):
            statistic(np.zeros(int(records)), bounds=(lower, upper))
    except _MadeError as made:
        return made.args[0]
    finally:
        setattr(module, mechanism, kind)
    raise RuntimeError(f"it made no {mechanism}")


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
FUNCTIONS |= {
    "tools.sum": (
        "sum_sensitivity_replace",
        lambda lower, upper: _stated(tools.sum, "LaplaceTruncated", 2, lower, upper),
    ),
    "tools.mean": (
        "mean_sensitivity",
        lambda lower, upper, records: _stated(
            tools.mean, "LaplaceTruncated", records, lower, upper
        ),
    ),
    "tools.var": (
        "variance_sensitivity",
        lambda lower, upper, records: _stated(
            tools.var, "LaplaceBoundedDomain", records, lower, upper
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
