"""The closed formulas for noise: one spelling, one wording and one statement each.

Claims, the command line and region proofs name a formula as its row does; the wording stands in
the files of region proofs too, and does not change.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
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


FORMULAS = {
    row.name: row
    for row in (
        Formula(
            name="classical",
            says="σ = D√(2 ln(1.25/δ))/ε",
            statement="BW18.T1",
            quantity="classical_sigma",
        ),
        Formula(
            name="dwork-2006",
            says="σ = D√(2 ln(2/δ))/ε",
            statement="X.CF",
            quantity="dwork_2006_sigma",
        ),
        Formula(
            name="dwork-roth",
            says="σ = D√(2 ln(√(2e^{8/9}/π)/δ))/ε",
            statement="GMA.R1",
            quantity="dwork_roth_sigma",
        ),
        Formula(
            name="linear",
            says="σ = D√(2 ln(a/δ))/ε, a the `constant`",
            statement="X.CFMAX",
            takes="constant",
        ),
        Formula(
            name="pinsker",
            says="σ = D/(2δ)",
            statement="BW18.T2",
            quantity="pinsker_sigma",
            ranged=False,
        ),
        Formula(
            name="plrv-tail",
            says="σ = (z+√(z²+2ε))·D/(2ε), z = −Φ⁻¹(δ)",
            statement="X.CF",
            quantity="plrv_tail_sigma",
        ),
        Formula(
            name="vinterbo-2020",
            says="σ = (√(az+ε) + s√(az))·D/(ε√2), z = −ln(4δ(1−δ)), (a,s) = (1,1) for δ ≤ 1/2, "
            "else (π/4,−1)",
            statement="X.CF",
            quantity="vinterbo_sigma",
        ),
        Formula(
            name="zcdp-conversion",
            says="σ = D/√ρ with ρ/2 + √(2ρ ln(1/δ)) = ε",
            statement="GN.T1",
            quantity="rho_sigma",
        ),
        Formula(
            name="root-sum",
            says="σ = D√(z²+ε)/ε, z = −Φ⁻¹(δ)",
            statement="JL24.L2",
            claimed=False,
            ranged=False,
        ),
        Formula(
            name="r1smg",
            says="σ* = 2D²/(εψ) on R^M, M the `dimension`",
            statement="JL24.T1",
            takes="dimension",
            ranged=False,
        ),
    )
}
"""Every formula by its name."""
