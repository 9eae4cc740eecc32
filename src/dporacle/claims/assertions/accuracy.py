"""The claim that errors are rarely large."""

from fractions import Fraction
from typing import Annotated, Self

import msgspec
from msgspec import UNSET, UnsetType

from dporacle import arguments
from dporacle.claims.assertions.assertion import AboutMechanism
from dporacle.claims.decision import Decided, decide_probability
from dporacle.claims.mechanisms import Mechanism, Unit
from dporacle.claims.wording import compare, with_unit
from dporacle.vocabulary.hypotheses import Hypothesis, hypothesis


class Accuracy(AboutMechanism, frozen=True, kw_only=True, tag="accuracy"):
    """The largest error of `queries` coordinates exceeds `at_most` with probability ≤ alpha.

    Without `queries` it is the error of one, which a verdict then says.
    """

    at_most: Fraction
    alpha: Fraction
    queries: Annotated[int, msgspec.Meta(ge=1, le=10**9)] | UnsetType = UNSET
    unit: Unit = ""

    def __post_init__(self) -> None:
        arguments.nonnegative("at_most", self.at_most)
        arguments.alpha(self.alpha)

    def coordinates(self) -> int:
        """Return of how many coordinates it is the largest error."""
        return self.queries if isinstance(self.queries, int) else 1

    def stated(self) -> Self:
        """Return itself with every number that a default stands for."""
        return msgspec.structs.replace(self, queries=self.coordinates())

    def hypotheses(self, about: Mechanism | None) -> tuple[Hypothesis, ...]:
        """Return that there is one coordinate, if nobody says how many; and in what it counts."""
        assert about is not None
        one = (hypothesis("one-coordinate"),) if self.queries is UNSET else ()
        return one + about.of_errors()

    def check_mechanism(self, about: Mechanism) -> None:
        """Refuse another unit than the mechanism's."""
        check_unit(self.unit, about)

    def subject(self) -> tuple[str, Fraction]:
        """Return α."""
        return "alpha", self.alpha

    def decide(self, about: Mechanism | None) -> Decided:
        """Compare the probability of a larger error with α."""
        assert about is not None
        return decide_probability(
            lambda digits: about.error_tail(
                error=self.at_most, queries=self.coordinates(), digits=digits
            ),
            "alpha",
            self.alpha,
        )

    def describe(self, about: Mechanism | None, decided: Decided) -> tuple[str, str]:
        """Return how far off α is, an error that is kept, and the noise that would do."""
        assert about is not None
        margin = compare("the probability of a larger error", decided)
        if self.alpha == 1:
            return margin, ""
        queries = self.coordinates()
        least = with_unit(about.least_error(alpha=self.alpha, queries=queries), self.unit)
        error = "the error" if queries == 1 else "the largest error"
        noise = about.noise_for_error(error=self.at_most, alpha=self.alpha, queries=queries)
        return f"{margin}; at this α {error} is at most {least}", noise


def check_unit(unit: str, about: Mechanism) -> None:
    """Refuse another unit than the mechanism's."""
    known = about.counted_in()
    if unit != known:
        what = f"be the mechanism's, {known!r}" if known else "be left out: the mechanism has none"
        raise ValueError(f"unit must {what}, got {unit!r}")
