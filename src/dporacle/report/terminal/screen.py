"""What fits a screen: a line for each library, and what to mend first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from dporacle.conformance.grade.findings import simplest, told
from dporacle.conformance.grade.functions import Standing, told_refusals
from dporacle.conformance.grade.grades import GRADES, SOUND, Grade, counted, grade_of
from dporacle.conformance.grade.runs import Judgement
from dporacle.conformance.judge.harm_levels import Level
from dporacle.conformance.judge.outcomes import JudgedCase
from dporacle.conformance.judge.results import Result
from dporacle.report.terminal.wording import GRADE_STYLE, printable, titled

_MOST = 10
_MENDED = [grade for grade in GRADES if grade not in (*SOUND, Grade.UNKNOWN, Grade.NEAREST)]


@dataclass(frozen=True)
class Finding:
    """What is to be mended in one function.

    Attributes:
        library, function: whose.
        standing: what is known of the function.
        case: the answer that shows its grade.
    """

    library: str
    function: str
    standing: Standing
    case: JudgedCase

    @property
    def order(self) -> tuple[int, int, str, str]:
        """The worst first."""
        level = Level(self.case.level).rank if self.case.level else -1
        grade = self.standing.grade
        return [*GRADES].index(grade), -level, self.library, self.function


def libraries(results: Sequence[Result], found: Judgement) -> Iterator[Text]:
    """Yield a line for each library: how many of its functions have which grade."""
    names = [titled(result) for result in results]
    width = max(map(len, names), default=0)
    for place, (result, name) in enumerate(zip(results, names, strict=True)):
        standings = [found.standings[place, index] for index in range(len(result.functions))]
        worst = min((each.grade for each in standings), key=[*GRADES].index, default=Grade.UNKNOWN)
        text = Text()
        text.append(f"{name:<{width}}  ", "bold")
        if not standings:
            text.append("could not be run", "bold red")
        else:
            parts = [
                counted(each.grade for each in standings),
                *told_refusals([each.refused for each in standings]),
            ]
            text.append("; ".join(parts), GRADE_STYLE[worst])
        yield text


def findings(results: Sequence[Result], found: Judgement) -> list[Finding]:
    """Return what to mend, the worst first: one finding for each function that needs it."""
    listed = []
    for (place, index), standing in found.standings.items():
        item = results[place].functions[index]
        case = simplest(item.judged, standing.grade) if standing.grade in _MENDED else None
        if case is not None:
            name = printable(item.function.name)
            listed.append(Finding(titled(results[place]), name, standing, case))
    return sorted(listed, key=lambda each: each.order)


def news(results: Sequence[Result], found: Judgement) -> Iterator[Text]:
    """Yield what is new, where other failures are known: a line for each function."""
    headed = False
    for (place, index), standing in found.standings.items():
        if not standing.new:
            continue
        item = results[place].functions[index]
        new = {*standing.new}
        failing = [each for each in item.judged if each.case in new]
        grade = grade_of(failing, enough=True, loosest=0.0)
        shown = simplest(failing, grade) or failing[0]
        if not headed:
            yield Text("New, and not among the known failures", "bold")
            headed = True
        text = Text("   ")
        text.append(str(grade), GRADE_STYLE[grade])
        text.append(f"  {titled(results[place])} {printable(item.function.name)}  ", "bold")
        text.append(printable(told(shown)))
        if len(failing) > 1:
            text.append(f" (and {len(failing) - 1} more)", "dim")
        yield text
    if headed:
        yield Text("\nAll that was found", "bold")


def mend_first(results: Sequence[Result], found: Judgement) -> Iterator[Text]:
    """Yield at most ten findings, a line each, and how many more there are."""
    listed = findings(results, found)
    if not listed:
        return
    yield Text("\nMend first", "bold")
    for number, each in enumerate(listed[:_MOST], 1):
        text = Text(f"{number:>2} ")
        text.append(f"{each.standing.grade}", GRADE_STYLE[each.standing.grade])
        text.append(f"  {each.library} {each.function}  ", "bold")
        text.append(printable(told(each.case)))
        yield text
    if len(listed) > _MOST:
        yield Text(f"   and {len(listed) - _MOST} more functions", "dim")
