"""The claim that every mechanism with a parameter of another notion of privacy is (ε,δ)-DP.

No such mechanism is worse than a proved conversion says, and the Gaussian mechanism with this
very parameter is one of them: a claim below the first holds, one above the second does not.
Between the two lies what is not known. For μ-GDP both are the same (X.GDP). Of every black box that
is (ε₀,δ₀)-DP, alone or among other releases, the worst is known (T-BOX).
"""

from dataclasses import replace
from fractions import Fraction
from typing import Annotated, ClassVar

import msgspec
from flint import arb

from dporacle import arguments, enclosures
from dporacle.claims import quantities
from dporacle.claims.assertions.assertion import Assertion, check_point
from dporacle.claims.decision import Decided, decide_probability
from dporacle.claims.mechanisms import Mechanism, Strict
from dporacle.claims.mechanisms.black_box import PrivacyBox
from dporacle.claims.mechanisms.composition import Composition, about_every, has_box
from dporacle.claims.quantities import almost_zero
from dporacle.claims.wording import compare, least_noise, round_decimal, span
from dporacle.enclosures import conversions
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import ball, precision, tighten
from dporacle.verdicts import Verdict
from dporacle.vocabulary.hypotheses import Hypothesis

AT_ORDER = "Rényi conversion"
PINSKER = "Pinsker"
GAUSSIAN = "Gaussian mechanism"

_DIGITS = (20, 80, 320, 1500)  # one after the other, until the sides are told apart
_SHOWN_DIGITS = 20
_SHORT_DIGITS = 6
_ORDER_BITS = 40  # of the best order: each order is a bound, and near the best it is flat
_FAR = 10**6  # e to the minus this is below all that a file can state

_NO_BOX = (
    "given must have a release of kind 'black-box'; what is claimed of these releases alone is "
    "`privacy` of the mechanism"
)
_EVERY = "every mechanism whose black boxes have these parameters"
_OPEN = (
    "the Gaussian mechanism with this parameter satisfies the claim, but no conversion that is "
    "tried here proves it for every such mechanism"
)


class Given(Strict, frozen=True, kw_only=True, tag_field="kind"):
    """What is known of a mechanism."""

    meaning: ClassVar[str]

    def mu_squared(self) -> Fraction:
        """Return the μ² of the Gaussian mechanism with exactly this parameter."""
        raise NotImplementedError

    def divergence(self, step: Fraction) -> Fraction | None:
        """Return a bound of the Rényi divergence of order 1 + step; None: there is none to use."""
        raise NotImplementedError

    def most_step(self) -> Fraction | None:
        """Return the largest step for which there is a bound; None: there is no largest."""
        return None

    def knots(self) -> list[Fraction]:
        """Return the steps for which a bound is stated; none where every step has its own."""
        most = self.most_step()
        return [] if most is None else [most]

    def best_step(self, epsilon: Fraction) -> arb:
        """Return the step, at the working precision, at which the conversion is best."""
        raise NotImplementedError

    def steps(self, epsilon: Fraction) -> list[Fraction]:
        """Return steps t = α − 1 one of which is good; every t > 0 that has a bound is allowed."""
        most = self.most_step()
        with precision(128):
            best = self.best_step(epsilon)
            if not (best.is_finite() and arb(2) ** -8000 < best < arb(2) ** 8000):
                return []
            middle = rounding.bounds(best.mid())[0]
        if most is not None and middle >= most:
            return [most]
        scale = Fraction(2) ** (
            _ORDER_BITS - middle.numerator.bit_length() + middle.denominator.bit_length()
        )
        return [int(middle * scale) / scale]


class GivenZcdp(Given, frozen=True, kw_only=True, tag="zcdp"):
    """Every mechanism that is ρ-zCDP."""

    meaning: ClassVar[str] = "every mechanism that is ρ-zCDP, Gaussian or not"

    rho: Fraction

    def __post_init__(self) -> None:
        arguments.positive("rho", self.rho)

    def mu_squared(self) -> Fraction:
        """Return 2ρ."""
        return 2 * self.rho

    def divergence(self, step: Fraction) -> Fraction:
        """Return (1 + step)·ρ."""
        return (1 + step) * self.rho

    def best_step(self, epsilon: Fraction) -> arb:
        """Return the step at which the conversion is best."""
        return conversions._best_order(ball(epsilon), ball(self.rho))


