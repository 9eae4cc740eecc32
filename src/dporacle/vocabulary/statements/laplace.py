"""Laplace noise: its exact privacy, alone, with others of its kind and with Gaussian noise."""

from dporacle.vocabulary.statements.row import Statement, Status

ROWS: tuple[Statement, ...] = (
    Statement(
        id="X.LAP",
        group="laplace",
        says="Laplace noise of scale b is (ε,δ)-DP iff 1 − e^{(ε−D/b)/2} ≤ δ, D the ℓ1-sensitivity",
        status=Status.TRUE,
        functions=(
            "laplace_delta_at_epsilon",
            "laplace_epsilon_at_delta",
            "laplace_calibrate_scale",
            "laplace_accuracy",
            "laplace_alpha_at_accuracy",
            "laplace_scale_at_accuracy",
            "laplace_max_error_probability",
            "laplace_max_error_quantile",
        ),
    ),
    Statement(
        id="X.LAPRDP",
        group="laplace",
        says="its Rényi divergences, and the least ρ of its zCDP: D/b − 1 + e^{−D/b}",
        status=Status.TRUE,
        functions=("laplace_rdp", "laplace_zcdp_rho"),
    ),
    Statement(
        id="X.LAPCOMP",
        group="laplace_composition",
        says="the exact δ(ε) of k equal Laplace releases together, as a finite sum",
        status=Status.TRUE,
        functions=("laplace_repeated_delta",),
    ),
    Statement(
        id="X.LAPGAUSS",
        group="laplace_composition",
        says="the exact δ(ε) of a Laplace release and Gaussian ones: two Gaussian profiles of μ/2",
        status=Status.TRUE,
        functions=("laplace_gaussian_delta",),
    ),
)
