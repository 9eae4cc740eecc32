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
from dporacle.reference.rank_one_gaussian import (
    rank_one_apollonius_delta,
    rank_one_delta_at_epsilon,
    rank_one_delta_by_radius,
    rank_one_epsilon_at_delta,
    rank_one_expected_loss,
    rank_one_kurtosis,
    rank_one_limit_constant,
    rank_one_loss_tail,
    rank_one_private_sigma_star,
    rank_one_psi,
    rank_one_sigma_star,
    rank_one_skewness,
    rank_one_total_variation,
    rank_one_witness_delta,
)

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
    "rank_one_apollonius_delta",
    "rank_one_delta_at_epsilon",
    "rank_one_delta_by_radius",
    "rank_one_epsilon_at_delta",
    "rank_one_expected_loss",
    "rank_one_kurtosis",
    "rank_one_limit_constant",
    "rank_one_loss_tail",
    "rank_one_private_sigma_star",
    "rank_one_psi",
    "rank_one_sigma_star",
    "rank_one_skewness",
    "rank_one_total_variation",
    "rank_one_witness_delta",
    "sigma_at_accuracy",
]
