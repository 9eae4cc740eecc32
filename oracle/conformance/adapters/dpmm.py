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


class NotAskedError(Exception):
    """σ has no ρ in floating point: what happens then would be the adapter's doing."""


SKIPS = (NotAskedError,)


def _rho(sigma):
    rho = 0.5 / sigma / sigma if sigma > 0 else math.nan
    if not 0 < rho < math.inf:
        raise NotAskedError(f"1/(2σ²) is not a positive float at σ={sigma!r}")
    return rho


FUNCTIONS = {
    "cdp_rho": (
        "calibrate_sigma",
        lambda epsilon, delta: 1 / math.sqrt(2 * cdp2adp.cdp_rho(epsilon, delta)),
    ),
    "cdp_eps": ("epsilon_at_delta", lambda delta, sigma: cdp2adp.cdp_eps(_rho(sigma), delta)),
    "cdp_delta": (
        "delta_at_epsilon",
        lambda epsilon, sigma: cdp2adp.cdp_delta(_rho(sigma), epsilon),
    ),
}
SLOW = {"cdp_rho", "cdp_eps"}
