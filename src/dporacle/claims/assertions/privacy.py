"""The claim that a mechanism is (ε,δ)-DP."""

from fractions import Fraction
from typing import ClassVar

from dporacle.claims.assertions.assertion import AboutMechanism, check_point
from dporacle.claims.decision import Decided
from dporacle.claims.mechanisms import Mechanism, Neighbours
from dporacle.claims.quantities import Ends
from dporacle.verdicts import Verdict
from dporacle.vocabulary.hypotheses import Hypothesis


class Privacy(AboutMechanism, frozen=True, kw_only=True, tag="privacy"):
    """The mechanism is (ε,δ)-DP under a neighbouring relation."""

    otherwise: ClassVar[str] = "for every mechanism with it use `conversion`"

    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours

    def __post_init__(self) -> None:
        check_point(self.epsilon, self.delta)

    def check_mechanism(self, about: Mechanism) -> None:
        """Refuse a sensitivity that says nothing about the relation."""
        check_relation(self.neighbours, about)

    def subject(self) -> tuple[str, Fraction]:
        """Return δ."""
        return "delta", self.delta

    def decide(self, about: Mechanism | None) -> Decided:
        """Compare δ(ε) with δ."""
        assert about is not None
        return about.decide_privacy(
            epsilon=self.epsilon, delta=self.delta, neighbours=self.neighbours
        )

    def epsilon_ends(self, about: Mechanism | None, verdict: Verdict) -> Ends | None:
        """Return what is proved of the least ε at this δ, where that is soon found."""
        assert about is not None
        found = about.epsilon_ends(delta=self.delta, neighbours=self.neighbours)
        if found is None:
            return None
        low, high = found.low, found.high
        if verdict is Verdict.HOLDS:
            high = self.epsilon if high is None else min(high, self.epsilon)
        if verdict is Verdict.VIOLATED:
            low = max(low, self.epsilon)
        return Ends(low, high)

    def sharpened(self, about: Mechanism | None, decided: Decided) -> Decided:
        """Enclose the exact δ(ε) too, where a bound was enough for the verdict."""
        assert about is not None
        return about.sharpened(decided, epsilon=self.epsilon, neighbours=self.neighbours)

    def supposes(self, about: Mechanism | None) -> str:
        """Say which pair of neighbours is supposed to exist."""
        assert about is not None
        return about.supposes(self.neighbours)

    def about_relation(self, about: Mechanism) -> Neighbours:
        """Return the asserted relation."""
        return self.neighbours

    def hypotheses(self, about: Mechanism | None) -> tuple[Hypothesis, ...]:
        """Return what this (ε, δ) is proved under."""
        assert about is not None
        return about.hypotheses_at(self.neighbours, epsilon=self.epsilon, delta=self.delta)

    def describe(self, about: Mechanism | None, decided: Decided) -> tuple[str, str]:
        """Return how far off δ is, and the noise that would do."""
        assert about is not None
        return about.describe_privacy(
            decided, epsilon=self.epsilon, delta=self.delta, neighbours=self.neighbours
        )


def check_relation(neighbours: Neighbours, about: Mechanism) -> None:
    """Refuse a sensitivity that says nothing about a relation."""
    if about.knows(neighbours) is None:
        raise ValueError(about.unknown(neighbours))