def _require_divergence(order: Fraction, epsilon: Fraction) -> None:
    arguments.positive("epsilon", epsilon)
    if order <= 1:
        raise ValueError(f"order must be above 1, got {arguments.show(order)}")


class GivenRdp(Given, frozen=True, kw_only=True, tag="rdp"):
    """Every mechanism whose Rényi divergence of an order is at most epsilon."""

    meaning: ClassVar[str] = "every mechanism with at most this Rényi divergence, Gaussian or not"

    order: Fraction
    epsilon: Fraction

    def __post_init__(self) -> None:
        _require_divergence(self.order, self.epsilon)

    def mu_squared(self) -> Fraction:
        """Return 2ε/α."""
        return 2 * self.epsilon / self.order

    def divergence(self, step: Fraction) -> Fraction:
        """Return ε, as Rényi divergences rise with the order."""
        return self.epsilon

    def most_step(self) -> Fraction:
        """Return the order minus 1."""
        return self.order - 1

    def best_step(self, epsilon: Fraction) -> arb:
        """Return the step at which the conversion is best."""
        most, gap = ball(self.order - 1), ball(self.epsilon - epsilon)
        best = 1 / gap.expm1() if self.epsilon > epsilon else most
        return best if best < most else most


class Point(Strict, frozen=True, kw_only=True):
    """A bound of the Rényi divergence of an order."""

    order: Fraction
    epsilon: Fraction

    def __post_init__(self) -> None:
        _require_divergence(self.order, self.epsilon)


class GivenRdpCurve(Given, frozen=True, kw_only=True, tag="rdp-curve"):
    """Every mechanism whose Rényi divergence is bounded at each of several orders."""

    meaning: ClassVar[str] = "every mechanism with at most these Rényi divergences, Gaussian or not"

    points: Annotated[tuple[Point, ...], msgspec.Meta(min_length=1, max_length=1000)]

    def mu_squared(self) -> Fraction:
        """Return the largest μ² of a Gaussian mechanism that meets every bound."""
        return min(2 * point.epsilon / point.order for point in self.points)

    def divergence(self, step: Fraction) -> Fraction:
        """Return the least bound of an order that is not below, as divergences rise with it."""
        return min(point.epsilon for point in self.points if point.order >= 1 + step)

    def most_step(self) -> Fraction:
        """Return the largest order minus 1."""
        return max(point.order for point in self.points) - 1

    def knots(self) -> list[Fraction]:
        """Return the orders minus 1."""
        return [point.order - 1 for point in self.points]

    def steps(self, epsilon: Fraction) -> list[Fraction]:
        """Return the best step of each point."""
        alone = (GivenRdp(order=point.order, epsilon=point.epsilon) for point in self.points)
        found = (step for given in alone for step in given.steps(epsilon))
        return sorted(set(found))


class GivenGdp(Given, frozen=True, kw_only=True, tag="gdp"):
    """Every mechanism that is μ-GDP."""

    meaning: ClassVar[str] = "every mechanism that is μ-GDP, Gaussian or not"

    mu: Fraction

    def __post_init__(self) -> None:
        arguments.positive("mu", self.mu)

    def mu_squared(self) -> Fraction:
        """Return μ²."""
        return self.mu**2

    def divergence(self, step: Fraction) -> None:
        """Return nothing: the Gaussian mechanism with this μ is the worst of them (X.GDP)."""
        return


