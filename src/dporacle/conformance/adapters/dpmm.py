"""dpmm: the conversion between zCDP and (ε, δ) by which its Gaussian noise is set.

| function | quantity | mapping |
|---|---|---|
| cdp2adp.cdp_rho(eps, delta) | calibrate_sigma | σ = 1/√(2ρ), sensitivity 1 |
| cdp2adp.cdp_eps(rho, delta) | epsilon_at_delta | ρ = 1/(2σ²), sensitivity 1 |
| cdp2adp.cdp_delta(rho, eps) | delta_at_epsilon | ρ = 1/(2σ²), sensitivity 1 |

| cdp2adp.cdp_delta_standard(rho, eps) | zcdp_delta | ρ = μ²/2, where that is exact |
| cdp2adp.cdp_delta(rho, eps) | rdp_delta | the same |

The conversion is a bound, so its answers are above the truth by design. The step between σ and
ρ is the adapter's own and may cost a unit in the last place.
"""

import math
from fractions import Fraction

from dpmm.models.base.mechanisms import cdp2adp

DISTRIBUTION = "dpmm"


class _NotAskedError(Exception):
    """σ has no ρ in floating point: what happens then would be the adapter's doing."""


SKIPS = (_NotAskedError,)


def _rho(sigma):
    rho = 0.5 / sigma / sigma if sigma > 0 else math.nan
    if not 0 < rho < math.inf:
        raise _NotAskedError(f"1/(2σ²) is not a positive float at σ={sigma!r}")
    return rho


def _half_square(mu):
    rho = mu * mu / 2
    if mu > 0 and Fraction(rho) != Fraction(mu) ** 2 / 2:
        raise _NotAskedError(f"μ²/2 is rounded at μ={mu!r}")
    return rho if mu > 0 else mu


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
    "cdp_delta_standard, rho": (
        "zcdp_delta",
        lambda epsilon, mu: cdp2adp.cdp_delta_standard(_half_square(mu), epsilon),
    ),
    "cdp_delta, rho": (
        "rdp_delta",
        lambda epsilon, mu: cdp2adp.cdp_delta(_half_square(mu), epsilon),
    ),
}
SLOW = {"cdp_rho", "cdp_eps"}
