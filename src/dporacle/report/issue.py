"""A report of one finding for a library's maintainers, as `SECURITY.md` asks for it.

It has what was asked, what came back, what is true and why that matters, a reproduction in the
library's own language that needs nothing of ours, and a way to mend it where that is a formula.
Facts only: version, input, output, truth.
"""

import math
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import msgspec

from dporacle.conformance.grade.findings import harm_text, shortest, simplest
from dporacle.conformance.grade.grades import GRADES, shown_by
from dporacle.conformance.grade.runs import Document, FunctionResult, TargetResult
from dporacle.conformance.judge.outcomes import JudgedCase, Outcome
from dporacle.conformance.libraries.pinned import LIBRARIES, Library
from dporacle.conformance.libraries.targets import adapter_source
from dporacle.conformance.quantities import QUANTITIES
from dporacle.report import disclosure
from dporacle.report.notes import thread
from dporacle.report.reproduction import note, reproduction
from dporacle.report.summary import code
from dporacle.report.terminal.wording import printable
from dporacle.vectors.notes import NOTES

_FACTORS = {
    0.5: "half of the exact value",
    2.0: "twice the exact value",
    math.sqrt(0.5): "the exact value over √2",
    math.sqrt(2): "√2 times the exact value",
    0.25: "a quarter of the exact value",
    4.0: "four times the exact value",
}
_SAME = 1e-3  # a factor of all answers is recognised to so many parts of itself
_LAST_PLACES = 1000  # units in the last place, above which nobody mends it by rounding
_FEW = 3  # answers that have to have it


class ExampleAnswer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An answer that shows what a function does, with what is known of all its answers.

    Attributes:
        case: the simplest input of those that harm most.
        count: how many of the inputs that were asked show the same.
        factor: what all unsafe answers have in common, in words; mostly nothing.
        off: by how many units in the last place an unsafe answer is off, at most.
    """

    case: JudgedCase
    count: int = 1
    factor: str = ""
    off: float = 0.0


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """The function that a finding is about.

    Attributes:
        library, version: as the adapter said.
        function, quantity: what was judged, and as what.
        grade: what it is.
        said: the same in the words for its quantity.
        asked: how many inputs it was asked.
        arguments: those that it takes; all of the quantity, if none is named.
        note: how the adapter asks it, where that is not plain.
    """

    library: str
    version: str
    function: str
    quantity: str
    grade: str
    asked: int
    arguments: tuple[str, ...] = ()
    note: str = ""
    said: str = ""


@dataclass(frozen=True)
class Issue:
    """A report for maintainers.

    Attributes:
        title: on one line, in Markdown.
        text: in Markdown, with the title.
        private: whether the maintainers are to be told before anybody else.
    """

    title: str
    text: str
    private: bool


def names(document: Document) -> list[str]:
    """Return the functions that there is something to report of, the worst first."""
    found = [(target, item) for target, item in _functions(document) if _shown(item)]
    found.sort(key=lambda pair: [*GRADES].index(pair[1].grade))
    return [f"{target.called} {item.function.name}" for target, item in found]


def issue(document: Document, function: str) -> Issue:
    """Return the report of a function's simplest finding.

    Args:
        document: the run.
        function: the function's name, or the library's and the function's.

    Raises:
        ValueError: if there is no such function, more than one, or nothing to report of it.
    """
    found = [
        (target, item)
        for target, item in _functions(document)
        if function in (item.function.name, f"{target.called} {item.function.name}")
    ]
    if len(found) != 1:
        known = ", ".join(repr(name) for name in names(document)) or "none"
        many = "no function" if not found else f"{len(found)} functions"
        raise ValueError(f"{many} of that name: {function!r}; there is something to say of {known}")
    (target, item) = found[0]
    case = _shown(item)
    if case is None:
        raise ValueError(f"{function!r} is {item.graded.text}: there is nothing to report")
    return written(subject(target, item), finding(item, case))


def subject(target: TargetResult, item: FunctionResult) -> Subject:
    """Return what a run's finding about a function is about."""
    return Subject(
        library=target.called,
        version=target.version or "",
        function=item.function.name,
        quantity=item.function.quantity,
        grade=str(item.grade),
        asked=item.asked,
        arguments=item.function.arguments,
        note=item.function.note,
        said=item.graded.text,
    )


