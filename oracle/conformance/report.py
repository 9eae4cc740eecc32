"""What was judged, for people (tables) and for programs (JSON)."""

from __future__ import annotations

import math
import platform
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from rich import box
from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

import dporacle
from dporacle.conformance import protocol
from dporacle.conformance.behaviour import SEARCHED
from dporacle.conformance.cases import EVERYDAY
from dporacle.conformance.judge import TIGHT_ULP, JudgedCase, Outcome
from dporacle.conformance.known import Entry, KnownFailures
from dporacle.conformance.levels import LEVELS, Level
from dporacle.conformance.power import POWER, SHARE
from dporacle.conformance.runner import Fresh, FunctionResult, Limits, Result
from dporacle.conformance.standing import (
    EVERYDAY_ANSWERED,
    MOST_UNASKED,
    Gate,
    Standing,
    State,
    standing,
)
from dporacle.exit_status import ExitStatus

__all__ = ["Judgement", "exit_status", "judgement", "show", "to_json"]

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
_UNASKED = (Outcome.SKIPPED, Outcome.NOT_ASKED)
_WORST_PER_CLASS = 2


def exit_status(
    results: Sequence[Result], gate: Gate | None = None, known: KnownFailures | None = None
) -> ExitStatus:
    """Return no answer if a target could not be run, else what the worst function deserves.

    A finding is one that is not conformant, and a known failure that has expired; where there is
    none, a function that was not judged is no answer. An incomplete run comes first: what was not
    run is not known to be conformant.
    """
    return judgement(results, gate, known).status


@dataclass(frozen=True)
class Judgement:
    """What a run amounts to.

    Attributes:
        standings: of each function, by the places of the library and the function.
        expired: known failures whose cases all pass.
        status: the exit status.
    """

    standings: Mapping[tuple[int, int], Standing]
    expired: tuple[Entry, ...]
    status: ExitStatus


def judgement(
    results: Sequence[Result], gate: Gate | None = None, known: KnownFailures | None = None
) -> Judgement:
    """Return what the outcomes amount to under a gate, but for known failures."""
    gate, known = gate or Gate(), known or KnownFailures()
    standings = {
        (place, index): _standing(result, item, gate, known)
        for place, result in enumerate(results)
        for index, item in enumerate(result.functions)
    }
    expired = tuple(known.expired)
    states = {each.state for each in standings.values()}
    if any(result.failure for result in results):
        status = ExitStatus.NO_ANSWER
    elif expired or State.NOT_CONFORMANT in states:
        status = ExitStatus.FINDING
    else:
        unknown = State.NOT_JUDGED in states or not states
        status = ExitStatus.NO_ANSWER if unknown else ExitStatus.FINE
    return Judgement(standings, expired, status)


def _standing(result: Result, item: FunctionResult, gate: Gate, known: KnownFailures) -> Standing:
    name = result.capabilities.name if result.capabilities else result.name
    where = (name, item.function.name, item.function.quantity)

    def excused(judged: JudgedCase) -> bool:
        identifier = judged.case.partition("/")[2]
        return known.excuses(where, identifier, judged.flags, judged.outcome, judged.level)

    for judged in item.judged:
        if not gate.counts(judged) and judged.outcome not in _UNASKED:
            known.passes(where, judged.case.partition("/")[2], judged.flags)
    return standing(item.judged, gate, excused=excused)


def to_json(
    results: Sequence[Result],
    limits: Limits,
    fresh: Fresh,
    *,
    gate: Gate | None = None,
    known: KnownFailures | None = None,
    complete: bool = True,
) -> bytes:
    """Return everything as one JSON document; a run that goes on says that it is not complete."""
    found = judgement(results, gate, known)
    document: dict[str, Any] = {
        "format": "dporacle-conformance/2",
        "dporacle": dporacle.__version__,
        "protocol": protocol.VERSIONS[-1],
        "machine": {
            "python": platform.python_version(),
            "system": platform.system(),
            "processor": platform.machine(),
        },
        "limits": msgspec.to_builtins(limits),
        "fresh": msgspec.to_builtins(fresh),
        "gate": msgspec.to_builtins(gate or Gate()),
        "tight_ulp": TIGHT_ULP,
        "complete": complete,
        "status": int(found.status),
        "expired": [entry.text for entry in found.expired],
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
                        "standing": msgspec.to_builtins(found.standings[place, index]),
                        "counts": {str(k): n for k, n in _counts(item).items()},
                        "verdicts": msgspec.to_builtins(item.judged),
                    }
                    for index, item in enumerate(result.functions)
                ],
            }
            for place, result in enumerate(results)
        ],
    }
    return msgspec.json.format(msgspec.json.encode(document), indent=1)


