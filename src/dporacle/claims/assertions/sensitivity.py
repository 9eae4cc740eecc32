"""The claim that a record moves a statistic by no more than a number."""

from fractions import Fraction
from typing import ClassVar, Literal

from msgspec import UNSET, UnsetType

from dporacle import arguments
from dporacle.claims.assertions.assertion import Assertion
from dporacle.claims.decision import Decided, exactly
from dporacle.claims.mechanisms import Mechanism, Neighbours
from dporacle.claims.mechanisms.contribution import Norm, Statistic, Statistics
from dporacle.claims.wording import compare
from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.verdicts import Decision, Verdict
from dporacle.vocabulary.hypotheses import Hypothesis

_DIGITS = 20


class HasSensitivity(Assertion, frozen=True, kw_only=True, tag="sensitivity"):
    """The statistics of two neighbouring data sets differ by at most `at_most` (X.SENS).

    Attributes:
        norm: 1 or 2, or "l1" or "l2", of an answer of numbers; "max" of scores.
        at_most: the asserted sensitivity.
        neighbours: the relation.
        statistic: what is computed; absent where the mechanism states it.
    """

    of_noise: ClassVar[bool] = False

    norm: Norm | Literal["l1", "l2"]
    at_most: Fraction
    neighbours: Neighbours
    statistic: Statistics | UnsetType = UNSET

    def __post_init__(self) -> None:
        arguments.positive("at_most", self.at_most)

    @property
    def _norm(self) -> Norm:
        """The norm by its number, where it has one."""
        if isinstance(self.norm, int) or self.norm == "max":
            return self.norm
        return int(self.norm[1:])

    def _of(self, about: Mechanism | None) -> Statistic:
        if isinstance(self.statistic, Statistic):
            if about is not None:
                raise ValueError("mechanism must be absent where asserts states the statistic")
            return self.statistic
        found = about.computed() if about is not None else None
        if found is None:
            raise ValueError("statistic must be given, in asserts or in the mechanism")
        return found

    def check(self, about: Mechanism | None) -> None:
        """Refuse a statistic that has no sensitivity for the relation, or in the norm."""
        statistic = self._of(about)
        if why := statistic.refusal(self.neighbours):
            raise ValueError(why)
        if self._norm not in statistic.norms:
            known = " or ".join(map(str, statistic.norms))
            raise ValueError(f"norm must be {known} for {statistic.called}, got {self.norm}")

    def subject(self) -> tuple[str, Fraction]:
        """Return the sensitivity."""
        return "sensitivity", self.at_most

    def decide(self, about: Mechanism | None) -> Decided:
        """Compare the squares, which are rational."""
        square = self._of(about).distance_squared(self.neighbours, self._norm)
        verdict = Verdict.HOLDS if square <= self.at_most**2 else Verdict.VIOLATED
        value = tighten(lambda: ball(square).sqrt(), _DIGITS)
        return exactly(Decision(verdict, value, _DIGITS), *self.subject())

    def describe(self, about: Mechanism | None, decided: Decided) -> tuple[str, str]:
        """Return how far off it is."""
        return compare("true sensitivity", decided), ""

    def supposes(self, about: Mechanism | None) -> str:
        """Say which two data sets are farther apart."""
        return self._of(about).pair(self.neighbours)

    def hypotheses(self, about: Mechanism | None) -> tuple[Hypothesis, ...]:
        """Return how the sensitivity follows, and what is done with records before."""
        return self._of(about).hypotheses(self.neighbours, self._norm)

    def missing_elsewhere(self, about: Mechanism | None, decided: Decided) -> str:
        """Say that the stand-alone program has no statistics."""
        return "the checker has no statistics"
