"""The worst cases of each function, with the exact numbers."""

import math

from rich.console import Group, RenderableType
from rich.text import Text

from dporacle.conformance.grade.findings import above, harm_text
from dporacle.conformance.grade.runs import FunctionResult, TargetResult
from dporacle.conformance.judge.outcomes import JudgedCase, Outcome
from dporacle.report.terminal.wording import LEVEL_STYLE, STYLE, amount, printable, shortest

_WORST_PER_CLASS = 2


def worst(result: TargetResult) -> RenderableType:
    """The worst cases of each function, with the exact numbers."""
    lines: list[RenderableType] = []
    for item in result.functions:
        for outcome in Outcome:
            found = [v for v in item.judged if v.outcome is outcome and v.flawed]
            found.sort(key=_size if outcome is Outcome.VIOLATING else _usual, reverse=True)
            if outcome is Outcome.VIOLATING:
                found = _most_telling(found)
            for judged in found[:_WORST_PER_CLASS]:
                lines.append(_case_lines(result, item, judged))
    return Group(*lines)


def _most_telling(found: list[JudgedCase]) -> list[JudgedCase]:
    """The worst everyday input first, then the worst of all."""
    first = [v for v in found if _usual(v)][:1]
    return first + [v for v in found if v not in first]


def _usual(judged: JudgedCase) -> bool:
    return judged.everyday


def _size(judged: JudgedCase) -> float:
    return judged.size


def _case_lines(result: TargetResult, item: FunctionResult, judged: JudgedCase) -> Text:
    name = printable(result.called)
    text = Text()
    text.append(f"{judged.outcome}", style=STYLE[judged.outcome])
    inputs = ", ".join(f"{key}={shortest(value)}" for key, value in judged.arguments.items())
    if judged.level is not None:
        text.append(f" ({judged.level})", style=LEVEL_STYLE[judged.level])
    text.append(f"  {name} {printable(item.function.name)}", style="bold")
    text.append(f"  {inputs}\n")
    if judged.answer is not None:
        text.append(f"    answer {shortest(judged.answer)}  ({judged.answer})")
        if judged.outcome is Outcome.VIOLATING:
            text.append(f", off by {amount(judged)}")
        text.append("\n")
    if judged.truth is not None:
        text.append(f"    truth  {judged.truth}\n")
    if judged.outcome is Outcome.VIOLATING and judged.true_delta is not None:
        text.append(
            f"    true δ {judged.true_delta}, requested {judged.requested_delta!r}: "
            f"{above((judged.delta_ratio or math.inf) - 1)} it\n"
        )
    elif judged.outcome is Outcome.VIOLATING:
        text.append(f"    {harm_text(judged)}\n")
    if judged.message:
        text.append(f"    said   {judged.message}\n")
    text.append(f"    why    {judged.note}\n", style="dim")
    text.append(f"    id     {judged.case}\n", style="dim")
    return text
