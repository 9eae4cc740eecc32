"""What was not judged, with which power faults were met, and the total."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from rich.text import Text

from dporacle.common.exit_status import ExitStatus
from dporacle.conformance.ask.fresh import SEARCHED
from dporacle.conformance.ask.power import POWER, SHARE
from dporacle.conformance.grade.functions import State, let_pass, told_refusals
from dporacle.conformance.grade.grades import GOOD, GRADES, SOUND, Grade
from dporacle.conformance.grade.grades import counted as counted_grades
from dporacle.conformance.grade.runs import Document
from dporacle.conformance.judge.outcomes import Outcome
from dporacle.report.terminal.wording import (
    GRADE_STYLE,
    amount,
    more_functions,
    printable,
    shortest,
    titled,
)

_LONGEST = 3


def loosest(run: Document) -> Iterator[Text]:
    """Yield what the loosest answers give away."""
    for result, item, _ in run.graded:
        if item.looseness is not None:
            case = next(each for each in item.judged if each.case == item.looseness.case)
            inputs = ", ".join(f"{key}={shortest(value)}" for key, value in case.arguments.items())
            text = Text()
            text.append("loosest", style="cyan")
            text.append(f"  {titled(result)} {printable(item.function.name)}", style="bold")
            text.append(f"  {inputs}\n    {amount(case)} above the exact value: ")
            text.append(f"the same promise would bear {item.looseness.text}\n")
            yield text


def silences(run: Document, *, most: int | None = None) -> Iterator[Text]:
    """Yield why functions were not judged, or are of no use though their grade is a good one.

    All reasons, or for so many functions the first one.
    """
    silent = [
        row
        for row in run.graded
        if row[2].state is State.NOT_JUDGED
        or (row[2].useless and row[2].state is State.NOT_CONFORMANT and row[2].grade in GOOD)
    ]
    for result, item, each in silent[:most]:
        text = Text()
        text.append(str(each.state), style="yellow")
        text.append(f"  {titled(result)} {printable(item.function.name)}", style="bold")
        reasons = each.reasons if most is None else each.reasons[:1]
        text.append(f"  {printable('; '.join(reasons))}")
        yield text
    if most is not None and len(silent) > most:
        yield Text(more_functions(len(silent) - most), "dim")


def met(run: Document) -> str:
    """Return with which power a narrow fault of a sound function is found; nothing if enough."""
    powers = [each.power for *_, each in run.graded if each.grade in SOUND]
    few = [power for power in powers if power < POWER]
    if not few:
        return ""
    enough = len(powers) - len(few)
    where = f"{100 * POWER:g} % in {enough} of {len(powers)} sound functions, in the others with "
    return (
        f"power: a fault on {100 * SHARE:g} % of the inputs is found with "
        f"{where if enough else ''}{math.floor(100 * min(few)):g} % or more"
    )


def searched(run: Document) -> str:
    """Return what was asked near answers that looked worse than those around them."""
    further = [[case for case in item.judged if SEARCHED in case.flags] for item in run.items]
    asked = sum(map(len, further))
    bad = sum(case.outcome is Outcome.VIOLATING for cases in further for case in cases)
    unreached = sum(item.unreached for item in run.items)
    return (
        f"searched: {asked} further inputs near answers worse than those around them, of "
        f"{sum(map(bool, further))} functions; {bad} violate"
    ) + f"; {unreached} fresh inputs left out, as no enclosure reaches them" * bool(unreached)


def patience(run: Document) -> str:
    """Return what the seconds went into, and which functions took most of them."""
    parts: defaultdict[str, float] = defaultdict(float)
    by_function: defaultdict[str, float] = defaultdict(float)
    for result, item, _ in run.graded:
        name = f"{printable(result.target)} {printable(item.function.name)}"
        for what, seconds in item.patience.items():
            parts[what] += seconds
            by_function[name] += seconds
    whole = sum(parts.values())

    def listed(found: Mapping[str, float], most: int) -> str:
        order = sorted(found, key=lambda name: -found[name])[:most]
        return ", ".join(f"{name} {found[name]:.0f} s" for name in order)

    went, most = listed(parts, len(parts)), listed(by_function, _LONGEST)
    return f"patience: {whole:.0f} s of processor time or idleness: {went}; longest: {most}"


def total(run: Document) -> Text:
    """Return how many functions have which standing, and what else decides the exit status."""
    states: defaultdict[State, Counter[str]] = defaultdict(Counter)
    counted = run.states
    for *_, each in run.graded:
        if each.state is not State.NOT_CONFORMANT:
            states[each.state].update(each.let_pass)
    grades = [item.graded for item in run.items]
    unsaid = [state for state in State if counted[state]]
    alike = counted[State.NOT_JUDGED] == sum(each.grade is Grade.UNKNOWN for each in grades)
    if alike and State.NOT_JUDGED in unsaid and not states[State.NOT_JUDGED]:
        unsaid.remove(State.NOT_JUDGED)  # the grades say so
    parts = [f"{counted[state]} {state}{_passed(states[state])}" for state in unsaid]
    if run.expired:
        number = len(run.expired)
        parts.append(f"{number} known {'failure has' if number == 1 else 'failures have'} expired")
    if failed := len(run.failures):
        parts.append(f"{failed} {'library' if failed == 1 else 'libraries'} could not be run")
    clean = not counted[State.KNOWN] and not counted[State.ALLOWED]
    fine = "bold green" if clean else "bold cyan"
    styles = {ExitStatus.FINE: fine, ExitStatus.NO_ANSWER: "bold yellow"}
    bad = (item.grade for item in run.items if item.state is State.NOT_CONFORMANT)
    worst = min(bad, key=[*GRADES].index, default=Grade.EVERYDAY)
    style = styles.get(ExitStatus(run.status), f"bold {GRADE_STYLE[worst].removeprefix('bold ')}")
    several = f"{len(grades)} {'function' if len(grades) == 1 else 'functions'}: "
    refused = told_refusals([item.refused for item in run.items])
    said = "; ".join(filter(None, (counted_grades(grades), *refused, ", ".join(parts))))
    return Text(f"{several}{said or 'none'}", style)


def _passed(counts: Mapping[str, int]) -> str:
    return f" ({let_pass(counts)})" if counts else ""
