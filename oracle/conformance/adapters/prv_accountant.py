"""prv-accountant (Microsoft): bounds on ε by privacy random variables, and by RDP.

| function | quantity | mapping |
|---|---|---|
| PRVAccountant(GaussianMechanism(σ, Δ)).compute_epsilon(δ, [1])[2] | epsilon_at_delta | |
| other_accountants.RDP([GaussianMechanism(σ, Δ)]).compute_epsilon(δ, [1])[2] | epsilon_at_delta | |

The errors are those that its documentation calls typical: 0.1 in ε and δ/1000 in δ.
"""

from prv_accountant import PRVAccountant
from prv_accountant.other_accountants import RDP
from prv_accountant.privacy_random_variables import GaussianMechanism

DISTRIBUTION = "prv-accountant"


def _prv(delta, sigma, sensitivity):
    mechanism = GaussianMechanism(sigma, sensitivity)
    accountant = PRVAccountant(mechanism, eps_error=0.1, delta_error=delta / 1000)
    return accountant.compute_epsilon(delta, [1])[2]


def _rdp(delta, sigma, sensitivity):
    return RDP([GaussianMechanism(sigma, sensitivity)]).compute_epsilon(delta, [1])[2]


FUNCTIONS = {
    "PRVAccountant.compute_epsilon": ("epsilon_at_delta", _prv),
    "RDP.compute_epsilon": ("epsilon_at_delta", _rdp),
}
SLOW = {"PRVAccountant.compute_epsilon"}
NOTES = {"PRVAccountant.compute_epsilon": "the upper bound, with errors 0.1 in ε, δ/1000 in δ"}
