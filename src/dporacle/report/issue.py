"""A report of one finding for a library's maintainers, as `SECURITY.md` asks for it.

It has what was asked, what came back, what is true and why that matters, a reproduction in the
library's own language that needs nothing of ours, and a way to mend it where that is a formula.
Facts only: version, input, output, truth.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from dporacle.conformance.grade.findings import harm_text, shortest, simplest
from dporacle.conformance.grade.grades import GRADES, Grade, shown_by
from dporacle.conformance.judge.harm_levels import LEVELS, Level
from dporacle.conformance.judge.outcomes import Outcome
from dporacle.conformance.libraries.pinned import LIBRARIES
from dporacle.conformance.libraries.targets import adapter_source
from dporacle.conformance.quantities import QUANTITIES
from dporacle.report.document import Document, Item, JudgedCase, Target
from dporacle.report.notes import thread
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
_FEW = 3  # answers that have to have it
_META = frozenset({"DISTRIBUTION", "FUNCTIONS", "NOTES", "SLOW", "BATCHES", "SAMPLERS"})


@dataclass(frozen=True)
class Issue:
    """A report for maintainers.

    Attributes:
        title: on one line.
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
    return [f"{target.name or target.target} {item.function.name}" for target, item in found]


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
        if function in (item.function.name, f"{target.name or target.target} {item.function.name}")
    ]
    if len(found) != 1:
        known = ", ".join(repr(name) for name in names(document)) or "none"
        many = "no function" if not found else f"{len(found)} functions"
        raise ValueError(f"{many} of that name: {function!r}; there is something to say of {known}")
    (target, item) = found[0]
    case = _shown(item)
    if case is None:
        raise ValueError(f"{function!r} is {item.grade}: there is nothing to report")
    private = _private(target, item, case)
    lines = _lines(target, item, case, private=private)
    title = f"{item.function.name}: {item.grade}"
    return Issue(title, "\n".join([f"# {title}", "", *lines]) + "\n", private)


def _functions(document: Document) -> Iterator[tuple[Target, Item]]:
    for target in document.targets:
        for item in target.functions:
            yield target, item


def _shown(item: Item) -> JudgedCase | None:
    return simplest(item.judged, item.grade)


def _private(target: Target, item: Item, case: JudgedCase) -> bool:
    """Whether it could harm somebody, and no public thread of the library tells of it."""
    grave = case.level in LEVELS and Level(case.level).rank >= Level.NOTICEABLE.rank
    own = (target.name or target.target).partition("==")[0].lower().replace("_", "-")
    public = any(own in address.lower().replace("_", "-") for address in _threads(case))
    return item.grade is Grade.EVERYDAY and grave and not public


def _threads(case: JudgedCase) -> list[str]:
    texts = [NOTES.get(flag, "") for flag in case.flags]
    return list(dict.fromkeys(address for text in texts for address in thread(text)))


def _lines(target: Target, item: Item, case: JudgedCase, *, private: bool) -> Iterator[str]:
    if private:
        yield "> **Not public yet.** This goes to the maintainers by their private channel first."
        yield "> They have ninety days, or until there is a release, before anybody else is told."
        yield ""
    row = QUANTITIES.get(item.function.quantity)
    given = {name: shortest(text) for name, text in case.arguments.items()}
    yield f"`{item.function.name}` of {target.title}."
    yield ""
    yield "## What was asked"
    yield ""
    meaning = f" ({row.exact})" if row else ""
    yield f"The {item.function.quantity.replace('_', ' ')}{meaning} at"
    yield ", ".join(f"{name} = {text}" for name, text in given.items()) + "."
    yield ""
    yield "## What came back"
    yield ""
    yield from _came_back(case)
    yield ""
    yield from _true(case)
    yield from _how_often(item)
    yield from _why(item, case)
    yield "## Reproduction"
    yield ""
    yield from _reproduction(target, item, case)
    yield from _mend(item, case)


def _came_back(case: JudgedCase) -> Iterator[str]:
    if case.answer is not None:
        exact = f" (`{case.answer}`)" if case.answer.lstrip("-").startswith("0x") else ""
        yield f"{shortest(case.answer)}{exact}"
    else:
        yield f"No number: {case.outcome}."
    if case.message:
        yield f"It said: `{case.message.replace('`', chr(39))}`"


def _true(case: JudgedCase) -> Iterator[str]:
    yield "## What is true"
    yield ""
    if case.truth is not None:
        yield f"{case.truth}, enclosed by interval arithmetic to all of these digits."
    elif case.outcome == Outcome.ACCEPTS_INVALID:
        yield "The input lies outside the domain: no answer is right, and an error would say so."
    if case.outcome == Outcome.VIOLATING and case.promise:
        yield ""
        yield f"Who relies on the answer is promised too much: {harm_text(case)}."
        if case.true_delta is not None and case.requested_delta is not None:
            yield f"The true δ is {case.true_delta}, where {case.requested_delta!r} was asked for."
    yield ""


