"""The one answer of a function that shows its grade, with the simplest input, and in one line."""

import math
from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from typing import Protocol, TypeVar

from dporacle.conformance.ask.fresh import worked
from dporacle.conformance.grade.grades import BROKEN, Grade, shown_by
from dporacle.conformance.judge.harm_levels import LEVELS, Level
from dporacle.conformance.judge.outcomes import Outcome
from dporacle.conformance.quantities import QUANTITIES

_SYMBOLS = {"delta": "δ", "epsilon": "ε", "alpha": "α"}
_MESSAGE = 60
_FULL = 0.9  # of the longest time that a hang was waited for
_SIZE = 8  # powers of ten that make an input as little simple as one more digit does


class Judged(Protocol):
    """A judged answer, of a run or of the document of one."""

    @property
    def case(self) -> str:
        """Its id."""

    @property
    def outcome(self) -> str:
        """Its class."""

    @property
    def level(self) -> str | None:
        """Its harm."""

    @property
    def flags(self) -> Collection[str]:
        """Why the case exists."""

    @property
    def arguments(self) -> Mapping[str, str]:
        """The input, as hexadecimal floats."""

    @property
    def answer(self) -> str | None:
        """What was answered."""

    @property
    def truth(self) -> str | None:
        """The exact value."""

    @property
    def ulp(self) -> float | None:
        """How far off, in units in the last place."""

    @property
    def promise(self) -> str:
        """What was promised with the answer."""

    @property
    def ratio(self) -> float | None:
        """The true figure over the promised one."""

    @property
    def message(self) -> str:
        """What was said instead of an answer."""

    @property
    def seconds(self) -> float:
        """How long the answer took, or was waited for."""


_J = TypeVar("_J", bound=Judged)


def simplest(judged: Iterable[_J], grade: Grade) -> _J | None:
    """Return the answer that shows a grade: of those that harm most the simplest input.

    Of failures those to valid everyday inputs come first, and of hangs only those that were waited
    for in full. None where the grade is a good one.
    """
    found = [each for each in judged if shown_by(grade, each)]
    waited = _FULL * max((v.seconds for v in found if v.outcome == Outcome.HANG), default=0.0)
    found = [v for v in found if v.outcome != Outcome.HANG or v.seconds >= waited]
    if grade in BROKEN and found:
        most = max(_rank(each.level) for each in found)
        found = [each for each in found if _rank(each.level) == most]
    return min(found, key=_plainness, default=None)


def worst(judged: Iterable[_J]) -> _J | None:
    """Return the answer that harms most, with the simplest input; None if none harms."""
    found = [each for each in judged if each.level in LEVELS]
    most = max((_rank(each.level) for each in found), default=0)
    return min((v for v in found if _rank(v.level) == most), key=_plainness, default=None)


def _rank(level: str | None) -> int:
    return Level(level).rank if level in LEVELS else len(LEVELS)


def _plainness(judged: Judged) -> tuple[bool, bool, float, str]:
    invalid = judged.outcome == Outcome.ACCEPTS_INVALID
    row = QUANTITIES.get(judged.case.partition("/")[0])
    numbers = [
        shortest(text)
        for name, text in judged.arguments.items()
        if row is None or row.defaults.get(name) != _float(text)
    ]
    return invalid, not worked(judged.flags), sum(map(_digits, numbers)), judged.case


def _float(text: str) -> float:
    try:
        return float.fromhex(text)
    except (ValueError, OverflowError):
        return math.nan


def _digits(text: str) -> float:
    """Return how much there is to read in a number."""
    try:
        number = Decimal(text)
    except ArithmeticError:
        return 0.0
    if not number.is_finite() or not number:
        return 0.0
    number = number.normalize()
    return len(number.as_tuple().digits) + abs(number.adjusted()) / _SIZE


def shortest(text: str) -> str:
    """Return a hexadecimal float in decimal; anything else stays."""
    try:
        found = repr(float.fromhex(text)) if text.lstrip("-").startswith("0x") else text
    except (ValueError, OverflowError):
        return text
    return found.removesuffix(".0") if len(found) <= 18 else found


def inputs_text(judged: Judged) -> str:
    """Return the input on one line, without what is left out as people call it."""
    row = QUANTITIES.get(judged.case.partition("/")[0])
    return ", ".join(
        f"{name}={shortest(text)}"
        for name, text in judged.arguments.items()
        if row is None or row.defaults.get(name) != _float(text)
    )


def number_text(text: str, other: str, least: int = 4) -> str:
    """Return a number with as many digits as tell it from another."""
    try:
        number, against = (Decimal(shortest(each)) for each in (text, other))
    except ArithmeticError:
        return text
    if not number.is_finite() or not against.is_finite():
        return str(number)
    for digits in range(least, 26):
        shown = f"{number:.{digits}g}"
        if shown != f"{against:.{digits}g}" or Decimal(shown) == number:
            break
    return shown


def symbol(promise: str) -> str:
    """Return what is promised as the field writes it."""
    return _SYMBOLS.get(promise, promise.replace("_", " "))


def compared(promise: str, times: str) -> str:
    """Say how many times the true figure is the promised one, or the other way round.

    An error of type II is promised to be large: a broken promise is above the true one.
    """
    row = QUANTITIES.get(promise)
    first, second = ("promised", "true") if row and row.safe == "down" else ("true", "promised")
    return f"the {first} {symbol(promise)} is {times} the {second} one"


def harm_text(judged: Judged) -> str:
    """Return what an unsafe answer does to its promise."""
    if judged.ratio is None or not judged.promise:
        return "on the unsafe side"
    return compared(judged.promise, times(judged.ratio - 1))


def times(excess: float) -> str:
    """Say how many times a figure is another one, of which it exceeds it by so much."""
    if not math.isfinite(excess):
        return "infinitely many times"
    if excess == 0:  # less than a float of the quotient shows
        return "hardly above"
    return f"1 + {excess:.2g} times" if 0 < excess < 1e-3 else f"{1 + excess:.4g} times"


def told(judged: Judged) -> str:
    """Return a finding on one line: the input, the answer, the exact value, what follows."""
    inputs = inputs_text(judged)
    if judged.outcome in (Outcome.HANG, Outcome.CRASH):
        said = " ".join(judged.message.split())
        short = said if len(said) <= _MESSAGE else f"{said[: _MESSAGE - 1]}…"
        words = "no answer in time" if judged.outcome == Outcome.HANG else "crash"
        return f"{inputs}: {words}{': ' + short if short else ''}"
    answer = judged.answer or ""
    if judged.outcome == Outcome.ACCEPTS_INVALID:
        return f"{inputs}: answers {shortest(answer)} outside the domain"
    if judged.truth is None or judged.outcome in (Outcome.NON_FINITE, Outcome.INCONSISTENT):
        exact = f", exact {number_text(judged.truth, '0')}" if judged.truth else ""
        said = f": {judged.message}" if judged.outcome == Outcome.INCONSISTENT else ""
        return f"{inputs}: answers {shortest(answer) or 'nothing'}{exact}{said}"
    truth = judged.truth
    both = f"{number_text(answer, truth)}, exact {number_text(truth, shortest(answer))}"
    if judged.level == Level.LAST_DIGITS and judged.ulp is not None and abs(judged.ulp) < 1000:
        return f"{inputs}: answers {both}: {abs(judged.ulp):.2g} ulp to the wrong side"
    return f"{inputs}: answers {both}: {harm_text(judged)}"
