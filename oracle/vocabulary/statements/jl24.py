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
        no_vectors=UNAUDITED,
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
        functions=("loss_kurtosis", "loss_skewness", "loss_tail"),
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
)
