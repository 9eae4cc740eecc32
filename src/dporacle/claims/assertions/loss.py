"""The claim that the expected error is small."""

from fractions import Fraction
from typing import Annotated

import msgspec

from dporacle import arguments
from dporacle.claims.assertions.accuracy import check_unit
from dporacle.claims.assertions.assertion import AboutMechanism
from dporacle.claims.decision import Decided, exactly
from dporacle.claims.mechanisms import Mechanism, Unit
from dporacle.claims.wording import compare
from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.verdicts import Decision, Verdict, decide_at_most
from dporacle.vocabulary.hypotheses import Hypothesis

_DIGITS = 40  # of an exact number, where it is shown


class Loss(AboutMechanism, frozen=True, kw_only=True, tag="loss"):
    """The expected squared ℓ2 error of all coordinates is at most `at_most`.

    It is dimension·σ² for Gaussian noise, σ* for rank-one noise. Its unit is the unit of sigma,
    squared; `unit` names the one of sigma.
    """

    at_most: Fraction
    dimension: Annotated[int, msgspec.Meta(ge=1, le=10**18)]
    unit: Unit = ""

    def __post_init__(self) -> None:
        arguments.nonnegative("at_most", self.at_most)

    def hypotheses(self, about: Mechanism | None) -> tuple[Hypothesis, ...]:
        """Return in what errors are counted, if nobody says it."""
        assert about is not None
        return about.of_errors()

    def check_mechanism(self, about: Mechanism) -> None:
        """Refuse another unit or dimension than the mechanism's."""
        check_unit(self.unit, about)
        stated = about.coordinates()
        if stated not in {None, self.dimension}:
            raise ValueError(
                f"asserts must have the mechanism's dimension, {stated}, got {self.dimension}"
            )

    def subject(self) -> tuple[str, Fraction]:
        """Return the asserted loss."""
        return "loss", self.at_most

    def decide(self, about: Mechanism | None) -> Decided:
        """Compare the expected loss with the asserted one."""
        assert about is not None
        exact = about.rational_loss(dimension=self.dimension)
        if exact is None:
            decision = decide_at_most(
                lambda digits: about.expected_loss(dimension=self.dimension, digits=digits),
                self.at_most,
            )
        else:  # compared exactly, and shown as a ball
            verdict = Verdict.HOLDS if exact <= self.at_most else Verdict.VIOLATED
            decision = Decision(verdict, tighten(lambda: ball(exact), _DIGITS), _DIGITS)
        return exactly(decision, "loss", self.at_most)

    def describe(self, about: Mechanism | None, decided: Decided) -> tuple[str, str]:
        """Return how far off the loss is, and the noise that would do."""
        assert about is not None
        noise = about.noise_for_loss(loss=self.at_most, dimension=self.dimension)
        return compare("the expected squared error", decided), noise
