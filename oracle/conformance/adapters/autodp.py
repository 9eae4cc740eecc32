"""autodp: Balle and Wang's published script, and its own conversions.

| function | quantity | mapping |
|---|---|---|
| privacy_calibrator.ana_gaussian_mech(epsilon, delta)["sigma"] | calibrate_sigma | sensitivity 1 |
| privacy_calibrator.gaussian_mech(epsilon, delta)["sigma"] | calibrate_sigma | by RDP |
| privacy_calibrator.classical_gaussian_mech(epsilon, delta)["sigma"] | calibrate_sigma | |
| dp_bank.get_eps_ana_gaussian(sigma, delta) | epsilon_at_delta | sensitivity 1 |
| exp(dp_bank.get_logdelta_ana_gaussian(sigma, epsilon)) | delta_at_epsilon | sensitivity 1 |
"""

import math

from autodp import dp_bank, privacy_calibrator

DISTRIBUTION = "autodp"


def _sigma(params):
    return params["sigma"] if isinstance(params, dict) else params


FUNCTIONS = {
    "ana_gaussian_mech": (
        "calibrate_sigma",
        lambda epsilon, delta: _sigma(privacy_calibrator.ana_gaussian_mech(epsilon, delta)),
    ),
    "gaussian_mech": (
        "calibrate_sigma",
        lambda epsilon, delta: _sigma(privacy_calibrator.gaussian_mech(epsilon, delta)),
    ),
    "classical_gaussian_mech": (
        "calibrate_sigma",
        lambda epsilon, delta: _sigma(privacy_calibrator.classical_gaussian_mech(epsilon, delta)),
    ),
    "get_eps_ana_gaussian": (
        "epsilon_at_delta",
        lambda delta, sigma: dp_bank.get_eps_ana_gaussian(sigma, delta),
    ),
    "get_logdelta_ana_gaussian": (
        "delta_at_epsilon",
        lambda epsilon, sigma: math.exp(dp_bank.get_logdelta_ana_gaussian(sigma, epsilon)),
    ),
}
SLOW = {"gaussian_mech"}
NOTES = {
    "classical_gaussian_mech": "the classical formula; documented for ε ≤ 1 only",
    "get_logdelta_ana_gaussian": "its exponential, which magnifies the rounding of the logarithm",
}
