"""The classical calibration and its two relatives: BW18.T1, GMA.R1, X.CF, X.CFMAX.

For each constant a three statements: private for ε ≤ 1 and every δ; up to which ε it is private
for every δ, between two decimals 1e-30 apart; and, false, private for every ε.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from dporacle.arguments import decimal
from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.regions._linear import Linear
from dporacle.regions.theorem import Check, Lemma, Theorem
from dporacle.vocabulary.formulas import FORMULAS

_STEP = Fraction(1, 10**30)
_ANY = Fraction(64)
_BITS = 128


@dataclass(frozen=True)
class _Kind:
    """A constant a, and the numbers of its threshold, which the run proves.

    Attributes:
        id: of the statement for ε ≤ 1.
        name: of the calibration.
        constant: a.
        least: just below √(2 ln a).
        low: the threshold, rounded down to 30 decimals.
        peak: the c of the δ at which the threshold is met.
    """

    id: str
    name: str
    constant: Callable[[], arb]
    least: Fraction
    low: Fraction
    peak: Fraction

    @property
    def says(self) -> str:
        """σ in symbols."""
        return FORMULAS[self.name].says


_KINDS = (
    _Kind(
        id="BW18.T1",
        name="classical",
        constant=lambda: arb(5) / 4,
        least=Fraction(21, 32),
        low=Fraction("3.786860193160808524370501428635"),
        peak=Fraction("0.815717463409531749408108167966"),
    ),
    _Kind(
        id="GMA.R1",
        name="dwork-roth",
        constant=lambda: (2 * (arb(8) / 9).exp() / arb.pi()).sqrt(),
        least=Fraction(21, 32),
        low=Fraction("3.753096763814422254095113587474"),
        peak=Fraction("0.806587321066837302771725676363"),
    ),
    _Kind(
        id="X.CF.dwork-2006",
        name="dwork-2006",
        constant=lambda: arb(2),
        least=Fraction(37, 32),
        low=Fraction("6.367674034499208555986980116132"),
        peak=Fraction("1.551812019045891541257122295192"),
    ),
)


def theorems() -> Iterator[Theorem]:
    """Yield the statements."""
    for kind in _KINDS:
        yield _up_to_one(kind)
        yield _threshold(kind)
        yield _any_epsilon(kind)


def _up_to_one(kind: _Kind) -> Theorem:
    plan = Linear(kind.constant, kind.says, kind.least, Fraction(1))
    return Theorem(
        id=kind.id,
        statement=f"for all 0 < ε ≤ 1 and 0 < δ < 1, {kind.says} is (ε,δ)-DP",
        spec={"id": kind.id},
        parts=(plan.part(),),
        lemmas=plan.lemmas(),
        covering="(ε, δ) ↦ (ε, c) maps the domain into [0, 1] × [least c, ∞): boxes up to c = 5, "
        "then the lemma",
    )


def _threshold(kind: _Kind) -> Theorem:
    plan = Linear(kind.constant, kind.says, kind.least, kind.low, kind.peak)
    above, delta = kind.low + _STEP, _short_delta(kind)

    def exceeds() -> arb:
        return plan.excess(ball(above), (2 * (kind.constant() / ball(delta)).log()).sqrt())

    id_ = f"X.CFMAX.{kind.name}"
    low, high, at = decimal(kind.low), decimal(above), decimal(delta)
    return Theorem(
        id=id_,
        statement=f"{kind.says} is (ε,δ)-DP for every δ in (0, 1) if 0 < ε ≤ {low}, "
        f"and not for δ = {at} if ε ≥ {high}",
        spec={"id": id_},
        parts=(plan.part(),),
        lemmas=(
            *plan.lemmas(),
            Lemma(
                "beyond",
                "at that δ, R > 0 at the upper number, and R rises with ε",
                (Check(f"R at ε = {high}, δ = {at}", exceeds),),
            ),
        ),
        covering="(ε, δ) ↦ (ε, c) maps the domain of the first half into [0, ε₋] × [least c, ∞): "
        "boxes up to c = 5, then the lemma; the second half is one δ and a lemma",
    )


def _short_delta(kind: _Kind) -> Fraction:
    """The δ of the peak, to 20 digits: near enough to the worst δ for the second half."""
    with precision(_BITS):
        return Fraction(
            (kind.constant() * (-(ball(kind.peak) ** 2) / 2).exp()).str(20, radius=False)
        )


def _any_epsilon(kind: _Kind) -> Theorem:
    plan = Linear(kind.constant, kind.says, kind.least, _ANY, whole=False)
    id_ = f"{kind.id}.any-epsilon"
    return Theorem(
        id=id_,
        statement=f"for all ε > 0 and 0 < δ < 1, {kind.says} is (ε,δ)-DP",
        spec={"id": id_},
        parts=(plan.part(),),
        lemmas=(),
        covering="a part of the domain is enough to refute it",
        true=False,
    )
