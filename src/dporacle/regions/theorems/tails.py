"""Calibrations that bound Pr[L ≥ ε]: GN.T1, the tail of X.CF, and JL24.L2 reversed.

All three have complete proofs on paper; the boxes check the formulas over a large rectangle by
another way, the exact profile itself.
"""

from collections.abc import Iterator
from fractions import Fraction

from dporacle.regions import rectangle
from dporacle.regions.calibrations import CALIBRATIONS
from dporacle.regions.theorem import Lemma, Part, Theorem
from dporacle.vocabulary.formulas import FORMULAS

_EPSILON = (Fraction(1, 256), Fraction(64))
_DELTA = (Fraction(1, 10**12), Fraction(1023, 1024))
_COVERING = (
    "the lemmas prove the statement for every ε > 0 and 0 < δ < 1; "
    "the boxes check it on ε from 1/256 to 64 and δ from 1e-12 to 1 − 1/1024"
)

TAIL = Lemma("tail", "δ(ε) = Φ(−y) − e^ε Φ(−w) < Φ(−y), and μ = √(z²+2ε) − z solves y = z")


def theorems() -> Iterator[Theorem]:
    """Yield the statements."""
    yield Theorem(
        id="GN.T1",
        statement="for all ρ > 0 and 0 < δ < 1, σ = D/√ρ is (ρ/2 + √(2ρ ln(1/δ)), δ)-DP",
        spec={"id": "GN.T1"},
        parts=(_part("zcdp-conversion", "chernoff"),),
        lemmas=(
            TAIL,
            Lemma(
                "chernoff",
                "at μ = √ρ, y = z = √(2 ln(1/δ)), and Φ(−z) = φ(z)·m(z) < e^(−z²/2)·m(0)/√(2π) "
                "= δ/2, since m falls from m(0) = √(π/2): δ(ε) is even below δ/2",
            ),
        ),
        covering=_COVERING + " (at fixed δ, ρ ↦ ε is one to one)",
        role="check",
    )
    yield Theorem(
        id="X.CF.plrv-tail",
        statement=f"for all ε > 0 and 0 < δ < 1, {FORMULAS['plrv-tail'].says}, is (ε,δ)-DP",
        spec={"id": "X.CF.plrv-tail"},
        parts=(_part("plrv-tail", "tail"),),
        lemmas=(TAIL,),
        covering=_COVERING,
        role="check",
    )
    yield Theorem(
        id="JL24.L2.reversed",
        statement="for all ε > 0 and 0 < δ < 1, the exact σ² is below (z²+ε)·D²/ε², "
        "z = −Φ⁻¹(δ): E‖noise‖² < C_A·D²",
        spec={"id": "JL24.L2.reversed"},
        parts=(_part("root-sum", "squares"),),
        lemmas=(
            TAIL,
            Lemma(
                "squares",
                "((z+√(z²+2ε))/2)² < z² + ε, since z²(z²+2ε) < (z²+ε)²: this σ exceeds the tail's",
            ),
        ),
        covering=_COVERING,
        role="check",
    )


def _part(name: str, lemma: str) -> Part:
    return rectangle.part(CALIBRATIONS[name], epsilon=_EPSILON, delta=_DELTA, beyond=lemma)
