"""One grade for each function: the harm that its answers do, and the words for it.

What everyday answers do to the promise weighs most, then what others do, then failures to answer,
then slight harm, then rounding, then needless noise. The grade knows no gate and no known failures:
it says what the function is, and not what somebody lets pass. Whoever says of a library what it is
(terminal, page, badge, summary, plugin, specimens) says it by this table.
"""

import enum
import math
from collections import Counter
from collections.abc import Iterable

import msgspec

from dporacle.conformance.judge.harm import of_privacy
from dporacle.conformance.judge.harm_levels import Level
from dporacle.conformance.judge.outcomes import SILENT, JudgedCase, Outcome


class Grade(enum.StrEnum):
    """What a function is, the worst first."""

    EVERYDAY = "breaks its promise in everyday use"
    EXTREMES = "breaks its promise at extremes"
    SILENT = "gives no answer"
    SLIGHT = "slightly unsafe"
    ROUNDS = "rounds"
    UNKNOWN = "not judged"
    LOOSE = "sound but loose"
    TIGHT = "sound and tight"


GRADES: dict[Grade, str] = {
    Grade.EVERYDAY: "some everyday answer leaves more than a hundredth less privacy than promised "
    "(the smaller of that in ε and in δ)",
    Grade.EXTREMES: "so does another answer, and no everyday one",
    Grade.SILENT: "some valid input gets a hang, a crash, NaN or infinity",
    Grade.SLIGHT: "some answers are unsafe, and none by more than a hundredth; by how much at most "
    "stands beside it",
    Grade.ROUNDS: "some answers are unsafe, and none by more than 1e-9",
    Grade.UNKNOWN: "nothing bad was found, and too little was asked or answered to call it sound",
    Grade.LOOSE: "no answer is unsafe; an everyday one is off by more than a hundredth, or answers "
    "differ where they should agree",
    Grade.TIGHT: "no answer is unsafe, and every everyday one is within a hundredth of the exact "
    "value",
}
"""Every grade and what it means, the worst first."""

BROKEN = (Grade.EVERYDAY, Grade.EXTREMES)
SOUND = (Grade.LOOSE, Grade.TIGHT)
GOOD = (Grade.ROUNDS, *SOUND)
"""The grades of a function that is conformant."""

_SAID = {  # of one function, and of several
    (Grade.EVERYDAY, True): (str(Grade.EVERYDAY), "break their promise in everyday use"),
    (Grade.EVERYDAY, False): ("is wrong in everyday use", "are wrong in everyday use"),
    (Grade.EXTREMES, True): (str(Grade.EXTREMES), "break their promise at extremes"),
    (Grade.EXTREMES, False): ("is wrong at extremes", "are wrong at extremes"),
    (Grade.SILENT, True): (str(Grade.SILENT), "give no answer"),
    (Grade.SLIGHT, True): (str(Grade.SLIGHT), str(Grade.SLIGHT)),
    (Grade.SLIGHT, False): ("slightly wrong", "slightly wrong"),
    (Grade.ROUNDS, True): (str(Grade.ROUNDS), "round"),
}


class Graded(msgspec.Struct, frozen=True):
    """A grade with what it is about.

    Attributes:
        grade: the grade.
        privacy: whether the quantity promises privacy; a wrong error bound breaks no such promise.
        size: the largest harm of the answers that it speaks of, as a share of the promise; None
            where there is none, where it has no bound, or where it is not known.
        everyday: whether such an answer is an everyday one.
    """

    grade: Grade
    privacy: bool = True
    size: float | None = None
    everyday: bool = False

    @property
    def heading(self) -> str:
        """The grade in the words for such a quantity, without its size."""
        return so_many(self.grade, 1, privacy=self.privacy).removeprefix("1 ")

    @property
    def text(self) -> str:
        """The grade in words, with its size where it carries one."""
        if self.grade is Grade.SLIGHT and self.size is not None:
            return f"{self.heading}: by up to {brief(self.size)} {self._where}"
        if self.grade in BROKEN and not self.privacy and self.size is not None:
            return f"wrong by {share_text(self.size)} {self._where}"
        return self.heading

    @property
    def _where(self) -> str:
        return "in everyday use" if self.everyday else "at extremes"


def brief(share: float) -> str:
    """Return a number with two digits; a small or a large one by its power of ten."""
    if share == 0 or not math.isfinite(share):
        return f"{share:g}"
    digits, _, exponent = f"{share:.1e}".partition("e")
    if _PLAIN[0] <= share < _PLAIN[1]:
        return f"{float(f'{share:.1e}'):g}"
    return f"{digits.removesuffix('.0')}e{int(exponent)}"


def share_text(share: float) -> str:
    """Say by how much one figure is above another: in percent, from tenfold on in times."""
    if not share < math.inf:
        return "infinitely much"
    return f"{brief(100 * share)} %" if share < _TENFOLD else f"{brief(1 + share)} times"