def show(
    results: Sequence[Result],
    console: Console,
    fresh: Fresh,
    *,
    gate: Gate | None = None,
    known: KnownFailures | None = None,
    quiet: bool = False,
) -> None:
    """Print the table, what the words mean, the worst cases, what was not judged, the seed.

    If `quiet`, the last line alone, and which libraries could not be run.
    """
    found = judgement(results, gate, known)
    if not quiet:
        _show_details(results, console, fresh, found)
    for result in results:
        if result.failure:
            console.print(
                f"[bold red]{escape(_printable(result.name))} could not be run:[/] "
                f"{escape(_printable(result.failure))}"
            )
    console.print(_total(results, found))


def _show_details(
    results: Sequence[Result], console: Console, fresh: Fresh, found: Judgement
) -> None:
    console.print(_table(results, found, console.width))
    console.print(_legend())
    for result in results:
        console.print(_worst(result))
    for line in _silences(results, found):
        console.print(line)
    for entry in found.expired:
        console.print(Text(f"expired, to be removed: {_printable(entry.text)}", style="red"))
    if fresh.rounds:
        console.print(f"fresh inputs: --random {fresh.rounds} --seed {fresh.seed}{_met(found)}")
        console.print(_searched(results))


def _silences(results: Sequence[Result], found: Judgement) -> Iterator[Text]:
    """Yield why a function was not judged."""
    for (place, index), each in found.standings.items():
        if each.state is State.NOT_JUDGED:
            result = results[place]
            text = Text()
            text.append("not judged", style="yellow")
            name = _printable(result.functions[index].function.name)
            text.append(f"  {_titled(result)} {name}", style="bold")
            text.append(f"  {'; '.join(each.reasons)}")
            yield text


def _met(found: Judgement) -> str:
    """Return with which power a narrow fault was met."""
    powers = [each.power for each in found.standings.values()]
    if not powers:
        return ""
    share = f"{100 * SHARE:g} % of the inputs, in whichever way they are drawn,"
    least = f"{100 * min(powers):.2g} %"
    enough = sum(power >= POWER for power in powers)
    words = f"in {enough} of {len(powers)} functions with at least {100 * POWER:g} %"
    return f"; a fault on {share} is met {words}, in the others with {least} or more"


def _searched(results: Sequence[Result]) -> str:
    """Return what was asked near answers that looked worse than those around them."""
    further = [
        [case for case in item.judged if SEARCHED in case.flags]
        for result in results
        for item in result.functions
    ]
    asked = sum(map(len, further))
    bad = sum(case.outcome is Outcome.VIOLATING for cases in further for case in cases)
    return (
        f"searched: {asked} further inputs near answers worse than those around them, of "
        f"{sum(map(bool, further))} functions; {bad} violate"
    )


def _total(results: Sequence[Result], found: Judgement) -> Text:
    counted = Counter(each.state for each in found.standings.values())
    parts = [f"{counted[state]} {state}" for state in State if counted[state]]
    failed = sum(bool(result.failure) for result in results)
    if failed:
        parts.append(f"{failed} {'library' if failed == 1 else 'libraries'} could not be run")
    styles = {ExitStatus.FINE: "bold green", ExitStatus.NO_ANSWER: "bold yellow"}
    style = styles.get(found.status, "bold red")
    total = sum(counted.values())
    return Text(
        f"{total} {'function' if total == 1 else 'functions'}: {', '.join(parts) or 'none'}", style
    )


