"""How outcomes and grades are shown: never by their colour alone."""

import msgspec

from dporacle.conformance.grade.grades import GRADES, Grade


class Class(msgspec.Struct, frozen=True):
    """How an outcome is shown: never by its colour alone."""

    name: str
    sign: str
    tone: str
    meaning: str


CLASSES = {
    each.name: each
    for each in (
        Class("violating", "✖", "bad", "proved to be on the unsafe side of the exact value"),
        Class("hang", "…", "bad", "no answer within the time limit"),
        Class("crash", "↯", "bad", "an unexpected error, a death or a broken protocol"),
        Class("non-finite", "∞", "bad", "NaN or infinity where the exact value is a number"),
        Class("accepts invalid", "⚠", "warn", "an answer to an input outside the domain"),
        Class("inconsistent", "≠", "warn", "fresh answers contradict those to the vectors"),
        Class("rounded", "↓", "warn", "on the unsafe side, by 1e-9 of the promise at most"),
        Class("refuses valid", "▽", "warn", "an error that says so, where an answer exists"),
        Class("loose", "≥", "fair", "on the safe side, by more than a hundredth"),
        Class("tight", "✔", "good", "on the safe side, within a hundredth"),
        Class("refuses invalid", "✔", "good", "an error for what is outside the domain"),
        Class("skipped", "–", "none", "the adapter passed"),
        Class("not asked", "–", "none", "left out after hangs or crashes"),
    )
}
"""Outcome -> how it is shown, worst first."""

GRADED = {
    grade: Class(str(grade), sign, tone, GRADES[grade])
    for grade, sign, tone in (
        (Grade.EVERYDAY, "✖", "bad"),
        (Grade.EXTREMES, "✖", "bad"),
        (Grade.SILENT, "↯", "warn"),
        (Grade.SLIGHT, "↓", "warn"),
        (Grade.ROUNDS, "↓", "fair"),
        (Grade.UNKNOWN, "?", "none"),
        (Grade.LOOSE, "≥", "fair"),
        (Grade.TIGHT, "✔", "good"),
    )
}
"""Grade -> how it is shown."""
