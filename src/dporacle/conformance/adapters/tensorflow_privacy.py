"""tensorflow-privacy: its accountant for Gaussian differential privacy, and its DP-SGD reports.

| function | quantity | mapping |
|---|---|---|
| gdp_accountant.delta_eps_mu(eps, mu) | delta_at_epsilon | μ = 1/σ, Δ = 1 |
| gdp_accountant.eps_from_mu(mu, delta) | epsilon_at_delta | μ = 1/σ, Δ = 1 |
| gdp_accountant.delta_eps_mu(eps, mu) | gdp_delta | |
| gdp_accountant.eps_from_mu(mu, delta) | gdp_epsilon | |
| gdp_accountant.compute_eps_poisson(Tq, σ, 1, q, δ) | subsampled_epsilon | T = epoch·n/batch |
| gdp_accountant.compute_eps_uniform(Tq, σ, 1, q, δ) | fixed_size_epsilon | replace-one |
| compute_dp_sgd_privacy_statement(n, b, epochs, σ, δ) | subsampled_epsilon | RDP, PLD; as printed |
| compute_noise(n, b, ε, epochs, δ, 1e-5) | subsampled_sigma | the command's default minimum |

The counts n and b of the last two have exactly the rate for their quotient, and the epochs are half
a step short of T, which the library rounds up. The statement is made without microbatches, and the
ε that it prints for Poisson sampling is read from it.

`delta_eps_mu` is asked with arrays, as it takes them: at σ = −∞ it then answers, where with floats
it divides by zero.

The modules are loaded from their files: the package itself imports TensorFlow, which these modules
do not use and which is therefore not installed.

"This privacy guarantee uses add-or-remove-one-example adjacency", and the noise multiplier is "The
ratio of the noise stddev to the l2 sensitivity" (compute_dp_sgd_privacy_lib.py). Of `uniform`
batches the documentation says neither who is a neighbour nor what the noise is a multiple of. A
record of a batch of fixed size can only be replaced; both units are judged.
"""

import importlib.metadata
import math
import re
import runpy

import numpy as np

DISTRIBUTION = "tensorflow-privacy"


def _module(name):
    path = f"tensorflow_privacy/privacy/analysis/{name}.py"
    return runpy.run_path(importlib.metadata.distribution(DISTRIBUTION).locate_file(path))


_gdp = _module("gdp_accountant")
_statement = _module("compute_dp_sgd_privacy_lib")
_budget = _module("compute_noise_from_budget_lib")


class _NotAskedError(Exception):
    """The input has no counterpart: what happens then would be the adapter's doing."""


SKIPS = (_NotAskedError,)


def _mu(sigma):
    if sigma > 0 and not 0 < 1 / sigma < float("inf"):
        raise _NotAskedError(f"1/σ is not a positive float at σ={sigma!r}")
    return 1 / sigma if sigma else float("inf")


def _central_limit(delta, sigma, rate, steps):
    return _gdp["compute_eps_poisson"](steps * rate, sigma, 1, rate, delta)


def _uniform(delta, sigma, rate, steps):
    return _gdp["compute_eps_uniform"](steps * rate, sigma, 1, rate, delta)


def _counts(rate, steps):
    """Return n and b with b/n the rate, and the epochs of which the library makes these steps."""
    if not math.isfinite(rate):
        raise _NotAskedError(f"no counts have the quotient {rate!r}")
    batch, records = rate.as_integer_ratio()
    epochs = (steps - 0.5) * rate
    if batch > 0 and math.ceil(epochs * records / batch) != steps:
        raise _NotAskedError(f"no epochs are {steps:g} steps at the rate {rate!r}")
    return records, batch, epochs


def _said(kind):
    def epsilon(delta, sigma, rate, steps):
        records, batch, epochs = _counts(rate, steps)
        text = _statement["compute_dp_sgd_privacy_statement"](
            records,
            batch,
            epochs,
            sigma,
            delta,
            used_microbatching=False,
            accountant_type=_statement["AccountantType"][kind],
        )
        return float(re.search(r"Poisson sampling \(\*\): +(\S+)", text)[1])

    return epsilon


def _noise(epsilon, delta, rate, steps):
    records, batch, epochs = _counts(rate, steps)
    return _budget["compute_noise"](records, batch, epsilon, epochs, delta, 1e-5)


FUNCTIONS = {
    "delta_eps_mu": (
        "delta_at_epsilon",
        lambda epsilon, sigma: _gdp["delta_eps_mu"](epsilon, _mu(sigma)),
    ),
    "eps_from_mu": (
        "epsilon_at_delta",
        lambda delta, sigma: _gdp["eps_from_mu"](_mu(sigma), delta),
    ),
    "delta_eps_mu, mu": ("gdp_delta", lambda epsilon, mu: _gdp["delta_eps_mu"](epsilon, mu)),
    "eps_from_mu, mu": ("gdp_epsilon", lambda delta, mu: _gdp["eps_from_mu"](mu, delta)),
    "compute_eps_poisson": ("subsampled_epsilon", _central_limit),
    "compute_eps_uniform": (
        "fixed_size_epsilon",
        _uniform,
        {"relation": "replace-one", "unit": "open"},
    ),
    "compute_dp_sgd_privacy_statement(RDP)": ("subsampled_epsilon", _said("RDP")),
    "compute_dp_sgd_privacy_statement(PLD)": ("subsampled_epsilon", _said("PLD")),
    "compute_noise": ("subsampled_sigma", _noise),
}
SLOW = {name for name in FUNCTIONS if "statement" in name or name == "compute_noise"}
BATCHES = {
    "delta_eps_mu": lambda epsilon, sigma: _gdp["delta_eps_mu"](
        np.array(epsilon), np.array([_mu(each) for each in sigma])
    )
}
NOTES = dict.fromkeys(
    ("delta_eps_mu", "eps_from_mu"), "the step from σ to μ = 1/σ may cost half an ulp"
) | {
    "compute_eps_poisson": "a central limit, documented as an estimate",
    "compute_eps_uniform": "a central limit, documented as an estimate; 'Compute epsilon given "
    "delta from inverse dual of uniform subsampling' names neither neighbours nor unit",
    **dict.fromkeys(
        (name for name in FUNCTIONS if "statement" in name), "as printed: to three decimals"
    ),
}
