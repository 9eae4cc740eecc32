"""The statement catalogue: what is claimed, whether it is true, and who witnesses it.

One row per statement of the sources. A row names the functions that witness it; they stand
under the same name in `reference/<group>.py`, `fast/<group>.py` and
`oracle/enclosures/<group>.py`, its note in `proofs_notes/<group>.md` and its property tests,
marked with the statement's id, in `tests/`. A test holds every row to that.

Sources: BW18 is Balle & Wang, "Improving the Gaussian mechanism for differential privacy"
(2018); GMA is the note "Gaussian mechanism accuracy" (2020); JL24 is Ji & Li, "Less is more:
revisiting the Gaussian mechanism for differential privacy" (2024); X rows are ours.
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
    """

    id: str
    group: str
    says: str
    status: Status
    functions: tuple[str, ...]
    vectors: tuple[str, ...] = ()
    holes: dict[str, str] = field(default_factory=dict)


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
    ),
    Statement(
        id="BW18.L6",
        group="privacy_loss",
        says="Pr[L ≥ ε] = Φ(D/2σ − εσ/D), Pr[L' ≤ −ε] = Φ(−D/2σ − εσ/D)",
        status=Status.TRUE,
        functions=("loss_upper_tail", "loss_lower_tail"),
    ),
    Statement(
        id="BW18.L7",
        group="analytic_gaussian",
        says="∂δ/∂μ = φ(μ/2 − ε/μ) > 0 and ∂δ/∂ε = −e^ε Φ(−μ/2 − ε/μ) < 0",
        status=Status.TRUE,
        functions=("delta_slope_mu", "delta_slope_epsilon"),
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
        id="JL24.T1",
        group="rank_one_gaussian",
        says="noise u·√σ*·z on R^M, M > 2, is (ε,δ)-DP if σ* ≥ 2D²/(εψ)",
        status=Status.FALSE,
        functions=("rank_one_psi", "rank_one_sigma_star"),
    ),
    Statement(
        id="JL24.T2",
        group="rank_one_gaussian",
        says="at that σ* the expected loss E‖n‖² is 2D²/(εψ), and tends to 2D²/ε as M → ∞",
        status=Status.TRUE,
        functions=("rank_one_expected_loss",),
    ),
    Statement(
        id="JL24.T3",
        group="rank_one_gaussian",
        says="E[L⁴]/E[L²]² = 35/3 and E[L³]/E[L²]^(3/2) = 5/√3 of L = ‖n‖² are the largest",
        status=Status.TRUE,
        functions=("rank_one_kurtosis", "rank_one_skewness", "rank_one_loss_tail"),
    ),
    Statement(
        id="X.R1.PROFILE",
        group="rank_one_gaussian",
        says="the exact privacy profile of rank-one noise is an elementary integral",
        status=Status.TRUE,
        functions=("rank_one_delta_at_epsilon",),
    ),
    Statement(
        id="X.R1.INVERSE",
        group="rank_one_gaussian",
        says="the profile falls strictly in ε and in σ*: both inverse problems have one root",
        status=Status.TRUE,
        functions=("rank_one_epsilon_at_delta", "rank_one_private_sigma_star"),
        holes={"fast": "a private variance is wanted with a proof, not fast"},
    ),
    Statement(
        id="X.R1.LEMMA",
        group="rank_one_gaussian",
        says="δ(ε) ≥ (1 − e^ε λ^(1−M))·erf(D/(√(2σ*)(1+λ))) for every λ > 1",
        status=Status.TRUE,
        functions=("rank_one_witness_delta",),
    ),
    Statement(
        id="X.R1.APOLLONIUS",
        group="rank_one_gaussian",
        says="the lemma for the whole ball {ρ ≥ λr}, in closed form",
        status=Status.TRUE,
        functions=("rank_one_apollonius_delta",),
        holes={"fast": "a certificate is wanted with a proof, not fast"},
    ),
    Statement(
        id="X.R1.TV",
        group="rank_one_gaussian",
        says="δ(ε) ≤ δ(0) ≤ (2/B)(erf a + (a/√π)E₁(a²)), a = D/(2√(2σ*)), equal for M = 3",
        status=Status.TRUE,
        functions=("rank_one_total_variation",),
        holes={"fast": "a certificate is wanted with a proof, not fast"},
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
    ),
    Statement(
        id="X.R1.SCALING",
        group="rank_one_gaussian",
        says="√σ*·δ(ε) has a positive limit as σ* → ∞: a private σ* grows as 1/δ²",
        status=Status.TRUE,
        functions=("rank_one_limit_constant",),
        holes={"fast": "a limit is wanted to many digits, not fast"},
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
