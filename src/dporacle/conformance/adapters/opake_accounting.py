"""opake-accounting: privacy loss distributions of Gaussian noise and DP-SGD, in Rust.

| function | quantity | mapping |
|---|---|---|
| gaussian_pld(σ).epsilon_at(δ) | epsilon_at_delta | Δ = 1 |
| … .delta_at(ε) | delta_at_epsilon | Δ = 1 |
| … .self_compose(k), both | repeated_epsilon, repeated_delta | Δ = 1 |
| poisson_pld(gaussian_pld(σ), q).self_compose(T), both | subsampled_epsilon, subsampled_delta | |
| … .beta_at(α), .advantage(), .risk_at(π) | subsampled_tradeoff, _advantage, _bayes_risk | |
| parallel_poisson_gaussian_pld(σ, q, m), T times | subsampled_group_epsilon, _delta | see below |

Its `noise_multiplier` is the "Ratio of noise std to sensitivity (σ/Δ)". It names no neighbours; its
PLDs are the worse of both directions of adding and removing a record. A step that sums m
independent Poisson batches moves by a binomial number of clipping norms, as a group of m does.
random_allocation_gaussian_pld is not asked: an epoch of ten batches takes a minute.

Only the binary module is loaded: the package beside it imports more than is installed with it.
"""

from importlib.machinery import ExtensionFileLoader
from importlib.metadata import distribution

DISTRIBUTION = "opake-accounting"
_FILE = "opake/api/accounting/core/opake_accounting.abi3.so"
_opake = ExtensionFileLoader(
    "opake_accounting", str(distribution(DISTRIBUTION).locate_file(_FILE))
).load_module("opake_accounting")
_CONFIG = _opake.DiscretizationConfig()


def _gaussian(sigma, releases=1):
    found = _opake.gaussian_pld(sigma, _CONFIG)
    return found if releases == 1 else found.self_compose(int(releases))


def _sampled(sigma, rate, steps):
    base = _opake.gaussian_pld(sigma, _CONFIG)
    one = base if rate == 1 else _opake.poisson_pld(base, rate)
    return one if steps == 1 else one.self_compose(int(steps))


def _several(sigma, rate, steps, size):
    one = _opake.parallel_poisson_gaussian_pld(sigma, rate, int(size), _CONFIG)
    return one if steps == 1 else one.self_compose(int(steps))


FUNCTIONS = {
    "gaussian_pld.epsilon_at": (
        "epsilon_at_delta",
        lambda delta, sigma: _gaussian(sigma).epsilon_at(delta),
    ),
    "gaussian_pld.delta_at": (
        "delta_at_epsilon",
        lambda epsilon, sigma: _gaussian(sigma).delta_at(epsilon),
    ),
    "gaussian_pld.epsilon_at, k": (
        "repeated_epsilon",
        lambda delta, sigma, releases: _gaussian(sigma, releases).epsilon_at(delta),
    ),
    "gaussian_pld.delta_at, k": (
        "repeated_delta",
        lambda epsilon, sigma, releases: _gaussian(sigma, releases).delta_at(epsilon),
    ),
    "poisson_pld.epsilon_at": (
        "subsampled_epsilon",
        lambda delta, sigma, rate, steps: _sampled(sigma, rate, steps).epsilon_at(delta),
    ),
    "poisson_pld.delta_at": (
        "subsampled_delta",
        lambda epsilon, sigma, rate, steps: _sampled(sigma, rate, steps).delta_at(epsilon),
    ),
    "poisson_pld.beta_at": (
        "subsampled_tradeoff",
        lambda alpha, sigma, rate, steps: _sampled(sigma, rate, steps).beta_at(alpha),
    ),
    "poisson_pld.advantage": (
        "subsampled_advantage",
        lambda sigma, rate, steps: _sampled(sigma, rate, steps).advantage(),
    ),
    "poisson_pld.risk_at": (
        "subsampled_bayes_risk",
        lambda prior, sigma, rate, steps: _sampled(sigma, rate, steps).risk_at(prior),
    ),
    "parallel_poisson_gaussian_pld.epsilon_at": (
        "subsampled_group_epsilon",
        lambda delta, sigma, rate, steps, size: _several(sigma, rate, steps, size).epsilon_at(
            delta
        ),
    ),
    "parallel_poisson_gaussian_pld.delta_at": (
        "subsampled_group_delta",
        lambda epsilon, sigma, rate, steps, size: _several(sigma, rate, steps, size).delta_at(
            epsilon
        ),
    ),
}
SLOW = set(FUNCTIONS)
