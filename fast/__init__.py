"""The float64 witness: scalars or arrays in, results on the private side of the exact ones."""

from __future__ import annotations

from dporacle.fast.accuracy import accuracy, alpha_at_accuracy, sigma_at_accuracy
from dporacle.fast.analytic_gaussian import (
    calibrate_sigma,
    delta_at_epsilon,
    delta_slope_epsilon,
    delta_slope_mu,
    epsilon_at_delta,
    log_delta_at_epsilon,
    pinsker_sigma,
)
from dporacle.fast.classical_gaussian import classical_sigma
from dporacle.fast.privacy_loss import loss_lower_tail, loss_mean, loss_upper_tail
from dporacle.fast.rank_one_gaussian import (
    rank_one_delta_at_epsilon,
    rank_one_expected_loss,
    rank_one_kurtosis,
    rank_one_loss_tail,
    rank_one_psi,
    rank_one_sample,
    rank_one_sample_marginal,
    rank_one_sigma_star,
    rank_one_skewness,
    rank_one_witness_delta,
)

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
    "rank_one_delta_at_epsilon",
    "rank_one_expected_loss",
    "rank_one_kurtosis",
    "rank_one_loss_tail",
    "rank_one_psi",
    "rank_one_sample",
    "rank_one_sample_marginal",
    "rank_one_sigma_star",
    "rank_one_skewness",
    "rank_one_witness_delta",
    "sigma_at_accuracy",
]
