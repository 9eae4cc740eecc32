"""What an audit counted: evidence about a mechanism of which nothing else is known.

A verdict on it says whether these counts support a bound with a confidence (X.AUDIT), and nothing
of the mechanism itself. Each condition of its theorem is stated, as no count shows it.
"""

import math
from fractions import Fraction
from typing import Annotated, ClassVar, Final

import msgspec
from flint import arb

from dporacle import arguments, enclosures
from dporacle.claims.mechanisms import Mechanism, Strict
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import bits_for, precision
from dporacle.verdicts import Verdict, decide_at_most
from dporacle.vocabulary.hypotheses import Hypothesis, hypothesis

Count = Annotated[int, msgspec.Meta(ge=0, le=10**9)]
Total = Annotated[int, msgspec.Meta(ge=1, le=10**9)]
Guesses = Annotated[int, msgspec.Meta(ge=0, le=10**6)]

_FEW = 6  # digits of an ε from which a search begins
_NEAR_ZERO = 0.1  # where it begins if that is 0
_SLOPE = -4.0  # about d ln(1/p)/d ln ε; the search measures it

_WHY: Final = {
    "fixed_beforehand": "what was chosen on the runs that are counted is another test: count other "
    "runs, or state in `tried` how many were",
    "independent_runs": "counts of runs that depend on each other have no binomial law",
    "independent_sorts": "the joint test multiplies a probability of the runs without the record "
    "with one of those with it: evidence of kind `counts` needs none of this",
    "fair_coins": "the p-value of one run is that of canaries which a fair coin each includes",
    "independent_draws": "counts of draws that depend on each other have no binomial law",
}


class AuditEvidence(Mechanism, frozen=True, kw_only=True):
    """A mechanism of which the counts of an audit are known.

    Attributes:
        tried: how many tests were tried on what is counted, this one too: thresholds, events,
            numbers of guesses. Each has its share of the false-alarm rate.
    """

    conditions: ClassVar[tuple[str, ...]] = ()
    """The fields that say that a condition of the theorem is met."""

    tried: Total

    def __post_init__(self) -> None:
        for name in self.conditions:
            if getattr(self, name) is not True:
                raise ValueError(f"{name} must be true, got false: {_WHY[name]}")

    def share(self, alpha: Fraction) -> Fraction:
        """Return the false-alarm rate of each test."""
        return alpha / self.tried

    def against_less(self, *, epsilon: Fraction, delta: Fraction, digits: int) -> arb:
        """Enclose the p-value of these counts if the mechanism were (ε, δ)-DP."""
        raise NotImplementedError

    def supported(self, *, alpha: Fraction, delta: Fraction, digits: int) -> arb:
        """Enclose the largest ε that these counts support at a δ."""
        raise NotImplementedError

    def proved_under(self) -> tuple[Hypothesis, ...]:
        """Return what the p-value is one under."""
        raise NotImplementedError


class ErrorCounts(AuditEvidence, frozen=True, kw_only=True, tag="counts"):
    """The two error rates of an attack on runs with and without a record, by a limit of each.

    Attributes:
        false_positives: runs without it that the attack took for runs with it.
        negatives: runs without it.
        false_negatives: runs with it that the attack took for runs without it.
        positives: runs with it.
        fixed_beforehand: whether the attack was fixed before the runs that are counted, with all
            thresholds that were tried.
        independent_runs: whether the runs of each sort are independent.
    """

    noun: ClassVar[str] = "a mechanism of which the errors of an attack were counted"
    conditions: ClassVar[tuple[str, ...]] = ("fixed_beforehand", "independent_runs")

    false_positives: Count
    negatives: Total
    false_negatives: Count
    positives: Total
    fixed_beforehand: bool
    independent_runs: bool

    def __post_init__(self) -> None:
        super().__post_init__()
        arguments.at_most("negatives", self.negatives, "false_positives", self.false_positives)
        arguments.at_most("positives", self.positives, "false_negatives", self.false_negatives)

    def _rates(self) -> dict[str, int]:
        names = ("false_positives", "negatives", "false_negatives", "positives")
        return {name: getattr(self, name) for name in names}

    def against_less(self, *, epsilon: Fraction, delta: Fraction, digits: int) -> arb:
        """Enclose the least α at which the limits of both rates refute (ε, δ)."""
        return enclosures.audit_p_value(
            **self._rates(), epsilon=epsilon, delta=delta, digits=digits
        )

    def supported(self, *, alpha: Fraction, delta: Fraction, digits: int) -> arb:
        """Enclose the ε of the limits of both rates."""
        return enclosures.audit_epsilon(**self._rates(), alpha=alpha, delta=delta, digits=digits)

    def proved_under(self) -> tuple[Hypothesis, ...]:
        """Return that the runs are independent, and attack and test were fixed before."""
        return (hypothesis("counted-runs"),)


