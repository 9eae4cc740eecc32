"""The claim that an inequality of the catalogue is true at a point, as left side/right side ≤ 1.

Each row of `_QUOTIENTS` encloses the quotient of the two sides that `INEQUALITIES` words, to a
number of digits. Sensitivities are 1.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar, Final, Literal

from flint import arb

from dporacle import arguments, enclosures
from dporacle.claims.assertions.assertion import Assertion
from dporacle.claims.decision import FIRST_DIGITS, Decided, exactly
from dporacle.claims.mechanisms import Mechanism
from dporacle.claims.quantities import enclosed
from dporacle.claims.wording import compare
from dporacle.common import wing_files as wings
from dporacle.enclosures.arithmetic import normal, rounding
from dporacle.enclosures.arithmetic.balls import ball, bits_for, precision, tighten
from dporacle.verdicts import Verdict, decide_at_most
from dporacle.vocabulary.witnesses import lacking

VACUOUS: Final = "the premise is false"
"""The proof of an implication of which nothing is asserted at a point."""

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
_CAP_DIGITS = 1500  # two numbers that agree so far are not told apart: undecided
_LEAST_SIGMA = Fraction(1, 1000)  # the exponents of a conversion are μ²/2 = 500,000 there

At = dict[str, Fraction]


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


class Inequality(Assertion, frozen=True, kw_only=True, tag="inequality"):
    """An inequality of the catalogue is true at a point.

    Attributes:
        statement: its id, a key of `INEQUALITIES`.
        at: its parameters, by name.
    """

    needless: ClassVar[str] = "an inequality of the catalogue has none"

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
        if wing := lacking(self.statement):
            raise ValueError(f"statement {self.statement} needs {wing}, which is not installed")
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

    def subject(self) -> tuple[str, Fraction]:
        """Return that the quotient of the two sides is at most 1."""
        return "left/right", Fraction(1)

    def decide(self, about: Mechanism | None) -> Decided:
        """Compare the two sides."""

        def quotient(digits: int) -> arb:
            return _QUOTIENTS[self.statement](self.at, digits)

        if self.statement in _THRESHOLDS:
            side, digits = _compare_threshold(self)
            if side <= 0:
                first = quotient(FIRST_DIGITS)
                verdict = Verdict.HOLDS if side else Verdict.UNDECIDED
                reason = "" if side else f"delta agrees with the threshold to {digits} digits"
                return Decided(
                    verdict, "left/right", Fraction(1), first, first, digits, proof=VACUOUS,
                    reason=reason,
                )  # fmt: skip
        return exactly(decide_at_most(quotient, Fraction(1)), "left/right", Fraction(1))

    def describe(self, about: Mechanism | None, decided: Decided) -> tuple[str, str]:
        """Return the inequality, and how the sides stand to each other."""
        _, text = INEQUALITIES[self.statement]
        if decided.proof == VACUOUS:
            return f"{text}: δ is above that, so the inequality says nothing", ""
        return f"{text}: {compare('the left side', decided, 'the right side')}", ""

    def missing_elsewhere(self, about: Mechanism | None, decided: Decided) -> str:
        """Say that the stand-alone program has no inequalities."""
        return "the checker has no inequalities of the catalogue"


def _over(left: Callable[..., arb], right: Callable[..., arb], digits: int) -> arb:
    """Divide two enclosures, each taken with more digits than are asked for."""
    over, under = left(digits=digits + 3), right(digits=digits + 3)
    with precision(bits_for(digits) + 64):
        return over / under


def _sigma(at: At, digits: int) -> arb:
    return enclosures.calibrate_sigma(epsilon=at["epsilon"], delta=at["delta"], digits=digits)


def _third(at: At, digits: int) -> arb:
    def classical(digits: int) -> arb:
        return enclosures.classical_sigma(epsilon=at["epsilon"], delta=at["delta"], digits=digits)

    root = _over(lambda digits: _sigma(at, digits), classical, digits + 2)
    with precision(bits_for(digits) + 64):
        return 3 * root * root / 2


def _low_privacy(at: At, digits: int) -> arb:
    """Enclose 1/(√(2ε)·σ_A)."""
    sigma = _sigma(at, digits + 3)
    with precision(bits_for(digits) + 64):
        return 1 / ((2 * ball(at["epsilon"])).sqrt() * sigma)


_THRESHOLDS: Final[dict[str, Callable[..., arb]]] = {
    "BW18.T4": enclosed(lambda: enclosures.low_privacy_threshold),
    "BW18.T4.closed": enclosed(lambda: enclosures.low_privacy_threshold_closed),
    "BW18.T4.misquoted": enclosed(lambda: enclosures.low_privacy_threshold_misquoted),
}


def _compare_threshold(said: Inequality) -> tuple[int, int]:
    """Return the side of δ on which the threshold lies, and the digits that tell."""
    digits = FIRST_DIGITS
    while True:
        threshold = _THRESHOLDS[said.statement](epsilon=said.at["epsilon"], digits=digits)
        side = rounding.side(threshold, said.at["delta"])
        if side or digits >= _CAP_DIGITS:
            return side, digits
        digits = min(4 * digits, _CAP_DIGITS)


def _soft_threshold(at: At, digits: int) -> arb:
    d, nonzero = at["dimension"].numerator, at["nonzero"].numerator
    mean, square = at["mean"] / at["sigma"], at["sigma"] ** 2

    risk_of: Callable[[arb, arb], arb] = wings.module("papers", "enclosures.denoising")._coordinate

    def formula() -> arb:
        cut = (2 * arb(d).log()).sqrt() if d > 1 else arb(0)
        risk = nonzero * risk_of(ball(mean), cut)
        risk += (d - nonzero) * risk_of(arb(0), cut)
        oracle = 1 + nonzero * min(mean**2, Fraction(1))
        return risk / ((2 * arb(d).log() + 1) * ball(oracle))

    assert square
    return tighten(formula, digits)


def _rho(at: At, digits: int) -> arb:
    """Enclose δ(ρ/2 + √(2ρ ln(1/δ)))/δ; there y = √(2 ln(1/δ))."""

    def formula() -> arb:
        y = (-2 * ball(at["delta"]).log()).sqrt()
        return normal.profile(y, y + ball(at["rho"]).sqrt())[0] / ball(at["delta"])

    return tighten(formula, digits)


def _quotient(
    left: Callable[..., arb],
    right: Callable[..., arb],
    left_also: dict[str, Fraction | int] | None = None,
    right_also: dict[str, Fraction | int] | None = None,
) -> Callable[[At, int], arb]:
    """Return the quotient of two functions of the enclosures that take the same arguments."""

    def at_point(at: At, digits: int) -> arb:
        values = {
            name: value.numerator if name in {"dimension", "queries"} else value
            for name, value in at.items()
        }
        return _over(
            lambda digits: left(**{**values, **(left_also or {})}, digits=digits),
            lambda digits: right(**{**values, **(right_also or {})}, digits=digits),
            digits,
        )

    return at_point


def _variance(*, epsilon: Fraction, delta: Fraction, digits: int) -> arb:
    sigma = enclosures.calibrate_sigma(epsilon=epsilon, delta=delta, digits=digits + 2)
    with precision(bits_for(digits) + 64):
        return sigma * sigma


def _by_mu(function: Callable[..., arb]) -> Callable[..., arb]:
    def at(*, epsilon: Fraction, sigma: Fraction, digits: int) -> arb:
        if sigma < _LEAST_SIGMA:
            raise ArithmeticError("conversions are compared for sigma from 0.001 on")
        return function(epsilon=epsilon, mu=1 / sigma, digits=digits)

    return at


def _release_risk(*, dimension: int, norm: Fraction, sigma: Fraction, digits: int) -> arb:
    return enclosures.expected_loss(dimension=dimension, sigma=sigma, digits=digits)


def _unit(function: Callable[..., arb]) -> Callable[..., arb]:
    return lambda *, queries, beta, digits: function(
        queries=queries, beta=beta, sigma=1, digits=digits
    )


_delta = enclosed(lambda: enclosures.delta_at_epsilon)
_tail = enclosed(lambda: enclosures.loss_upper_tail)
_loss_tail = enclosed(lambda: enclosures.loss_tail)

_QUOTIENTS: Final[dict[str, Callable[[At, int], arb]]] = {
    "BW18.C1": _third,
    "BW18.O1": _quotient(_delta, _tail),
    "BW18.T4": _low_privacy,
    "BW18.T4.closed": _low_privacy,
    "BW18.T4.misquoted": _low_privacy,
    "BW18.T11": _quotient(enclosed(lambda: enclosures.james_stein_risk), _release_risk),
    "BW18.T12": _soft_threshold,
    "GN.A1": _quotient(
        _unit(enclosed(lambda: enclosures.max_error_quantile)),
        _unit(enclosed(lambda: enclosures.max_error_bound)),
    ),
    "GN.L1": _quotient(
        enclosed(lambda: enclosures.noise_tail), enclosed(lambda: enclosures.noise_tail_bound)
    ),
    "GN.T1": _rho,
    "JL24.D1": _quotient(_tail, _delta),
    "JL24.L2": _quotient(
        enclosed(lambda: enclosures.analytic_loss_bound), _variance, {"dimension": 1}
    ),
    "JL24.L2.reversed": _quotient(
        _variance, enclosed(lambda: enclosures.analytic_loss_bound), None, {"dimension": 1}
    ),
    "JL24.T3.extremes": _quotient(_loss_tail, _loss_tail, {"dimension": 1}),
    "X.RDP": _quotient(_delta, _by_mu(enclosed(lambda: enclosures.rdp_delta))),
    "X.ZCDP": _quotient(_delta, _by_mu(enclosed(lambda: enclosures.zcdp_delta))),
}