_TENFOLD = 9.0  # as a share more
_PLAIN = 0.01, 1e5  # between which a number is written out


def tallied(grades: Iterable[Graded]) -> list[tuple[Grade, str]]:
    """Return each grade that some function has, and in words how many have it, the worst first."""
    found = Counter((each.grade, each.heading) for each in grades)
    kinds = {
        (grade, Graded(grade, privacy=privacy).heading): privacy
        for grade in GRADES
        for privacy in (False, True)
    }
    order = sorted(kinds.items(), key=lambda kind: ([*GRADES].index(kind[0][0]), not kind[1]))
    return [
        (kind[0], so_many(kind[0], found[kind], privacy=privacy))
        for kind, privacy in order
        if found[kind]
    ]


def counted(grades: Iterable[Graded]) -> str:
    """Return in words how many functions have which grade, the worst first."""
    return ", ".join(words for _, words in tallied(grades))


def so_many(grade: Grade, number: int, *, privacy: bool = True) -> str:
    """Return in words that so many functions have a grade."""
    said = _SAID.get((grade, privacy)) or _SAID.get((grade, True)) or (str(grade), str(grade))
    return f"{number} {said[number > 1]}"


def breaks(judged: JudgedCase) -> bool:
    """Whether an answer breaks its promise: by more than a hundredth of it."""
    return judged.unsafe and judged.level is not None and judged.level.rank >= _MUCH


_MUCH = Level.NOTICEABLE.rank


def graded(judged: Iterable[JudgedCase], quantity: str, *, enough: bool) -> Graded:
    """Return the grade of a function.

    Args:
        judged: all its answers.
        quantity: what it answers.
        enough: whether as much was asked and answered as a sound function has to answer.
    """
    answers = list(judged)
    grade = _grade(answers, enough=enough)
    shown = [each for each in answers if each.unsafe and shown_by(grade, each)]
    usual = [each for each in shown if each.everyday]
    size = max((each.worst_harm for each in usual or shown), default=math.inf)
    return Graded(
        grade,
        privacy=of_privacy(quantity),
        size=size if math.isfinite(size) else None,
        everyday=bool(usual),
    )


def _grade(answers: list[JudgedCase], *, enough: bool) -> Grade:
    broken = [each for each in answers if breaks(each)]
    if broken:
        return Grade.EVERYDAY if any(v.everyday for v in broken) else Grade.EXTREMES
    if any(each.outcome in SILENT for each in answers):
        return Grade.SILENT
    unsafe = {each.level for each in answers if each.unsafe}
    if unsafe:
        return Grade.SLIGHT if unsafe - {Level.LAST_DIGITS} else Grade.ROUNDS
    if not enough:
        return Grade.UNKNOWN
    return Grade.LOOSE if any(map(_loose, answers)) else Grade.TIGHT


def _loose(judged: JudgedCase) -> bool:
    differs = judged.outcome is Outcome.INCONSISTENT and judged.answer is not None
    return differs or (judged.outcome is Outcome.LOOSE and judged.everyday)


def shown_by(grade: Grade, judged: JudgedCase) -> bool:
    """Whether an answer is one for which a function has this grade, if it is a bad one."""
    if grade in BROKEN:
        return breaks(judged) and (grade is Grade.EXTREMES or judged.everyday)
    if grade is Grade.SILENT:
        return judged.outcome in SILENT
    if grade is Grade.SLIGHT:
        return judged.unsafe and judged.level is not Level.LAST_DIGITS
    return grade is Grade.ROUNDS and judged.unsafe


def remarks(judged: Iterable[JudgedCase], grade: Grade) -> tuple[str, ...]:
    """Return what is to be known of a function beside its grade, with counts.

    An invalid input that gets a number, and answers that do not fit each other, harm nobody by
    themselves; that everyday inputs are refused is counted by `coverage.refused`.
    """
    answers = list(judged)
    counts = Counter(each.outcome for each in answers)
    found = []
    if number := counts[Outcome.ACCEPTS_INVALID]:
        of = number + sum(v.outcome is Outcome.REFUSES_INVALID and v.truth is None for v in answers)
        found.append(f"{number} of {of} invalid inputs get a number")
    if number := counts[Outcome.INCONSISTENT]:
        found.append(f"{number} answers do not fit others" if number > 1 else _ONE_DIFFERS)
    unsafe = [each for each in answers if each.unsafe]
    if grade is Grade.ROUNDS and all(map(_nearest, unsafe)):
        found.append("to nearest")
    return tuple(found)


_ONE_DIFFERS = "1 answer does not fit others"
_HALF_ULP = 0.5


def _nearest(judged: JudgedCase) -> bool:
    near = judged.ulp is not None and abs(judged.ulp) <= _HALF_ULP
    return judged.outcome is Outcome.ROUNDED and near
