"""opacus (Meta): the noise for one step, and its ε, by each of its accountants.

| function | quantity | mapping |
|---|---|---|
| get_noise_multiplier(target_epsilon, target_delta, 1, steps=1) | calibrate_sigma | Δ = 1 |
| an accountant's step at σ with sample rate 1, get_epsilon(δ) | epsilon_at_delta | Δ = 1 |
| get_noise_multiplier(…, steps=releases) | repeated_sigma | Δ = 1 |
| an accountant's history of releases steps, get_epsilon(δ) | repeated_epsilon | Δ = 1 |
| … of up to 1,000 (RDP) or 8 equal entries | repeated_epsilon | Δ = 1 |
| an accountant's history of T steps at rate q, get_epsilon(δ) | subsampled_epsilon | GDP too |
| accountants.analysis.gdp.compute_eps_uniform(T, σ, q, δ) | fixed_size_epsilon | replace-one |
| … of two phases | subsampled_phases_epsilon | RDP and PRV |
| get_noise_multiplier(…, sample_rate=q, steps=T) | subsampled_sigma | RDP and PRV |
| accountants.analysis.rdp.compute_rdp(q=1, σ=1/μ, steps=1, orders=α) | rdp | where 1/μ is exact |

The accountants compute with numpy and scipy. PyTorch is not installed: the one name that their
package imports from the part that needs it, for a hook that is not called here, is replaced.

Its noise multiplier is "The ratio of the standard deviation of the additive Gaussian noise to the
L2-sensitivity of the function to which it is added" (accountants/analysis/rdp.py): σ is over Δ. It
offers one relation and does not name it; its formula is that of a record more or less. Of `uniform`
batches the documentation (accountants/analysis/gdp.py) names neither neighbours nor the unit of the
"Noise multiplier (sigma)". A record of a batch of fixed size can only be replaced; both are judged.
"""

import importlib.metadata
import math
import sys
import types
import warnings

DISTRIBUTION = "opacus"
_package = types.ModuleType("opacus")
_package.__path__ = [str(importlib.metadata.distribution(DISTRIBUTION).locate_file("opacus"))]
_optimizers = types.ModuleType("opacus.optimizers")
_optimizers.DPOptimizer = object
sys.modules |= {"opacus": _package, "opacus.optimizers": _optimizers}
warnings.simplefilter("ignore")

from opacus.accountants import create_accountant  # noqa: E402
from opacus.accountants.analysis.gdp import compute_eps_uniform  # noqa: E402
from opacus.accountants.analysis.rdp import compute_rdp  # noqa: E402
from opacus.accountants.utils import get_noise_multiplier  # noqa: E402


def _sigma(kind):
    return lambda epsilon, delta: get_noise_multiplier(
        target_epsilon=epsilon, target_delta=delta, sample_rate=1.0, steps=1, accountant=kind
    )


def _epsilon(kind):
    def epsilon(delta, sigma):
        accountant = create_accountant(mechanism=kind)
        accountant.step(noise_multiplier=sigma, sample_rate=1.0)
        return accountant.get_epsilon(delta=delta)

    return epsilon


def _repeated_sigma(kind):
    return lambda epsilon, delta, releases: get_noise_multiplier(
        target_epsilon=epsilon,
        target_delta=delta,
        sample_rate=1.0,
        steps=int(releases),
        accountant=kind,
    )


def _repeated_epsilon(kind):
    def epsilon(delta, sigma, releases):
        accountant = create_accountant(mechanism=kind)
        accountant.history = [(sigma, 1.0, int(releases))]
        return accountant.get_epsilon(delta=delta)

    return epsilon


