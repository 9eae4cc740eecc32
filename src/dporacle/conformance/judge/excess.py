"""What a safe answer gives away: the noise, and the uses, that its promise would bear besides.

An ε or a δ that is too large, or noise beyond what is needed, harms nobody's privacy and costs
accuracy. How much is told in the terms of who pays for it: with how much less noise, or how many
more times, the mechanism could be used under the very promise that was made. The float64 witness
answers, which errs on the private side, so that no more is said to be given away than is.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from dporacle.conformance import protocol
from dporacle.conformance.judge.outcomes import JudgedCase, Outcome
from dporacle.conformance.quantities import QUANTITIES, Quantity
from dporacle.vocabulary.kinds import DELTA, EPSILON, NOISE_NEEDED
from dporacle.vocabulary.questions import quantity_of

_MOST = 1024.0  # times as many uses, beyond which no more is sought
_FAR = 100.0  # times the noise, beyond which 1 − 1/x is 99 % or more
_FINE = 1e-3  # of the uses that are kept, up to which they are sought


class Looseness(msgspec.Struct, frozen=True):
    """What one answer gives away.

    Attributes:
        case: the case's id.
        excess: (answer − exact)/exact.
        noise: how many times the noise that the promise needs; None where it is not known.
        uses: how many times as often as it was used the mechanism could be; None where nothing
            counts that. 1024 stands for that or more.
    """

    case: str
    excess: float
    noise: float | None
    uses: float | None

    @property
    def text(self) -> str:
        """Both in words."""
        words = []
        if self.noise is not None:
            less = f"{100 * (1 - 1 / self.noise):.2g} % less noise"
            # Where two digits of a share say nothing any more.
            words.append(less if self.noise < _FAR else f"noise {self.noise:.3g} times smaller")
        if self.uses is not None:
            more = "or more " if self.uses >= _MOST else ""
            words.append(f"{self.uses:.3g} {more}times as many uses")
        return ", or ".join(words)


def of_the_loosest(judged: Iterable[JudgedCase]) -> Looseness | None:
    """Return what the loosest safe answer to an everyday input gives away, if worth telling."""
    found = [
        each
        for each in judged
        if each.outcome is Outcome.LOOSE and each.everyday and 0 < (each.excess or 0.0) < math.inf
    ]
    if not found:
        return None
    loosest = max(found, key=lambda each: each.excess or 0.0)
    told = looseness(loosest)
    return None if told.noise is None and told.uses is None else told


def looseness(judged: JudgedCase) -> Looseness:
    """Return what a safe answer gives away."""
    row = QUANTITIES[judged.quantity]
    given: dict[str, Any] = {
        name: int(float.fromhex(value)) if name in row.counts else float.fromhex(value)
        for name, value in judged.arguments.items()
    }
    given = row.defaults | given
    own = {DELTA.name: "delta", EPSILON.name: "epsilon", NOISE_NEEDED.name: row.mechanism.parameter}
    if row.kind.name in own and judged.answer is not None:
        # It is one of what was promised, or the noise with which it was.
        given[own[row.kind.name]] = float(protocol.read_number(judged.answer))
    return Looseness(
        case=judged.case,
        excess=judged.excess or 0.0,
        noise=_asked(_noise, row, given),
        uses=_asked(_uses, row, given),
    )


def _asked(
    ask: Callable[[Quantity, dict[str, Any]], float | None], row: Quantity, given: dict[str, Any]
) -> float | None:
    """Return what the float64 witness says, if it covers the input."""
    try:
        found = ask(row, given)
    except (ValueError, TypeError, ArithmeticError):
        return None
    return found if found is not None and 1 <= found < math.inf else None


def _noise(row: Quantity, given: dict[str, Any]) -> float | None:
    needed = quantity_of(row.mechanism, NOISE_NEEDED)
    noise = row.mechanism.parameter
    if needed is None or not {*needed.arguments, noise} <= given.keys():
        return None
    return float(given[noise] / _answer(needed, given))


def _uses(row: Quantity, given: dict[str, Any]) -> float | None:
    """Return the largest number of uses that keeps the promise, over the one that was asked."""
    measure = quantity_of(row.mechanism, DELTA)
    if measure is None or not {*measure.arguments, "delta"} <= given.keys():
        return None
    counted = [name for name in measure.arguments if measure.rows[name].uses]
    if len(counted) != 1:
        return None
    (name,) = counted
    asked = given[name]

    def kept(times: int) -> bool:
        try:
            return bool(_answer(measure, {**given, name: times}) <= given["delta"])
        except ValueError:  # beyond what the witness covers
            return False

    if _answer(measure, given) > given["delta"]:  # loose by less than the witness's own error
        return 1.0
    low, high = asked, 2 * asked
    while kept(high):
        low, high = high, 2 * high
        if low >= _MOST * asked:
            return _MOST
    while high - low > max(1, _FINE * low):
        middle = (low + high) // 2
        low, high = (middle, high) if kept(middle) else (low, middle)
    return float(low / asked)


def _answer(row: Quantity, given: dict[str, Any]) -> float:
    from dporacle import fast

    return float(row.of(fast)(**{name: given[name] for name in row.arguments}))
