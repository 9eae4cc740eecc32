"""The claim that errors are rarely large."""

from fractions import Fraction
from typing import Annotated

import msgspec

from dporacle import arguments
from dporacle.claims.assertions.assertion import AboutMechanism
from dporacle.claims.decision import Decided, decide_probability
from dporacle.claims.mechanisms import Mechanism, Unit
from dporacle.claims.wording import compare, with_unit


class Accuracy(AboutMechanism, frozen=True, kw_only=True, tag="accuracy"):
    """The largest error of `queries` coordinates exceeds `at_most` with probability ≤ alpha."""

    at_most: Fraction
    alpha: Fraction
    queries: Annotated[int, msgspec.Meta(ge=1, le=10**9)] = 1
    unit: Unit = ""

    def __post_init__(self) -> None:
        arguments.nonnegative("at_most", self.at_most)
        arguments.alpha(self.alpha)

    def check_mechanism(self, about: Mechanism) -> None:
        """Refuse another unit than the mechanism's."""
        check_unit(self.unit, about)

    def subject(self) -> tuple[str, Fraction]:
        """Return α."""
        return "alpha", self.alpha

    def decide_about(self, about: Mechanism) -> Decided:
        """Compare the probability of a larger error with α."""
        return decide_probability(
            lambda digits: about.error_tail(
                error=self.at_most, queries=self.queries, digits=digits
            ),
            "alpha",
            self.alpha,
        )

    def describe_about(self, about: Mechanism, decided: Decided) -> tuple[str, str]:
        """Return how far off α is, an error that is kept, and the noise that would do."""
        margin = compare("the probability of a larger error", decided)
        if self.alpha == 1:
            return margin, ""
        least = with_unit(about.least_error(alpha=self.alpha, queries=self.queries), self.unit)
        error = "the error" if self.queries == 1 else "the largest error"
        noise = about.noise_for_error(error=self.at_most, alpha=self.alpha, queries=self.queries)
        return f"{margin}; at this α {error} is at most {least}", noise


def check_unit(unit: str, about: Mechanism) -> None:
    """Refuse another unit than the mechanism's."""
    known = about.counted_in()
    if unit != known:
        what = f"be the mechanism's, {known!r}" if known else "be left out: the mechanism has none"
        raise ValueError(f"unit must {what}, got {unit!r}")
