"""The one answer of a function that shows its grade, with the simplest input, and in one line."""

import itertools
import math
from collections.abc import Iterable
from decimal import Decimal

from dporacle.conformance.grade.grades import BROKEN, Grade, share_text, shown_by
from dporacle.conformance.judge.harm_levels import LEVELS, Level
from dporacle.conformance.judge.outcomes import JudgedCase, Outcome
from dporacle.conformance.quantities import QUANTITIES
from dporacle.vocabulary import ARGUMENTS

_SYMBOLS = {
    "delta": "δ",
    "epsilon": "ε",
    "alpha": "α",
    "divergence": "Rényi divergence",
    "trade-off": "error of type II",
}
_PLAIN = 6  # powers of ten in which a number is written without an exponent
_CUT = 10  # characters of a number on a short line
_LEAST_INPUTS = 2  # that are named on it
_MESSAGE = 60  # characters of an error, which stand on one line with its input
_FULL = 0.9  # of the longest time that a hang was waited for
_AS_MUCH = 2.0  # times less harm than the most, which shows it as well
_SIZE = 8  # powers of ten that make an input as little simple as one more digit does


def simplest(judged: Iterable[JudgedCase], grade: Grade) -> JudgedCase | None:
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
    if grade is Grade.SLIGHT and found:  # one of those that make the grade's size
        found = [v for v in found if v.everyday] or found
        size = max(each.worst_harm for each in found)
        found = [each for each in found if each.worst_harm * _AS_MUCH >= size]
    return min(found, key=_plainness, default=None)


def worst(judged: Iterable[JudgedCase]) -> JudgedCase | None:
    """Return the answer that harms most, with the simplest input; None if none harms."""
    found = [each for each in judged if each.level in LEVELS]
    most = max((_rank(each.level) for each in found), default=0)
    return min((v for v in found if _rank(v.level) == most), key=_plainness, default=None)


def _rank(level: str | None) -> int:
    return Level(level).rank if level in LEVELS else len(LEVELS)


def _plainness(judged: JudgedCase) -> tuple[bool, bool, float, str]:
    invalid = judged.outcome == Outcome.ACCEPTS_INVALID
    row = QUANTITIES.get(judged.case.partition("/")[0])
    numbers = [
        shortest(text)
        for name, text in judged.arguments.items()
        if row is None or row.defaults.get(name) != _float(text)
    ]
    return invalid, not judged.everyday, sum(map(_digits, numbers)), judged.case


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
    plain = abs(Decimal(shown).adjusted()) < _PLAIN
    return f"{Decimal(shown):f}" if plain else shown


def symbol(promise: str) -> str:
    """Return what is promised as the field writes it: of a quantity the kind of its answer."""
    row = QUANTITIES.get(promise)
    if row is not None and row.name.endswith("rho"):
        return "ρ"
    name = row.kind.name if row else promise
    return _SYMBOLS.get(name, name)


def compared(promise: str, excess: float) -> str:
    """Say by how much the true figure is above the promised one, or the other way round."""
    first, second = _larger(promise)
    return f"the {first} {symbol(promise)} is {above(excess)} the {second} one"


def above(excess: float) -> str:
    """Say by how much a figure exceeds another one: in percent, and from tenfold on in times."""
    if excess <= 0:  # or by less than a float of the quotient shows
        return "not above"
    words = share_text(excess)
    return words if words.endswith("times") else f"{words} above"


def _larger(promise: str) -> tuple[str, str]:
    """Return which figure is the larger where a promise is broken, and which the smaller.

    An error of type II is promised to be large: a broken promise is above the true one.
    """
    row = QUANTITIES.get(promise)
    return ("promised", "true") if row and row.safe == "down" else ("true", "promised")


def harm_text(judged: JudgedCase) -> str:
    """Return what an unsafe answer does to its promise."""
    if judged.ratio is None or not judged.promise:
        return "on the unsafe side"
    return compared(judged.promise, judged.ratio - 1)


def told(judged: JudgedCase) -> str:
    """Return a finding on one line: the input, the answer, the exact value, what follows."""
    answered, harm = _answered(judged)
    return f"{inputs_text(judged)}: {answered}{': ' * bool(harm)}{harm}"


def fitted(judged: JudgedCase, room: int) -> str:
    """Return a finding in so many characters: with symbols, then with less and less of it."""
    answered, harm = _answered(judged)
    harms = [harm]
    if judged.promise and judged.ratio is not None and harm.startswith("the "):
        first, second = _larger(judged.promise)
        far = above(judged.ratio - 1)
        harms += [f"{first} {symbol(judged.promise)} {far} the {second} one"]
        harms += [f"{first} {symbol(judged.promise)} {far}", ""]
    pairs = _pairs(judged)
    named = [_letter(name) for name, _ in pairs]
    letters = [
        (letter if named.count(letter) == 1 else name, text)
        for (name, text), letter in zip(pairs, named, strict=True)
    ]
    short = [(name, _cut(text)) for name, text in letters]
    few = _joined(short[:_LEAST_INPUTS]) + ", …" * (len(short) > _LEAST_INPUTS)
    answers = [answered, answered.removeprefix("answers ")]
    starts = [_joined(pairs), _joined(letters), _joined(short), few]
    for words, inputs, said in itertools.product(harms, starts, answers):
        line = f"{inputs}: {said}{': ' * bool(words)}{words}"
        if len(line) <= room:
            return line
    return f"{line[: max(1, room - 1)]}…"


def inputs_text(judged: JudgedCase) -> str:
    """Return the input on one line, without what is left out as people call it."""
    return _joined(_pairs(judged))


def _joined(pairs: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{name}={text}" for name, text in pairs)


def _pairs(judged: JudgedCase) -> list[tuple[str, str]]:
    row = QUANTITIES.get(judged.case.partition("/")[0])
    return [
        (name, shortest(text))
        for name, text in judged.arguments.items()
        if row is None or row.defaults.get(name) != _float(text)
    ]


def _letter(name: str) -> str:
    """Return the Greek letter that an argument is called by, if it has one."""
    row = ARGUMENTS.get(name)
    letter = row.meaning.replace(":", " ").split()[0] if row else ""
    return name if letter.isascii() else letter


def _cut(text: str) -> str:
    return text if len(text) <= _CUT else f"{_float_of(text):.5g}…"


def _float_of(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _answered(judged: JudgedCase) -> tuple[str, str]:
    """Return what came back beside the exact value, and what that does to the promise."""
    if judged.outcome in (Outcome.HANG, Outcome.CRASH):
        said = " ".join(judged.message.split())
        short = said if len(said) <= _MESSAGE else f"{said[: _MESSAGE - 1]}…"
        return "no answer in time" if judged.outcome == Outcome.HANG else "crash", short
    answer = judged.answer or ""
    if judged.outcome == Outcome.ACCEPTS_INVALID:
        return f"answers {shortest(answer)} outside the domain", ""
    if judged.truth is None or judged.outcome in (Outcome.NON_FINITE, Outcome.INCONSISTENT):
        exact = f", exact {number_text(judged.truth, '0')}" if judged.truth else ""
        said = judged.message if judged.outcome == Outcome.INCONSISTENT else ""
        return f"answers {shortest(answer) or 'nothing'}{exact}", said
    truth = judged.truth
    both = f"answers {number_text(answer, truth)}, exact {number_text(truth, shortest(answer))}"
    if judged.level == Level.LAST_DIGITS and judged.ulp is not None and abs(judged.ulp) < 1000:
        return both, f"{abs(judged.ulp):.2g} ulp to the wrong side"
    return both, harm_text(judged)