def _how_often(item: Item) -> Iterator[str]:
    found = [each for each in item.judged if shown_by(item.grade, each)]
    yield f"{len(found)} of {item.asked} inputs that were asked show the same grade of fault."
    yield ""


def _why(item: Item, case: JudgedCase) -> Iterator[str]:
    words = [NOTES[flag] for flag in case.flags if flag in NOTES and flag != "core"]
    factor = _factor(item.judged)
    if factor:
        words.insert(0, f"On the inputs on the unsafe side the answers are {factor}.")
    if words:
        yield "## Why"
        yield ""
        yield from words
        yield from (f"Seen elsewhere: {address}" for address in _threads(case))
        yield ""


def _factor(judged: Sequence[JudgedCase]) -> str:
    """Return what all unsafe answers have in common, if that is a factor that people forget."""
    shares = [
        _number(each.answer) / float(each.truth)
        for each in judged
        if each.outcome == Outcome.VIOLATING and each.answer and each.truth and float(each.truth)
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


def _reproduction(target: Target, item: Item, case: JudgedCase) -> Iterator[str]:
    library = LIBRARIES.get(target.target.partition("==")[0])
    given = {name: float.fromhex(text) for name, text in case.arguments.items()}
    taken = {name: given[name] for name in item.function.arguments or given if name in given}
    script = reproduction(adapter_source(library), item.function.name, taken) if library else ""
    if library is None or not script:
        called = ", ".join(f"{name}={value!r}" for name, value in taken.items())
        yield f"Call `{item.function.name}` with {called}."
        yield ""
        return
    yield "```sh"
    yield f"pip install {' '.join(library.requirements[:1])}"
    yield "```"
    yield ""
    yield "```python"
    yield script
    yield "```"
    yield ""


def reproduction(source: str, function: str, inputs: Mapping[str, float]) -> str:
    """Return a script that asks a library what its adapter asks it; empty if that is not seen.

    Args:
        source: the adapter's text.
        function: the name of one of its functions.
        inputs: what it is given.
    """
    tree = ast.parse(source)
    entries = [node for node in ast.walk(tree) if isinstance(node, ast.Dict)]
    values = [
        value
        for node in entries
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == function
    ]
    called = next((v.elts[1] for v in values if isinstance(v, ast.Tuple) and len(v.elts) > 1), None)
    given = ", ".join(f"{name}={value!r}" for name, value in inputs.items())
    if called is None:  # made in a loop: all that the adapter has, without its explanations
        own = [node for node in tree.body if not _explains(node)]
        text = "\n".join(ast.unparse(node) for node in own)
        return f"{text}\n\nprint(FUNCTIONS[{function!r}][1]({given}))" if own else ""
    needed = {node.id for node in ast.walk(called) if isinstance(node, ast.Name)}
    parts: list[ast.stmt] = []
    for statement in reversed(tree.body):
        if not _explains(statement) and _defines(statement) & (needed - _META):
            parts.insert(0, _imported(statement, needed))
            needed |= {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    text = "\n".join(ast.unparse(node) for node in parts)
    return f"{text}\n\nask = {ast.unparse(called)}\nprint(ask({given}))"


def _explains(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _defines(statement: ast.stmt) -> set[str]:
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {each.asname or each.name.partition(".")[0] for each in statement.names}
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, ast.Assign):
        return {each.id for each in statement.targets if isinstance(each, ast.Name)}
    return set()


def _imported(statement: ast.stmt, needed: set[str]) -> ast.stmt:
    """Return an import with the names alone that are needed; any other statement as it is."""
    if isinstance(statement, ast.ImportFrom):
        kept = [each for each in statement.names if (each.asname or each.name) in needed]
        return ast.ImportFrom(statement.module, kept, statement.level)
    return statement


def _mend(item: Item, case: JudgedCase) -> Iterator[str]:
    row = QUANTITIES.get(item.function.quantity)
    if row is None:
        return
    side = "up" if row.safe == "up" else "down"
    yield "## How it could be mended"
    yield ""
    if item.grade in (Grade.ROUNDS, Grade.NEAREST):
        to = "math.inf" if side == "up" else "-math.inf"
        off = max((abs(each.ulp or 0.0) for each in item.judged if _unsafe(each)), default=1.0)
        yield f"The answers are at most {off:.3g} units in the last place on the unsafe side. Round"
        yield f"the result {side} by as many: `math.nextafter(answer, {to})` once for each."
    elif case.outcome == Outcome.ACCEPTS_INVALID:
        domains = ", ".join(f"{name} {row.rows[name].domain}" for name in row.arguments)
        yield f"Refuse what is outside the domain ({domains}), and NaN, with an error."
    else:
        yield f"The exact value is {row.exact}. An answer may lie {_above(side)} it, never"
        yield f"{_above('down' if side == 'up' else 'up')} it."
    yield ""


def _above(side: str) -> str:
    return "above" if side == "up" else "below"


def _unsafe(case: JudgedCase) -> bool:
    return case.outcome in (Outcome.VIOLATING, Outcome.ROUNDED)
