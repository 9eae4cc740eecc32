"""What an audit's counts are said to support: a bound of ε at a δ, with a confidence (X.AUDIT).

HOLDS if the p-value of the counts is at most the false-alarm rate of the test, 1 − confidence over
the tests that were tried: the counts support the bound. VIOLATED says that they do not, and is
nothing against the bound itself.
"""

from fractions import Fraction
from typing import ClassVar

from flint import arb

from dporacle import arguments
from dporacle.claims.assertions.assertion import Assertion, check_point
from dporacle.claims.decision import Decided, exactly
from dporacle.claims.evidence import AuditEvidence, MonteCarlo
from dporacle.claims.mechanisms import Mechanism
from dporacle.claims.wording import compare, readable, round_decimal, supports
from dporacle.enclosures.arithmetic import rounding
from dporacle.verdicts import Verdict, decide_at_most
from dporacle.vocabulary.hypotheses import Hypothesis, hypothesis

P_VALUE = "p-value"
_DIGITS = 12
_SHORT_DIGITS = 6


class AuditBound(Assertion, frozen=True, kw_only=True):
    """A bound that counts are said to support.

    Attributes:
        epsilon: ε.
        delta: δ.
        confidence: 1 − α: of all audits of mechanisms of which the bound is false, a share of α at
            most has counts that support it.
    """

    supported_by_evidence: ClassVar[bool] = True

    epsilon: Fraction
    delta: Fraction
    confidence: Fraction

    def __post_init__(self) -> None:
        check_point(self.epsilon, self.delta)
        if self.delta == 1:
            raise ValueError("delta must be below 1, got 1: it says nothing")
        if not Fraction(1, 2) <= self.confidence < 1:
            raise ValueError(
                "confidence must be at least 1/2 and below 1, got "
                f"{arguments.show(self.confidence)}"
            )

    def check(self, about: Mechanism | None) -> None:
        """Refuse what is no evidence for such a bound."""
        if not isinstance(about, AuditEvidence):
            raise ValueError("evidence is missing: what was counted, and under which conditions")

    def alpha(self) -> Fraction:
        """Return the false-alarm rate of all tests."""
        return 1 - self.confidence

    def subject(self) -> tuple[str, Fraction]:
        """Return the p-value."""
        return P_VALUE, self.alpha()

    def decide(self, about: Mechanism | None) -> Decided:
        """Compare the p-value of the counts with the false-alarm rate of their test."""
        evidence = _evidence(about)
        alpha = self.rate(evidence)
        return exactly(
            decide_at_most(lambda digits: self.p_value(evidence, digits), alpha), P_VALUE, alpha
        )

    def rate(self, evidence: AuditEvidence) -> Fraction:
        """Return the false-alarm rate of one test."""
        return evidence.share(self.alpha())

    def p_value(self, evidence: AuditEvidence, digits: int) -> arb:
        """Enclose the probability of such counts where the bound is false."""
        raise NotImplementedError

    def supported(self, evidence: AuditEvidence) -> str:
        """Say what the counts support."""
        raise NotImplementedError

    def describe(self, about: Mechanism | None, decided: Decided) -> tuple[str, str]:
        """Say how far off the p-value is, and what these counts do support."""
        try:
            most = self.supported(_evidence(about))
        except ArithmeticError:
            most = "a bound that is out of reach of the enclosures"
        words = f"{compare(P_VALUE, decided)}; {supports(self.confidence, most)}"
        if decided.verdict is not Verdict.HOLDS:
            words += ": they do not support the claimed bound, and say nothing against it"
        return words, ""

    def hypotheses(self, about: Mechanism | None) -> tuple[Hypothesis, ...]:
        """Return what the p-value is one under, and that it is no proof."""
        evidence = _evidence(about)
        shared = () if evidence.tried == 1 else (hypothesis("shared-rate", tried=evidence.tried),)
        misled = hypothesis(
            "confidence", confidence=readable(self.confidence), alpha=readable(self.alpha())
        )
        return (*evidence.proved_under(), *shared, misled)

    def missing_elsewhere(self, about: Mechanism | None, decided: Decided) -> str:
        """Say that the stand-alone program has no tails of binomial laws."""
        return "it has no tails of binomial laws"


class LowerBound(AuditBound, frozen=True, kw_only=True, tag="lower-bound"):
    """The mechanism's ε at δ is at least epsilon."""

    def p_value(self, evidence: AuditEvidence, digits: int) -> arb:
        """Enclose the p-value of these counts if it were (ε, δ)-DP."""
        return evidence.against_less(epsilon=self.epsilon, delta=self.delta, digits=digits)

    def supported(self, evidence: AuditEvidence) -> str:
        """Say which ε the counts support at this δ; draws, which δ at this ε."""
        rate = self.rate(evidence)
        if isinstance(evidence, MonteCarlo):
            least = _low(evidence.least_delta(alpha=rate, digits=_DIGITS))
            return f"δ ≥ {least} at ε = {readable(self.epsilon)}"
        least = _low(evidence.supported(alpha=rate, delta=self.delta, digits=_DIGITS))
        return f"ε ≥ {least} at δ = {readable(self.delta)}"


class UpperBound(AuditBound, frozen=True, kw_only=True, tag="upper-bound"):
    """The δ at epsilon of the pair that was drawn from is at most delta."""

    def check(self, about: Mechanism | None) -> None:
        """Refuse counts of an attack, which bound nothing from above."""
        super().check(about)
        if not isinstance(about, MonteCarlo):
            raise ValueError(
                "evidence must be of kind monte-carlo: an attack bounds nothing from above"
            )

    def rate(self, evidence: AuditEvidence) -> Fraction:
        """Return the rate of one order: where both limits are too low, so is that of the worse."""
        return self.alpha() / evidence.tried

    def p_value(self, evidence: AuditEvidence, digits: int) -> arb:
        """Enclose the p-value of these draws if δ(ε) of an order were above δ."""
        return _draws(evidence).against_more(delta=self.delta, digits=digits)

    def supported(self, evidence: AuditEvidence) -> str:
        """Say which δ the draws support at this ε."""
        most = _draws(evidence).most_delta(alpha=self.rate(evidence), digits=_DIGITS)
        high = round_decimal(rounding.bounds(most)[1], _SHORT_DIGITS, up=True)
        return f"δ ≤ {high} at ε = {readable(self.epsilon)}"

    def hypotheses(self, about: Mechanism | None) -> tuple[Hypothesis, ...]:
        """Return the same, and that no other pair is worse."""
        return (*super().hypotheses(about), hypothesis("dominating-draws"))


def _evidence(about: Mechanism | None) -> AuditEvidence:
    assert isinstance(about, AuditEvidence)
    return about


def _draws(evidence: AuditEvidence) -> MonteCarlo:
    assert isinstance(evidence, MonteCarlo)
    return evidence


def _low(value: arb) -> str:
    return round_decimal(max(rounding.bounds(value)[0], Fraction(0)), _SHORT_DIGITS, up=False)
