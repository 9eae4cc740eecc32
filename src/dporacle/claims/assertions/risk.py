"""The claim that an attacker gains no more than a figure (X.RISK)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Literal

from flint import arb
from msgspec import UNSET, UnsetType

from dporacle import arguments
from dporacle.claims.assertions.assertion import AboutMechanism
from dporacle.claims.decision import Decided
from dporacle.claims.mechanisms import Mechanism, Neighbours
from dporacle.claims.mechanisms.dp_sgd import DpSgd
from dporacle.claims.wording import compare
from dporacle.enclosures.arithmetic import rounding
from dporacle.verdicts import Verdict
from dporacle.vocabulary.hypotheses import Hypothesis, hypothesis

if TYPE_CHECKING:
    from dporacle.enclosures.tradeoff.curve import TradeoffCurve
    from dporacle.risk import Setting

_DIGITS = (6, 9)  # of a figure; more take long near equality
_SPARE = 3  # digits of δ beyond those of the figure
_NOT_REACHED = (
    "the figure is a bound from the largest δ(ε) of several pairs of neighbours; perhaps none of "
    "these pairs reaches it"
)
OF_A_BOUND = "the figure is that of a bound; perhaps no pair of neighbours reaches it"
LAST = (
    "the figure is for every noisy sum together; but only the last iterate is released, and "
    "nothing is proved about that"
)


def judged(
    figures: list[tuple[Setting, arb]], subject: tuple[str, Fraction], digits: int, about: Mechanism
) -> Decided:
    """Compare the largest of several figures with a bound."""
    quantity, bound = subject
    sides = [rounding.side(value, bound) for _, value in figures]
    (setting, value) = figures[sides.index(max(sides))]
    verdict = {1: Verdict.VIOLATED, -1: Verdict.HOLDS}.get(max(sides), Verdict.UNDECIDED)
    if verdict is Verdict.UNDECIDED and rounding.is_point(value):
        verdict = Verdict.HOLDS  # equal
    reason = (
        f"the exact value agrees with the bound to {digits} digits"
        if verdict is Verdict.UNDECIDED
        else ""
    )
    below = arb(0) if setting.is_bound else value
    decided = Decided(verdict, quantity, bound, below, value, digits, reason=reason)
    if verdict is not Verdict.VIOLATED:
        return decided
    if getattr(about, "released", "every-step") == "last-iterate":
        return replace(decided, verdict=Verdict.UNDECIDED, reason=LAST)
    if not setting.reached:
        reason = OF_A_BOUND if setting.is_bound else _NOT_REACHED
        return replace(decided, verdict=Verdict.UNDECIDED, reason=reason)
    return decided


class _Figure(AboutMechanism, frozen=True, kw_only=True):
    """What the best test of a record's membership reaches is at most a number.

    Attributes:
        neighbours: the relation; that of the mechanism if it is left out.
        direction: of DP-SGD under add-remove, whether the test looks for a record that was used,
            "remove", for one that was left out, "add", or "both", whichever reaches more. If it is
            left out it is "remove", and the verdict says so, as it does of the relation.
    """

    called: ClassVar[str]

    directed: ClassVar[bool] = True
    """Whether a test for a record that was left out may have another figure."""

    neighbours: Neighbours | UnsetType = UNSET
    direction: Literal["remove", "add", "both"] | UnsetType = UNSET

    def __post_init__(self) -> None:
        for name in self.shares():
            value = getattr(self, name)
            if not 0 < value < 1:
                raise ValueError(f"{name} must be in (0, 1), got {arguments.show(value)}")

    def shares(self) -> tuple[str, ...]:
        """Return the fields that are in (0, 1)."""
        return (self.subject()[0],)

    def figure(self, curve: TradeoffCurve, digits: int) -> arb:
        """Enclose the figure."""
        raise NotImplementedError

    def check_mechanism(self, about: Mechanism) -> None:
        """Refuse a mechanism whose curve is not known."""
        self._settings(about, 1)

    def _settings(self, about: Mechanism, digits: int) -> list[Setting]:
        from dporacle.claims.risks import setting_of

        relation = None if isinstance(self.neighbours, UnsetType) else self.neighbours
        asked = "remove" if isinstance(self.direction, UnsetType) else self.direction
        ways = ("remove", "add") if asked == "both" else (asked,)
        found = [setting_of(about, relation, direction=way, digits=digits) for way in ways]
        return found[:1] if len({id(each.curve) for each in found}) == 1 else found

    def decide(self, about: Mechanism | None) -> Decided:
        """Compare the figure with the asserted one, to more digits where they are close."""
        assert about is not None
        for digits in _DIGITS:
            settings = self._settings(about, digits + _SPARE)
            found = [
                (each, self.figure(each.curve, min(digits, each.curve.digits - 1)))
                for each in settings
            ]
            decided = judged(found, self.subject(), digits, about)
            if decided.verdict is not Verdict.UNDECIDED or not decided.reason.startswith("the b"):
                break
        return decided

    def describe(self, about: Mechanism | None, decided: Decided) -> tuple[str, str]:
        """Return how far off the figure is."""
        assert about is not None
        return compare(f"largest {self.called}", decided), ""

    def about_relation(self, about: Mechanism) -> Neighbours:
        """Return the asserted relation, or that of the mechanism."""
        return about.relation() if isinstance(self.neighbours, UnsetType) else self.neighbours

    def hypotheses(self, about: Mechanism | None) -> tuple[Hypothesis, ...]:
        """Return what is proved under, with what is asked where the claim does not say it."""
        assert about is not None
        found, relation = super().hypotheses(about), self.about_relation(about)
        if self.neighbours is UNSET and not about.states_relation():
            found = (*found, hypothesis("relation-of-the-figure", relation=relation))
        told = self.direction is not UNSET or relation == "replace-one"
        if self.directed and isinstance(about, DpSgd) and not told:
            found = (*found, hypothesis("looks-for-a-used-record"))
        return found

    def supposes(self, about: Mechanism | None) -> str:
        """Say which pair of neighbours is supposed to exist."""
        assert about is not None
        return about.supposes(self.about_relation(about))

    def missing_elsewhere(self, about: Mechanism | None, decided: Decided) -> str:
        """Say that the stand-alone program has no such figures."""
        return "the checker has no trade-off curves; claim the privacy at one ε"


class Risk(_Figure, frozen=True, kw_only=True, tag="risk"):
    """No test of false positive rate fpr has a true positive rate above tpr."""

    called: ClassVar[str] = "true positive rate"

    fpr: Fraction
    tpr: Fraction

    def subject(self) -> tuple[str, Fraction]:
        """Return the true positive rate."""
        return "tpr", self.tpr

    def shares(self) -> tuple[str, ...]:
        """Return both rates."""
        return "fpr", "tpr"

    def figure(self, curve: TradeoffCurve, digits: int) -> arb:
        """Enclose the largest true positive rate."""
        from dporacle.enclosures.tradeoff.power import rates

        return rates(curve, self.fpr, digits=digits).found


class Advantage(_Figure, frozen=True, kw_only=True, tag="advantage"):
    """No test has TPR − FPR above advantage."""

    called: ClassVar[str] = "advantage"
    directed: ClassVar[bool] = False  # it is the same of the two data sets exchanged

    advantage: Fraction

    def subject(self) -> tuple[str, Fraction]:
        """Return the advantage."""
        return "advantage", self.advantage

    def figure(self, curve: TradeoffCurve, digits: int) -> arb:
        """Enclose H(1)."""
        return curve.advantage()


class BayesSuccess(_Figure, frozen=True, kw_only=True, tag="bayes-success"):
    """No test is right more often than success, if the record is in with probability prior."""

    called: ClassVar[str] = "Bayes success"

    prior: Fraction
    success: Fraction

    def subject(self) -> tuple[str, Fraction]:
        """Return the probability to be right."""
        return "success", self.success

    def shares(self) -> tuple[str, ...]:
        """Return both probabilities."""
        return "prior", "success"

    def figure(self, curve: TradeoffCurve, digits: int) -> arb:
        """Enclose the Bayes success."""
        return curve.bayes_success(self.prior)


class Auc(_Figure, frozen=True, kw_only=True, tag="auc"):
    """The area under the largest TPR over FPR is at most auc."""

    called: ClassVar[str] = "area under TPR over FPR"
    directed: ClassVar[bool] = False  # it is the same of the two data sets exchanged

    auc: Fraction

    def subject(self) -> tuple[str, Fraction]:
        """Return the area."""
        return "auc", self.auc

    def figure(self, curve: TradeoffCurve, digits: int) -> arb:
        """Enclose the area, to a few digits."""
        from dporacle.enclosures.tradeoff.area import area

        return area(curve, digits=max(3, min(digits, 6) - 2))
