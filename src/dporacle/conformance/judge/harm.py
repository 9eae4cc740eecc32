"""What an unsafe answer does to the promise that was made with it, proved by balls.

An answer is put back where it will be used: a σ gives a δ at the requested ε, an ε gives a δ, an
error bound is exceeded with a probability. The true figure over the promised one is the measure of
harm, the same for every quantity, and its classes say what a maintainer should mend first.

Of a promise of ε and δ the smaller of two harms counts: in δ at the promised ε, and in ε at the
promised δ. As δ → 0 the δ at a fixed ε is ill-conditioned: noise that is low by the last digit
multiplies it, and an ε that is larger by as little makes up for it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dporacle.conformance.judge import compare
from dporacle.conformance.judge.harm_levels import Level
from dporacle.conformance.quantities import JUDGED, QUANTITIES, Quantity, enclose
from dporacle.vocabulary import partner
from dporacle.vocabulary.kinds import (
    DELTA,
    EPSILON,
    ERROR_BOUND,
    KINDS,
    NOISE_ALLOWED,
    NOISE_NEEDED,
    PROBABILITY,
)

_LAST_DIGITS, _SLIGHT, _NOTICEABLE = Fraction(1, 10**9), Fraction(1, 100), Fraction(1)

_ACCURACY = (ERROR_BOUND, PROBABILITY, NOISE_ALLOWED, KINDS["risk"])
"""Kinds of answers that promise no privacy: an error, and noise that keeps to one."""

_PROBABILITIES = frozenset(kind.promise for kind in KINDS.values() if kind.promise)
_DIGITS = 25  # more than a float64 has: an answer is on one side of it
_DEEP = Fraction(1, 10**60)  # of smaller δ, the ε takes balls seconds


@dataclass(frozen=True)
class Consequence:
    """What an answer does.

    Attributes:
        promise: what was promised: an argument's name, or the quantity that was answered.
        promised: the figure that was promised.
        true: the figure that is true, as a ball or as an exact number.
        excess: (true − promised)/promised; infinite where nothing was left to promise.
        least: a bound on the harm in ε, where that is smaller and was not enclosed.
        larger: the harm in δ, where that in ε is told since it is smaller.
    """

    promise: str
    promised: Fraction
    true: Any
    excess: Fraction | float
    least: Fraction | float = math.inf
    larger: Consequence | None = None

    @property
    def harm(self) -> float:
        """How much more is true than was promised, as a share: in ε or in δ, where it is less.

        Where the harm in ε was bounded and not enclosed, the bound.
        """
        return _float(max(min(self.excess, self.least), Fraction(0)))

    @property
    def level(self) -> Level:
        """The class of harm; meant for answers on the unsafe side."""
        excess = min(self.excess, self.least)
        if excess <= _LAST_DIGITS:
            return Level.LAST_DIGITS
        if excess <= _SLIGHT:
            return Level.SLIGHT
        if excess <= _NOTICEABLE:
            return Level.NOTICEABLE
        if self.larger is not None:
            return self.larger.level
        row = JUDGED.get(self.promise)  # the answer itself, unless an argument was promised
        probability = row.kind is DELTA if row else self.promise in _PROBABILITIES
        half = probability and _middle(self.true) >= Fraction(1, 2)
        return Level.NO_PRIVACY if half else Level.GRAVE

    @property
    def ratio(self) -> float:
        """The true figure over the promised one."""
        return 1 + self.excess_float

    @property
    def excess_float(self) -> float:
        """The excess in float64."""
        return _float(self.excess)

    @property
    def text(self) -> str:
        """The true figure in decimal."""
        if isinstance(self.true, (int, Fraction)):
            return f"{_float(Fraction(self.true)):.17g}" if self.true != 1 else "1"
        return compare.show(self.true, _DIGITS)


def consequence(
    quantity: str, arguments: Mapping[str, float], value: Fraction, truth: Any
) -> Consequence:
    """Return what an answered number does.

    Args:
        quantity: what was asked.
        arguments: the input.
        value: the answer.
        truth: the ball of the exact answer.
    """
    row = JUDGED[quantity]
    if row.ends:  # the end that it is beyond is proved, and no δ or ε that belongs to it
        return _by_itself(quantity, value, compare.nearest_end(truth, value))
    if quantity not in QUANTITIES:
        # A formula of its own, whose noise may be more than the promise needs: it is what is asked.
        return _by_itself(quantity, value, _middle(truth))
    found = _at_the_epsilon(row, arguments, value, truth)
    if found.excess <= _LAST_DIGITS or row.kind not in (NOISE_NEEDED, DELTA, EPSILON):
        return found
    return _or_at_the_delta(row, arguments, value, truth, found)


def _at_the_epsilon(
    row: Quantity, arguments: Mapping[str, float], value: Fraction, truth: Any
) -> Consequence:
    """Return what an answer does to what was promised with it, all else as it was asked."""
    promise = row.kind.promise
    measure = partner(row, KINDS[row.kind.told_by]) if promise in arguments else None
    if measure is not None:
        found = _put_to_use(row, measure, promise, arguments, value)
        if found is not None:
            return found
    return _by_itself(row.name, value, _middle(truth))


def _or_at_the_delta(
    row: Quantity, arguments: Mapping[str, float], value: Fraction, truth: Any, found: Consequence
) -> Consequence:
    """Return the harm in ε at the promised δ, if that is smaller than the one that was found."""
    if row.kind is EPSILON:
        other = _by_itself(row.name, value, _middle(truth))
        return replace(other, larger=found) if other.excess < found.excess else found
    given: dict[str, Any] = dict(arguments)
    given["delta" if row.kind is DELTA else row.mechanism.parameter] = value
    epsilon, delta = arguments.get("epsilon"), given.get("delta")
    if not epsilon or not delta or value <= (0 if row.kind is DELTA else row.mechanism.least):
        return found
    promised = Fraction(epsilon)
    if row.kind is DELTA and value < _DEEP:
        try:
            at_twice = enclose(row, {**arguments, "epsilon": 2 * promised}, digits=_DIGITS)
        except (ValueError, ArithmeticError):
            return found
        if compare.side(at_twice, value) < 0:  # the harm in ε is of the last class too
            return found
    if (inverse := partner(row, EPSILON)) is not None and {*inverse.arguments} <= {*given}:
        try:
            true = enclose(inverse, {n: given[n] for n in inverse.arguments}, digits=_DIGITS)
        except (ValueError, ArithmeticError):
            return found
        excess = _middle(true) / promised - 1
        if excess < found.excess:
            return Consequence("epsilon", promised, true, max(excess, Fraction(0)), larger=found)
        return found
    measure = partner(row, DELTA)
    if measure is None or not {*measure.arguments} <= {*given}:
        return found
    for most in (_LAST_DIGITS, _SLIGHT, _NOTICEABLE):
        if most >= found.excess:
            break
        given["epsilon"] = promised * (1 + most)
        try:
            true = enclose(measure, {n: given[n] for n in measure.arguments}, digits=_DIGITS)
        except (ValueError, ArithmeticError):
            break
        if compare.side(true, Fraction(delta)) > 0:
            return replace(found, least=most)
    return found


def _put_to_use(
    row: Quantity, measure: Quantity, promise: str, arguments: Mapping[str, float], value: Fraction
) -> Consequence | None:
    promised = Fraction(arguments[promise])
    answered = set(measure.arguments) - set(arguments)
    if len(answered) != 1:  # it speaks of the noise in other words: μ for ρ
        return None
    (name,) = answered
    if row.kind is NOISE_NEEDED and value <= row.mechanism.least:  # no noise
        excess = 1 / promised - 1 if promised else math.inf
        return Consequence(promise, promised, 1, excess)
    if not promised:  # pure privacy, which any error breaks: the answer itself says how far
        return None
    # Two data sets that change places give δ(−ε) = 1 − e^−ε(1 − δ(ε)).
    mirrored = row.kind is EPSILON and row.mechanism.mutual and value < 0
    given: dict[str, Any] = {each: arguments.get(each) for each in measure.arguments}
    given[name] = -value if mirrored else value
    try:
        true = enclose(measure, given, digits=_DIGITS)
        if mirrored:
            true = compare.mirrored(true, value)
    except (ValueError, ArithmeticError):
        return None  # the answer is no argument: negative, or beyond all sizes
    return Consequence(promise, promised, true, _middle(true) / promised - 1)


def _by_itself(quantity: str, value: Fraction, truth: Fraction) -> Consequence:
    """Return the consequence of an answer that is itself what is promised."""
    small, large = (value, truth) if JUDGED[quantity].safe == "up" else (truth, value)
    excess = large / small - 1 if small > 0 else math.inf if large > small else Fraction(0)
    return Consequence(quantity, value, truth, excess)


def of_privacy(quantity: str) -> bool:
    """Whether answers about a quantity promise privacy; one that is not known may do so."""
    row = JUDGED.get(quantity)
    return row is None or row.kind not in _ACCURACY


def level_of(outcome: str, harm: Level | None) -> Level | None:
    """Return the level of an outcome that is not conformant; None for any other.

    Args:
        outcome: the class.
        harm: the proved level, for an answer on the unsafe side.
    """
    if outcome == "violating":
        return harm or Level.NO_PRIVACY
    own = {"rounded": Level.LAST_DIGITS, "accepts invalid": Level.INVALID}
    if outcome in own:
        return own[outcome]
    return Level.NO_ANSWER if outcome in ("hang", "crash", "non-finite") else None


def _middle(ball: Any) -> Fraction:
    return Fraction(ball) if isinstance(ball, (int, Fraction)) else compare.middle(ball)


def _float(value: Fraction | float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
