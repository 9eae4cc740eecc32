"""Ji & Li, "Less is more: revisiting the Gaussian mechanism for differential privacy" (2024)."""

from __future__ import annotations

from dporacle.vocabulary.statements.row import EXPERIMENT, UNAUDITED, Statement, Status

__all__ = ["ROWS"]

ROWS: tuple[Statement, ...] = (
    Statement(
        id="JL24.D1",
        group="closed_forms",
        says='"(ε,δ)-DP holds iff Pr[L ≥ ε] ≤ δ"',
        status=Status.FALSE,
        functions=("plrv_tail_sigma",),
    ),
    Statement(
        id="JL24.L1",
        group="accuracy_loss",
        says="the classical mechanism has E‖noise‖² = 2 ln(1.25/δ)·M·D²/ε²",
        status=Status.TRUE,
        functions=("expected_loss", "classical_expected_loss"),
        no_vectors=UNAUDITED,
    ),
    Statement(
        id="JL24.L2",
        group="accuracy_loss",
        says='"E‖noise‖² ≥ ((Φ⁻¹(δ))² + ε)·M·D²/ε²" (analytic mechanism); the reverse is true',
        status=Status.FALSE,
        functions=("expected_loss", "analytic_loss_bound"),
        no_vectors=UNAUDITED,
    ),
    Statement(
        id="JL24.L3",
        group="accuracy_loss",
        says="MVG's sufficient condition forces E‖noise‖² ≥ C_M·D²; it is loose by √(MN)",
        status=Status.TRUE,
        functions=("mvg_loss_bound",),
        no_vectors=UNAUDITED,
    ),
    Statement(
        id="JL24.T1",
        group="rank_one_gaussian",
        says="noise u·√σ*·z on R^M, M > 2, is (ε,δ)-DP if σ* ≥ 2D²/(εψ)",
        status=Status.FALSE,
        functions=("rank_one_psi", "rank_one_sigma_star"),
    ),
    Statement(
        id="JL24.T2",
        group="accuracy_loss",
        says="R1SMG at its theorem's σ* has E‖noise‖² = 2D²/(εψ), tending to 2D²/ε",
        status=Status.TRUE,
        functions=("r1smg_expected_loss",),
        no_vectors=UNAUDITED,
    ),
    Statement(
        id="JL24.T3",
        group="accuracy_loss",
        says='R1SMG has the largest kurtosis and skewness: true; "fewer extremes": backwards',
        status=Status.PARTLY,
        functions=(
            "loss_kurtosis",
            "loss_skewness",
            "loss_tail",
            "covariance_loss_kurtosis",
            "covariance_loss_skewness",
        ),
        no_vectors=UNAUDITED,
    ),
    Statement(
        id="JL24.R1",
        group="rank_one_gaussian",
        says='"R1SMG is private for ε < 1/M", its rule of thumb: not at 1/(2M) for δ ≤ 1/(332M)',
        status=Status.FALSE,
        functions=("rank_one_sigma_star", "rank_one_delta_at_epsilon"),
    ),
    Statement(
        id="JL24.R2",
        group="rank_one_gaussian",
        says='"1/sin²θ is BetaPrime": it is never below 1; cot²θ = 1/sin²θ − 1 is',
        status=Status.FALSE,
        functions=("rank_one_cosecant_tail", "rank_one_cotangent_tail"),
        no_vectors=UNAUDITED,
    ),
    Statement(
        id="JL24.R3",
        group="rank_one_gaussian",
        says='"the privacy loss is at most (2/σ*)(D/sin θ)²": it is unbounded where sin θ = 1',
        status=Status.FALSE,
        functions=("rank_one_loss", "rank_one_loss_bound"),
        no_vectors=UNAUDITED,
    ),
    Statement(
        id="JL24.F1",
        group="experiments",
        says="case study: R1SMG at (1e-5, 1e-7) on an 89×89 grid; its exact δ there is 0.2166",
        status=Status.FALSE,
        functions=(
            "rank_one_sigma_star",
            "rank_one_delta_at_epsilon",
            "expected_loss",
            "classical_expected_loss",
            "loss_tail",
        ),
        experiments=("pickups",),
        no_vectors=EXPERIMENT,
    ),
    Statement(
        id="JL24.F2",
        group="experiments",
        says='second figure: R1SMG\'s losses are the most "stable"; they are the most extreme ones',
        status=Status.FALSE,
        functions=("loss_tail", "loss_kurtosis"),
        experiments=("accuracy-loss",),
        no_vectors=EXPERIMENT,
    ),
)