def _listed_epsilon(kind, most):
    def epsilon(delta, sigma, releases):
        accountant = create_accountant(mechanism=kind)
        count = int(releases)
        parts = [(count - 1 - i) // most + 1 for i in range(min(count, most))]
        # A count that is to be refused is handed on: no part of it would be what was asked.
        accountant.history = [(sigma, 1.0, n) for n in parts or [count]]
        return accountant.get_epsilon(delta=delta)

    return epsilon


def _sampled_epsilon(kind):
    def epsilon(delta, sigma, rate, steps):
        accountant = create_accountant(mechanism=kind)
        accountant.history = [(sigma, rate, int(steps))]  # what as many calls of step leave
        return accountant.get_epsilon(delta=delta)

    return epsilon


def _phases_epsilon(kind):
    def epsilon(delta, sigma, rate, steps, later_sigma, later_rate, later_steps):
        accountant = create_accountant(mechanism=kind)
        later = (later_sigma, later_rate, int(later_steps))
        accountant.history = [(sigma, rate, int(steps)), later]
        return accountant.get_epsilon(delta=delta)

    return epsilon


def _sampled_sigma(kind):
    return lambda epsilon, delta, rate, steps: get_noise_multiplier(
        target_epsilon=epsilon,
        target_delta=delta,
        sample_rate=rate,
        steps=int(steps),
        accountant=kind,
    )


class _NotAskedError(Exception):
    """1/μ is no float64: what happens then would be the adapter's doing."""


SKIPS = (_NotAskedError,)


def _rdp(order, mu):
    sigma = 1 / mu if mu else math.inf
    if 0 < abs(sigma) < math.inf and math.frexp(mu)[0] not in (0.5, -0.5):
        raise _NotAskedError(f"1/μ is rounded at μ={mu!r}")
    return compute_rdp(q=1.0, noise_multiplier=sigma, steps=1, orders=order)


_KINDS = ("rdp", "prv")
# So long a list takes some tenths of a second; more releases are told as so many equal parts.
_MOST_LISTED = {"rdp": 1000, "prv": 8}
FUNCTIONS = {f"get_noise_multiplier({k})": ("calibrate_sigma", _sigma(k)) for k in _KINDS}
FUNCTIONS |= {f"get_epsilon({k})": ("epsilon_at_delta", _epsilon(k)) for k in _KINDS}
FUNCTIONS |= {
    f"get_noise_multiplier({k}), k": ("repeated_sigma", _repeated_sigma(k)) for k in _KINDS
}
FUNCTIONS |= {f"get_epsilon({k}), k": ("repeated_epsilon", _repeated_epsilon(k)) for k in _KINDS}
FUNCTIONS |= {
    f"get_epsilon({k}), k events": ("repeated_epsilon", _listed_epsilon(k, _MOST_LISTED[k]))
    for k in _KINDS
}
FUNCTIONS |= {
    f"get_epsilon({k}), sampled": ("subsampled_epsilon", _sampled_epsilon(k))
    for k in (*_KINDS, "gdp")
}
FUNCTIONS |= {
    f"get_epsilon({k}), two phases": ("subsampled_phases_epsilon", _phases_epsilon(k))
    for k in _KINDS
}
FUNCTIONS |= {
    f"get_noise_multiplier({k}), sampled": ("subsampled_sigma", _sampled_sigma(k)) for k in _KINDS
}
FUNCTIONS["compute_eps_uniform"] = (
    "fixed_size_epsilon",
    lambda delta, sigma, rate, steps: compute_eps_uniform(
        steps=int(steps), noise_multiplier=sigma, sample_rate=rate, delta=delta
    ),
    {"relation": "replace-one", "unit": "open"},
)
SLOW = set(FUNCTIONS)
FUNCTIONS["compute_rdp"] = ("rdp", _rdp)
NOTES = {f"get_noise_multiplier({k})": "with the default tolerance 0.01 on ε" for k in _KINDS}
NOTES["get_epsilon(gdp), sampled"] = "a central limit, documented as an approximation"
NOTES["compute_eps_uniform"] = (
    "a central limit; 'Compute epsilon given delta from inverse dual of uniform subsampling' names "
    "neither neighbours nor unit"
)
