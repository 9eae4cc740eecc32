"""Statements of ours on the composed Poisson-subsampled Gaussian (DP-SGD)."""

from dporacle.vocabulary.statements.row import Statement, Status

ROWS: tuple[Statement, ...] = (
    Statement(
        id="X.SG.PROFILE",
        group="subsampled_gaussian",
        says="one pair of products of mixtures dominates every adaptive run, and is attained",
        status=Status.TRUE,
        functions=(
            "subsampled_delta",
            "subsampled_epsilon",
            "subsampled_schedule_delta",
            "subsampled_schedule_epsilon",
        ),
    ),
    Statement(
        id="X.SG.INVERSE",
        group="subsampled_gaussian",
        says="its δ(ε) falls in the noise multiplier: there is a smallest one that is private",
        status=Status.TRUE,
        functions=("subsampled_sigma",),
    ),
    Statement(
        id="X.SG.GROUP",
        group="groups",
        says="k records, or a user's, cost what the mixture of N(j), j binomial, costs: it "
        "dominates every adaptive run, and is attained",
        status=Status.TRUE,
        functions=("group_delta", "group_epsilon", "group_sigma"),
        holes={"fast": "a group is wanted with a proof; the float64 contour is of two terms"},
        no_vectors="libraries are not asked for it; two exact witnesses are compared",
    ),
)
