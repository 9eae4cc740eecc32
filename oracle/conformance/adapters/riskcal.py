"""riskcal: the noise for a target, by its accountant on privacy loss distributions.

| function | quantity | mapping |
|---|---|---|
| find_noise_multiplier_for_epsilon_delta(CTDAccountant, 1, 1, ε, δ) | calibrate_sigma | Δ = 1 |
| CTDAccountant: one step at σ, then get_epsilon(delta) | epsilon_at_delta | Δ = 1 |

One step with sampling rate 1 is one release of the Gaussian mechanism.
"""

from riskcal.accountants.ctd import CTDAccountant
from riskcal.calibration.blackbox import find_noise_multiplier_for_epsilon_delta

DISTRIBUTION = "riskcal"


def _epsilon(delta, sigma):
    accountant = CTDAccountant()
    accountant.step(noise_multiplier=sigma, sample_rate=1.0)
    return accountant.get_epsilon(delta=delta)


FUNCTIONS = {
    "find_noise_multiplier_for_epsilon_delta": (
        "calibrate_sigma",
        lambda epsilon, delta: find_noise_multiplier_for_epsilon_delta(
            CTDAccountant, sample_rate=1.0, num_steps=1, epsilon=epsilon, delta=delta
        ),
    ),
    "CTDAccountant.get_epsilon": ("epsilon_at_delta", _epsilon),
}
SLOW = set(FUNCTIONS)
NOTES = {"find_noise_multiplier_for_epsilon_delta": "defaults: ε within 0.001, σ from 0.05 to 100"}
