"""The statement catalogue: what is claimed, whether it is true, and who witnesses it.

One row per statement of the sources. A row names the functions that witness it; they stand
under the same name in `reference/<group>.py`, `fast/<group>.py` and
`oracle/enclosures/<group>.py`, its note in `proofs_notes/<group>.md` and its property tests,
marked with the statement's id, in `tests/`. A test holds every row to that.

Sources: BW18 is Balle & Wang, "Improving the Gaussian mechanism for differential privacy"
(2018); GN the lecture slides "Gaussian noise mechanism"; JL24 Ji & Li, "Less is more: revisiting
the Gaussian mechanism for differential privacy" (2024); GMA the note "Gaussian mechanism
accuracy" (2020); X rows are ours.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

__all__ = ["STATEMENTS", "WITNESSES", "Statement", "Status", "statement"]

WITNESSES = ("reference", "fast", "enclosures")
"""The subpackages that witness a statement."""


class Status(StrEnum):
    """What is known about a statement's truth."""

    TRUE = "true"
    FALSE = "false"
    PARTLY = "true on part of its domain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A row of the catalogue.

    Attributes:
        id: the stable name, used in code, notes, vectors and reports.
        group: the file name of its witnesses and its note.
        says: the statement, in a line.
        status: whether it is true.
        functions: the public functions that witness it.
        vectors: the groups of certified vectors that carry it.
        holes: witness -> why it has none of these functions.
        no_vectors: why no certified vectors carry it, where none do.
    """

    id: str
    group: str
    says: str
    status: Status
    functions: tuple[str, ...]
    vectors: tuple[str, ...] = ()
    holes: dict[str, str] = field(default_factory=dict)
    no_vectors: str = ""


_UNAUDITED = "no audited library computes it; the property tests hold it on every witness"

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        id="BW18.T1",
        group="classical_gaussian",
        says="for 0 < ε ≤ 1, σ = D√(2 ln(1.25/δ))/ε is (ε,δ)-DP",
        status=Status.TRUE,
        functions=("classical_sigma",),
        vectors=("classical_sigma",),
    ),
    Statement(
        id="BW18.T2",
        group="analytic_gaussian",
        says="σ = D/(2δ) is (0,δ)-DP; exactly, δ(0) = 2Φ(μ/2) − 1",
        status=Status.TRUE,
        functions=("pinsker_sigma", "delta_at_epsilon"),
        vectors=("calibrate_sigma", "delta_at_epsilon"),
    ),
    Statement(
        id="BW18.L3",
        group="privacy_loss",
        says="the privacy loss at distance D is N(η, 2η), η = D²/(2σ²)",
        status=Status.TRUE,
        functions=("loss_mean",),
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="BW18.L6",
        group="privacy_loss",
        says="Pr[L ≥ ε] = Φ(D/2σ − εσ/D), Pr[L' ≤ −ε] = Φ(−D/2σ − εσ/D)",
        status=Status.TRUE,
        functions=("loss_upper_tail", "loss_lower_tail"),
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="BW18.L7",
        group="analytic_gaussian",
        says="∂δ/∂μ = φ(μ/2 − ε/μ) > 0 and ∂δ/∂ε = −e^ε Φ(−μ/2 − ε/μ) < 0",
        status=Status.TRUE,
        functions=("delta_slope_mu", "delta_slope_epsilon"),
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="BW18.T8",
        group="analytic_gaussian",
        says="(ε,δ)-DP if and only if Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ) ≤ δ",
        status=Status.TRUE,
        functions=("delta_at_epsilon", "log_delta_at_epsilon", "calibrate_sigma"),
        vectors=("calibrate_sigma", "delta_at_epsilon"),
    ),
    Statement(
        id="BW18.T9",
        group="analytic_gaussian",
        says="Algorithm 1 computes the smallest σ",
        status=Status.TRUE,
        functions=("algorithm_1",),
        vectors=("calibrate_sigma",),
        holes={
            "fast": "it is a second way to calibrate_sigma's number; one float64 route is kept",
            "enclosures": "it is a second way to calibrate_sigma's number; one proof is enough",
        },
    ),
    Statement(
        id="GMA.T1",
        group="accuracy",
        says="the error exceeds a = σ√2·erf⁻¹(1−α) with probability α",
        status=Status.TRUE,
        functions=("accuracy", "alpha_at_accuracy", "sigma_at_accuracy"),
        vectors=("accuracy", "alpha_at_accuracy", "sigma_at_accuracy"),
    ),
    Statement(
        id="X.EPS",
        group="analytic_gaussian",
        says="the smallest ε ≥ 0 with δ(ε) ≤ δ is 0 if δ ≥ 2Φ(μ/2) − 1, else the root of δ(ε) = δ",
        status=Status.TRUE,
        functions=("epsilon_at_delta",),
        vectors=("epsilon_at_delta",),
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
        id="BW18.O1",
        group="closed_forms",
        says="Pr[L ≥ ε] ≤ δ is sufficient for (ε,δ)-DP, not necessary",
        status=Status.TRUE,
        functions=("plrv_tail_sigma",),
        no_vectors=_UNAUDITED,
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
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="BW18.C1",
        group="closed_forms",
        says="the exact σ saves at least a third of the classical variance",
        status=Status.PARTLY,
        functions=("variance_third_boundary",),
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="BW18.T10",
        group="denoising",
        says="the posterior mean has the least risk, d·w²σ²/(w²+σ²) under N(0, w²I)",
        status=Status.TRUE,
        functions=("bayes_risk",),
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="BW18.T11",
        group="denoising",
        says="James–Stein: always better than the release, near the Bayes risk; exact risks",
        status=Status.TRUE,
        functions=("james_stein_risk", "james_stein_prior_risk", "positive_part_risk"),
        no_vectors=_UNAUDITED,
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
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="GN.S1",
        group="simultaneous_accuracy",
        says="k counting queries on n records have ℓ2-sensitivity √k/n",
        status=Status.TRUE,
        functions=("workload_sensitivity",),
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="GN.T1",
        group="closed_forms",
        says="σ = D/√ρ is (ρ/2 + √(2ρ ln(1/δ)), δ)-DP for every ρ and δ",
        status=Status.TRUE,
        functions=("rho_epsilon", "rho_sigma"),
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="GN.L1",
        group="simultaneous_accuracy",
        says="⟨Z,v⟩ ~ N(0, σ²‖v‖²) and Pr[Z > t] < e^{−t²/2σ²}",
        status=Status.TRUE,
        functions=("projected_sigma", "noise_tail", "noise_tail_bound"),
        no_vectors=_UNAUDITED,
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
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="JL24.D1",
        group="closed_forms",
        says='"(ε,δ)-DP holds iff Pr[L ≥ ε] ≤ δ"',
        status=Status.FALSE,
        functions=("plrv_tail_sigma",),
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="JL24.L1",
        group="accuracy_loss",
        says="the classical mechanism has E‖noise‖² = 2 ln(1.25/δ)·M·D²/ε²",
        status=Status.TRUE,
        functions=("expected_loss", "classical_expected_loss"),
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="JL24.L2",
        group="accuracy_loss",
        says='"E‖noise‖² ≥ ((Φ⁻¹(δ))² + ε)·M·D²/ε²" (analytic mechanism); the reverse is true',
        status=Status.FALSE,
        functions=("expected_loss", "analytic_loss_bound"),
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="JL24.L3",
        group="accuracy_loss",
        says="MVG's sufficient condition forces E‖noise‖² ≥ C_M·D²; it is loose by √(MN)",
        status=Status.TRUE,
        functions=("mvg_loss_bound",),
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="JL24.T2",
        group="accuracy_loss",
        says="R1SMG at its theorem's σ* has E‖noise‖² = 2D²/(εψ), tending to 2D²/ε",
        status=Status.TRUE,
        functions=("r1smg_expected_loss",),
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="JL24.T3",
        group="accuracy_loss",
        says='R1SMG has the largest kurtosis and skewness: true; "fewer extremes": backwards',
        status=Status.PARTLY,
        functions=("loss_kurtosis", "loss_skewness", "loss_tail"),
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="GMA.R1",
        group="closed_forms",
        says="1.25 may be replaced by √(2e^{8/9}/π): private for ε up to 3.7530, for any δ",
        status=Status.TRUE,
        functions=("dwork_roth_sigma", "dwork_roth_epsilon_max", "dwork_roth_epsilon_threshold"),
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="X.CF",
        group="closed_forms",
        says="other closed-form calibrations, with the exact region where each is private",
        status=Status.TRUE,
        functions=("dwork_2006_sigma", "vinterbo_sigma", "plrv_tail_sigma"),
        no_vectors=_UNAUDITED,
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
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="X.COMP",
        group="composition",
        says="Gaussian releases compose exactly: μ = √Σ(Dᵢ/σᵢ)²",
        status=Status.TRUE,
        functions=("composed_mu", "repeated_mu"),
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="X.GROUP",
        group="composition",
        says="for k records: exactly kμ; for any mechanism (kε, δ(e^{kε}−1)/(e^ε−1))",
        status=Status.TRUE,
        functions=("group_mu", "group_delta_bound"),
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="X.GDP",
        group="conversions",
        says="the mechanism is exactly μ-GDP",
        status=Status.TRUE,
        functions=("gdp_tradeoff",),
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="X.RDP",
        group="conversions",
        says="the Rényi divergence of order α is αμ²/2; its conversions to (ε,δ) are loose",
        status=Status.TRUE,
        functions=("rdp", "rdp_delta"),
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="X.ZCDP",
        group="conversions",
        says="the mechanism is exactly (μ²/2)-zCDP; its conversion to (ε,δ) is loose",
        status=Status.TRUE,
        functions=("zcdp_rho", "zcdp_delta"),
        no_vectors=_UNAUDITED,
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
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="JL24.T1",
        group="rank_one_gaussian",
        says="noise u·√σ*·z on R^M, M > 2, is (ε,δ)-DP if σ* ≥ 2D²/(εψ)",
        status=Status.FALSE,
        functions=("rank_one_psi", "rank_one_sigma_star"),
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="X.R1.PROFILE",
        group="rank_one_gaussian",
        says="the exact privacy profile of rank-one noise is an elementary integral",
        status=Status.TRUE,
        functions=("rank_one_delta_at_epsilon",),
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="X.R1.INVERSE",
        group="rank_one_gaussian",
        says="the profile falls strictly in ε and in σ*: both inverse problems have one root",
        status=Status.TRUE,
        functions=("rank_one_epsilon_at_delta", "rank_one_private_sigma_star"),
        holes={"fast": "a private variance is wanted with a proof, not fast"},
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="X.R1.LEMMA",
        group="rank_one_gaussian",
        says="δ(ε) ≥ (1 − e^ε λ^(1−M))·erf(D/(√(2σ*)(1+λ))) for every λ > 1",
        status=Status.TRUE,
        functions=("rank_one_witness_delta",),
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="X.R1.APOLLONIUS",
        group="rank_one_gaussian",
        says="the lemma for the whole ball {ρ ≥ λr}, in closed form",
        status=Status.TRUE,
        functions=("rank_one_apollonius_delta",),
        holes={"fast": "a certificate is wanted with a proof, not fast"},
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="X.R1.TV",
        group="rank_one_gaussian",
        says="δ(ε) ≤ δ(0) ≤ (2/B)(erf a + (a/√π)E₁(a²)), a = D/(2√(2σ*)), equal for M = 3",
        status=Status.TRUE,
        functions=("rank_one_total_variation",),
        holes={"fast": "a certificate is wanted with a proof, not fast"},
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="X.R1.COROLLARY",
        group="rank_one_gaussian",
        says="JL24.T1 is false for every M ≥ 4, 0 < δ < 1 and 166·δ^(2(M−3)/(M−2)) ≤ ε ≤ 1",
        status=Status.TRUE,
        functions=("rank_one_published_witness", "rank_one_published_apollonius"),
        holes={
            "reference": "it is rank_one_witness_delta at rank_one_sigma_star",
            "fast": "it is rank_one_witness_delta at rank_one_sigma_star",
        },
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="X.R1.M3",
        group="rank_one_gaussian",
        says="JL24.T1 is true for M = 3, every ε > 0 and 0 < δ < 1",
        status=Status.TRUE,
        functions=("rank_one_published_delta", "rank_one_published_total_variation"),
        holes={
            "reference": "it is rank_one_delta_at_epsilon at rank_one_sigma_star",
            "fast": "it is rank_one_delta_at_epsilon at rank_one_sigma_star",
        },
        no_vectors=_UNAUDITED,
    ),
    Statement(
        id="X.R1.SCALING",
        group="rank_one_gaussian",
        says="√σ*·δ(ε) has a positive limit as σ* → ∞: a private σ* grows as 1/δ²",
        status=Status.TRUE,
        functions=("rank_one_limit_constant",),
        holes={"fast": "a limit is wanted to many digits, not fast"},
        no_vectors=_UNAUDITED,
    ),
)


def statement(id: str) -> Statement:  # noqa: A002 - it is the field's name
    """Return the row of an id.

    Raises:
        KeyError: naming the id, if there is none.
    """
    for row in STATEMENTS:
        if row.id == id:
            return row
    raise KeyError(f"no statement {id!r}; there are {', '.join(row.id for row in STATEMENTS)}")
