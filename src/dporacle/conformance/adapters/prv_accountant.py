"""prv-accountant (Microsoft): bounds on ε by privacy random variables, and by RDP.

| function | quantity | mapping |
|---|---|---|
| PRVAccountant(GaussianMechanism(σ, Δ)).compute_epsilon(δ, [1])[2] | epsilon_at_delta | |
| other_accountants.RDP([GaussianMechanism(σ, Δ)]).compute_epsilon(δ, [1])[2] | epsilon_at_delta | |
| both: compute_epsilon(δ, [releases])[2] | repeated_epsilon | |
| PRVAccountant(PoissonSubsampledGaussianMechanism(q, σ)), T times | subsampled_epsilon | |
| RDP([PoissonSubsampledGaussianMechanism(q, σ)]), T times | subsampled_epsilon | |
| PRVAccountant of two such mechanisms | subsampled_phases_epsilon | |

The errors are those that its documentation calls typical: 0.1 in ε and δ/1000 in δ.

It takes a noise multiplier and, for one release, an ℓ2 sensitivity, and offers one relation, which
it does not name; its random variables are those of a record more or less.
"""

from prv_accountant import PRVAccountant
from prv_accountant.other_accountants import RDP
from prv_accountant.privacy_random_variables import (
    GaussianMechanism,
    PoissonSubsampledGaussianMechanism,
)

DISTRIBUTION = "prv-accountant"


def _prv(delta, sigma, releases, sensitivity):
    mechanism = GaussianMechanism(sigma, sensitivity)
    accountant = PRVAccountant(mechanism, eps_error=0.1, delta_error=delta / 1000)
    return accountant.compute_epsilon(delta, [int(releases)])[2]


def _rdp(delta, sigma, releases, sensitivity):
    accountant = RDP([GaussianMechanism(sigma, sensitivity)])
    return accountant.compute_epsilon(delta, [int(releases)])[2]


def _sampled(delta, phases):
    mechanisms = [PoissonSubsampledGaussianMechanism(rate, sigma) for sigma, rate, _ in phases]
    steps = [int(times) for _, _, times in phases]
    accountant = PRVAccountant(
        mechanisms, max_self_compositions=steps, eps_error=0.1, delta_error=delta / 1000
    )
    return accountant.compute_epsilon(delta, steps)[2]


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
NOTES = dict.fromkeys(SLOW, "the upper bound, with errors 0.1 in ε, δ/1000 in δ")
