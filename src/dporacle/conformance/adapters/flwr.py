"""Flower: the noise of its local differential privacy, and its accountant for rounds of training.

| function | quantity | mapping |
|---|---|---|
| add_localdp_gaussian_noise_to_params(…, Δ, ε, δ) | calibrate_sigma | its std_dev |
| RdpAccountant: compose(GaussianPrivacyEvent(σ, b, n), T), get_epsilon(δ) | subsampled_epsilon | |
| … get_delta(ε) | subsampled_delta | |
| … two events, get_epsilon(δ) | subsampled_phases_epsilon | |
| … WITHOUT_REPLACEMENT, REPLACE_ONE: the same event, T times | fixed_size_epsilon | q = b/n |
| … get_delta(ε) | fixed_size_delta | q = b/n |
| of b = n, T times, under either | repeated_epsilon | |

The accountant is configured for Poisson sampling and for adding or removing one client, or for
batches without replacement and replacing one, the two that it allows; the counts b and n have
exactly the rate for their quotient. What its `noise_multiplier` is a multiple of its documentation
does not say (flwr/supercore/privacy_accounting/__init__.py), so both readings are judged.

The modifier LocalDpMod, whose checks are made first, computes the same expression. The standard
deviation is taken where the library hands it to its own function that draws the noise.
"""

import math
import warnings

from flwr.client.mod.localdp_mod import LocalDpMod
from flwr.common import ndarrays_to_parameters
from flwr.supercore import differential_privacy
from flwr.supercore.privacy_accounting import (
    GaussianPrivacyEvent,
    NeighboringRelation,
    PrivacyConfig,
    SamplingMethod,
)
from flwr.supercore.privacy_accounting.rdp_accountant import RdpAccountant

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


class _NotAskedError(Exception):
    """The rate is no quotient of counts."""


SKIPS = (_NotAskedError,)


_POISSON = (NeighboringRelation.ADD_OR_REMOVE_ONE, SamplingMethod.POISSON)
_FIXED = (NeighboringRelation.REPLACE_ONE, SamplingMethod.WITHOUT_REPLACEMENT)
_REPLACED = {"relation": "replace-one", "unit": "open"}


def _rounds(delta, *phases, model=_POISSON):
    """Return the accountant after phases (σ, q, T); all rates are written over the same n."""
    if not all(math.isfinite(rate) for _, rate, _ in phases):
        raise _NotAskedError("no counts have such a quotient")
    records = max(rate.as_integer_ratio()[1] for _, rate, _ in phases)  # all are powers of two
    accountant = RdpAccountant(PrivacyConfig(delta, records, *model))
    for sigma, rate, steps in phases:
        batch, over = rate.as_integer_ratio()
        event = GaussianPrivacyEvent(sigma, batch * (records // over), records)
        accountant.compose(event, int(steps))
    return accountant


def _phases(delta, sigma, rate, steps, later_sigma, later_rate, later_steps):
    later = (later_sigma, later_rate, later_steps)
    return _rounds(delta, (sigma, rate, steps), later).get_epsilon(delta)


FUNCTIONS = {
    "LocalDpMod": ("calibrate_sigma", _std_dev),
    "LocalDpMod, formula": ("classical_sigma", _std_dev),
    "RdpAccountant.get_epsilon": (
        "subsampled_epsilon",
        lambda delta, sigma, rate, steps: _rounds(delta, (sigma, rate, steps)).get_epsilon(delta),
    ),
    "RdpAccountant.get_delta": (
        "subsampled_delta",
        lambda epsilon, sigma, rate, steps: _rounds(1e-5, (sigma, rate, steps)).get_delta(epsilon),
    ),
    "RdpAccountant.get_epsilon, two phases": ("subsampled_phases_epsilon", _phases),
    "RdpAccountant.get_epsilon, k": (
        "repeated_epsilon",
        lambda delta, sigma, releases: _rounds(delta, (sigma, 1.0, releases)).get_epsilon(delta),
    ),
    "RdpAccountant(replace-one).get_delta, fixed size": (
        "fixed_size_delta",
        lambda epsilon, sigma, rate, steps: _rounds(
            1e-5, (sigma, rate, steps), model=_FIXED
        ).get_delta(epsilon),
        _REPLACED,
    ),
    "RdpAccountant(replace-one).get_epsilon, fixed size": (
        "fixed_size_epsilon",
        lambda delta, sigma, rate, steps: _rounds(
            delta, (sigma, rate, steps), model=_FIXED
        ).get_epsilon(delta),
        _REPLACED,
    ),
    "RdpAccountant(replace-one).get_epsilon, k": (
        "repeated_epsilon",
        lambda delta, sigma, releases: _rounds(
            delta, (sigma, 1.0, releases), model=_FIXED
        ).get_epsilon(delta),
        _REPLACED,
    ),
}
SLOW = {name for name in FUNCTIONS if name.startswith("Rdp")}
NOTES = {"LocalDpMod": "the classical formula, which holds for ε ≤ 1"} | dict.fromkeys(
    (name for name in FUNCTIONS if "replace-one" in name),
    "GaussianPrivacyEvent does not say what noise_multiplier is a multiple of: both are judged",
)