def finding(item: FunctionResult, case: JudgedCase) -> ExampleAnswer:
    """Return one of a function's answers with what is known of all of them."""
    return ExampleAnswer(
        case=msgspec.structs.replace(case, note=""),
        count=sum(shown_by(item.grade, each) for each in item.judged) or 1,
        factor=_factor(item.judged),
        off=max((abs(each.ulp or 0.0) for each in item.judged if each.unsafe), default=1.0),
    )


def written(about: Subject, found: ExampleAnswer) -> Issue:
    """Return the report of one finding."""
    case = found.case
    harm = case.level if case.everyday else None
    private = disclosure.private(about.library, about.function, about.grade, harm, case.flags)
    title = f"{code(about.function)}: {about.said or about.grade}"
    lines = [f"# {title}", "", *_lines(about, found, private=private)]
    return Issue(title, "\n".join(lines) + "\n", private)


def _functions(document: Document) -> Iterator[tuple[TargetResult, FunctionResult]]:
    for target in document.targets:
        for item in target.functions:
            yield target, item


def _shown(item: FunctionResult) -> JudgedCase | None:
    return simplest(item.judged, item.grade)


def _threads(case: JudgedCase) -> list[str]:
    texts = [NOTES.get(flag, "") for flag in case.flags]
    return list(dict.fromkeys(address for text in texts for address in thread(text)))


def _lines(about: Subject, found: ExampleAnswer, *, private: bool) -> Iterator[str]:
    case = found.case
    if private:
        tell = "Tell the maintainers by their private channel first."
        if not disclosure.known(about.library):
            tell = "Unless the library is your own, tell its maintainers in private first."
        yield f"> **Not public yet.** {tell}"
        yield "> They have ninety days, or until there is a release, before anybody else is told."
        yield ""
    row = QUANTITIES.get(about.quantity)
    given = {name: shortest(text) for name, text in case.arguments.items()}
    yield f"{code(about.function)} of {code(f'{about.library} {about.version}'.strip())}."
    yield ""
    yield "## What was asked"
    yield ""
    meaning = f", {row.exact}," if row else ""
    yield f"{code(about.quantity)}{meaning} at"
    yield ", ".join(code(f"{name} = {text}") for name, text in given.items()) + "."
    if told := (about.note and code(about.note, longest=1000)) or _noted(about):
        yield ""
        yield f"How it was asked: {told}."
    yield ""
    yield "## What came back"
    yield ""
    yield from _came_back(case)
    yield ""
    yield from _true(about, case)
    some = "an input shows" if found.count == 1 else f"{found.count} inputs show"
    yield f"Of {about.asked} inputs that were asked, {some} a fault of this grade."
    yield ""
    yield from _why(found)
    yield "## Reproduction"
    yield ""
    yield from _reproduction(about, case)
    yield from _mend(about, found)


def _came_back(case: JudgedCase) -> Iterator[str]:
    if case.answer is not None:
        exact = f" ({code(case.answer)})" if case.answer.lstrip("-").startswith("0x") else ""
        yield f"{code(shortest(case.answer))}{exact}"
    else:
        yield f"No number: {case.outcome}."
    if case.message:
        yield f"Reported: {code(case.message)}"


def _true(about: Subject, case: JudgedCase) -> Iterator[str]:
    yield "## What is true"
    yield ""
    row = QUANTITIES.get(about.quantity)
    if case.truth is not None:
        yield f"{code(case.truth)}, enclosed by interval arithmetic to all of these digits."
    elif outside(case):
        yield "The input lies outside the domain: no answer is right, and an error would say so."
    else:
        yield f"The input lies in the domain: {row.exact if row else 'an answer'} is due."
    if case.outcome == Outcome.INCONSISTENT:
        yield "The answers do not agree with each other, so not all of them are right."
    if case.unsafe and case.promise:
        yield ""
        more = "" if case.ratio is None else f": {harm_text(case)}"
        yield f"Who relies on the answer is promised too much{more}."
        if case.true_delta is not None and case.requested_delta is not None:
            yield f"The true δ is {case.true_delta}, where {case.requested_delta!r} was asked for."
    yield ""


def _why(found: ExampleAnswer) -> Iterator[str]:
    flags = found.case.flags
    words = [NOTES[flag] for flag in flags if flag in NOTES and flag != "core"]
    if found.factor:
        words.insert(0, f"On the inputs on the unsafe side the answers are {found.factor}.")
    if words:
        yield "## What is known of such inputs"
        yield ""
        yield from words
        yield from (f"Seen elsewhere: {address}" for address in _threads(found.case))
        yield ""


