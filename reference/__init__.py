"""The specification: every statement in mpmath, at any precision, as the papers write it.

Scalars only: ints, floats, Fractions, Decimals and `mpf`s, each taken as the exact number that
it is. Every function takes `digits=` and returns an `mpmath.mpf` with that many correct decimal
digits (`mpmath.nstr(value, digits)` shows them). The global mpmath precision is neither read
nor changed.
"""

from dporacle.reference.accuracy import accuracy, alpha_at_accuracy, sigma_at_accuracy
from dporacle.reference.analytic_gaussian import (
    algorithm_1,
    calibrate_sigma,
    delta_at_epsilon,
    delta_slope_epsilon,
    delta_slope_mu,
    epsilon_at_delta,
    log_delta_at_epsilon,
    pinsker_sigma,
)
from dporacle.reference.classical_gaussian import classical_sigma
from dporacle.reference.privacy_loss import loss_lower_tail, loss_mean, loss_upper_tail

__all__ = [
    "accuracy",
    "algorithm_1",
    "alpha_at_accuracy",
    "calibrate_sigma",
    "classical_sigma",
    "delta_at_epsilon",
    "delta_slope_epsilon",
    "delta_slope_mu",
    "epsilon_at_delta",
    "log_delta_at_epsilon",
    "loss_lower_tail",
    "loss_mean",
    "loss_upper_tail",
    "pinsker_sigma",
    "sigma_at_accuracy",
]
