"""PLD_accounting: k random steps of t, by privacy loss distributions.

| function | quantity | mapping |
|---|---|---|
| gaussian_allocation_epsilon_configurable(params, config) | balls_and_bins_epsilon | t = T, k = 1 |
| gaussian_allocation_delta_configurable(params, config) | balls_and_bins_delta | t = T, k = 1 |
| the same two, k | random_allocation_epsilon, _delta | t = T, one epoch |

The default config and the default bound: "`BoundType.DOMINATES` gives an upper (pessimistic) bound"
(its README), of both directions. An answer takes seconds with numba, minutes without.
"""

from PLD_accounting import (
    AllocationSchemeConfig,
    PrivacyParams,
    gaussian_allocation_delta_configurable,
    gaussian_allocation_epsilon_configurable,
)

DISTRIBUTION = "PLD_accounting"
_CONFIG = AllocationSchemeConfig()


def _epsilon(delta, sigma, batches, participations=1):
    params = PrivacyParams(
        sigma=sigma, num_steps=int(batches), num_selected=int(participations), delta=delta
    )
    return gaussian_allocation_epsilon_configurable(params=params, config=_CONFIG)


def _delta(epsilon, sigma, batches, participations=1):
    params = PrivacyParams(
        sigma=sigma, num_steps=int(batches), num_selected=int(participations), epsilon=epsilon
    )
    return gaussian_allocation_delta_configurable(params=params, config=_CONFIG)


FUNCTIONS = {
    "gaussian_allocation_epsilon_configurable": (
        "balls_and_bins_epsilon",
        lambda delta, sigma, batches: _epsilon(delta, sigma, batches),
    ),
    "gaussian_allocation_delta_configurable": (
        "balls_and_bins_delta",
        lambda epsilon, sigma, batches: _delta(epsilon, sigma, batches),
    ),
    "gaussian_allocation_epsilon_configurable, k": ("random_allocation_epsilon", _epsilon),
    "gaussian_allocation_delta_configurable, k": ("random_allocation_delta", _delta),
}
SLOW = set(FUNCTIONS)