class JointCounts(ErrorCounts, frozen=True, kw_only=True, tag="joint-counts"):
    """The same counts, by the test of both rates at once (X.AUDIT.JOINT).

    It is another test than that of a limit of its own for each rate: it refutes more where an
    attack hardly errs, and may refute less where it errs mostly on one side.

    Attributes:
        independent_sorts: whether the runs without the record are independent of those with it.
    """

    noun: ClassVar[str] = f"{ErrorCounts.noun}, for a test of both rates at once"
    conditions: ClassVar[tuple[str, ...]] = (*ErrorCounts.conditions, "independent_sorts")

    independent_sorts: bool

    def against_less(self, *, epsilon: Fraction, delta: Fraction, digits: int) -> arb:
        """Enclose the p-value of both rates."""
        return enclosures.audit_joint_p_value(
            **self._rates(), epsilon=epsilon, delta=delta, digits=digits
        )

    def supported(self, *, alpha: Fraction, delta: Fraction, digits: int) -> arb:
        """Enclose the ε at which the p-value, which rises in ε, is α; 0 if it is above α at 0."""
        from dporacle.enclosures.subsampled.search import falling_root

        def inverse(epsilon: arb, few: int) -> arb:
            at = rounding.bounds(epsilon)[0]  # of a point
            return 1 / self.against_less(epsilon=at, delta=delta, digits=few)

        at_zero = decide_at_most(
            lambda few: self.against_less(epsilon=Fraction(0), delta=delta, digits=few), alpha
        )
        if at_zero.verdict is not Verdict.HOLDS:
            return arb(0)
        near = super().supported(alpha=alpha, delta=delta, digits=_FEW)
        return falling_root(
            inverse,
            target=1 / alpha,
            start=max(float(near.mid()), _NEAR_ZERO),
            slope=_SLOPE,
            most=math.inf,
            digits=digits,
        )

    def proved_under(self) -> tuple[Hypothesis, ...]:
        """Return that all runs are independent, and attack and test were fixed before."""
        return (hypothesis("joint-counted-runs"),)


class OneRun(AuditEvidence, frozen=True, kw_only=True, tag="one-run"):
    """The guesses of an attack about canaries that are included by coins, in one run.

    Attributes:
        guesses: for how many canaries it guessed.
        correct: how many guesses were right.
        canaries: how many canaries there were, with those of which it said nothing.
        fixed_beforehand: whether attack and number of guesses were fixed before the run was seen.
        fair_coins: whether each canary was included by a fair coin of its own.
    """

    noun: ClassVar[str] = "a mechanism of which guesses about canaries of one run were counted"
    conditions: ClassVar[tuple[str, ...]] = ("fixed_beforehand", "fair_coins")

    guesses: Guesses
    correct: Guesses
    canaries: Count
    fixed_beforehand: bool
    fair_coins: bool

    def __post_init__(self) -> None:
        super().__post_init__()
        arguments.at_most("guesses", self.guesses, "correct", self.correct)
        arguments.at_most("canaries", self.canaries, "guesses", self.guesses)

    def _run(self) -> dict[str, int]:
        return {name: getattr(self, name) for name in ("guesses", "correct", "canaries")}

    def against_less(self, *, epsilon: Fraction, delta: Fraction, digits: int) -> arb:
        """Enclose the p-value of one run."""
        return enclosures.one_run_p_value(
            **self._run(), epsilon=epsilon, delta=delta, digits=digits
        )

    def supported(self, *, alpha: Fraction, delta: Fraction, digits: int) -> arb:
        """Enclose the largest ε that one run refutes."""
        return enclosures.one_run_epsilon(**self._run(), alpha=alpha, delta=delta, digits=digits)

    def proved_under(self) -> tuple[Hypothesis, ...]:
        """Return that coins included the canaries, and the attack was fixed before."""
        return (hypothesis("one-run-coins"),)