def _counts(item: FunctionResult) -> dict[Outcome, int]:
    counted = Counter(each.outcome for each in item.judged)
    return {outcome: counted[outcome] for outcome in Outcome if counted[outcome]}


_SIGNS = {
    State.CONFORMANT: ("✔", "green"),
    State.NOT_CONFORMANT: ("✖", "bold red"),
    State.NOT_JUDGED: ("?", "yellow"),
}
_LEVEL_STYLE = {
    Level.NO_PRIVACY: "bold white on red",
    Level.GRAVE: "bold red",
    Level.NOTICEABLE: "red",
    Level.SLIGHT: "yellow",
    Level.LAST_DIGITS: "yellow",
    Level.NO_ANSWER: "magenta",
}


def _table(results: Sequence[Result], found: Judgement, width: int) -> RenderableType:
    """One row per function, the worst first: its harm, how much was judged, and the counts.

    On a narrow terminal the counts stand on a line of their own.
    """
    table = Table(
        title="Conformance",
        box=box.SIMPLE_HEAD,
        title_justify="left",
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    table.add_column("", width=1)
    table.add_column("library and function", overflow="fold", ratio=1)
    table.add_column("core", no_wrap=True)
    table.add_column("extreme", no_wrap=True)
    table.add_column("judged", justify="right", no_wrap=True)
    table.add_column("worst\nunsafe", justify="right", style="red", no_wrap=True)
    table.add_column("most\nextra", justify="right", style="cyan", no_wrap=True)
    for (place, index), each in sorted(found.standings.items(), key=_by_harm):
        result = results[place]
        item = result.functions[index]
        sign, style = _SIGNS[each.state]
        table.add_row(
            Text(sign, style),
            _named(result, item),
            *(
                Text(level or "·", _LEVEL_STYLE[level] if level else "dim")
                for level in (each.core, each.extreme)
            ),
            _judged_share(each),
            _worst_unsafe(item),
            _most_extra(item),
        )
    for result in results:
        if not result.functions:
            table.add_row(Text("?", "yellow"), Text(f"{_titled(result)} could not be run", "red"))
    return table


def _by_harm(entry: tuple[tuple[int, int], Standing]) -> tuple[int, int, int, tuple[int, int]]:
    """The worst harm where people work first, then the worst elsewhere, then what is unknown."""
    key, each = entry
    ranks = [-1 if level is None else level.rank for level in (each.core, each.extreme)]
    states = (State.NOT_CONFORMANT, State.NOT_JUDGED, State.CONFORMANT)
    return -ranks[0], -ranks[1], states.index(each.state), key


def _titled(result: Result) -> str:
    said = result.capabilities
    return _printable(f"{said.name} {said.version}" if said else result.name)


def _named(result: Result, item: FunctionResult) -> Text:
    text = Text(f"{_titled(result)} ", "bold")
    text.append(_printable(item.function.name), "not bold")
    if item.function.quantity != item.function.name:
        text.append(f"  {item.function.quantity}", "dim not bold")
    if item.function.slow:
        text.append(" (fewer cases)", "dim not bold")
    counts = _counts(item)
    for outcome, number in counts.items():
        text.append(" · " if outcome is not next(iter(counts)) else "\n", "dim")
        text.append(f"{outcome} {number}", f"{_STYLE[outcome]} not bold")
        if outcome is Outcome.VIOLATING:
            beyond = sum(abs(v.ulp or 0) > 1 for v in _violations(item))
            text.append(f" ({beyond} by > 1 ulp)", "dim not bold")
    return text


def _judged_share(each: Standing) -> str:
    """How much was answered of what has an answer: of the vectors, and of the fresh inputs."""
    shares = {c.kind: c for c in each.coverage}
    words = []
    for kind in ("vectors", "fresh"):
        found = shares[kind]
        words.append(f"{found.answered}/{found.valid}" if found.valid else "–")
    return "\n+ ".join(words)


def _legend() -> Text:
    levels = "; ".join(f"{level}: {words}" for level, words in reversed(LEVELS.items()))
    return Text(
        "core, extreme: the worst that the answers do to the promise, proved, where people work "
        f"and anywhere else. {levels}.\n"
        "judged: valid inputs that were answered, of the vectors and of the fresh inputs. A "
        f"function is conformant (✔) if at least {float(100 * EVERYDAY_ANSWERED):g} % of the "
        f"everyday ones were, at most {float(100 * MOST_UNASKED):g} % were left unasked, nothing "
        "harms, and its typical answer is of use; else it is not (✖), or was not judged (?).\n"
        "violating: proved to be on the unsafe side of the exact value, be it by less than one "
        "unit in the last place (ulp).\n"
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


def _violations(item: FunctionResult) -> list[JudgedCase]:
    return [v for v in item.judged if v.outcome is Outcome.VIOLATING]


def _size(judged: JudgedCase) -> float:
    """How bad: the relative error; where the truth is subnormal or 0, by its absolute size."""
    by_ulp = math.inf if judged.ulp is None else abs(judged.ulp) * 2.0**-53
    return by_ulp if judged.excess is None else min(abs(judged.excess), by_ulp)


def _worst_unsafe(item: FunctionResult) -> str:
    found = _violations(item)
    return _amount(max(found, key=_size)) if found else ""


def _amount(judged: JudgedCase) -> str:
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


def _most_extra(item: FunctionResult) -> str:
    core = [
        v
        for v in item.judged
        if v.outcome is Outcome.CONSERVATIVE and _everyday(v) and v.excess is not None
    ]
    return _amount(max(core, key=_size)) if core else ""


def _worst(result: Result) -> RenderableType:
    """The worst cases of each function, with the exact numbers."""
    lines: list[RenderableType] = []
    for item in result.functions:
        for outcome in Outcome:
            found = [v for v in item.judged if v.outcome is outcome and not v.conformant]
            found.sort(key=_size if outcome is Outcome.VIOLATING else _everyday, reverse=True)
            if outcome is Outcome.VIOLATING:
                found = _most_telling(found)
            for judged in found[:_WORST_PER_CLASS]:
                lines.append(_case_lines(result, item, judged))
    return Group(*lines)


def _everyday(judged: JudgedCase) -> bool:
    """Whether the input is one where people work: more telling than an extreme."""
    return not EVERYDAY.isdisjoint(judged.flags)


def _most_telling(found: list[JudgedCase]) -> list[JudgedCase]:
    """The worst everyday input first, then the worst of all."""
    everyday = [v for v in found if _everyday(v)]
    first = everyday[:1]
    return first + [v for v in found if v not in first]


def _case_lines(result: Result, item: FunctionResult, judged: JudgedCase) -> Text:
    name = _printable(result.capabilities.name if result.capabilities else result.name)
    text = Text()
    text.append(f"{judged.outcome}", style=_STYLE[judged.outcome])
    inputs = ", ".join(f"{key}={_shortest(value)}" for key, value in judged.arguments.items())
    if judged.level is not None:
        text.append(f" ({judged.level})", style=_LEVEL_STYLE[judged.level])
    text.append(f"  {name} {_printable(item.function.name)}", style="bold")
    text.append(f"  {inputs}\n")
    if judged.answer is not None:
        text.append(f"    answer {_shortest(judged.answer)}  ({judged.answer})")
        if judged.outcome is Outcome.VIOLATING:
            text.append(f", off by {_amount(judged)}")
        text.append("\n")
    if judged.truth is not None:
        text.append(f"    truth  {judged.truth}\n")
    if judged.outcome is Outcome.VIOLATING and judged.true_delta is not None:
        text.append(
            f"    true δ {judged.true_delta}, requested {judged.requested_delta!r}: "
            f"{_times(judged.delta_ratio)}\n"
        )
    elif judged.outcome is Outcome.VIOLATING:
        text.append(f"    true {judged.promise} {_times(judged.ratio)} the promised one\n")
    if judged.message:
        text.append(f"    said   {judged.message}\n")
    text.append(f"    why    {judged.note}\n", style="dim")
    text.append(f"    id     {judged.case}\n", style="dim")
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


def _printable(text: str) -> str:
    """Return a text from outside as it may reach a terminal: what cannot be seen is replaced."""
    return "".join(c if c.isprintable() else "?" for c in text)
