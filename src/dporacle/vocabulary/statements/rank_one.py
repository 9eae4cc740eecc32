"""Statements of ours on the rank-one Gaussian mechanism."""

from dporacle.vocabulary.statements.row import UNAUDITED, Statement, Status

ROWS: tuple[Statement, ...] = (
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
        functions=("rank_one_epsilon_at_delta",),
        holes={"fast": "an ε of rank-one noise is wanted with a proof, not fast"},
        no_vectors=UNAUDITED,
    ),
    Statement(
        id="X.R1.PRIVATE",
        group="rank_one_gaussian",
        says="the smallest private σ* is the one root of δ(ε) = δ, at any ε and δ",
        status=Status.TRUE,
        functions=("rank_one_private_sigma_star",),
    ),
    Statement(
        id="X.R1.LEMMA",
        group="rank_one_gaussian",
        says="δ(ε) ≥ (1 − e^ε λ^(1−M))·erf(D/(√(2σ*)(1+λ))) for every λ > 1",
        status=Status.TRUE,
        functions=("rank_one_inner_ball_delta",),
        no_vectors=UNAUDITED,
    ),
    Statement(
        id="X.R1.APOLLONIUS",
        group="rank_one_gaussian",
        says="the lemma for the whole ball {ρ ≥ λr}, in closed form",
        status=Status.TRUE,
        functions=("rank_one_apollonius_delta",),
        holes={"fast": "a certificate is wanted with a proof, not fast"},
        no_vectors=UNAUDITED,
    ),
    Statement(
        id="X.R1.TV",
        group="rank_one_gaussian",
        says="δ(ε) ≤ δ(0) ≤ (2/B)(erf a + (a/√π)E₁(a²)), a = D/(2√(2σ*)), equal for M = 3",
        status=Status.TRUE,
        functions=("rank_one_total_variation",),
        holes={"fast": "a certificate is wanted with a proof, not fast"},
        no_vectors=UNAUDITED,
    ),
    Statement(
        id="X.R1.COROLLARY",
        group="rank_one_gaussian",
        says="JL24.T1 is false for every M ≥ 4, 0 < δ < 1 and 166·δ^(2(M−3)/(M−2)) ≤ ε ≤ 1",
        status=Status.TRUE,
        functions=("rank_one_published_inner_ball", "rank_one_published_apollonius"),
        holes={
            "reference": "it is rank_one_inner_ball_delta at rank_one_sigma_star",
            "fast": "it is rank_one_inner_ball_delta at rank_one_sigma_star",
        },
        no_vectors=UNAUDITED,
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
        no_vectors=UNAUDITED,
    ),
    Statement(
        id="X.R1.SCALING",
        group="rank_one_gaussian",
        says="for ε > 0, √σ*·δ(ε) has a positive limit as σ* → ∞: a private σ* grows as 1/δ²",
        status=Status.TRUE,
        functions=("rank_one_limit_constant",),
        holes={"fast": "a limit is wanted to many digits, not fast"},
        no_vectors=UNAUDITED,
    ),
)
