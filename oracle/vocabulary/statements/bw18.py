"""Balle & Wang, "Improving the Gaussian mechanism for differential privacy" (2018)."""

from __future__ import annotations

from dporacle.vocabulary.statements.row import EXPERIMENT, UNAUDITED, Statement, Status

__all__ = ["ROWS"]

ROWS: tuple[Statement, ...] = (
    Statement(
        id="BW18.T1",
        group="classical_gaussian",
        says="for 0 < ε ≤ 1, σ = D√(2 ln(1.25/δ))/ε is (ε,δ)-DP",
        status=Status.TRUE,
        functions=("classical_sigma",),
    ),
    Statement(
        id="BW18.T2",
        group="analytic_gaussian",
        says="σ = D/(2δ) is (0,δ)-DP; exactly, δ(0) = 2Φ(μ/2) − 1",
        status=Status.TRUE,
        functions=("pinsker_sigma", "delta_at_epsilon"),
    ),
    Statement(
        id="BW18.L3",
        group="privacy_loss",
        says="the privacy loss at distance D is N(η, 2η), η = D²/(2σ²)",
        status=Status.TRUE,
        functions=("loss_mean",),
        no_vectors=UNAUDITED,
    ),
    Statement(
        id="BW18.O1",
        group="closed_forms",
        says="Pr[L ≥ ε] ≤ δ is sufficient for (ε,δ)-DP, not necessary",
        status=Status.TRUE,
        functions=("plrv_tail_sigma",),
    ),
    Statement(
        id="BW18.T4",
        group="closed_forms",
        says="σ ≥ D/√(2ε) is needed for δ below a threshold: of three forms in use one is false",
        status=Status.PARTLY,
        functions=(
            "low_privacy_threshold",
            "low_privacy_threshold_closed",
            "low_privacy_threshold_misquoted",
        ),
        no_vectors=UNAUDITED,
    ),
    Statement(
        id="BW18.T5",
        group="analytic_gaussian",
        says="any mechanism is (ε,δ)-DP iff Pr[L ≥ ε] − e^ε Pr[L' ≤ −ε] ≤ δ for all neighbours",
        status=Status.TRUE,
        functions=("delta_at_epsilon",),
        no_vectors="it is for any mechanism; its Gaussian form is BW18.T8, which has them",
    ),
    Statement(
        id="BW18.L6",
        group="privacy_loss",
        says="Pr[L ≥ ε] = Φ(D/2σ − εσ/D), Pr[L' ≤ −ε] = Φ(−D/2σ − εσ/D)",
        status=Status.TRUE,
        functions=("loss_upper_tail", "loss_lower_tail"),
        no_vectors=UNAUDITED,
    ),
    Statement(
        id="BW18.L7",
        group="analytic_gaussian",
        says="∂δ/∂μ = φ(μ/2 − ε/μ) > 0 and ∂δ/∂ε = −e^ε Φ(−μ/2 − ε/μ) < 0",
        status=Status.TRUE,
        functions=("delta_slope_mu", "delta_slope_epsilon"),
        no_vectors=UNAUDITED,
    ),
    Statement(
        id="BW18.T8",
        group="analytic_gaussian",
        says="(ε,δ)-DP if and only if Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ) ≤ δ",
        status=Status.TRUE,
        functions=("delta_at_epsilon", "log_delta_at_epsilon", "calibrate_sigma"),
    ),
    Statement(
        id="BW18.T9",
        group="analytic_gaussian",
        says="Algorithm 1 computes the smallest σ",
        status=Status.TRUE,
        functions=("algorithm_1",),
        holes={
            "fast": "it is a second way to calibrate_sigma's number; one float64 route is kept",
            "enclosures": "it is a second way to calibrate_sigma's number; one proof is enough",
        },
    ),
    Statement(
        id="BW18.C1",
        group="closed_forms",
        says="the exact σ saves at least a third of the classical variance",
        status=Status.PARTLY,
        functions=("variance_third_boundary",),
        no_vectors=UNAUDITED,
    ),
    Statement(
        id="BW18.T10",
        group="denoising",
        says="the posterior mean has the least risk, d·w²σ²/(w²+σ²) under N(0, w²I)",
        status=Status.TRUE,
        functions=("bayes_risk",),
    ),
    Statement(
        id="BW18.T11",
        group="denoising",
        says="James–Stein: always better than the release, near the Bayes risk; exact risks",
        status=Status.TRUE,
        functions=("james_stein_risk", "james_stein_prior_risk", "positive_part_risk"),
    ),
    Statement(
        id="BW18.T12",
        group="denoising",
        says="soft threshold: risk ≤ (2 ln d + 1)(σ² + Σ min(θᵢ², σ²)); exact risk",
        status=Status.TRUE,
        functions=(
            "universal_threshold",
            "soft_threshold_coordinate_risk",
            "soft_threshold_risk",
            "soft_threshold_oracle_bound",
        ),
    ),
    Statement(
        id="BW18.F1",
        group="experiments",
        says="figure: the analytic variance is below the classical; by a third only for larger δ",
        status=Status.PARTLY,
        functions=("calibrate_sigma", "classical_sigma", "variance_third_boundary"),
        experiments=("calibration",),
        no_vectors=EXPERIMENT,
    ),
    Statement(
        id="BW18.F2",
        group="experiments",
        says="figures: denoising cuts the error; James–Stein always, soft thresholds not always",
        status=Status.PARTLY,
        functions=(
            "calibrate_sigma",
            "classical_sigma",
            "james_stein_risk",
            "positive_part_risk",
            "soft_threshold_risk",
        ),
        experiments=("mean-estimation", "heat-map"),
        no_vectors=EXPERIMENT,
    ),
)
