"""prv-accountant (Microsoft): bounds on ε by privacy random variables, and by RDP.

| function | quantity | mapping |
|---|---|---|
| PRVAccountant(GaussianMechanism(σ, Δ)).compute_epsilon(δ, [1])[2] | epsilon_at_delta | |
| other_accountants.RDP([GaussianMechanism(σ, Δ)]).compute_epsilon(δ, [1])[2] | epsilon_at_delta | |
| both: compute_epsilon(δ, [releases])[2] | repeated_epsilon | |
| PRVAccountant(GaussianMechanism(σ, Δ)).compute_delta(ε, [releases])[2] | repeated_delta | |
| PRVAccountant(LaplaceMechanism(1/b)).compute_epsilon(δ, [1])[2] | laplace_epsilon_at_delta | |
| PRVAccountant(PoissonSubsampledGaussianMechanism(q, σ)), T times | subsampled_epsilon | |
| RDP([PoissonSubsampledGaussianMechanism(q, σ)]), T times | subsampled_epsilon | |
| … compute_delta(ε, T)[2] | subsampled_delta | |
| PRVAccountant of two such mechanisms | subsampled_phases_epsilon | |

The errors are those that its documentation calls typical: 0.1 in ε and δ/1000 in δ; where δ is
asked for, 1e-10 in δ.

It takes a noise multiplier and, for one release, an ℓ2 sensitivity, and offers one relation, which
it does not name; its random variables are those of a record more or less.
"""

import math

from prv_accountant import PRVAccountant
from prv_accountant.other_accountants import RDP
from prv_accountant.privacy_random_variables import (
    GaussianMechanism,
    LaplaceMechanism,
    PoissonSubsampledGaussianMechanism,
)

DISTRIBUTION = "prv-accountant"
_DELTA_ERROR = 1e-10  # of its README


class _NotAskedError(Exception):
    """1/b is no float64: what happens then would be the adapter's doing."""


SKIPS = (_NotAskedError,)


def _ratio(scale):
    if not scale or math.isinf(1 / scale):
        raise _NotAskedError(f"1/b is no float at b={scale!r}")
    return 1 / scale


def _accountant(mechanisms, steps, delta_error=_DELTA_ERROR):
    return PRVAccountant(
        mechanisms,
        max_self_compositions=[int(times) for times in steps],
        eps_error=0.1,
        delta_error=delta_error,
    )


def _epsilon(delta, mechanisms, steps):
    accountant = _accountant(mechanisms, steps, delta / 1000)
    return accountant.compute_epsilon(delta, [int(times) for times in steps])[2]


def _delta(epsilon, mechanism, times):
    return _accountant([mechanism], [times]).compute_delta(epsilon, [int(times)])[2]


def _prv(delta, sigma, releases, sensitivity):
    return _epsilon(delta, [GaussianMechanism(sigma, sensitivity)], [releases])


def _rdp(delta, sigma, releases, sensitivity):
    accountant = RDP([GaussianMechanism(sigma, sensitivity)])
    return accountant.compute_epsilon(delta, [int(releases)])[2]


def _sampled(delta, phases):
    mechanisms = [PoissonSubsampledGaussianMechanism(rate, sigma) for sigma, rate, _ in phases]
    return _epsilon(delta, mechanisms, [steps for _, _, steps in phases])


def _sampled_rdp(delta, sigma, rate, steps):
    accountant = RDP([PoissonSubsampledGaussianMechanism(rate, sigma)])
    return accountant.compute_epsilon(delta, [int(steps)])[2]


FUNCTIONS = {
    "PRVAccountant.compute_epsilon": (
        "epsilon_at_delta",
        lambda delta, sigma, sensitivity: _prv(delta, sigma, 1, sensitivity),
    ),
    "RDP.compute_epsilon": (
        "epsilon_at_delta",
        lambda delta, sigma, sensitivity: _rdp(delta, sigma, 1, sensitivity),
    ),
    "PRVAccountant.compute_epsilon, k": ("repeated_epsilon", _prv),
    "PRVAccountant.compute_delta, k": (
        "repeated_delta",
        lambda epsilon, sigma, releases, sensitivity: _delta(
            epsilon, GaussianMechanism(sigma, sensitivity), releases
        ),
    ),
    "PRVAccountant.compute_delta, sampled": (
        "subsampled_delta",
        lambda epsilon, sigma, rate, steps: _delta(
            epsilon, PoissonSubsampledGaussianMechanism(rate, sigma), steps
        ),
    ),
    "PRVAccountant.compute_epsilon, Laplace": (
        "laplace_epsilon_at_delta",
        lambda delta, scale: _epsilon(delta, [LaplaceMechanism(_ratio(scale))], [1]),
    ),
    "RDP.compute_epsilon, k": ("repeated_epsilon", _rdp),
    "PRVAccountant.compute_epsilon, sampled": (
        "subsampled_epsilon",
        lambda delta, sigma, rate, steps: _sampled(delta, [(sigma, rate, steps)]),
    ),
    "PRVAccountant.compute_epsilon, two phases": (
        "subsampled_phases_epsilon",
        lambda delta, sigma, rate, steps, later_sigma, later_rate, later_steps: _sampled(
            delta, [(sigma, rate, steps), (later_sigma, later_rate, later_steps)]
        ),
    ),
    "RDP.compute_epsilon, sampled": ("subsampled_epsilon", _sampled_rdp),
}
SLOW = {name for name in FUNCTIONS if name.startswith("PRV")}
NOTES = dict.fromkeys(SLOW, "the upper bound, with errors 0.1 in ε, δ/1000 in δ") | dict.fromkeys(
    (name for name in SLOW if "delta" in name), "the upper bound, with errors 0.1 in ε, 1e-10 in δ"
)
