"""autodp: Balle and Wang's published script, and its own conversions.

| function | quantity | mapping |
|---|---|---|
| privacy_calibrator.ana_gaussian_mech(epsilon, delta)["sigma"] | calibrate_sigma | sensitivity 1 |
| privacy_calibrator.gaussian_mech(epsilon, delta)["sigma"] | calibrate_sigma | by RDP |
| privacy_calibrator.classical_gaussian_mech(epsilon, delta)["sigma"] | calibrate_sigma | |
| dp_bank.get_eps_ana_gaussian(sigma, delta) | epsilon_at_delta | sensitivity 1 |
| privacy_calibrator.classical_gaussian_mech(epsilon, delta)["sigma"] | classical_sigma | Δ = 1 |
| rdp_bank.RDP_gaussian({"sigma": 1/μ}, α) | rdp | where 1/μ is exact |
| fdp_bank.fDP_gaussian({"sigma": 1/μ}, α) | gdp_tradeoff | where 1/μ is exact |
| rdp_bank.RDP_laplace({"b": b}, α) | laplace_rdp | sensitivity 1 |
| privacy_calibrator.laplace_mech(epsilon, delta)["b"] | laplace_calibrate_scale | by RDP, Δ = 1 |
| mechanism_zoo.LaplaceMechanism(b).get_approxDP(δ) | laplace_epsilon_at_delta | by RDP, Δ = 1 |
| mechanism_zoo.ExponentialMechanism(2/b).get_approxDP(δ) | exponential_mechanism_epsilon | Δ = 1 |
| … get_approx_delta(ε), params["rho"] | exponential_mechanism_delta, ρ | 2/b is rounded up |
| mechanism_zoo.NoisySGD_Mechanism(q, σ, T).get_approxDP(δ) | subsampled_epsilon | by RDP |
| … get_approx_delta(ε) | subsampled_delta | by RDP |
| mechanism_zoo.ComposedGaussianMechanism({σ, k}).get_approxDP(δ) | repeated_epsilon | by RDP |
| Composition of k LaplaceMechanism(b), get_approx_delta(ε) | laplace_repeated_delta | RDP, Δ = 1 |
| … of LaplaceMechanism(b), ExactGaussianMechanism(1/μ) | laplace_gaussian_delta | 1/μ too small |
| … of k RandresponseMechanism(p), get_approx_delta(ε) | randomised_response_delta | p too large |
| … of k PureDP_Mechanism(ε₀), get_approx_delta(ε) | box_composition_delta | RDP, δ₀ = 0 |
| … of n ExponentialMechanism(ε₀) | exponential_mechanism_repeated_epsilon, δ too | by RDP |
| … the same | exponential_mechanism_adaptive_epsilon, δ too | by RDP |
| Composition of two amplified ExactGaussianMechanism(σ) | subsampled_phases_epsilon | by RDP |
| AmplificationBySampling(PoissonSampling=False) | fixed_size_epsilon, δ too | RDP, replace-one |
| exp(dp_bank.get_logdelta_ana_gaussian(sigma, epsilon)) | delta_at_epsilon | sensitivity 1 |

Noise is over the sensitivity, whatever the relation: "sigma: the std of the noise divide by the l2
sensitivity" and "b: the ratio of the scale parameter and L1 sensitivity" (mechanism_zoo.py).
Sampling without replacement asks for mechanisms whose `neighboring` is "replace_one".

RandresponseMechanism is for two values, of which the true one is told with probability p: p is
rounded up, and so is what it tells.

SubsampleGaussianMechanism(phi_off=False), for adding or removing alone, is not among them: in
0.2.3.1 its ε and δ ended in a KeyError at the three inputs that were tried. The ε of
AmplificationBySampling_pld, for these too, is that of a single step. Nor is the Fourier
accountant (ComposeAFA): it calls scipy.integrate.quadrature, which the SciPy of this environment no
longer has.
"""

import math
from fractions import Fraction

from autodp import dp_bank, fdp_bank, mechanism_zoo, privacy_calibrator, rdp_bank, transformer_zoo

DISTRIBUTION = "autodp"


class _NotAskedError(Exception):
    """1/μ or 2/b is no float64: what happens then would be the adapter's doing."""


SKIPS = (_NotAskedError,)


def _noise(mu):
    sigma = 1 / mu if mu else math.inf
    if 0 < abs(sigma) < math.inf and math.frexp(mu)[0] not in (0.5, -0.5):
        raise _NotAskedError(f"1/μ is rounded at μ={mu!r}")
    return {"sigma": sigma}


