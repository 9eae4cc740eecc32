"""dpmm: the conversion between zCDP and (ε, δ) by which its Gaussian noise is set.

| function | quantity | mapping |
|---|---|---|
| cdp2adp.cdp_rho(eps, delta) | calibrate_sigma | σ = 1/√(2ρ), sensitivity 1 |
| cdp2adp.cdp_eps(rho, delta) | epsilon_at_delta | ρ = 1/(2σ²), sensitivity 1 |
| cdp2adp.cdp_delta(rho, eps) | delta_at_epsilon | ρ = 1/(2σ²), sensitivity 1 |

The conversion is a bound, so its answers are above the truth by design. The step between σ and
ρ is the adapter's own and may cost a unit in the last place.
"""

import math

from dpmm.models.base.mechanisms import cdp2adp

DISTRIBUTION = "dpmm"

FUNCTIONS = {
    "cdp_rho": (
        "calibrate_sigma",
        lambda epsilon, delta: 1 / math.sqrt(2 * cdp2adp.cdp_rho(epsilon, delta)),
    ),
    "cdp_eps": (
        "epsilon_at_delta",
        lambda delta, sigma: cdp2adp.cdp_eps(1 / (2 * sigma**2), delta),
    ),
    "cdp_delta": (
        "delta_at_epsilon",
        lambda epsilon, sigma: cdp2adp.cdp_delta(1 / (2 * sigma**2), epsilon),
    ),
}
SLOW = {"cdp_rho", "cdp_eps"}
