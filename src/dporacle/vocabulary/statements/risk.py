"""Statements of ours on what an attacker gains."""

from dporacle.vocabulary.statements.row import Statement, Status

__all__ = ["ROWS"]

ROWS: tuple[Statement, ...] = (
    Statement(
        id="X.RISK.POWER",
        group="attack_risk",
        says="the largest power of a test of level α is the least H(a) + aα, its advantage δ(0), "
        "its share of right answers max(π, 1−π) + min(π, 1−π)·δ(|ln(1−π)/π|)",
        status=Status.TRUE,
        functions=(
            "gdp_power",
            "gdp_bayes_success",
            "laplace_tradeoff",
            "laplace_power",
            "laplace_bayes_success",
            "subsampled_tradeoff",
            "subsampled_power",
            "subsampled_bayes_success",
        ),
    ),
)
