"""The verdicts for people (tables) and for programs (JSON)."""

from __future__ import annotations

import math
import platform
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec
from rich import box
from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

import dporacle
from dporacle.conformance import protocol
from dporacle.conformance.cases import EVERYDAY
from dporacle.conformance.judge import TIGHT_ULP, Outcome, Verdict
from dporacle.conformance.runner import Fresh, FunctionResult, Limits, Result
from dporacle.exit_status import ExitStatus

__all__ = ["exit_status", "show", "to_json"]

_STYLE = {
    Outcome.VIOLATING: "bold red",
    Outcome.HANG: "bold magenta",
    Outcome.CRASH: "magenta",
    Outcome.NON_FINITE: "magenta",
    Outcome.ACCEPTS_INVALID: "yellow",
    Outcome.INCONSISTENT: "yellow",
    Outcome.REFUSES_VALID: "yellow",
    Outcome.CONSERVATIVE: "cyan",
    Outcome.TIGHT: "green",
    Outcome.REFUSES_INVALID: "green",
    Outcome.NOT_ASKED: "dim",
    Outcome.SKIPPED: "dim",
}
_HEADINGS = {
    Outcome.VIOLATING: "viola-\nting",
    Outcome.HANG: "hang",
    Outcome.CRASH: "crash",
    Outcome.NON_FINITE: "non-\nfinite",
    Outcome.ACCEPTS_INVALID: "takes\ninva-\nlid",
    Outcome.INCONSISTENT: "incon-\nsis-\ntent",
    Outcome.REFUSES_VALID: "refu-\nses\nvalid",
    Outcome.CONSERVATIVE: "con-\nserva-\ntive",
    Outcome.TIGHT: "tight",
    Outcome.REFUSES_INVALID: "refu-\nses\ninva-\nlid",
}
_UNASKED = (Outcome.SKIPPED, Outcome.NOT_ASKED)
_WORST_PER_CLASS = 2


def exit_status(results: Sequence[Result]) -> int:
    """Return 3 if a target could not be run, else 1 if one is not conformant, else 0.

    An incomplete run comes first: what was not run is not known to be conformant.
    """
    if any(result.failure for result in results):
        return ExitStatus.NO_ANSWER
    verdicts = (v for r in results for f in r.functions for v in f.verdicts)
    conformant = all(verdict.conformant for verdict in verdicts)
    return ExitStatus.FINE if conformant else ExitStatus.FINDING


def to_json(results: Sequence[Result], limits: Limits, fresh: Fresh) -> bytes:
    """Return everything as one JSON document."""
    document: dict[str, Any] = {
        "format": "dporacle-conformance/1",
        "dporacle": dporacle.__version__,
        "protocol": protocol.VERSIONS[-1],
        "machine": {
            "python": platform.python_version(),
            "system": platform.system(),
            "processor": platform.machine(),
        },
        "limits": msgspec.to_builtins(limits),
        "fresh": msgspec.to_builtins(fresh),
        "tight_ulp": TIGHT_ULP,
        "status": exit_status(results),
        "targets": [
            {
                "target": result.name,
                "name": result.capabilities.name if result.capabilities else None,
                "version": result.capabilities.version if result.capabilities else None,
                "language": result.capabilities.language if result.capabilities else None,
                "failure": result.failure or None,
                "seconds": round(result.seconds, 3),
                "functions": [
                    {
                        "function": msgspec.to_builtins(item.function),
                        "counts": {str(k): n for k, n in _counts(item).items()},
                        "verdicts": msgspec.to_builtins(item.verdicts),
                    }
                    for item in result.functions
                ],
            }
            for result in results
        ],
    }
    return msgspec.json.format(msgspec.json.encode(document), indent=1)


