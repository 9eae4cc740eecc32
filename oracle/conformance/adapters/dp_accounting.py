"""dp-accounting (Google): exact conversions, and the privacy loss distribution's own.

| function | quantity | mapping |
|---|---|---|
| gaussian_mechanism.get_sigma_gaussian(epsilon, delta) | calibrate_sigma | sensitivity 1 |
| gaussian_mechanism.get_epsilon_gaussian(sigma, delta) | epsilon_at_delta | sensitivity 1 |
| pld.accountant.get_smallest_gaussian_noise(parameters, 1, sensitivity) | calibrate_sigma | |
| calibrate_dp_mechanism(PLDAccountant, GaussianDpEvent), RDP too | calibrate_sigma | Δ = 1 |
| the same accountants: compose(GaussianDpEvent(σ)), get_epsilon(δ) | epsilon_at_delta | Δ = 1 |
| pld GaussianPrivacyLoss(sigma, sensitivity).get_delta_for_epsilon(epsilon) | delta_at_epsilon | |
"""

from dp_accounting import GaussianDpEvent, calibrate_dp_mechanism, gaussian_mechanism
from dp_accounting.pld import PLDAccountant, accountant, common, privacy_loss_mechanism
from dp_accounting.rdp import RdpAccountant

DISTRIBUTION = "dp-accounting"


def _smallest_noise(epsilon, delta, sensitivity):
    parameters = common.DifferentialPrivacyParameters(epsilon, delta)
    return accountant.get_smallest_gaussian_noise(parameters, 1, sensitivity)


def _delta(epsilon, sigma, sensitivity):
    loss = privacy_loss_mechanism.GaussianPrivacyLoss(sigma, sensitivity)
    return loss.get_delta_for_epsilon(epsilon)


def _calibrated(kind):
    return lambda epsilon, delta: calibrate_dp_mechanism(kind, GaussianDpEvent, epsilon, delta)


def _composed(kind):
    return lambda delta, sigma: kind().compose(GaussianDpEvent(sigma)).get_epsilon(delta)


_ACCOUNTANTS = {"PLD": PLDAccountant, "RDP": RdpAccountant}

FUNCTIONS = {
    "get_sigma_gaussian": (
        "calibrate_sigma",
        lambda epsilon, delta: gaussian_mechanism.get_sigma_gaussian(epsilon, delta),
    ),
    "get_smallest_gaussian_noise": ("calibrate_sigma", _smallest_noise),
    "get_epsilon_gaussian": (
        "epsilon_at_delta",
        lambda delta, sigma: gaussian_mechanism.get_epsilon_gaussian(sigma, delta),
    ),
    "GaussianPrivacyLoss.get_delta_for_epsilon": ("delta_at_epsilon", _delta),
}
for _name, _kind in _ACCOUNTANTS.items():
    FUNCTIONS[f"calibrate_dp_mechanism({_name})"] = ("calibrate_sigma", _calibrated(_kind))
    FUNCTIONS[f"{_name}Accountant.get_epsilon"] = ("epsilon_at_delta", _composed(_kind))

SLOW = {
    "get_smallest_gaussian_noise",
    *(name for name in FUNCTIONS if "(" in name or "Acc" in name),
}
