"""What a claim asserts.

A new assertion is a file of this folder and a row of `ASSERTIONS` here. Each is imported when a
claim asserts it.
"""

from typing import TYPE_CHECKING, Any, Final

from dporacle.claims.assertions.assertion import Assertion
from dporacle.claims.mechanisms.record import Kinds

__all__ = ["ASSERTIONS", "Assertion", "Assertions"]

ASSERTIONS: Final[Kinds[Assertion]] = Kinds(
    __name__,
    {
        "privacy": "privacy:Privacy",
        "zcdp": "parameter:HasZcdp",
        "gdp": "parameter:HasGdp",
        "rdp": "parameter:HasRdp",
        "sensitivity": "sensitivity:HasSensitivity",
        "risk": "risk:Risk",
        "advantage": "risk:Advantage",
        "bayes-success": "risk:BayesSuccess",
        "auc": "risk:Auc",
        "accuracy": "accuracy:Accuracy",
        "loss": "loss:Loss",
        "formula": "formula:Formula",
        "formula-range": "formula_range:FormulaRange",
        "conversion": "conversion:Conversion",
        "inequality": "inequality:Inequality",
        "lower-bound": "audit_bound:LowerBound",
        "upper-bound": "audit_bound:UpperBound",
    },
)
"""Kind, as a file names it -> assertion."""

if TYPE_CHECKING:
    Assertions = Assertion


def __getattr__(name: str) -> Any:
    """Return `Assertions`, the type of all of them, or one by the name of its class."""
    found = ASSERTIONS.union() if name == "Assertions" else ASSERTIONS.called(name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found
