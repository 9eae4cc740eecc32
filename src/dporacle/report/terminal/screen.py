"""What fits a screen: who breaks a promise, a line for each other grade, and for each library."""

import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from rich.text import Text

from dporacle.conformance.grade.findings import fitted, simplest
from dporacle.conformance.grade.functions import Standing, told_refusals
from dporacle.conformance.grade.grades import BROKEN, GRADES, Grade, counted, graded
from dporacle.conformance.grade.runs import Document, FunctionResult, TargetResult
from dporacle.conformance.judge.harm_levels import Level
from dporacle.conformance.judge.outcomes import JudgedCase
from dporacle.report.terminal.wording import GRADE_STYLE, more_functions, printable, titled

_MOST = 10
_LEAST, _FOR_THE_CASE = 30, 38  # characters of a line of grades; those that a case needs
_LEAST_NAME = 12  # characters of a library's name
_VARIANT = re.compile(r",[^()]*$")  # ", k", ", sampled": what a function is asked about


@dataclass(frozen=True)
class FunctionToMend:
    """What is to be mended in one function.

    Attributes:
        result: the library's.
        item: the function, and what it answered.
        standing: what is known of the function.
        case: the answer that shows its grade.
    """

    result: TargetResult
    item: FunctionResult
    standing: Standing
    case: JudgedCase

    @property
    def library(self) -> str:
        """Whose it is."""
        return titled(self.result)

    @property
    def function(self) -> str:
        """The function's name."""
        return printable(self.item.function.name)

    @property
    def order(self) -> tuple[int, bool, int, str, str]:
        """The worst first."""
        level = Level(self.case.level).rank if self.case.level else -1
        about = self.item.graded
        return [*GRADES].index(about.grade), not about.privacy, -level, self.library, self.function

    @property
    def cause(self) -> tuple[str, ...]:
        """What findings of one cause have in common.

        One function of a library is asked several questions, and so is an accountant that was made
        for a relation: there the unit of its noise decides.
        """
        said = self.item.function
        name = _VARIANT.sub("", self.function)
        if said.relation:
            name = name.rpartition(".")[0] or name
        return self.library, name, said.relation, said.unit, self.item.graded.heading

    @property
    def alike(self) -> str:
        """What the other functions of its cause are."""
        return "of this accountant" if self.item.function.relation else "of its uses"


def libraries(run: Document, room: int) -> Iterator[Text]:
    """Yield a line for each library: how many of its functions have which grade.

    A name takes half of the room at most; its middle is left out where it is longer.
    """
    names = [_shortened(titled(result), max(_LEAST_NAME, room // 2)) for result in run.targets]
    width = max(map(len, names), default=0)
    for result, name in zip(run.targets, names, strict=True):
        grades = [item.graded for item in result.functions]
        worst = min((g.grade for g in grades), key=[*GRADES].index, default=Grade.UNKNOWN)
        text = Text()
        text.append(f"{name:<{width}}  ", "bold")
        if not grades:
            text.append("could not be run", "bold red")
        else:
            parts = [counted(grades), *told_refusals([each.refused for each in result.functions])]
            lines = textwrap.wrap("; ".join(parts), max(_LEAST, room - width - 2))
            text.append(f"\n{'':{width + 2}}".join(lines), GRADE_STYLE[worst])
        yield text


def findings(run: Document) -> list[FunctionToMend]:
    """Return the answers that show the grades that are not good, the worst first."""
    listed = []
    for result, item, standing in run.graded:
        case = simplest(item.judged, standing.grade)
        if case is not None:
            listed.append(FunctionToMend(result, item, standing, case))
    return sorted(listed, key=lambda each: each.order)


def news(run: Document, width: int) -> Iterator[Text]:
    """Yield what is new, where other failures are known: a line for each function."""
    headed = False
    for result, item, standing in run.graded:
        if not standing.new:
            continue
        new = {*standing.new}
        failing = [each for each in item.judged if each.case in new]
        about = graded(failing, item.function.quantity, enough=True)
        shown = simplest(failing, about.grade) or failing[0]
        if not headed:
            yield Text("New, and not among the known failures", "bold")
            headed = True
        more = f" (and {len(failing) - 1} more)" if len(failing) > 1 else ""
        yield Text.assemble("   ", (about.text, GRADE_STYLE[about.grade]))
        each = FunctionToMend(result, item, standing, shown)
        yield _line("      ", each, each.library, width - len(more)).append(more, "dim")
    if headed:
        yield Text("\nAll that was found", "bold")


def broken(run: Document, width: int) -> Iterator[Text]:
    """Yield the functions that break a promise, the gravest first: at most ten causes, a line each.

    Versions stand in the lines of the libraries, and here only where a library is there in several.
    """
    called = Counter(printable(each.called) for each in run.targets)
    causes: dict[tuple[str, ...], list[FunctionToMend]] = {}
    for each in findings(run):
        if each.standing.grade in BROKEN:
            causes.setdefault(each.cause, []).append(each)
    heading = ""
    for number, alike in enumerate([*causes.values()][:_MOST], 1):
        first = alike[0]
        if first.item.graded.heading != heading:
            heading = first.item.graded.heading
            yield Text(heading, GRADE_STYLE[first.standing.grade])
        library = printable(first.result.called)
        library = first.library if called[library] > 1 else library
        yield _line(f"{number:>3} ", first, library, width, more=len(alike) - 1)
    if left := [each for alike in [*causes.values()][_MOST:] for each in alike]:
        yield Text(f" {more_functions(len(left))}", "dim")


def others(run: Document, width: int) -> Iterator[Text]:
    """Yield a line for each other grade: how many have it, and an answer that shows it."""
    shown: dict[str, FunctionToMend] = {}
    for each in sorted(findings(run), key=lambda each: -(each.item.graded.size or 0.0)):
        shown.setdefault(each.item.graded.heading, each)
    for grade in (grade for grade in GRADES if grade not in BROKEN):
        kinds = {item.graded.heading: item.graded for item in run.items if item.grade is grade}
        for heading in kinds:
            alike = [item.graded for item in run.items if item.graded.heading == heading]
            words = counted(alike)
            text = Text(words, GRADE_STYLE[grade])
            if (first := shown.get(heading)) is not None:
                library = printable(first.result.called)
                if grade is Grade.SLIGHT:  # what it carries says more than an answer
                    text.append(first.item.graded.text.removeprefix(heading))
                    name = _shortened(f"{library} {first.function}", width - len(text) - 3)
                    text.append(" (").append(name, "bold").append(")")
                else:
                    text.append(": ").append(_line("", first, library, width - len(text) - 2))
            yield text


def _line(start: str, each: FunctionToMend, library: str, width: int, *, more: int = 0) -> Text:
    """Return a finding in so many characters, with how many others there are of its cause."""
    room = width - len(start) - _FOR_THE_CASE
    name = _shortened(f"{library} {each.function}", room)
    if more:
        names = (
            f"{library} {each.function} and {more} more {each.alike}",
            f"{library} {each.function} and {more} more",
            f"{library} {each.cause[1]}, {more + 1} functions",
        )
        name = next((text for text in names if len(text) <= room), _shortened(names[-1], room))
    text = Text.assemble(start, (name, "bold"), "  ")
    return text.append(printable(fitted(each.case, width - len(text))))


def _shortened(name: str, room: int) -> str:
    """Return a name whose middle is left out where it is too long: both ends tell functions."""
    if len(name) <= room:
        return name
    end = (room - 1) // 3
    return f"{name[: room - 1 - end]}…{name[-end:]}"
