"""What judge, margins and certificates ask of every assertion; each is one file of this folder."""

from fractions import Fraction
from typing import ClassVar

from dporacle import arguments
from dporacle.claims.decision import Decided
from dporacle.claims.mechanisms import Mechanism, Neighbours, Strict
from dporacle.claims.quantities import Ends
from dporacle.verdicts import Verdict
from dporacle.vocabulary.hypotheses import Hypothesis


class Assertion(Strict, frozen=True, kw_only=True, tag_field="kind"):
    """What somebody says."""

    needless: ClassVar[str] = ""
    """Why there is no mechanism that it is about."""

    supported_by_evidence: ClassVar[bool] = False
    """Whether it is about what an audit counted, in place of a mechanism."""

    of_noise: ClassVar[bool] = True
    """Whether it is about the noise of its mechanism."""

    otherwise: ClassVar[str] = ""
    """What to ask instead, where another meaning of the mechanism's parameter is meant."""

    def check(self, about: Mechanism | None) -> None:
        """Refuse a mechanism that this is no question about.

        Raises:
            ValueError: naming the field.
        """
        if about is not None:
            raise ValueError(f"mechanism must be absent: {self.needless}")

    def subject(self) -> tuple[str, Fraction]:
        """Return what it bounds from above, and the bound."""
        raise NotImplementedError

    def decide(self, about: Mechanism | None) -> Decided:
        """Decide it.

        Raises:
            ArithmeticError: if a number is out of reach of the enclosures.
        """
        raise NotImplementedError

    def sharpened(self, about: Mechanism | None, decided: Decided) -> Decided:
        """Enclose the exact value too, for the words, where a bound was enough for the verdict."""
        return decided

    def epsilon_ends(self, about: Mechanism | None, verdict: Verdict) -> Ends | None:
        """Return what is proved of the least ε at the asserted δ, where there is one."""
        return None

    def describe(self, about: Mechanism | None, decided: Decided) -> tuple[str, str]:
        """Return how far off it is, and the noise that is its limit, in words."""
        raise NotImplementedError

    def supposes(self, about: Mechanism | None) -> str:
        """Say what a VIOLATED supposes to exist; empty where it supposes nothing."""
        return ""

    def hypotheses(self, about: Mechanism | None) -> tuple[Hypothesis, ...]:
        """Return what a verdict is proved under, beside what the claim says."""
        return ()

    def meaning(self) -> str:
        """Say which noise it means, where it says that itself; empty where a mechanism does."""
        return ""

    def missing_elsewhere(self, about: Mechanism | None, decided: Decided) -> str:
        """Say what the stand-alone program lacks to check a verdict; empty if nothing."""
        raise NotImplementedError


class AboutMechanism(Assertion, frozen=True, kw_only=True):
    """What somebody says about a mechanism."""

    def check(self, about: Mechanism | None) -> None:
        """Refuse a mechanism that this is no question about."""
        if about is None:
            raise ValueError("mechanism is missing")
        kind = str(self.__struct_config__.tag)
        if kind in about.refuses:
            raise ValueError(about.refuses[kind])
        self.check_mechanism(about)

    def check_mechanism(self, about: Mechanism) -> None:
        """Refuse a mechanism whose fields do not fit."""

    def about_relation(self, about: Mechanism) -> Neighbours | None:
        """Return the relation of the privacy that is asserted; None of an assertion about noise."""
        return None

    def hypotheses(self, about: Mechanism | None) -> tuple[Hypothesis, ...]:
        """Return what the mechanism's privacy is proved under, for the asserted relation."""
        assert about is not None
        relation = self.about_relation(about)
        return () if relation is None else about.hypotheses(relation)

    def missing_elsewhere(self, about: Mechanism | None, decided: Decided) -> str:
        """Say what the stand-alone program lacks to check a verdict; empty if nothing."""
        assert about is not None
        return about.missing_elsewhere(quantity=decided.quantity, proof=decided.proof)


def check_point(epsilon: Fraction, delta: Fraction) -> None:
    """Refuse what is no ε ≥ 0 and δ from 0 to 1."""
    arguments.epsilon(epsilon)
    if not 0 <= delta <= 1:
        raise ValueError(f"delta must be from 0 to 1, got {arguments.show(delta)}")
