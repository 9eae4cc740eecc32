"""Statements of ours on batches that are not drawn by Poisson sampling."""

from dporacle.vocabulary.statements.row import Statement, Status

ROWS: tuple[Statement, ...] = (
    Statement(
        id="X.BAT.SIZE",
        group="drawn_batches",
        says="batches of B of n records, drawn anew: one record more or less costs what Poisson "
        "sampling at rate B/n costs with half the noise",
        status=Status.TRUE,
        functions=("fixed_size_delta", "fixed_size_epsilon", "fixed_size_sigma"),
    ),
)
