"""tensorflow-privacy: its accountant for Gaussian differential privacy.

| function | quantity | mapping |
|---|---|---|
| gdp_accountant.delta_eps_mu(eps, mu) | delta_at_epsilon | μ = 1/σ, Δ = 1 |
| gdp_accountant.eps_from_mu(mu, delta) | epsilon_at_delta | μ = 1/σ, Δ = 1 |
| gdp_accountant.delta_eps_mu(eps, mu) | gdp_delta | |
| gdp_accountant.eps_from_mu(mu, delta) | gdp_epsilon | |

`delta_eps_mu` is asked with arrays, as it takes them: at σ = −∞ it then answers, where with floats
it divides by zero.

The module is loaded from its file: the package itself imports TensorFlow, which this module does
not use and which is therefore not installed.
"""

import importlib.metadata
import runpy

import numpy as np

DISTRIBUTION = "tensorflow-privacy"
_gdp = runpy.run_path(
    importlib.metadata.distribution(DISTRIBUTION).locate_file(
        "tensorflow_privacy/privacy/analysis/gdp_accountant.py"
    )
)


class NotAskedError(Exception):
    """σ has no μ in floating point: what happens then would be the adapter's doing."""


SKIPS = (NotAskedError,)


def _mu(sigma):
    if sigma > 0 and not 0 < 1 / sigma < float("inf"):
        raise NotAskedError(f"1/σ is not a positive float at σ={sigma!r}")
    return 1 / sigma if sigma else float("inf")


FUNCTIONS = {
    "delta_eps_mu": (
        "delta_at_epsilon",
        lambda epsilon, sigma: _gdp["delta_eps_mu"](epsilon, _mu(sigma)),
    ),
    "eps_from_mu": (
        "epsilon_at_delta",
        lambda delta, sigma: _gdp["eps_from_mu"](_mu(sigma), delta),
    ),
    "delta_eps_mu, mu": (
        "gdp_delta",
        lambda epsilon, mu: _gdp["delta_eps_mu"](epsilon, mu),
    ),
    "eps_from_mu, mu": (
        "gdp_epsilon",
        lambda delta, mu: _gdp["eps_from_mu"](mu, delta),
    ),
}
BATCHES = {
    "delta_eps_mu": lambda epsilon, sigma: _gdp["delta_eps_mu"](
        np.array(epsilon), np.array([_mu(each) for each in sigma])
    ),
}
NOTES = dict.fromkeys(
    ("delta_eps_mu", "eps_from_mu"), "the step from σ to μ = 1/σ may cost half an ulp"
)
