"""The project's own float64 functions, judged like anybody else's (`dporacle conform self`)."""

import dporacle
from dporacle import fast

DISTRIBUTION = "dporacle"
REFUSALS = (OverflowError,)  # documented: an exact σ outside the range of float64

FUNCTIONS = {
    "calibrate_sigma": (
        "calibrate_sigma",
        lambda epsilon, delta, sensitivity: dporacle.calibrate_sigma(
            epsilon=epsilon, delta=delta, sensitivity=sensitivity
        ),
    ),
    "delta_at_epsilon": (
        "delta_at_epsilon",
        lambda epsilon, sigma, sensitivity: dporacle.delta_at_epsilon(
            epsilon=epsilon, sigma=sigma, sensitivity=sensitivity
        ),
    ),
    "epsilon_at_delta": (
        "epsilon_at_delta",
        lambda delta, sigma, sensitivity: dporacle.epsilon_at_delta(
            delta=delta, sigma=sigma, sensitivity=sensitivity
        ),
    ),
    "accuracy": ("accuracy", lambda alpha, sigma: dporacle.accuracy(alpha=alpha, sigma=sigma)),
    "alpha_at_accuracy": (
        "alpha_at_accuracy",
        lambda accuracy, sigma: dporacle.alpha_at_accuracy(accuracy=accuracy, sigma=sigma),
    ),
    "sigma_at_accuracy": (
        "sigma_at_accuracy",
        lambda accuracy, alpha: dporacle.sigma_at_accuracy(accuracy=accuracy, alpha=alpha),
    ),
}
# They take arrays, under the same names.
BATCHES = {name: getattr(dporacle, name) for name in FUNCTIONS}

FUNCTIONS |= {
    "classical_sigma": (
        "classical_sigma",
        lambda epsilon, delta, sensitivity: dporacle.classical_sigma(
            epsilon=epsilon, delta=delta, sensitivity=sensitivity
        ),
    ),
    "fast.zcdp_rho": ("zcdp_rho", lambda mu: fast.zcdp_rho(mu=mu)),
    "fast.zcdp_sigma": (
        "zcdp_sigma",
        lambda rho, sensitivity: fast.zcdp_sigma(rho=rho, sensitivity=sensitivity),
    ),
    "fast.zcdp_delta": (
        "zcdp_delta",
        lambda epsilon, mu: fast.zcdp_delta(epsilon=epsilon, mu=mu),
    ),
    "fast.rdp": ("rdp", lambda order, mu: fast.rdp(order=order, mu=mu)),
    "fast.rdp_delta": ("rdp_delta", lambda epsilon, mu: fast.rdp_delta(epsilon=epsilon, mu=mu)),
    "fast.gdp_tradeoff": ("gdp_tradeoff", lambda alpha, mu: fast.gdp_tradeoff(alpha=alpha, mu=mu)),
    "fast.gdp_delta": ("gdp_delta", lambda epsilon, mu: fast.gdp_delta(epsilon=epsilon, mu=mu)),
    "fast.gdp_epsilon": ("gdp_epsilon", lambda delta, mu: fast.gdp_epsilon(delta=delta, mu=mu)),
    "fast.repeated_sigma": (
        "repeated_sigma",
        lambda epsilon, delta, releases, sensitivity: fast.repeated_sigma(
            epsilon=epsilon, delta=delta, releases=int(releases), sensitivity=sensitivity
        ),
    ),
    "fast.repeated_delta": (
        "repeated_delta",
        lambda epsilon, sigma, releases, sensitivity: fast.repeated_delta(
            epsilon=epsilon, sigma=sigma, releases=int(releases), sensitivity=sensitivity
        ),
    ),
    "fast.repeated_epsilon": (
        "repeated_epsilon",
        lambda delta, sigma, releases, sensitivity: fast.repeated_epsilon(
            delta=delta, sigma=sigma, releases=int(releases), sensitivity=sensitivity
        ),
    ),
    "fast.discrete_delta_at_epsilon": (
        "discrete_delta_at_epsilon",
        lambda epsilon, sigma, sensitivity: fast.discrete_delta_at_epsilon(
            epsilon=epsilon, sigma=sigma, sensitivity=int(sensitivity)
        ),
    ),
    "fast.discrete_calibrate_sigma": (
        "discrete_calibrate_sigma",
        lambda epsilon, delta, sensitivity: fast.discrete_calibrate_sigma(
            epsilon=epsilon, delta=delta, sensitivity=int(sensitivity)
        ),
    ),
    "fast.discrete_accuracy": (
        "discrete_accuracy",
        lambda alpha, sigma: fast.discrete_accuracy(alpha=alpha, sigma=sigma),
    ),
}
