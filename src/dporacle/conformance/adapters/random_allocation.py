"""random-allocation: a record in one of t steps, by decomposition and by Rényi divergences.

| function | quantity | mapping |
|---|---|---|
| allocation_epsilon_decomposition(params, config) | balls_and_bins_epsilon | t = T, k = 1 |
| allocation_delta_decomposition(params, config) | balls_and_bins_delta | t = T, k = 1 |
| allocation_epsilon_RDP_DCO(params, config) | balls_and_bins_epsilon | t = T, k = 1 |

One epoch, the default config, and the default direction, which the README explains: "Both
directions (consider both add and remove)".
"""

from random_allocation.comparisons.structs import PrivacyParams, SchemeConfig
from random_allocation.random_allocation_scheme.decomposition import (
    allocation_delta_decomposition,
    allocation_epsilon_decomposition,
)
from random_allocation.random_allocation_scheme.RDP_DCO import allocation_epsilon_RDP_DCO

DISTRIBUTION = "random-allocation"


def _params(sigma, batches, **promise):
    return PrivacyParams(
        sigma=sigma, num_steps=int(batches), num_selected=1, num_epochs=1, **promise
    )


def _epsilon(function):
    return lambda delta, sigma, batches: function(
        _params(sigma, batches, delta=delta), SchemeConfig()
    )


FUNCTIONS = {
    "allocation_epsilon_decomposition": (
        "balls_and_bins_epsilon",
        _epsilon(allocation_epsilon_decomposition),
    ),
    "allocation_epsilon_RDP_DCO": ("balls_and_bins_epsilon", _epsilon(allocation_epsilon_RDP_DCO)),
    "allocation_delta_decomposition": (
        "balls_and_bins_delta",
        lambda epsilon, sigma, batches: allocation_delta_decomposition(
            _params(sigma, batches, epsilon=epsilon), SchemeConfig()
        ),
    ),
}
SLOW = set(FUNCTIONS)
