"""dp-accounting (Google): exact conversions, and the privacy loss distribution's own.

| function | quantity | mapping |
|---|---|---|
| gaussian_mechanism.get_sigma_gaussian(epsilon, delta) | calibrate_sigma | sensitivity 1 |
| gaussian_mechanism.get_epsilon_gaussian(sigma, delta) | epsilon_at_delta | sensitivity 1 |
| pld.accountant.get_smallest_gaussian_noise(parameters, 1, sensitivity) | calibrate_sigma | |
| pld GaussianPrivacyLoss(sigma, sensitivity).get_delta_for_epsilon(epsilon) | delta_at_epsilon | |
"""

from dp_accounting import gaussian_mechanism
from dp_accounting.pld import accountant, common, privacy_loss_mechanism

DISTRIBUTION = "dp-accounting"


def _smallest_noise(epsilon, delta, sensitivity):
    parameters = common.DifferentialPrivacyParameters(epsilon, delta)
    return accountant.get_smallest_gaussian_noise(parameters, 1, sensitivity)


def _delta(epsilon, sigma, sensitivity):
    loss = privacy_loss_mechanism.GaussianPrivacyLoss(sigma, sensitivity)
    return loss.get_delta_for_epsilon(epsilon)


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
SLOW = {"get_smallest_gaussian_noise"}
