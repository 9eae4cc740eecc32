"""What a claim asserts.

A new assertion is a file of this folder and a row of `Assertions` here.
"""

from typing import Final, get_args

from dporacle.claims.assertions.accuracy import Accuracy
from dporacle.claims.assertions.assertion import Assertion
from dporacle.claims.assertions.conversion import (
    Conversion,
    GivenGdp,
    GivenRdp,
    GivenRdpCurve,
    GivenZcdp,
)
from dporacle.claims.assertions.formula import FORMULAS, Formula
from dporacle.claims.assertions.formula_range import FormulaRange, Span
from dporacle.claims.assertions.inequality import INEQUALITIES, Inequality
from dporacle.claims.assertions.loss import Loss
from dporacle.claims.assertions.parameter import HasGdp, HasRdp, HasZcdp
from dporacle.claims.assertions.privacy import Privacy
from dporacle.claims.assertions.risk import Advantage, Auc, BayesSuccess, Risk
from dporacle.claims.assertions.sensitivity import HasSensitivity

__all__ = [
    "ASSERTIONS",
    "FORMULAS",
    "INEQUALITIES",
    "Accuracy",
    "Advantage",
    "Assertion",
    "Assertions",
    "Auc",
    "BayesSuccess",
    "Conversion",
    "Formula",
    "FormulaRange",
    "GivenGdp",
    "GivenRdp",
    "GivenRdpCurve",
    "GivenZcdp",
    "HasGdp",
    "HasRdp",
    "HasSensitivity",
    "HasZcdp",
    "Inequality",
    "Loss",
    "Privacy",
    "Risk",
    "Span",
]

Assertions = (
    Privacy
    | HasZcdp
    | HasGdp
    | HasRdp
    | HasSensitivity
    | Risk
    | Advantage
    | BayesSuccess
    | Auc
    | Accuracy
    | Loss
    | Formula
    | FormulaRange
    | Conversion
    | Inequality
)
"""Every assertion; a file names one by its `kind`."""

ASSERTIONS: Final[dict[str, type[Assertion]]] = {
    str(kind.__struct_config__.tag): kind for kind in get_args(Assertions)
}
"""Kind, as a file names it -> assertion."""