class Conversion(Assertion, frozen=True, kw_only=True, tag="conversion"):
    """Every mechanism with a parameter of another notion of privacy is (ε,δ)-DP.

    Attributes:
        given: what is known of them; black boxes, alone or in a composition, are all that have
            these parameters.
        epsilon: ε.
        delta: δ.
    """

    needless: ClassVar[str] = "the claim is about every mechanism"

    given: GivenZcdp | GivenRdp | GivenRdpCurve | GivenGdp | PrivacyBox | Composition
    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        check_point(self.epsilon, self.delta)
        if isinstance(self.given, Mechanism) and not has_box(self.given):
            raise ValueError(_NO_BOX)

    def every(self) -> Mechanism | None:
        """Return every mechanism that is given, as one; None where a parameter is given."""
        return about_every(self.given) if isinstance(self.given, Mechanism) else None

    def notion(self) -> Given:
        """Return the parameter that is given.

        Raises:
            TypeError: if releases are.
        """
        if isinstance(self.given, Mechanism):
            raise TypeError("releases are given, not a parameter")
        return self.given

    def subject(self) -> tuple[str, Fraction]:
        """Return δ."""
        return "delta", self.delta

    def decide(self, about: Mechanism | None) -> Decided:
        """Compare δ with what is proved for all, and with what the Gaussian mechanism has."""
        if (every := self.every()) is not None:
            return every.decide_privacy(
                epsilon=self.epsilon, delta=self.delta, neighbours=every.relation()
            )
        mu_squared, given = self.notion().mu_squared(), self.notion()

        def gaussian(digits: int) -> arb:
            return quantities.delta_of(epsilon=self.epsilon, mu_squared=mu_squared, digits=digits)

        if self.is_tight() or self.delta in (0, 1):
            return decide_probability(gaussian, "delta", self.delta)
        step = best_step(self)
        for digits in _DIGITS:
            below, above = gaussian(digits), _pinsker(given, digits)
            proof, proof_at = PINSKER, None
            if step is not None:
                at_order = at_step(self, step, digits)
                if at_order < above:
                    proof, proof_at, above = AT_ORDER, 1 + step, at_order
            low, high = rounding.side(below, self.delta), rounding.side(above, self.delta)
            if low > 0:
                return self._found(Verdict.VIOLATED, below, above, digits, GAUSSIAN, None)
            if high < 0:
                return self._found(Verdict.HOLDS, below, above, digits, proof, proof_at)
            if low < 0 < high:
                return self._found(Verdict.UNDECIDED, below, above, digits, proof, proof_at, _OPEN)
        reason = f"the exact value agrees with the bound to {digits} digits"
        return self._found(Verdict.UNDECIDED, below, above, digits, proof, proof_at, reason)

    def is_tight(self) -> bool:
        """Tell whether the Gaussian mechanism is the worst of those that the claim is about."""
        return self.notion().divergence(Fraction(0)) is None

    def _found(
        self,
        verdict: Verdict,
        below: arb,
        above: arb,
        digits: int,
        proof: str,
        proof_at: Fraction | None,
        reason: str = "",
    ) -> Decided:
        return Decided(
            verdict,
            "delta",
            self.delta,
            below,
            above,
            digits,
            proof=proof,
            proof_at=proof_at,
            reason=reason,
        )

    def describe(self, about: Mechanism | None, decided: Decided) -> tuple[str, str]:
        """Return how far off δ is, the ε that is proved and the ε below which nothing would do."""
        if (every := self.every()) is not None:
            return every.describe_privacy(
                decided, epsilon=self.epsilon, delta=self.delta, neighbours=every.relation()
            )
        if decided.verdict is Verdict.VIOLATED:
            only_below = replace(decided, above=decided.below)
            margin = compare("δ of the Gaussian mechanism with this parameter", only_below)
        elif self.is_tight() or self.delta in {0, 1}:
            margin = compare("true δ", decided)
        else:
            margin = _between(decided)
        if self.delta in {0, 1}:
            return margin, ""
        least, most = (
            rounding.bounds(
                enclosures.epsilon_at_delta(
                    delta=self.delta, sigma=1, sensitivity=mu, digits=_SHOWN_DIGITS
                )
            )
            for mu in quantities.root_bounds(self.notion().mu_squared(), _SHOWN_DIGITS)
        )
        if self.is_tight():
            return margin, f"ε = {self._least(most[1], decided)} would do"
        none = f"no ε below {round_decimal(least[0], _SHORT_DIGITS, up=False)} would do"
        proved = _proved_epsilon(self)
        if proved == 0:
            return margin, "every ε would do"
        if proved is None:
            return margin, none
        return margin, f"ε = {self._least(proved, decided)} would do, {none}"

    def _least(self, epsilon: Fraction, decided: Decided) -> str:
        """Show an ε from which on it holds; none above the claimed one, if it holds for that."""
        holds_at = self.epsilon if decided.verdict is Verdict.HOLDS else None
        return least_noise(epsilon, _SHORT_DIGITS, holds_at=holds_at)

    def meaning(self) -> str:
        """Say that it is about every mechanism with the parameter."""
        return _EVERY if isinstance(self.given, Mechanism) else self.given.meaning

    def supposes(self, about: Mechanism | None) -> str:
        """Say which pair of neighbours is supposed to exist, in releases that are no black box."""
        every = self.every()
        return "" if every is None else every.supposes(every.relation())

    def hypotheses(self, about: Mechanism | None) -> tuple[Hypothesis, ...]:
        """Return those of the releases that are given."""
        every = self.every()
        return () if every is None else every.hypotheses(every.relation())

    def missing_elsewhere(self, about: Mechanism | None, decided: Decided) -> str:
        """Say that the stand-alone program has no conversions."""
        return "the checker has no conversions; if the Gaussian mechanism refutes one, claim that"


