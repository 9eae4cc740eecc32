"""Statements that claims rest on, proved in `proofs_notes/claims.md`; the judge decides them."""

from dporacle.vocabulary.statements.row import WITNESSES, Statement, Status

_JUDGE = "no function of its own: `dporacle audit` decides it by enclosures of other statements"
_NO_VECTORS = "no function answers it: it turns a claim into others, whose quantities have vectors"


def _row(id: str, says: str) -> Statement:  # noqa: A002 - it is the field's name
    return Statement(
        id=id,
        group="claims",
        says=says,
        status=Status.TRUE,
        functions=(),
        holes=dict.fromkeys(WITNESSES, _JUDGE),
        no_vectors=_NO_VECTORS,
    )


ROWS: tuple[Statement, ...] = (
    _row(
        "X.C1", "ℓ2-sensitivities of sums, for each relation, from a clipping norm or from l0, linf"
    ),
    _row(
        "X.C2", "tree aggregation of n vectors: a step changes the nodes by √(⌊log2 n⌋+1)·Δ at most"
    ),
    _row("X.C3", "a histogram with threshold τ: the exact δ(ε) over j shared and u own categories"),
    _row("X.C4", "discrete Gaussian noise is exactly Δ²/2σ²-zCDP, its Rényi divergence αΔ²/2σ²"),
    _row(
        "X.C5", "Rényi divergences at several orders bound δ(ε) from above, a Gaussian from below"
    ),
    _row("X.C6", "compositions of several kinds of noise: δ(ε) is the mean of a convex function"),
    _row(
        "X.C9", "releases about disjoint parts: δ(ε) is the largest of a part's, or of two parts'"
    ),
)
