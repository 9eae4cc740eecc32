"""Enclosures: the same quantities in ball arithmetic, as proofs.

Scalars only: ints, floats, Fractions and Decimals, each taken as the exact number that it is.
Every function takes `digits=` and returns a python-flint `arb` that contains the exact value,
with a radius of at most 10^-digits of it (`value.str(digits)` shows them).
"""

from dporacle.enclosures.accuracy import accuracy, alpha_at_accuracy, sigma_at_accuracy
from dporacle.enclosures.analytic_gaussian import (
    calibrate_sigma,
    delta_at_epsilon,
    delta_slope_epsilon,
    delta_slope_mu,
    epsilon_at_delta,
    log_delta_at_epsilon,
    pinsker_sigma,
)
from dporacle.enclosures.classical_gaussian import classical_sigma
from dporacle.enclosures.privacy_loss import loss_lower_tail, loss_mean, loss_upper_tail
from dporacle.enclosures.rounding import round_down, round_up

__all__ = [
    "accuracy",
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
    "round_down",
    "round_up",
    "sigma_at_accuracy",
]
