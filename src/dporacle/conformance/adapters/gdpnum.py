"""gdpnum: trade-off curves and Gaussian privacy read from privacy loss distributions.

| function | quantity | mapping |
|---|---|---|
| CTDAccountant: one step at σ, then get_beta(alpha) | gdp_tradeoff | σ = 1/μ, where that is exact |
| CTDAccountant: T steps at σ and the rate q, then get_beta(alpha) | subsampled_tradeoff | |
| … get_epsilon(delta) | subsampled_epsilon | |

Its privacy loss distributions are dp-accounting's by default, for adding or removing a record, and
converter.py makes the curve symmetric so that it "matches the add/remove neighboring relation".
"""

import numpy as np
from gdpnum import CTDAccountant

DISTRIBUTION = "gdpnum"


class InexactError(Exception):
    """σ = 1/μ is no float64, so that μ cannot be asked."""


def _run(sigma, rate, steps):
    accountant = CTDAccountant()
    accountant.history = [(sigma, rate, int(steps))]  # what as many calls of step leave
    return accountant


def _beta(accountant, alpha):
    return float(np.asarray(accountant.get_beta(alpha)).item())


def _tradeoff(alpha, mu):
    sigma = 1 / mu
    numerator, denominator = mu.as_integer_ratio()
    above, below = sigma.as_integer_ratio()
    if numerator * above != denominator * below:
        raise InexactError(f"1/{mu!r} is no float64")
    return _beta(_run(sigma, 1.0, 1), alpha)


FUNCTIONS = {
    "CTDAccountant.get_beta": ("gdp_tradeoff", _tradeoff),
    "CTDAccountant.get_beta, sampled": (
        "subsampled_tradeoff",
        lambda alpha, sigma, rate, steps: _beta(_run(sigma, rate, steps), alpha),
    ),
    "CTDAccountant.get_epsilon, sampled": (
        "subsampled_epsilon",
        lambda delta, sigma, rate, steps: _run(sigma, rate, steps).get_epsilon(delta=delta),
    ),
}
SKIPS = (InexactError,)
SLOW = set(FUNCTIONS)