def _selection(scale):
    loss = 2 / scale
    if loss == math.inf:
        raise _NotAskedError(f"2/b is no float64 at b={scale!r}")
    if Fraction(loss) * Fraction(scale) < 2:
        loss = math.nextafter(loss, math.inf)
    return mechanism_zoo.ExponentialMechanism(loss)


def _sampled(sigma, rate, steps):
    return mechanism_zoo.NoisySGD_Mechanism(rate, sigma, int(steps))


def _phases(delta, sigma, rate, steps, later_sigma, later_rate, later_steps):
    sample = transformer_zoo.AmplificationBySampling()
    phases = [
        sample(mechanism_zoo.ExactGaussianMechanism(s), q, improved_bound_flag=True)
        for s, q in ((sigma, rate), (later_sigma, later_rate))
    ]
    counts = [int(steps), int(later_steps)]
    return transformer_zoo.Composition()(phases, counts).get_approxDP(delta)


def _composed_delta(epsilon, mechanisms, counts):
    return transformer_zoo.Composition()(mechanisms, counts).get_approx_delta(epsilon)


def _laplace_repeated(epsilon, scale, releases):
    return _composed_delta(epsilon, [mechanism_zoo.LaplaceMechanism(scale)], [int(releases)])


def _laplace_gaussian(epsilon, scale, mu):
    laplace = mechanism_zoo.LaplaceMechanism(scale)
    if not mu:
        raise _NotAskedError("1/0 is no noise")
    sigma = 1 / mu
    if 0 < sigma < math.inf and Fraction(sigma) * Fraction(mu) > 1:
        sigma = math.nextafter(sigma, 0)
    gaussian = mechanism_zoo.ExactGaussianMechanism(sigma)
    return _composed_delta(epsilon, [laplace, gaussian], [1, 1])


def _reports(epsilon, report_epsilon, releases):
    false = math.exp(-report_epsilon)
    false *= (1 - 2.0**-48) / (1 + false)
    true = 1 - false
    if math.isfinite(true) and Fraction(true) + Fraction(false) < 1:  # rounded down
        true = math.nextafter(true, 1)
    if true == 1 and report_epsilon < math.inf:
        raise _NotAskedError(f"no float below 1 is true so often: {report_epsilon!r}")
    return _composed_delta(epsilon, [mechanism_zoo.RandresponseMechanism(true)], [int(releases)])


def _boxes(epsilon, box_epsilon, releases):
    return _composed_delta(epsilon, [mechanism_zoo.PureDP_Mechanism(box_epsilon)], [int(releases)])


def _selections(selection_epsilon, releases):
    selection = mechanism_zoo.ExponentialMechanism(selection_epsilon)
    return transformer_zoo.Composition()([selection], [int(releases)])


def _fixed_size(sigma, rate, steps):
    mechanism = mechanism_zoo.ExactGaussianMechanism(sigma)
    mechanism.neighboring = "replace_one"
    sample = transformer_zoo.AmplificationBySampling(PoissonSampling=False)
    step = sample(mechanism, rate, improved_bound_flag=True)
    return transformer_zoo.Composition()([step], [int(steps)])


def _composed(delta, sigma, releases):
    mechanism = mechanism_zoo.ComposedGaussianMechanism({"sigma": sigma, "coeff": int(releases)})
    return mechanism.get_approxDP(delta)


def _sigma(params):
    return params["sigma"] if isinstance(params, dict) else params


