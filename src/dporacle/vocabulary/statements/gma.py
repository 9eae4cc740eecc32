"""The note "Gaussian mechanism accuracy" (2020)."""

from dporacle.vocabulary.statements.row import Statement, Status

ROWS: tuple[Statement, ...] = (
    Statement(
        id="GMA.T1",
        group="accuracy",
        says="the error exceeds a = σ√2·erf⁻¹(1−α) with probability α",
        status=Status.TRUE,
        functions=("accuracy", "alpha_at_accuracy", "sigma_at_accuracy"),
    ),
    Statement(
        id="GMA.R1",
        group="closed_forms",
        says="1.25 may be replaced by √(2e^{8/9}/π): private for ε up to 3.7530, for any δ",
        status=Status.TRUE,
        functions=("dwork_roth_sigma", "dwork_roth_epsilon_max", "dwork_roth_epsilon_threshold"),
    ),
)