class Order(Strict, frozen=True, kw_only=True):
    """Draws of the privacy loss in one order of a pair of data sets.

    Attributes:
        heads: of how many draws L a coin of probability (1 − e^{ε−L})₊ showed heads.
        draws: how many draws there were.
    """

    heads: Count
    draws: Total

    def __post_init__(self) -> None:
        arguments.at_most("draws", self.draws, "heads", self.heads)


class MonteCarlo(AuditEvidence, frozen=True, kw_only=True, tag="monte-carlo"):
    """Draws of the privacy loss of a pair of data sets, in one order of it or in both.

    Attributes:
        orders: the draws of each; the ε is that of the assertion.
        fixed_beforehand: whether the pair and ε were fixed before the draws.
        independent_draws: whether draws and coins are independent.
    """

    noun: ClassVar[str] = "a mechanism of which losses were drawn"
    conditions: ClassVar[tuple[str, ...]] = ("fixed_beforehand", "independent_draws")

    orders: Annotated[tuple[Order, ...], msgspec.Meta(min_length=1, max_length=2)]
    fixed_beforehand: bool
    independent_draws: bool

    def share(self, alpha: Fraction) -> Fraction:
        """Return the false-alarm rate of each order of each test."""
        return alpha / (self.tried * len(self.orders))

    def against_less(self, *, epsilon: Fraction, delta: Fraction, digits: int) -> arb:
        """Enclose the least P[W ≥ heads] of an order, W ~ Bin(draws, δ)."""
        tails = [
            enclosures.binomial_tail(
                successes=each.heads, trials=each.draws, probability=delta, digits=digits
            )
            for each in self.orders
        ]
        return _extreme(tails, digits, least=True)

    def against_more(self, *, delta: Fraction, digits: int) -> arb:
        """Enclose the largest P[W ≤ heads] of an order, W ~ Bin(draws, δ)."""
        tails = [
            enclosures.binomial_tail(
                successes=each.draws - each.heads,
                trials=each.draws,
                probability=1 - delta,
                digits=digits,
            )
            for each in self.orders
        ]
        return _extreme(tails, digits, least=False)

    def most_delta(self, *, alpha: Fraction, digits: int) -> arb:
        """Enclose the largest limit of δ of an order."""
        limits = [
            enclosures.monte_carlo_delta(
                successes=each.heads, trials=each.draws, alpha=alpha, digits=digits
            )
            for each in self.orders
        ]
        return _extreme(limits, digits, least=False)

    def least_delta(self, *, alpha: Fraction, digits: int) -> arb:
        """Enclose the largest lower limit of δ of an order."""
        few = digits + 10  # 1 minus a limit that is next to it
        limits = [
            enclosures.binomial_upper(
                successes=each.draws - each.heads, trials=each.draws, alpha=alpha, digits=few
            )
            for each in self.orders
        ]
        with precision(bits_for(few) + 64):
            return 1 - _extreme(limits, few, least=True)

    def proved_under(self) -> tuple[Hypothesis, ...]:
        """Return whose losses are drawn, and how they are kept."""
        return (hypothesis("counted-draws"),)


def _extreme(values: list[arb], digits: int, *, least: bool) -> arb:
    with precision(bits_for(digits) + 64):
        found = values[0]
        for each in values[1:]:
            found = found.min(each) if least else found.max(each)
        return found