_FIXED = "AmplificationBySampling(PoissonSampling=False)"
_REPLACED = {"relation": "replace-one", "unit": "sensitivity"}
FUNCTIONS = {
    "ana_gaussian_mech": (
        "calibrate_sigma",
        lambda epsilon, delta: _sigma(privacy_calibrator.ana_gaussian_mech(epsilon, delta)),
    ),
    "gaussian_mech": (
        "calibrate_sigma",
        lambda epsilon, delta: _sigma(privacy_calibrator.gaussian_mech(epsilon, delta)),
    ),
    "classical_gaussian_mech": (
        "calibrate_sigma",
        lambda epsilon, delta: _sigma(privacy_calibrator.classical_gaussian_mech(epsilon, delta)),
    ),
    "classical_gaussian_mech, formula": (
        "classical_sigma",
        lambda epsilon, delta: _sigma(privacy_calibrator.classical_gaussian_mech(epsilon, delta)),
    ),
    "RDP_gaussian": ("rdp", lambda order, mu: rdp_bank.RDP_gaussian(_noise(mu), order)),
    "RDP_laplace": ("laplace_rdp", lambda order, scale: rdp_bank.RDP_laplace({"b": scale}, order)),
    "laplace_mech": (
        "laplace_calibrate_scale",
        lambda epsilon, delta: privacy_calibrator.laplace_mech(epsilon, delta)["b"],
    ),
    "LaplaceMechanism.get_approxDP": (
        "laplace_epsilon_at_delta",
        lambda delta, scale: mechanism_zoo.LaplaceMechanism(scale).get_approxDP(delta),
    ),
    "ExponentialMechanism.get_approxDP": (
        "exponential_mechanism_epsilon",
        lambda delta, scale: _selection(scale).get_approxDP(delta),
    ),
    "ExponentialMechanism.get_approx_delta": (
        "exponential_mechanism_delta",
        lambda epsilon, scale: _selection(scale).get_approx_delta(epsilon),
    ),
    "ExponentialMechanism.params[rho]": (
        "exponential_mechanism_zcdp_rho",
        lambda scale: _selection(scale).params["rho"],
    ),
    "fDP_gaussian": ("gdp_tradeoff", lambda alpha, mu: fdp_bank.fDP_gaussian(_noise(mu), alpha)),
    "get_eps_ana_gaussian": (
        "epsilon_at_delta",
        lambda delta, sigma: dp_bank.get_eps_ana_gaussian(sigma, delta),
    ),
    "get_logdelta_ana_gaussian": (
        "delta_at_epsilon",
        lambda epsilon, sigma: math.exp(dp_bank.get_logdelta_ana_gaussian(sigma, epsilon)),
    ),
    "NoisySGD_Mechanism.get_approxDP": (
        "subsampled_epsilon",
        lambda delta, sigma, rate, steps: _sampled(sigma, rate, steps).get_approxDP(delta),
    ),
    "NoisySGD_Mechanism.get_approx_delta": (
        "subsampled_delta",
        lambda epsilon, sigma, rate, steps: _sampled(sigma, rate, steps).get_approx_delta(epsilon),
    ),
    "Composition, two phases": ("subsampled_phases_epsilon", _phases),
    "ComposedGaussianMechanism.get_approxDP": ("repeated_epsilon", _composed),
    "Composition, Laplace, k": ("laplace_repeated_delta", _laplace_repeated),
    "Composition, Laplace and Gaussian": ("laplace_gaussian_delta", _laplace_gaussian),
    "Composition, randomised response, k": ("randomised_response_delta", _reports),
    "Composition, pure, k": ("box_composition_delta", _boxes),
    "Composition, ExponentialMechanism, n, get_approx_delta": (
        "exponential_mechanism_repeated_delta",
        lambda epsilon, selection_epsilon, releases: _selections(
            selection_epsilon, releases
        ).get_approx_delta(epsilon),
    ),
    "Composition, ExponentialMechanism, n, get_approxDP": (
        "exponential_mechanism_repeated_epsilon",
        lambda delta, selection_epsilon, releases: _selections(
            selection_epsilon, releases
        ).get_approxDP(delta),
    ),
    "Composition, ExponentialMechanism, adaptive, get_approx_delta": (
        "exponential_mechanism_adaptive_delta",
        lambda epsilon, selection_epsilon, releases: _selections(
            selection_epsilon, releases
        ).get_approx_delta(epsilon),
    ),
    "Composition, ExponentialMechanism, adaptive, get_approxDP": (
        "exponential_mechanism_adaptive_epsilon",
        lambda delta, selection_epsilon, releases: _selections(
            selection_epsilon, releases
        ).get_approxDP(delta),
    ),
    f"{_FIXED}.get_approxDP": (
        "fixed_size_epsilon",
        lambda delta, sigma, rate, steps: _fixed_size(sigma, rate, steps).get_approxDP(delta),
        _REPLACED,
    ),
    f"{_FIXED}.get_approx_delta": (
        "fixed_size_delta",
        lambda epsilon, sigma, rate, steps: _fixed_size(sigma, rate, steps).get_approx_delta(
            epsilon
        ),
        _REPLACED,
    ),
}
SLOW = {
    "gaussian_mech",
    "laplace_mech",
    "LaplaceMechanism.get_approxDP",
    "ExponentialMechanism.get_approxDP",
    "ExponentialMechanism.get_approx_delta",
    "ComposedGaussianMechanism.get_approxDP",
    *(name for name in FUNCTIONS if _FIXED in name or name.startswith("Composition, ")),
    *(name for name in FUNCTIONS if FUNCTIONS[name][0].startswith("subsampled")),
}
NOTES = {
    "classical_gaussian_mech": "the classical formula; documented for ε ≤ 1 only",
    **dict.fromkeys(
        (name for name in FUNCTIONS if _FIXED in name),
        "mechanism_zoo.py: 'sigma: the std of the noise divide by the l2 sensitivity'; "
        "neighboring = 'replace_one'",
    ),
    "get_logdelta_ana_gaussian": "its exponential, which magnifies the rounding of the logarithm",
}
