"""The lecture slides "Gaussian noise mechanism"."""

from dporacle.vocabulary.statements.row import UNAUDITED, Statement, Status

ROWS: tuple[Statement, ...] = (
    Statement(
        id="GN.S1",
        group="simultaneous_accuracy",
        says="k counting queries on n records have ℓ2-sensitivity √k/n",
        status=Status.TRUE,
        functions=("workload_sensitivity",),
        no_vectors=UNAUDITED,
    ),
    Statement(
        id="GN.S2",
        group="analytic_gaussian",
        says="the Gaussian mechanism is not ε-DP for any ε: δ(ε) > 0",
        status=Status.TRUE,
        functions=("log_delta_at_epsilon",),
        no_vectors="its numbers are the logarithms of BW18.T8's, which has them",
    ),
    Statement(
        id="GN.S3",
        group="finite_mechanism",
        says="name and shame: naming each record with probability δ is (0,δ)-DP",
        status=Status.TRUE,
        functions=("name_and_shame_exposure",),
        no_vectors=UNAUDITED,
    ),
    Statement(
        id="GN.T1",
        group="closed_forms",
        says="σ = D/√ρ is (ρ/2 + √(2ρ ln(1/δ)), δ)-DP for every ρ and δ",
        status=Status.TRUE,
        functions=("rho_epsilon", "rho_sigma"),
    ),
    Statement(
        id="GN.L1",
        group="simultaneous_accuracy",
        says="⟨Z,v⟩ ~ N(0, σ²‖v‖²) and Pr[Z > t] < e^{−t²/2σ²}",
        status=Status.TRUE,
        functions=("projected_sigma", "noise_tail", "noise_tail_bound"),
        no_vectors=UNAUDITED,
    ),
    Statement(
        id="GN.A1",
        group="simultaneous_accuracy",
        says="the largest of k errors: exact quantile, union bound, sample sizes",
        status=Status.TRUE,
        functions=(
            "max_error_quantile",
            "max_error_probability",
            "max_error_bound",
            "sample_size",
            "sample_size_bound",
        ),
    ),
)
