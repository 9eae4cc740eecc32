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
from dporacle.enclosures.rank_one_gaussian import (
    rank_one_apollonius_delta,
    rank_one_delta_at_epsilon,
    rank_one_epsilon_at_delta,
    rank_one_expected_loss,
    rank_one_intervals,
    rank_one_kurtosis,
    rank_one_limit_constant,
    rank_one_loss_tail,
    rank_one_private_sigma_star,
    rank_one_psi,
    rank_one_published_apollonius,
    rank_one_published_delta,
    rank_one_published_total_variation,
    rank_one_published_witness,
    rank_one_sigma_star,
    rank_one_skewness,
    rank_one_total_variation,
    rank_one_witness_delta,
)
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
    "rank_one_apollonius_delta",
    "rank_one_delta_at_epsilon",
    "rank_one_epsilon_at_delta",
    "rank_one_expected_loss",
    "rank_one_intervals",
    "rank_one_kurtosis",
    "rank_one_limit_constant",
    "rank_one_loss_tail",
    "rank_one_private_sigma_star",
    "rank_one_psi",
    "rank_one_published_apollonius",
    "rank_one_published_delta",
    "rank_one_published_total_variation",
    "rank_one_published_witness",
    "rank_one_sigma_star",
    "rank_one_skewness",
    "rank_one_total_variation",
    "rank_one_witness_delta",
    "round_down",
    "round_up",
    "sigma_at_accuracy",
]
