"""How cases and libraries are named on a terminal: colours, sizes, names from outside."""

import math

from dporacle.conformance.grade.findings import shortest
from dporacle.conformance.grade.grades import Grade
from dporacle.conformance.grade.runs import TargetResult
from dporacle.conformance.judge.harm_levels import Level
from dporacle.conformance.judge.outcomes import JudgedCase, Outcome

__all__ = [
    "GRADE_STYLE",
    "LEVEL_STYLE",
    "STYLE",
    "amount",
    "more_functions",
    "printable",
    "shortest",
    "titled",
]

STYLE = {
    Outcome.VIOLATING: "bold red",
    Outcome.HANG: "bold magenta",
    Outcome.CRASH: "magenta",
    Outcome.NON_FINITE: "magenta",
    Outcome.ACCEPTS_INVALID: "yellow",
    Outcome.INCONSISTENT: "yellow",
    Outcome.ROUNDED: "yellow",
    Outcome.REFUSES_VALID: "yellow",
    Outcome.LOOSE: "cyan",
    Outcome.TIGHT: "green",
    Outcome.REFUSES_INVALID: "green",
    Outcome.NOT_ASKED: "dim",
    Outcome.SKIPPED: "dim",
}

LEVEL_STYLE = {
    Level.NO_PRIVACY: "bold white on red",
    Level.GRAVE: "bold red",
    Level.NOTICEABLE: "red",
    Level.SLIGHT: "yellow",
    Level.LAST_DIGITS: "yellow",
    Level.NO_ANSWER: "magenta",
    Level.INVALID: "yellow",
}

GRADE_STYLE = {
    Grade.EVERYDAY: "bold red",
    Grade.EXTREMES: "red",
    Grade.SILENT: "magenta",
    Grade.SLIGHT: "yellow",
    Grade.ROUNDS: "cyan",
    Grade.UNKNOWN: "dim",
    Grade.LOOSE: "cyan",
    Grade.TIGHT: "green",
}


def more_functions(count: int) -> str:
    """Say how many functions are not shown."""
    return f"   and {count} more function{'s' * (count != 1)}"


def titled(result: TargetResult) -> str:
    """Return a library's own name and version, or what it was called by."""
    return printable(result.title)


def printable(text: str) -> str:
    """Return a text from outside as it may reach a terminal: what cannot be seen is replaced."""
    return "".join(c if c.isprintable() else "?" for c in text)


def amount(judged: JudgedCase) -> str:
    """Return an error as ulp while it is a rounding error, else in percent."""
    ulp, excess = judged.ulp, judged.excess
    if ulp is not None and abs(ulp) < 1000:
        return f"{_brief(abs(ulp))} ulp" if abs(ulp) >= 0.01 else "<.01 ulp"
    if excess is None or not math.isfinite(excess):
        return "∞" if excess is not None else "not 0"
    percent = abs(excess) * 100
    return f"{_brief(percent)} %" if percent < 1000 else f"{_brief(abs(excess))} ×"


def _brief(number: float) -> str:
    """Return two digits, in as few characters as they take."""
    if 0.001 <= number < 1000:
        return f"{number:.0f}" if number >= 100 else f"{number:.2g}"
    far = number >= 1e100 or number < 1e-99
    digits, _, exponent = (f"{number:.0e}" if far else f"{number:.1e}").partition("e")
    return f"{digits}e{int(exponent)}"