def _factor(judged: Sequence[JudgedCase]) -> str:
    """Return what all unsafe answers have in common, if that is a factor that people forget."""
    shares = [
        _number(each.answer) / _number(each.truth)
        for each in judged
        if each.outcome == Outcome.VIOLATING and each.answer and each.truth and _number(each.truth)
    ]
    if len(shares) < _FEW or not all(map(math.isfinite, shares)):
        return ""
    middle = median(shares)
    if any(abs(each - middle) > _SAME * abs(middle) for each in shares):
        return ""
    return next(
        (text for factor, text in _FACTORS.items() if abs(middle - factor) <= _SAME * factor), ""
    )


def _number(text: str) -> float:
    try:
        return float(shortest(text))
    except ValueError:
        return math.nan


def _reproduction(about: Subject, case: JudgedCase) -> Iterator[str]:
    script = script_of(about, case)
    if not script:
        yield call_of(about, case)
        yield "If the answer is right then, it depends on what was asked before: the judge asks"
        yield "many questions of one process."
        yield ""
        return
    yield "```sh"
    yield install_of(about)
    yield "```"
    yield ""
    yield "```python"
    yield script
    yield "```"
    yield ""


def install_of(about: Subject) -> str:
    """Return the command that installs the version that was judged, with what it was judged with.

    Later versions of what a library needs may not work with it.
    """
    exact = f"{about.library}=={about.version}"
    library = _library(about)
    if library is None or library.version != about.version:
        return f"pip install {shlex.quote(printable(exact))}"
    alone = ["--no-deps"] if library.alone else []
    return shlex.join(["pip", "install", *alone, exact, *library.needs])


def call_of(about: Subject, case: JudgedCase) -> str:
    """Return in words what asks a library the same, where there is no script."""
    given = ", ".join(code(f"{name}={value!r}") for name, value in _taken(about, case).items())
    return f"Call {code(about.function)} with {given}."


def outside(case: JudgedCase) -> bool:
    """Return whether an input lies outside the domain."""
    named = any("nonsense" in flag for flag in case.flags)
    return named or case.outcome == Outcome.ACCEPTS_INVALID


def _noted(about: Subject) -> str:
    source = _source(about)
    return note(source, about.function) if source else ""


def _source(about: Subject) -> str:
    """Return the text of our adapter of a library; empty if there is none."""
    library = _library(about)
    return adapter_source(library) if library else ""


def _library(about: Subject) -> Library | None:
    return next((row for row in LIBRARIES.values() if row.distribution == about.library), None)


def script_of(about: Subject, case: JudgedCase) -> str:
    """Return what asks the library the same in its own language; empty for an unknown one."""
    source = _source(about)
    return reproduction(source, about.function, _taken(about, case)) if source else ""


def _taken(about: Subject, case: JudgedCase) -> dict[str, float]:
    """Return the input; nothing of it that is no number, which a document may hold."""
    numbers = {name: _number(text) for name, text in case.arguments.items()}
    given = {n: v for n, v in numbers.items() if not math.isnan(v) or case.arguments[n] == "nan"}
    return {name: given[name] for name in about.arguments or given if name in given}


def _mend(about: Subject, found: ExampleAnswer) -> Iterator[str]:
    row = QUANTITIES.get(about.quantity)
    if row is None:
        return
    side = "up" if row.safe == "up" else "down"
    yield "## How it could be mended"
    yield ""
    if found.case.outcome == Outcome.ROUNDED and found.off <= _LAST_PLACES:
        to = "math.inf" if side == "up" else "-math.inf"
        off = max(1, math.ceil(found.off))
        units = "one unit" if off == 1 else f"{off} units"
        yield f"The answers are at most {units} in the last place on the unsafe side."
        yield f"Round the result {side} by as many: `math.nextafter(answer, {to})` once for each."
    elif outside(found.case):
        domains = ", ".join(f"{name} {row.rows[name].domain}" for name in row.arguments)
        yield f"Refuse what is outside the domain ({domains}), and NaN, with an error."
    else:
        yield f"The exact value is {row.exact}. An answer may lie {_above(side)} it, never"
        yield f"{_above('down' if side == 'up' else 'up')} it."
    yield ""


def _above(side: str) -> str:
    return "above" if side == "up" else "below"
