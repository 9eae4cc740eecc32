"""One grade for each function, from what is proved of its answers: what is to be mended first.

What everyday answers do to the promise weighs most, then what others do, then failures to answer,
then rounding, then needless noise. The grade knows no gate and no known failures: it says what
the function is, and not what somebody lets pass.
"""

import enum
from collections import Counter
from collections.abc import Iterable

from dporacle.conformance.ask.fresh import worked
from dporacle.conformance.judge.harm_levels import Level
from dporacle.conformance.judge.outcomes import JudgedCase, Outcome

LOOSE = 0.01
"""An everyday answer that is above the exact value by more than this share is loose."""


class Grade(enum.StrEnum):
    """What a function is, the worst first."""

    EVERYDAY = "broken in everyday use"
    EXTREMES = "broken at extremes"
    FAILS = "fails or hangs"
    ROUNDS = "rounds to the wrong side"
    NEAREST = "rounded to nearest"
    UNKNOWN = "not judged"
    LOOSE = "sound but loose"
    TIGHT = "sound and tight"


GRADES: dict[Grade, str] = {
    Grade.EVERYDAY: "an answer to an everyday input breaks the promise by more than 1e-9 of it",
    Grade.EXTREMES: "an answer to another input does, and none to an everyday one",
    Grade.FAILS: "no promise is broken by more than 1e-9 of it, but an input is answered with a "
    "hang, a crash, NaN or infinity, an invalid input with a number, or answers disagree",
    Grade.ROUNDS: "answers lie on the unsafe side by 1e-9 of the promise at most, and no more",
    Grade.NEAREST: "answers lie on the unsafe side by half a last place at most, as those of the "
    "nearest float64 do, and no more",
    Grade.UNKNOWN: "nothing bad was found, and too little was asked or answered to call it sound",
    Grade.LOOSE: "no answer harms; one to an everyday input is off by more than a hundredth",
    Grade.TIGHT: "no answer harms, and every everyday one is within a hundredth of the exact value",
}
"""Every grade and what it means, the worst first."""

BROKEN = (Grade.EVERYDAY, Grade.EXTREMES)
SOUND = (Grade.LOOSE, Grade.TIGHT)

_FAILURES = frozenset(
    {Outcome.HANG, Outcome.CRASH, Outcome.NON_FINITE, Outcome.ACCEPTS_INVALID, Outcome.INCONSISTENT}
)


_SEVERAL = {Grade.FAILS: "fail or hang", Grade.ROUNDS: "round to the wrong side"}


def counted(grades: Iterable[Grade]) -> str:
    """Return in words how many functions have which grade, the worst first."""
    found = Counter(grades)
    return ", ".join(so_many(grade, found[grade]) for grade in GRADES if found[grade])


def so_many(grade: Grade, number: int) -> str:
    """Return in words that so many functions have a grade."""
    return f"{number} {_SEVERAL.get(grade, grade) if number > 1 else grade}"


def breaks(judged: JudgedCase) -> bool:
    """Whether an answer breaks its promise by more than rounding does."""
    return judged.outcome == Outcome.VIOLATING and judged.level != Level.LAST_DIGITS


def grade_of(judged: Iterable[JudgedCase], *, enough: bool, loosest: float) -> Grade:
    """Return the grade of a function.

    Args:
        judged: all its answers.
        enough: whether as much was asked and answered as a sound function has to answer.
        loosest: the largest excess on the safe side of an everyday answer.
    """
    answers = list(judged)
    broken = [each for each in answers if breaks(each)]
    if broken:
        return Grade.EVERYDAY if any(worked(v.flags) for v in broken) else Grade.EXTREMES
    outcomes = {each.outcome for each in answers}
    if not outcomes.isdisjoint(_FAILURES):
        return Grade.FAILS
    if Outcome.VIOLATING in outcomes:
        return Grade.ROUNDS
    if Outcome.ROUNDED in outcomes:
        return Grade.NEAREST
    if not enough:
        return Grade.UNKNOWN
    return Grade.LOOSE if loosest > LOOSE else Grade.TIGHT


def shown_by(grade: Grade, judged: JudgedCase) -> bool:
    """Whether an answer is one for which a function has this grade, if it is a bad one."""
    if grade in BROKEN:
        return breaks(judged) and (grade is Grade.EXTREMES or worked(judged.flags))
    if grade is Grade.FAILS:
        return judged.outcome in _FAILURES
    if grade is Grade.ROUNDS:
        return judged.outcome == Outcome.VIOLATING
    return grade is Grade.NEAREST and judged.outcome == Outcome.ROUNDED
