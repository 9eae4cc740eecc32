"""What was not judged, with which power faults were met, and the total."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from dporacle.conformance.ask.fresh import SEARCHED
from dporacle.conformance.ask.power import POWER, SHARE
from dporacle.conformance.grade.functions import State, let_pass, told_refusals
from dporacle.conformance.grade.grades import GRADES, SOUND, Grade
from dporacle.conformance.grade.grades import counted as counted_grades
from dporacle.conformance.grade.runs import Judgement
from dporacle.conformance.judge.outcomes import Outcome
from dporacle.conformance.judge.results import Result
from dporacle.exit_status import ExitStatus
from dporacle.report.terminal.wording import (
    GRADE_STYLE,
    amount,
    more_functions,
    printable,
    shortest,
    titled,
)

_LONGEST = 3


def loosest(results: Sequence[Result]) -> Iterator[Text]:
    """Yield what the loosest answers give away."""
    for result in results:
        for item in result.functions:
            if item.looseness is None:
                continue
            case = next(each for each in item.judged if each.case == item.looseness.case)
            inputs = ", ".join(f"{key}={shortest(value)}" for key, value in case.arguments.items())
            text = Text()
            text.append("loosest", style="cyan")
            text.append(f"  {titled(result)} {printable(item.function.name)}", style="bold")
            text.append(f"  {inputs}\n    {amount(case)} above the exact value: ")
            text.append(f"the same promise would bear {item.looseness.text}\n")
            yield text


def silences(
    results: Sequence[Result], found: Judgement, *, most: int | None = None
) -> Iterator[Text]:
    """Yield why functions were not judged: all reasons, or for so many functions the first one."""
    silent = [place for place, each in found.standings.items() if each.state is State.NOT_JUDGED]
    for place, index in silent[:most]:
        result, reasons = results[place], found.standings[place, index].reasons
        text = Text()
        text.append("not judged", style="yellow")
        name = printable(result.functions[index].function.name)
        text.append(f"  {titled(result)} {name}", style="bold")
        text.append(f"  {printable('; '.join(reasons if most is None else reasons[:1]))}")
        yield text
    if most is not None and len(silent) > most:
        yield Text(more_functions(len(silent) - most), "dim")


def met(found: Judgement) -> str:
    """Return with which power a narrow fault of a sound function is found; nothing if enough."""
    powers = [each.power for each in found.standings.values() if each.grade in SOUND]
    few = [power for power in powers if power < POWER]
    if not few:
        return ""
    enough = len(powers) - len(few)
    where = f"{100 * POWER:g} % in {enough} of {len(powers)} sound functions, in the others with "
    return (
        f"power: a fault on {100 * SHARE:g} % of the inputs is found with "
        f"{where if enough else ''}{math.floor(100 * min(few)):g} % or more"
    )


def searched(results: Sequence[Result]) -> str:
    """Return what was asked near answers that looked worse than those around them."""
    further = [
        [case for case in item.judged if SEARCHED in case.flags]
        for result in results
        for item in result.functions
    ]
    asked = sum(map(len, further))
    bad = sum(case.outcome is Outcome.VIOLATING for cases in further for case in cases)
    unreached = sum(item.unreached for result in results for item in result.functions)
    return (
        f"searched: {asked} further inputs near answers worse than those around them, of "
        f"{sum(map(bool, further))} functions; {bad} violate"
    ) + f"; {unreached} fresh inputs left out, as no enclosure reaches them" * bool(unreached)


def patience(results: Sequence[Result]) -> str:
    """Return what the seconds went into, and which functions took most of them."""
    parts: defaultdict[str, float] = defaultdict(float)
    by_function: defaultdict[str, float] = defaultdict(float)
    for result in results:
        for item in result.functions:
            name = f"{printable(result.name)} {printable(item.function.name)}"
            for what, seconds in item.patience.items():
                parts[what] += seconds
                by_function[name] += seconds
    whole = sum(parts.values())

    def listed(found: Mapping[str, float], most: int) -> str:
        order = sorted(found, key=lambda name: -found[name])[:most]
        return ", ".join(f"{name} {found[name]:.0f} s" for name in order)

    went, most = listed(parts, len(parts)), listed(by_function, _LONGEST)
    return f"patience: {whole:.0f} s of processor time or idleness: {went}; longest: {most}"


def total(results: Sequence[Result], found: Judgement) -> Text:
    """Return how many functions have which standing, and what else decides the exit status."""
    states: defaultdict[State, Counter[str]] = defaultdict(Counter)
    counted = Counter(each.state for each in found.standings.values())
    for each in found.standings.values():
        if each.state is not State.NOT_CONFORMANT:
            states[each.state].update(each.let_pass)
    grades = [each.grade for each in found.standings.values()]
    unsaid = [state for state in State if counted[state]]
    alike = counted[State.NOT_JUDGED] == grades.count(Grade.UNKNOWN)
    if alike and State.NOT_JUDGED in unsaid and not states[State.NOT_JUDGED]:
        unsaid.remove(State.NOT_JUDGED)  # the grades say so
    parts = [f"{counted[state]} {state}{_passed(states[state])}" for state in unsaid]
    if found.expired:
        number = len(found.expired)
        parts.append(f"{number} known {'failure has' if number == 1 else 'failures have'} expired")
    failed = sum(bool(result.failure) for result in results)
    if failed:
        parts.append(f"{failed} {'library' if failed == 1 else 'libraries'} could not be run")
    clean = not counted[State.KNOWN] and not counted[State.ALLOWED]
    fine = "bold green" if clean else "bold cyan"
    styles = {ExitStatus.FINE: fine, ExitStatus.NO_ANSWER: "bold yellow"}
    bad = (each.grade for each in found.standings.values() if each.state is State.NOT_CONFORMANT)
    worst = min(bad, key=[*GRADES].index, default=Grade.EVERYDAY)
    style = styles.get(found.status, f"bold {GRADE_STYLE[worst].removeprefix('bold ')}")
    several = f"{len(grades)} {'function' if len(grades) == 1 else 'functions'}: "
    refused = told_refusals([each.refused for each in found.standings.values()])
    said = "; ".join(filter(None, (counted_grades(grades), *refused, ", ".join(parts))))
    return Text(f"{several}{said or 'none'}", style)


def _passed(counts: Mapping[str, int]) -> str:
    return f" ({let_pass(counts)})" if counts else ""
