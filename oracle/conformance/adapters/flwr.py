"""Flower: the noise that its local differential privacy adds to a model's parameters.

| function | quantity | mapping |
|---|---|---|
| add_localdp_gaussian_noise_to_params(…, Δ, ε, δ) | calibrate_sigma | its std_dev |

The modifier LocalDpMod, whose checks are made first, computes the same expression. The standard
deviation is taken where the library hands it to its own function that draws the noise.
"""

import warnings

from flwr.client.mod.localdp_mod import LocalDpMod
from flwr.common import ndarrays_to_parameters
from flwr.supercore import differential_privacy

DISTRIBUTION = "flwr"
warnings.simplefilter("ignore")
_seen = []
differential_privacy.add_gaussian_noise_inplace = lambda arrays, std_dev: _seen.append(std_dev)


def _std_dev(epsilon, delta, sensitivity):
    LocalDpMod(1.0, sensitivity, epsilon, delta)
    _seen.clear()
    differential_privacy.add_localdp_gaussian_noise_to_params(
        ndarrays_to_parameters([]), sensitivity, epsilon, delta
    )
    return _seen[0]


FUNCTIONS = {
    "LocalDpMod": ("calibrate_sigma", _std_dev),
    "LocalDpMod, formula": ("classical_sigma", _std_dev),
}
NOTES = {"LocalDpMod": "the classical formula, which holds for ε ≤ 1"}
