"""The closed formulas for noise: one spelling, one wording and one statement each.

Claims, the command line and region proofs name a formula as its row does; the wording stands in
the files of region proofs too, and does not change.
"""

from dataclasses import dataclass

from dporacle.vocabulary.reading import rows_of


@dataclass(frozen=True, slots=True, kw_only=True)
class SigmaFormula:
    """A formula for σ.

    Attributes:
        name: what it is called.
        says: the noise, in symbols.
        statement: the statement that it belongs to.
        quantity: the quantity that is its value; empty where there is none.
        takes: what it needs besides ε, δ and the sensitivity.
        claimed: a claim may say that its noise is private at one ε and δ.
        ranged: a claim may say so of a rectangle of ε and δ.
    """

    name: str
    says: str
    statement: str
    quantity: str = ""
    takes: str = ""
    claimed: bool = True
    ranged: bool = True


FORMULAS = {row["name"]: SigmaFormula(**row) for row in rows_of("formulas")}
"""Every formula by its name."""
