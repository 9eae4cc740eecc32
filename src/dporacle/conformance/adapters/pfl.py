"""pfl (Apple): Algorithm 1 of Balle and Wang in its own log-space arithmetic, and its accountants.

| function | quantity | mapping |
|---|---|---|
| privacy.compute_parameters.AnalyticGM_robust(eps, delta, 1, l2) | calibrate_sigma | |
| PLDPrivacyAccountant(k, 1, "gaussian", ε, δ).noise_parameter | repeated_sigma | Δ = 1 |
| … of δ and the noise, its epsilon | repeated_epsilon | Δ = 1 |
| … of ε and the noise, its delta | repeated_delta | Δ = 1 |
| of a sampling probability q and T compositions, the same three | subsampled_sigma, … | |
| the same of RDPPrivacyAccountant and PRVPrivacyAccountant | | Δ = 1 |
| PLDPrivacyAccountant(k, 1, "laplace", ε, noise), its delta | laplace_repeated_delta | Δ = 1 |
| … of δ and the noise, k = 1, its epsilon | laplace_epsilon_at_delta | PRV too |

With the sampling probability 1 they are k releases of the mechanism. "The default neighbouring
relation for the RDP account is 'add or remove one'", as is that of the others, which take no other;
"the noise parameter is the standard deviation of the noise. For the Laplace mechanism, the noise
parameter is the scale of the noise", of sums of sensitivity 1 (privacy_accountant.py). Its
accountants look for noise up to 100, to 0.1 % of δ, on either side: at k = 2, ε = 1 and δ = 1e-9
the PLD one of 0.6.0 says 7.77130126953125 where 7.771479928416279… is the least, and δ is then
1.00076e-9.
"""

from pfl.privacy.compute_parameters import AnalyticGM_robust
from pfl.privacy.privacy_accountant import (
    PLDPrivacyAccountant,
    PRVPrivacyAccountant,
    RDPPrivacyAccountant,
)

DISTRIBUTION = "pfl"
_ACCOUNTANTS = {
    "PLD": PLDPrivacyAccountant,
    "RDP": RDPPrivacyAccountant,
    "PRV": PRVPrivacyAccountant,
}


def _account(kind, releases, mechanism="gaussian", rate=1.0, **known):
    return kind(int(releases), rate, mechanism, **known)


def _noise(kind):
    return lambda epsilon, delta, releases: (
        _account(kind, releases, epsilon=epsilon, delta=delta).noise_parameter
    )


def _epsilon(kind):
    return lambda delta, sigma, releases: (
        _account(kind, releases, delta=delta, noise_parameter=sigma).epsilon
    )


def _delta(kind):
    return lambda epsilon, sigma, releases: (
        _account(kind, releases, epsilon=epsilon, noise_parameter=sigma).delta
    )


def _sampled(kind):
    """Return what an accountant says of DP-SGD: the noise for ε and δ, its ε and its δ."""
    return (
        lambda epsilon, delta, rate, steps: (
            _account(kind, steps, rate=rate, epsilon=epsilon, delta=delta).noise_parameter
        ),
        lambda delta, sigma, rate, steps: (
            _account(kind, steps, rate=rate, delta=delta, noise_parameter=sigma).epsilon
        ),
        lambda epsilon, sigma, rate, steps: (
            _account(kind, steps, rate=rate, epsilon=epsilon, noise_parameter=sigma).delta
        ),
    )


def _laplace_epsilon(kind):
    return lambda delta, scale: (
        _account(kind, 1, "laplace", delta=delta, noise_parameter=scale).epsilon
    )


FUNCTIONS = {
    "AnalyticGM_robust": (
        "calibrate_sigma",
        lambda epsilon, delta, sensitivity: AnalyticGM_robust(epsilon, delta, 1.0, sensitivity),
    ),
    "PLDPrivacyAccountant.delta, Laplace": (
        "laplace_repeated_delta",
        lambda epsilon, scale, releases: (
            _account(
                PLDPrivacyAccountant, releases, "laplace", epsilon=epsilon, noise_parameter=scale
            ).delta
        ),
    ),
}
for _name, _kind in _ACCOUNTANTS.items():
    _noise_for, _epsilon_of, _delta_of = _sampled(_kind)
    FUNCTIONS |= {
        f"{_name}PrivacyAccountant.noise_parameter, sampled": ("subsampled_sigma", _noise_for),
        f"{_name}PrivacyAccountant.epsilon, sampled": ("subsampled_epsilon", _epsilon_of),
        f"{_name}PrivacyAccountant.delta, sampled": ("subsampled_delta", _delta_of),
        f"{_name}PrivacyAccountant.epsilon, Laplace": (
            "laplace_epsilon_at_delta",
            _laplace_epsilon(_kind),
        ),
        f"{_name}PrivacyAccountant.noise_parameter": ("repeated_sigma", _noise(_kind)),
        f"{_name}PrivacyAccountant.epsilon": ("repeated_epsilon", _epsilon(_kind)),
        f"{_name}PrivacyAccountant.delta": ("repeated_delta", _delta(_kind)),
    }
SLOW = set(FUNCTIONS) - {"AnalyticGM_robust"}