def show(results: Sequence[Result], console: Console, fresh: Fresh) -> None:
    """Print the table of counts, what the words mean, the worst cases, and the seed."""
    console.print(_summary(results))
    console.print(_legend())
    for result in results:
        console.print(_worst(result))
    if fresh.rounds:
        console.print(f"fresh inputs: --random {fresh.rounds} --seed {fresh.seed}")
    for result in results:
        if result.failure:
            console.print(
                f"[bold red]{escape(result.name)} could not be run:[/] {escape(result.failure)}"
            )


def _counts(item: FunctionResult) -> dict[Outcome, int]:
    counted = Counter(verdict.outcome for verdict in item.verdicts)
    return {outcome: counted[outcome] for outcome in Outcome if counted[outcome]}


def _summary(results: Sequence[Result]) -> Table:
    """One row per function; a column where there is something to count, at most 120 wide."""
    items = [item for result in results for item in result.functions]
    outcomes = [o for o in _HEADINGS if any(o in _counts(item) for item in items)]
    table = Table(
        title="Conformance", box=box.SIMPLE_HEAD, title_justify="left", padding=0, pad_edge=False
    )
    table.add_column("library and function", overflow="fold", min_width=22)
    table.add_column("asked", justify="right")
    for outcome in outcomes:
        table.add_column(_HEADINGS[outcome], justify="right", style=_STYLE[outcome])
        if outcome is Outcome.VIOLATING:
            table.add_column("by\n> 1\nulp", justify="right", style="bold red")
    if any(o in _counts(item) for item in items for o in _UNASKED):
        table.add_column("not\nasked", justify="right", style="dim")
    if Outcome.VIOLATING in outcomes:
        table.add_column("worst\nunsafe", justify="right", style="red", no_wrap=True)
    if Outcome.CONSERVATIVE in outcomes:
        table.add_column("most\nextra", justify="right", style="cyan", no_wrap=True)
    for result in results:
        said = result.capabilities
        version = f" {escape(said.version)}" if said else ""
        name = escape(said.name) if said else escape(result.name)
        state = " [red]could not be run[/]" if result.failure else ""
        table.add_row(f"[bold]{name}[/]{version}{state}")
        for item in result.functions:
            table.add_row(*_row(item, outcomes, len(table.columns)))
    return table


def _row(item: FunctionResult, outcomes: Sequence[Outcome], columns: int) -> list[str]:
    counts = _counts(item)
    name = f"  {escape(item.function.name)}"
    if item.function.slow:
        name += " [dim](fewer cases)[/]"
    if item.function.quantity != item.function.name:
        name += f"\n  [dim]{item.function.quantity}[/]"
    unasked = sum(counts.get(outcome, 0) for outcome in _UNASKED)
    row = [name, str(len(item.verdicts) - unasked)]
    for outcome in outcomes:
        row.append(str(counts.get(outcome) or "·"))
        if outcome is Outcome.VIOLATING:
            row.append(str(sum(abs(v.ulp or 0) > 1 for v in _violations(item)) or "·"))
    sizes = [_worst_unsafe(item)] if Outcome.VIOLATING in outcomes else []
    sizes += [_most_extra(item)] if Outcome.CONSERVATIVE in outcomes else []
    if len(row) + len(sizes) < columns:
        row.append(str(unasked or "·"))
    return row + sizes


def _legend() -> Text:
    return Text(
        "violating: proved to be on the unsafe side of the exact value, be it by less than one "
        "unit in the last place (ulp); the size is in the column 'worst unsafe'.\n"
        f"tight: on the safe side, within {TIGHT_ULP} ulp of float64. conservative: on the safe "
        "side by more; 'most extra' is the largest excess among the everyday inputs.\n"
        "crash: an exception that no check raised, the process's death, or a broken protocol. "
        "hang: no answer within the time limit. non-finite: NaN or infinity where the exact "
        "value is a number.\n"
        "inconsistent: an answer that contradicts the function's answer to a related input by more "
        "than 1 %, or vectors answered whose fresh neighbours are refused.\n"
        "refuses valid: an error that says so, where an answer exists (it costs nobody's "
        "privacy, and leaves a library conformant). takes invalid: an answer to NaN, a negative "
        "number, δ > 1 and the like.\n",
        style="dim",
    )


