"""jax-privacy (Google DeepMind): one noisy step, by its PLD and RDP accountants.

| function | quantity | mapping |
|---|---|---|
| accounting.calibrate_noise_multiplier(DpsgdTrainingAccountant, …) | calibrate_sigma | Δ = 1 |
| SingleReleaseTrainingAccountant.compute_epsilon(1, …) | epsilon_at_delta | Δ = 1 |
| calibrate_noise_multiplier(…, num_updates=k) | repeated_sigma | Δ = 1 |
| DpsgdTrainingAccountant.compute_epsilon(k, …) | repeated_epsilon | Δ = 1 |

A batch of all examples in one update is one release of the Gaussian mechanism.
"""

from jax_privacy import accounting

DISTRIBUTION = "jax-privacy"
_CONFIGS = {"PLD": accounting.PldAccountantConfig, "RDP": accounting.RdpAccountantConfig}


def _calibrate(config):
    return lambda epsilon, delta: _repeated_sigma(config)(epsilon, delta, 1)


def _repeated_sigma(config):
    return lambda epsilon, delta, releases: accounting.calibrate_noise_multiplier(
        target_epsilon=epsilon,
        accountant=accounting.DpsgdTrainingAccountant(dp_accountant_config=config()),
        batch_sizes=1,
        num_updates=int(releases),
        num_samples=1,
        target_delta=delta,
    )


def _repeated_epsilon(config):
    return lambda delta, sigma, releases: accounting.DpsgdTrainingAccountant(
        dp_accountant_config=config()
    ).compute_epsilon(
        int(releases),
        accounting.DpParams(noise_multipliers=sigma, batch_size=1, num_samples=1, delta=delta),
    )


def _epsilon(config):
    return lambda delta, sigma: accounting.SingleReleaseTrainingAccountant(
        dp_accountant_config=config()
    ).compute_epsilon(
        1,
        accounting.DpParams(noise_multipliers=sigma, batch_size=1, num_samples=1, delta=delta),
    )


FUNCTIONS = {
    f"calibrate_noise_multiplier({name})": ("calibrate_sigma", _calibrate(config))
    for name, config in _CONFIGS.items()
} | {
    f"SingleRelease.compute_epsilon({name})": ("epsilon_at_delta", _epsilon(config))
    for name, config in _CONFIGS.items()
}
for _name, _config in _CONFIGS.items():
    FUNCTIONS[f"calibrate_noise_multiplier({_name}), k"] = (
        "repeated_sigma",
        _repeated_sigma(_config),
    )
    FUNCTIONS[f"Dpsgd.compute_epsilon({_name}), k"] = (
        "repeated_epsilon",
        _repeated_epsilon(_config),
    )
SLOW = set(FUNCTIONS)
NOTES = {name: "with the default tolerance 0.01" for name in FUNCTIONS if "calibrate" in name}
