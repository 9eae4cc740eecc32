"""The project's own float64 functions, judged like anybody else's (`dporacle conform self`)."""

import dporacle

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
