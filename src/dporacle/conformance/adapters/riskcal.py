"""riskcal: the noise for a target, by its accountant on privacy loss distributions.

| function | quantity | mapping |
|---|---|---|
| find_noise_multiplier_for_epsilon_delta(CTDAccountant, 1, 1, ε, δ) | calibrate_sigma | Δ = 1 |
| CTDAccountant: one step at σ, then get_epsilon(delta) | epsilon_at_delta | Δ = 1 |
| analysis.conversions.get_beta_from_gdp(mu, alpha) | gdp_tradeoff | |
| CTDAccountant: releases steps at σ, then get_epsilon(delta) | repeated_epsilon | Δ = 1 |
| CTDAccountant: T steps at σ and the rate q, then get_epsilon(delta) | subsampled_epsilon | |
| … get_pld().get_delta_for_epsilon(epsilon) | subsampled_delta | |
| … of two phases, get_epsilon(delta) | subsampled_phases_epsilon | |
| find_noise_multiplier_for_epsilon_delta(CTDAccountant, q, T, ε, δ) | subsampled_sigma | |
| CTDAccountant: T steps at σ and the rate q, then get_beta(alpha) | subsampled_tradeoff | |
| … 1 − get_beta(alpha) | subsampled_power | TPR = 1 − FNR |
| … get_advantage() | subsampled_advantage | |
| … analysis.get_bayes_risk_from_pld(get_pld(), prior) | subsampled_bayes_risk | |
| analysis.get_advantage_from_gdp(mu) | gdp_advantage | |
| analysis.get_bayes_risk_from_gdp(mu, prior) | gdp_bayes_risk | |

One step with sampling rate 1 is one release of the Gaussian mechanism.

It offers one relation: its privacy loss distributions are dp-accounting's by default, for adding or
removing a record, and analysis/_plrv.py speaks of "the add/remove neighboring relation". Its noise
is then over the norm and over the sensitivity alike.
"""

from riskcal.accountants.ctd import CTDAccountant
from riskcal.analysis import conversions
from riskcal.calibration.blackbox import find_noise_multiplier_for_epsilon_delta

DISTRIBUTION = "riskcal"


def _epsilon(delta, sigma):
    accountant = CTDAccountant()
    accountant.step(noise_multiplier=sigma, sample_rate=1.0)
    return accountant.get_epsilon(delta=delta)


def _repeated_epsilon(delta, sigma, releases):
    accountant = CTDAccountant()
    accountant.history = [(sigma, 1.0, int(releases))]  # what as many calls of step leave
    return accountant.get_epsilon(delta=delta)


def _run(*phases):
    accountant = CTDAccountant()
    accountant.history = [(sigma, rate, int(steps)) for sigma, rate, steps in phases]
    return accountant


def _phases(delta, sigma, rate, steps, later_sigma, later_rate, later_steps):
    later = (later_sigma, later_rate, later_steps)
    return _run((sigma, rate, steps), later).get_epsilon(delta=delta)


FUNCTIONS = {
    "find_noise_multiplier_for_epsilon_delta": (
        "calibrate_sigma",
        lambda epsilon, delta: find_noise_multiplier_for_epsilon_delta(
            CTDAccountant, sample_rate=1.0, num_steps=1, epsilon=epsilon, delta=delta
        ),
    ),
    "CTDAccountant.get_epsilon": ("epsilon_at_delta", _epsilon),
    "CTDAccountant.get_epsilon, k": ("repeated_epsilon", _repeated_epsilon),
    "CTDAccountant.get_epsilon, sampled": (
        "subsampled_epsilon",
        lambda delta, sigma, rate, steps: _run((sigma, rate, steps)).get_epsilon(delta=delta),
    ),
    "CTDAccountant.get_pld, sampled": (
        "subsampled_delta",
        lambda epsilon, sigma, rate, steps: (
            _run((sigma, rate, steps)).get_pld().get_delta_for_epsilon(epsilon)
        ),
    ),
    "CTDAccountant.get_epsilon, two phases": ("subsampled_phases_epsilon", _phases),
    "find_noise_multiplier_for_epsilon_delta, sampled": (
        "subsampled_sigma",
        lambda epsilon, delta, rate, steps: find_noise_multiplier_for_epsilon_delta(
            CTDAccountant, sample_rate=rate, num_steps=int(steps), epsilon=epsilon, delta=delta
        ),
    ),
    "CTDAccountant.get_beta, sampled": (
        "subsampled_tradeoff",
        lambda alpha, sigma, rate, steps: float(_run((sigma, rate, steps)).get_beta(alpha=alpha)),
    ),
    "1 − CTDAccountant.get_beta, sampled": (
        "subsampled_power",
        lambda alpha, sigma, rate, steps: (
            1 - float(_run((sigma, rate, steps)).get_beta(alpha=alpha))
        ),
    ),
    "CTDAccountant.get_advantage, sampled": (
        "subsampled_advantage",
        lambda sigma, rate, steps: float(_run((sigma, rate, steps)).get_advantage()),
    ),
    "get_bayes_risk_from_pld, sampled": (
        "subsampled_bayes_risk",
        lambda prior, sigma, rate, steps: float(
            conversions.get_bayes_risk_from_pld(_run((sigma, rate, steps)).get_pld(), prior)
        ),
    ),
    "get_advantage_from_gdp": (
        "gdp_advantage",
        lambda mu: float(conversions.get_advantage_from_gdp(mu)),
    ),
    "get_bayes_risk_from_gdp": (
        "gdp_bayes_risk",
        lambda prior, mu: float(conversions.get_bayes_risk_from_gdp(mu, prior)),
    ),
    "get_beta_from_gdp": (
        "gdp_tradeoff",
        lambda alpha, mu: conversions.get_beta_from_gdp(mu=mu, alpha=alpha),
    ),
}
SLOW = {name for name in FUNCTIONS if not name.endswith("_from_gdp")}
NOTES = {
    name: "defaults: ε within 0.001, σ from 0.05 to 100" for name in FUNCTIONS if "find" in name
}
