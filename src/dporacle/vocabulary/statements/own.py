"""Statements beyond the sources: inverses, compositions, conversions, other calibrations."""

from __future__ import annotations

from dporacle.vocabulary.statements.row import EXPERIMENT, UNAUDITED, Statement, Status

__all__ = ["ROWS"]

ROWS: tuple[Statement, ...] = (
    Statement(
        id="X.EPS",
        group="analytic_gaussian",
        says="the smallest ε ≥ 0 with δ(ε) ≤ δ is 0 if δ ≥ 2Φ(μ/2) − 1, else the root of δ(ε) = δ",
        status=Status.TRUE,
        functions=("epsilon_at_delta",),
    ),
    Statement(
        id="X.CF",
        group="closed_forms",
        says="other closed-form calibrations, with the exact region where each is private",
        status=Status.TRUE,
        functions=("dwork_2006_sigma", "vinterbo_sigma", "plrv_tail_sigma"),
    ),
    Statement(
        id="X.CFMAX",
        group="closed_forms",
        says="the largest ε at which σ = D√(2 ln(a/δ))/ε is private, and its least value over δ",
        status=Status.TRUE,
        functions=(
            "classical_epsilon_max",
            "classical_epsilon_threshold",
            "dwork_2006_epsilon_max",
            "dwork_2006_epsilon_threshold",
        ),
        no_vectors=UNAUDITED,
    ),
    Statement(
        id="X.COMP",
        group="composition",
        says="Gaussian releases compose exactly: μ = √Σ(Dᵢ/σᵢ)²",
        status=Status.TRUE,
        functions=(
            "composed_mu",
            "repeated_mu",
            "repeated_sigma",
            "repeated_delta",
            "repeated_epsilon",
        ),
    ),
    Statement(
        id="X.GROUP",
        group="composition",
        says="for k records: exactly kμ; for any mechanism (kε, δ(e^{kε}−1)/(e^ε−1))",
        status=Status.TRUE,
        functions=("group_mu", "group_delta_bound"),
        no_vectors=UNAUDITED,
    ),
    Statement(
        id="X.GDP",
        group="conversions",
        says="the mechanism is exactly μ-GDP",
        status=Status.TRUE,
        functions=("gdp_tradeoff", "gdp_delta", "gdp_epsilon"),
    ),
    Statement(
        id="X.RDP",
        group="conversions",
        says="the Rényi divergence of order α is αμ²/2; its conversions to (ε,δ) are loose",
        status=Status.TRUE,
        functions=("rdp", "rdp_delta"),
    ),
    Statement(
        id="X.ZCDP",
        group="conversions",
        says="the mechanism is exactly (μ²/2)-zCDP; its conversion to (ε,δ) is loose",
        status=Status.TRUE,
        functions=("zcdp_rho", "zcdp_sigma", "zcdp_delta", "zcdp_epsilon"),
    ),
    Statement(
        id="X.ZCOMP",
        group="composition",
        says="ρ of zCDP adds up over releases: k equal ones are (kμ²/2)-zCDP",
        status=Status.TRUE,
        functions=("repeated_rho", "repeated_zcdp_epsilon"),
    ),
    Statement(
        id="X.DG",
        group="discrete_gaussian",
        says="the discrete Gaussian's exact δ(ε), the σ from which on it is private, its accuracy",
        status=Status.TRUE,
        functions=(
            "discrete_delta_at_epsilon",
            "discrete_calibrate_sigma",
            "discrete_tail",
            "discrete_accuracy",
            "discrete_variance",
        ),
    ),
    Statement(
        id="X.DGACC",
        group="discrete_gaussian",
        says="Pr[|noise| > a] of the discrete Gaussian rises with σ: σ at an accuracy is a root",
        status=Status.TRUE,
        functions=("discrete_sigma_at_accuracy",),
    ),
    Statement(
        id="X.TAU",
        group="thresholded_count",
        says="one of k counts of 1 with Gaussian noise reaches τ with probability 1 − Φ((τ−1)/σ)^k",
        status=Status.TRUE,
        functions=("count_threshold", "count_threshold_delta"),
    ),
    Statement(
        id="X.LAPTAU",
        group="thresholded_count",
        says="with Laplace noise of scale k/ε, that probability is the least δ that goes with ε",
        status=Status.TRUE,
        functions=("laplace_count_threshold", "laplace_count_threshold_delta"),
    ),
    Statement(
        id="X.INTTAU",
        group="thresholded_count",
        says="of discrete Laplace noise Pr[1 + noise ≥ τ] is e^{−(τ−1)/b}/(1 + e^{−1/b}) for τ > 1",
        status=Status.TRUE,
        functions=("integer_count_threshold_delta",),
    ),
    Statement(
        id="X.GAP",
        group="experiments",
        says="how much more noise each conversion asks for than privacy needs, over ε and δ",
        status=Status.TRUE,
        functions=(
            "calibrate_sigma",
            "rho_sigma",
            "rdp_delta",
            "plrv_tail_sigma",
            "vinterbo_sigma",
        ),
        experiments=("conversion-gap",),
        no_vectors=EXPERIMENT,
    ),
)