def _violations(item: FunctionResult) -> list[Verdict]:
    return [v for v in item.verdicts if v.outcome is Outcome.VIOLATING]


def _size(verdict: Verdict) -> float:
    """How bad: the relative error; where the truth is subnormal or 0, by its absolute size."""
    by_ulp = math.inf if verdict.ulp is None else abs(verdict.ulp) * 2.0**-53
    return by_ulp if verdict.excess is None else min(abs(verdict.excess), by_ulp)


def _worst_unsafe(item: FunctionResult) -> str:
    found = _violations(item)
    return _amount(max(found, key=_size)) if found else ""


def _amount(verdict: Verdict) -> str:
    """Return an error as ulp while it is a rounding error, else in percent."""
    ulp, excess = verdict.ulp, verdict.excess
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


def _most_extra(item: FunctionResult) -> str:
    core = [
        v
        for v in item.verdicts
        if v.outcome is Outcome.CONSERVATIVE and _everyday(v) and v.excess is not None
    ]
    return _amount(max(core, key=_size)) if core else ""


def _worst(result: Result) -> RenderableType:
    """The worst cases of each function, with the exact numbers."""
    lines: list[RenderableType] = []
    for item in result.functions:
        for outcome in Outcome:
            found = [v for v in item.verdicts if v.outcome is outcome and not v.conformant]
            found.sort(key=_size if outcome is Outcome.VIOLATING else _everyday, reverse=True)
            if outcome is Outcome.VIOLATING:
                found = _most_telling(found)
            for verdict in found[:_WORST_PER_CLASS]:
                lines.append(_case_lines(result, item, verdict))
    return Group(*lines)


def _everyday(verdict: Verdict) -> bool:
    """Whether the input is one where people work: more telling than an extreme."""
    return not EVERYDAY.isdisjoint(verdict.flags)


def _most_telling(found: list[Verdict]) -> list[Verdict]:
    """The worst everyday input first, then the worst of all."""
    everyday = [v for v in found if _everyday(v)]
    first = everyday[:1]
    return first + [v for v in found if v not in first]


def _case_lines(result: Result, item: FunctionResult, verdict: Verdict) -> Text:
    name = result.capabilities.name if result.capabilities else result.name
    text = Text()
    text.append(f"{verdict.outcome}", style=_STYLE[verdict.outcome])
    inputs = ", ".join(f"{key}={_shortest(value)}" for key, value in verdict.arguments.items())
    text.append(f"  {name} {item.function.name}", style="bold")
    text.append(f"  {inputs}\n")
    if verdict.answer is not None:
        text.append(f"    answer {_shortest(verdict.answer)}  ({verdict.answer})")
        if verdict.outcome is Outcome.VIOLATING:
            text.append(f", off by {_amount(verdict)}")
        text.append("\n")
    if verdict.truth is not None:
        text.append(f"    truth  {verdict.truth}\n")
    if verdict.outcome is Outcome.VIOLATING and verdict.true_delta is not None:
        text.append(
            f"    true δ {verdict.true_delta}, requested {verdict.requested_delta!r}: "
            f"{_times(verdict.delta_ratio)}\n"
        )
    if verdict.message:
        text.append(f"    said   {verdict.message}\n")
    text.append(f"    why    {verdict.note}\n", style="dim")
    text.append(f"    id     {verdict.case}\n", style="dim")
    return text


def _times(ratio: float | None) -> str:
    """Return a ratio so that one just above 1 does not look like 1."""
    if ratio is None or not math.isfinite(ratio):
        return "infinitely many times"
    return f"1 + {ratio - 1:.2g} times" if 0 < ratio - 1 < 1e-3 else f"{ratio:.6g} times"


def _shortest(text: str) -> str:
    """Return a hexadecimal float in decimal; anything else stays."""
    try:
        return repr(float.fromhex(text)) if text.lstrip("-").startswith("0x") else text
    except (ValueError, OverflowError):
        return text
