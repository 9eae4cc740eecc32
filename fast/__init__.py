"""The float64 witness: scalars or arrays in, results on the private side of the exact ones."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

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
    rank_one_delta_interval,
    rank_one_psi,
    rank_one_sample,
    rank_one_sample_marginal,
    rank_one_sigma_star,
    rank_one_witness_delta,
)

if TYPE_CHECKING:
    from dporacle.fast.accuracy_loss import (
        analytic_loss_bound,
        classical_expected_loss,
        expected_loss,
        loss_kurtosis,
        loss_skewness,
        loss_tail,
        mvg_loss_bound,
        r1smg_expected_loss,
    )
    from dporacle.fast.closed_forms import (
        classical_epsilon_max,
        classical_epsilon_threshold,
        dwork_2006_epsilon_max,
        dwork_2006_epsilon_threshold,
        dwork_2006_sigma,
        dwork_roth_epsilon_max,
        dwork_roth_epsilon_threshold,
        dwork_roth_sigma,
        low_privacy_threshold,
        low_privacy_threshold_closed,
        low_privacy_threshold_misquoted,
        plrv_tail_sigma,
        rho_epsilon,
        rho_sigma,
        variance_third_boundary,
        vinterbo_sigma,
    )
    from dporacle.fast.composition import (
        composed_mu,
        group_delta_bound,
        group_mu,
        repeated_delta,
        repeated_epsilon,
        repeated_mu,
        repeated_sigma,
    )
    from dporacle.fast.conversions import (
        gdp_delta,
        gdp_epsilon,
        gdp_tradeoff,
        rdp,
        rdp_delta,
        zcdp_delta,
        zcdp_rho,
        zcdp_sigma,
    )
    from dporacle.fast.denoising import (
        bayes_risk,
        james_stein_prior_risk,
        james_stein_risk,
        positive_part_risk,
        soft_threshold_coordinate_risk,
        soft_threshold_oracle_bound,
        soft_threshold_risk,
        universal_threshold,
    )
    from dporacle.fast.discrete_gaussian import (
        discrete_accuracy,
        discrete_calibrate_sigma,
        discrete_delta_at_epsilon,
        discrete_tail,
        discrete_variance,
    )
    from dporacle.fast.simultaneous_accuracy import (
        max_error_bound,
        max_error_probability,
        max_error_quantile,
        noise_tail,
        noise_tail_bound,
        projected_sigma,
        sample_size,
        sample_size_bound,
        workload_sensitivity,
    )
    from dporacle.fast.subsampled_gaussian import (
        subsampled_delta,
        subsampled_epsilon,
        subsampled_schedule_delta,
        subsampled_schedule_epsilon,
        subsampled_sigma,
    )

__all__ = [
    "accuracy",
    "alpha_at_accuracy",
    "analytic_loss_bound",
    "bayes_risk",
    "calibrate_sigma",
    "classical_epsilon_max",
    "classical_epsilon_threshold",
    "classical_expected_loss",
    "classical_sigma",
    "composed_mu",
    "delta_at_epsilon",
    "delta_slope_epsilon",
    "delta_slope_mu",
    "discrete_accuracy",
    "discrete_calibrate_sigma",
    "discrete_delta_at_epsilon",
    "discrete_tail",
    "discrete_variance",
    "dwork_2006_epsilon_max",
    "dwork_2006_epsilon_threshold",
    "dwork_2006_sigma",
    "dwork_roth_epsilon_max",
    "dwork_roth_epsilon_threshold",
    "dwork_roth_sigma",
    "epsilon_at_delta",
    "expected_loss",
    "gdp_delta",
    "gdp_epsilon",
    "gdp_tradeoff",
    "group_delta_bound",
    "group_mu",
    "james_stein_prior_risk",
    "james_stein_risk",
    "log_delta_at_epsilon",
    "loss_kurtosis",
    "loss_lower_tail",
    "loss_mean",
    "loss_skewness",
    "loss_tail",
    "loss_upper_tail",
    "low_privacy_threshold",
    "low_privacy_threshold_closed",
    "low_privacy_threshold_misquoted",
    "max_error_bound",
    "max_error_probability",
    "max_error_quantile",
    "mvg_loss_bound",
    "noise_tail",
    "noise_tail_bound",
    "pinsker_sigma",
    "plrv_tail_sigma",
    "positive_part_risk",
    "projected_sigma",
    "r1smg_expected_loss",
    "rank_one_delta_at_epsilon",
    "rank_one_delta_interval",
    "rank_one_psi",
    "rank_one_sample",
    "rank_one_sample_marginal",
    "rank_one_sigma_star",
    "rank_one_witness_delta",
    "rdp",
    "rdp_delta",
    "repeated_delta",
    "repeated_epsilon",
    "repeated_mu",
    "repeated_sigma",
    "rho_epsilon",
    "rho_sigma",
    "sample_size",
    "sample_size_bound",
    "sigma_at_accuracy",
    "soft_threshold_coordinate_risk",
    "soft_threshold_oracle_bound",
    "soft_threshold_risk",
    "subsampled_delta",
    "subsampled_epsilon",
    "subsampled_schedule_delta",
    "subsampled_schedule_epsilon",
    "subsampled_sigma",
    "universal_threshold",
    "variance_third_boundary",
    "vinterbo_sigma",
    "workload_sensitivity",
    "zcdp_delta",
    "zcdp_rho",
    "zcdp_sigma",
]

_LAZY = (
    "closed_forms",
    "simultaneous_accuracy",
    "denoising",
    "accuracy_loss",
    "composition",
    "conversions",
    "discrete_gaussian",
    "subsampled_gaussian",
)
"""Groups that need scipy, which takes long to import: each is imported when first used."""


def __getattr__(name: str) -> object:
    if name in __all__:
        for group in _LAZY:
            module = importlib.import_module(f"dporacle.fast.{group}")
            if name in module.__all__:
                return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
