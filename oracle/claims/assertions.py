"""What a claim asserts."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Final, Literal

import msgspec

from dporacle import arguments
from dporacle.claims.mechanisms import Neighbours, Strict, Unit

__all__ = [
    "FORMULAS",
    "INEQUALITIES",
    "Accuracy",
    "Assertion",
    "Conversion",
    "Formula",
    "FormulaRange",
    "GivenGdp",
    "GivenRdp",
    "GivenZcdp",
    "Inequality",
    "Loss",
    "Privacy",
    "Span",
]

FORMULAS: Final = {
    "classical": "σ = Δ√(2 ln(1.25/δ))/ε",
    "dwork-2006": "σ = Δ√(2 ln(2/δ))/ε",
    "dwork-roth": "σ = Δ√(2 ln(c/δ))/ε, c = √(2e^{8/9}/π)",
    "linear": "σ = Δ√(2 ln(c/δ))/ε, c the `constant`",
    "pinsker": "σ = Δ/(2δ)",
    "plrv-tail": "σ = Δ(z + √(z²+2ε))/(2ε), z = −Φ⁻¹(δ)",
    "vinterbo-2020": "σ = Δ(√(az+ε) + s√(az))/(ε√2), z = −ln(4δ(1−δ))",
    "zcdp-conversion": "σ = Δ(√(2 ln(1/δ)) + √(2 ln(1/δ)+2ε))/(2ε)",
    "r1smg": "σ* = 2Δ²/(εψ) on R^M, M the `dimension`",
}
"""Name of a calibration -> what it says."""

INEQUALITIES: Final = {
    "BW18.C1": (("epsilon", "delta"), "σ_A² ≤ (2/3)·σ_C²"),
    "BW18.O1": (("epsilon", "sigma"), "δ(ε) ≤ Pr[L ≥ ε]"),
    "BW18.T4": (("epsilon", "delta"), "1/√(2ε) ≤ σ_A if δ ≤ 1/2 − e^ε Φ(−√(2ε))"),
    "BW18.T4.closed": (("epsilon", "delta"), "1/√(2ε) ≤ σ_A if δ ≤ 1/2 − 1/√(4πε)"),
    "BW18.T4.misquoted": (("epsilon", "delta"), "1/√(2ε) ≤ σ_A if δ ≤ 1/2 − e^(−3ε)/√(4πε)"),
    "BW18.T11": (("dimension", "norm", "sigma"), "risk of James–Stein ≤ dσ²"),
    "BW18.T12": (
        ("dimension", "nonzero", "mean", "sigma"),
        "risk of soft thresholding ≤ (2 ln d + 1)(σ² + Σ min(θᵢ², σ²))",
    ),
    "GN.A1": (("queries", "beta"), "exact quantile of the largest error ≤ σ√(2 ln(2k/β))"),
    "GN.L1": (("error", "sigma"), "Pr[Z > t] ≤ e^(−t²/2σ²)"),
    "GN.T1": (("rho", "delta"), "δ(ρ/2 + √(2ρ ln(1/δ))) ≤ δ at σ = 1/√ρ"),
    "JL24.D1": (("epsilon", "sigma"), "Pr[L ≥ ε] ≤ δ(ε)"),
    "JL24.L2": (("epsilon", "delta"), "((Φ⁻¹(δ))² + ε)/ε² ≤ σ_A²"),
    "JL24.L2.reversed": (("epsilon", "delta"), "σ_A² ≤ ((Φ⁻¹(δ))² + ε)/ε²"),
    "JL24.T3.extremes": (
        ("dimension", "factor"),
        "Pr[loss > factor·mean] for rank-one noise ≤ the same for Gaussian noise",
    ),
    "X.RDP": (("epsilon", "sigma"), "δ(ε) ≤ the best conversion of Rényi DP"),
    "X.ZCDP": (("epsilon", "sigma"), "δ(ε) ≤ e^(−(ε−ρ)²/4ρ)"),
}
"""Id of an inequality of the catalogue -> the names of its parameters, and what it says.