def _between(decided: Decided) -> str:
    ends = span(decided)
    shown = round_decimal(ends[1] or Fraction(1), 6, up=True)
    low = round_decimal(ends[0], 6, up=False)
    name = PINSKER if decided.proof_at is None else f"{AT_ORDER} at order "
    if decided.proof_at is not None:
        name += round_decimal(decided.proof_at, 4, up=True)
    return f"{name} proves δ = {shown}, the Gaussian mechanism has {low}"


def _divergence(given: Given, step: Fraction) -> Fraction:
    found = given.divergence(step)
    assert found is not None
    return found


def _pinsker(given: Given, digits: int) -> arb:
    """Enclose √(D/2) ≥ δ(0) ≥ δ(ε), D the divergence of order 1."""
    divergence = _divergence(given, Fraction(0))
    return tighten(lambda: (ball(divergence) / 2).sqrt(), digits)


def best_step(said: Conversion) -> Fraction | None:
    """Return the step at which the conversion is best, of those that are tried."""
    steps = said.notion().steps(said.epsilon)
    if len(steps) < 2:
        return steps[0] if steps else None
    with precision(128):
        return min(steps, key=lambda step: rounding.bounds(_log_at(said, step).mid())[0])


def at_step(said: Conversion, step: Fraction, digits: int) -> arb:
    """Enclose e^{tD − tε}·t^t/(1+t)^(1+t), D the divergence of order 1 + t (X.RDP)."""
    slope = step * (_divergence(said.notion(), step) - said.epsilon)
    if slope < -_FAR:
        return almost_zero()

    return tighten(lambda: _log_at(said, step).exp(), digits)


def _log_at(said: Conversion, step: Fraction) -> arb:
    """Enclose the logarithm of that, at the working precision."""
    slope, t = step * (_divergence(said.notion(), step) - said.epsilon), ball(step)
    return ball(slope) - t * (1 / t).log1p() - (1 + t).log()


def _proved_epsilon(said: Conversion) -> Fraction | None:
    """Return an ε that is proved at this δ for every such mechanism, close to the least one.

    None if float64 finds no order for it.
    """
    most = said.notion().most_step()

    def at(step: Fraction) -> arb:
        t = ball(step)
        rest = -ball(said.delta).log() - (1 + t).log()
        return ball(_divergence(said.notion(), step)) - (1 / t).log1p() + rest / t

    def proved(step: Fraction) -> Fraction:
        with precision(160):
            return max(rounding.bounds(at(step))[1], Fraction(0))

    if rounding.side(_pinsker(said.notion(), _SHOWN_DIGITS), said.delta) < 0:
        return Fraction(0)
    steps = [Fraction(2) ** exponent for exponent in range(-30, 60)]
    steps = [step for step in steps if most is None or step < most] + said.notion().knots()
    if not steps:
        return None
    best = min(steps, key=proved)
    for halvings in range(1, 20):  # a parabola's walk: the minimum is flat
        factor = 1 + Fraction(1, 2**halvings)
        near = [best * factor, best / factor]
        best = min([best, *(s for s in near if most is None or s <= most)], key=proved)
    return proved(best)