Sensitivities are 1; σ_A is the least private σ and σ_C the classical one. In BW18.T12 the first
`nonzero` coordinates of θ are `mean` and the others 0.
"""

_COUNTS = {"dimension": 10**6, "nonzero": 10**6, "queries": 10**9}
_MAY_BE_ZERO = {"error", "mean", "norm", "factor"}


class Privacy(Strict, frozen=True, kw_only=True, tag_field="kind", tag="privacy"):
    """The mechanism is (ε,δ)-DP under a neighbouring relation."""

    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours

    def __post_init__(self) -> None:
        _check_point(self.epsilon, self.delta)


def _check_point(epsilon: Fraction, delta: Fraction) -> None:
    arguments.epsilon(epsilon)
    if not 0 <= delta <= 1:
        raise ValueError(f"delta must be from 0 to 1, got {arguments.show(delta)}")


class Accuracy(Strict, frozen=True, kw_only=True, tag_field="kind", tag="accuracy"):
    """The largest error of `queries` coordinates exceeds `at_most` with probability ≤ alpha."""

    at_most: Fraction
    alpha: Fraction
    queries: Annotated[int, msgspec.Meta(ge=1, le=10**9)] = 1
    unit: Unit = ""

    def __post_init__(self) -> None:
        arguments.nonnegative("at_most", self.at_most)
        arguments.alpha(self.alpha)


class Loss(Strict, frozen=True, kw_only=True, tag_field="kind", tag="loss"):
    """The expected squared ℓ2 error of all coordinates is at most `at_most`.

    It is dimension·σ² for Gaussian noise, σ* for rank-one noise. Its unit is the unit of sigma,
    squared; `unit` names the one of sigma.
    """

    at_most: Fraction
    dimension: Annotated[int, msgspec.Meta(ge=1, le=10**18)]
    unit: Unit = ""

    def __post_init__(self) -> None:
        arguments.nonnegative("at_most", self.at_most)


class Formula(Strict, frozen=True, kw_only=True, tag_field="kind", tag="formula"):
    """The noise that a named formula gives at (ε,δ) is (ε,δ)-DP, whatever the sensitivity.

    Attributes:
        constant: the c of `linear`, at least 1.
        dimension: the M of `r1smg`, at least 3.
    """

    name: Literal[
        "classical",
        "dwork-2006",
        "dwork-roth",
        "linear",
        "pinsker",
        "plrv-tail",
        "vinterbo-2020",
        "zcdp-conversion",
        "r1smg",
    ]
    epsilon: Fraction
    delta: Fraction
    constant: Fraction | None = None
    dimension: Annotated[int, msgspec.Meta(ge=3, le=arguments.MAX_DIMENSION)] | None = None

    def __post_init__(self) -> None:
        if self.name == "pinsker":  # this σ does not depend on ε, and is meant for ε = 0
            arguments.epsilon(self.epsilon)
        else:
            arguments.positive("epsilon", self.epsilon)
        arguments.delta(self.delta)
        for field, name in (("constant", "linear"), ("dimension", "r1smg")):
            if (getattr(self, field) is None) == (self.name == name):
                raise ValueError(f"{field} must be given for {name}, and only for it")
        if self.constant is not None and self.constant < 1:
            raise ValueError(f"constant must be at least 1, got {arguments.show(self.constant)}")


class Span(Strict, frozen=True, kw_only=True, rename={"low": "from", "high": "to"}):
    """A range of numbers, in a file `{from = …, to = …}`."""

    low: Fraction
    high: Fraction

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.high or self.high == 0:
            shown = f"{arguments.show(self.low)} and {arguments.show(self.high)}"
            raise ValueError(f"from and to must rise from 0 or above, got {shown}")


class FormulaRange(Strict, frozen=True, kw_only=True, tag_field="kind", tag="formula-range"):
    """The noise that a named formula gives is (ε,δ)-DP at every ε and δ of two ranges.

    Both ends of a range are included, but for 0 and for δ = 1: these stand for open ends.

    Attributes:
        constant: the c of `linear`, at least 1.
    """

    name: Literal[
        "classical",
        "dwork-2006",
        "dwork-roth",
        "linear",
        "plrv-tail",
        "vinterbo-2020",
        "zcdp-conversion",
    ]
    epsilon: Span
    delta: Span
    constant: Fraction | None = None

    def __post_init__(self) -> None:
        if self.delta.high > 1 or self.delta.low == 1:
            raise ValueError("delta must range from 0 to 1 at most")
        if (self.constant is None) == (self.name == "linear"):
            raise ValueError("constant must be given for linear, and only for it")
        if self.constant is not None and self.constant < 1:
            raise ValueError(f"constant must be at least 1, got {arguments.show(self.constant)}")


class GivenZcdp(Strict, frozen=True, kw_only=True, tag_field="kind", tag="zcdp"):
    """Every mechanism that is ρ-zCDP."""

    rho: Fraction

    def __post_init__(self) -> None:
        arguments.positive("rho", self.rho)


class GivenRdp(Strict, frozen=True, kw_only=True, tag_field="kind", tag="rdp"):
    """Every mechanism whose Rényi divergence of an order is at most epsilon."""

    order: Fraction
    epsilon: Fraction

    def __post_init__(self) -> None:
        arguments.positive("epsilon", self.epsilon)
        if self.order <= 1:
            raise ValueError(f"order must be above 1, got {arguments.show(self.order)}")


class GivenGdp(Strict, frozen=True, kw_only=True, tag_field="kind", tag="gdp"):
    """Every mechanism that is μ-GDP."""

    mu: Fraction

    def __post_init__(self) -> None:
        arguments.positive("mu", self.mu)


class Conversion(Strict, frozen=True, kw_only=True, tag_field="kind", tag="conversion"):
    """Every mechanism with a parameter of another notion of privacy is (ε,δ)-DP."""

    given: GivenZcdp | GivenRdp | GivenGdp
    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        _check_point(self.epsilon, self.delta)


def _check_parameter(name: str, value: Fraction) -> None:
    field = f"at.{name}"
    if name in _COUNTS:
        if value.denominator != 1:
            raise ValueError(f"{field} must be an integer, got {arguments.show(value)}")
        arguments.count(field, value.numerator, most=_COUNTS[name])
    elif name in {"beta", "delta"}:
        if not 0 < value < 1:
            raise ValueError(f"{field} must be in (0, 1), got {arguments.show(value)}")
    elif name in _MAY_BE_ZERO:
        arguments.nonnegative(field, value)
    else:
        arguments.positive(field, value)


class Inequality(Strict, frozen=True, kw_only=True, tag_field="kind", tag="inequality"):
    """An inequality of the catalogue is true at a point.

    Attributes:
        statement: its id, a key of `INEQUALITIES`.
        at: its parameters, by name.
    """

    statement: Literal[
        "BW18.C1",
        "BW18.O1",
        "BW18.T4",
        "BW18.T4.closed",
        "BW18.T4.misquoted",
        "BW18.T11",
        "BW18.T12",
        "GN.A1",
        "GN.L1",
        "GN.T1",
        "JL24.D1",
        "JL24.L2",
        "JL24.L2.reversed",
        "JL24.T3.extremes",
        "X.RDP",
        "X.ZCDP",
    ]
    at: dict[str, Fraction]

    def __post_init__(self) -> None:
        names, _ = INEQUALITIES[self.statement]
        if self.at.keys() != set(names):
            raise ValueError(f"at must have {', '.join(names)} for {self.statement}")
        for name, value in self.at.items():
            _check_parameter(name, value)
        self._check_domain()

    def _check_domain(self) -> None:
        at = self.at
        if self.statement == "BW18.T11" and at["dimension"] < 3:
            raise ValueError("at.dimension must be at least 3 for BW18.T11")
        if self.statement == "BW18.T12" and at["nonzero"] > at["dimension"]:
            raise ValueError("at.nonzero must be at most dimension")


Assertion = Privacy | Accuracy | Loss | Formula | FormulaRange | Conversion | Inequality
