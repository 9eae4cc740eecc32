"""What is wrong with an adapter: the protocol's rules, one by one, for the adapter's author.

The judge itself only says that a line breaks the protocol; here each rule is tried by itself,
and the line that breaks it is shown.
"""

import contextlib
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from dporacle.conformance.ask.cases import all_cases, cases_for
from dporacle.conformance.process.adapter import AdapterDiedError, AdapterHungError, AdapterProcess
from dporacle.conformance.protocol import Capabilities, Function, ProtocolError, Reply
from dporacle.conformance.quantities import QUANTITIES
from dporacle.vocabulary import Argument

_START = 120.0
_STARTS = "it answers `start` with one line of its capabilities"
_PAUSE = 0.2  # time enough for a word too many to arrive
_FAILURES = (AdapterDiedError, AdapterHungError, ProtocolError)


@dataclass(frozen=True)
class TriedRule:
    """The outcome of one rule.

    Attributes:
        rule: what has to be so.
        good: whether it is; None for a remark on something that is allowed.
        words: what is wrong, or worth knowing.
        line: the adapter's line that shows it.
    """

    rule: str
    good: bool | None
    words: str = ""
    line: str = ""


def check(command: Sequence[str], *, timeout: float = 5.0) -> Iterator[TriedRule]:
    """Try an adapter, and yield what is found of each rule.

    After a rule without which nothing else can be tried, nothing else is.

    Args:
        command: the adapter's program and its arguments.
        timeout: seconds for one answer.
    """
    with AdapterProcess(command) as child:
        said = _start(child)
        if isinstance(said, TriedRule):
            yield said
            return
        yield TriedRule(_STARTS, True, _offer(said))
        yield from _fitting(said, child.last_line)
        for function in said.functions:
            if cases_for(function):
                yield from _asked(child, function, timeout)
        yield from _sampling(child, timeout)
        yield from _ending(child, samplers=not said.functions)


def _start(child: AdapterProcess) -> Capabilities | TriedRule:
    """Start an adapter, or say what is wrong; one that has samplers alone is asked for these."""
    try:
        return child.start(timeout=_START)
    except ProtocolError as error:
        wrong = _wrong(child, _STARTS, error)  # with the line of this process, not of the next
        with contextlib.suppress(*_FAILURES):
            return child.start(timeout=_START, samplers=True)
        return wrong
    except (AdapterDiedError, AdapterHungError) as error:
        return _wrong(child, _STARTS, error)


def _sampling(child: AdapterProcess, timeout: float) -> Iterator[TriedRule]:
    """Try the rules about draws on each sampler, if there are any."""
    try:
        said = child.start(timeout=_START, samplers=True)
    except _FAILURES:
        return  # an adapter without samplers need not know the question
    for sampler in said.samplers:
        rule = f"{sampler.name}: it answers `draw` with a line and as many numbers as were asked"
        given = dict.fromkeys(sampler.parameters, 1.0)
        found = []
        try:
            for _ in range(2):
                if not child.running:
                    child.start(timeout=_START, samplers=True)
                shape = {"rows": 3, "dimension": 2}
                found.append(child.draw(sampler.name, given, value=0.0, timeout=timeout, **shape))
        except _FAILURES as error:
            yield _wrong(child, rule, error)
            continue
        yield TriedRule(rule, True)
        if not found[0][1]:
            words = "no draws with every parameter 1; if this is meant, all is well"
            yield TriedRule(f"{sampler.name}: it draws", None, words, child.last_line)
        elif found[0][1] == found[1][1]:
            yield TriedRule(
                f"{sampler.name}: each request has fresh noise", False, "two were the same"
            )


def _fitting(said: Capabilities, line: str) -> Iterator[TriedRule]:
    rule = "each function has its quantity's arguments"
    for function in said.functions:
        if not cases_for(function):
            row = QUANTITIES[function.quantity]
            words = (
                f"{function.name} has {', '.join(function.arguments)}; {row.name} depends on "
                f"{', '.join(row.arguments)}, of which only "
                f"{' and '.join(row.defaults) or 'none'} may be left out"
            )
            yield TriedRule(rule, False, words, line)
    if all(cases_for(function) for function in said.functions):
        yield TriedRule(rule, True)


def _asked(child: AdapterProcess, function: Function, timeout: float) -> Iterator[TriedRule]:
    """Try the rules about answers on one function."""
    usual = _everyday(function)

    def run(rule: str, arguments: Mapping[str, float]) -> tuple[TriedRule, Reply | None]:
        named = f"{function.name}: {rule}"
        try:
            if not child.running:
                child.start(timeout=_START)
            reply = child.run(function.wire, arguments, timeout=timeout)
        except _FAILURES as error:
            return _wrong(child, named, error, arguments), None
        return TriedRule(named, True), reply

    tried, first = run("it answers `run` with one line that has the id and one field", usual)
    yield tried
    if first is None:
        return
    if first.value is msgspec.UNSET:
        words = "no value for an everyday input; if this is meant, all is well"
        yield TriedRule(
            f"{function.name}: everyday inputs have answers", None, words, child.last_line
        )
    time.sleep(_PAUSE)
    tried, second = run("it says nothing without being asked", usual)
    yield tried
    if second is not None and second.value != first.value:
        words = f"the same input had the answers {first.value!r} and {second.value!r}"
        yield TriedRule(f"{function.name}: answers repeat", None, words, child.last_line)
    yield from _bunch(run, "it reads the words nan, inf and -inf", _worded(usual))
    yield from _bunch(run, "it survives subnormal and huge numbers", _extreme(function, usual))
    yield from _bunch(run, "it survives the vectors that are to be refused", _refused(function))
    if function.batch > 1:
        yield from _batches(child, function, timeout)


def _everyday(function: Function) -> dict[str, float]:
    """Return an input that nobody refuses."""
    rows = QUANTITIES[function.quantity].rows
    return {name: float(rows[name].everyday) for name in function.arguments}


def _batches(child: AdapterProcess, function: Function, timeout: float) -> Iterator[TriedRule]:
    """Try batches: the longest, and one in which some inputs are to be refused."""
    usual = _everyday(function)
    rows = QUANTITIES[function.quantity].rows
    name = min(function.arguments, key=lambda each: rows[each].counts)
    changed = (
        usual[name] + i % 100 if rows[name].counts else usual[name] / (1 + i / 10)
        for i in range(function.batch)
    )
    longest = [{**usual, name: value} for value in changed]
    mixed = [usual, *_refused(function), usual][: function.batch]
    tries: tuple[tuple[str, list[dict[str, float]]], ...] = (
        (f"it answers a batch of {function.batch} with as many endings", longest),
        ("it answers a batch with inputs to be refused, each for itself", mixed),
    )
    for rule, inputs in tries:
        named = f"{function.name}: {rule}"
        try:
            if not child.running:
                child.start(timeout=_START)
            endings = child.run_batch(function.wire, inputs, timeout=timeout)
            line = child.last_line
            alone = child.run(function.wire, inputs[0], timeout=timeout)
        except _FAILURES as error:
            yield _wrong(child, named, error)
            continue
        yield TriedRule(named, True)
        if endings[0].value != alone.value:
            words = f"in a batch {endings[0].value!r}, alone {alone.value!r}"
            yield TriedRule(
                f"{function.name}: a batch answers as one input does", None, words, line
            )


_Run = Callable[[str, Mapping[str, float]], tuple[TriedRule, Reply | None]]


def _bunch(run: _Run, rule: str, inputs: Sequence[Mapping[str, float]]) -> Iterator[TriedRule]:
    """Try one rule on several inputs, up to the first that breaks it."""
    tried = None
    for arguments in inputs:
        tried, reply = run(rule, arguments)
        if reply is None:
            break
    if tried is not None:
        yield tried


def _worded(usual: Mapping[str, float]) -> list[dict[str, float]]:
    words = (math.nan, math.inf, -math.inf)
    return [{**usual, name: word} for name in usual for word in words]


def _extreme(function: Function, usual: Mapping[str, float]) -> list[dict[str, float]]:
    rows = QUANTITIES[function.quantity].rows
    return [{**usual, name: value} for name in usual for value in _ends(rows[name])]


def _ends(row: Argument) -> tuple[float, float]:
    """Return numbers at the ends of an argument's reach; a count does not go to its domain's."""
    if row.counts:
        assert row.extreme is not None
        return 1.0, float(round(10 ** row.extreme[1]))
    return 5e-324, 0.0 if row.domain.most is not None else 1.7e308


def _refused(function: Function) -> list[dict[str, float]]:
    return [
        {name: case.arguments[name] for name in function.arguments}
        for case in all_cases()
        if case.quantity == function.quantity and not case.valid
    ]


def _ending(child: AdapterProcess, *, samplers: bool) -> Iterator[TriedRule]:
    for rule, ask in (
        ("it exits on `stop`, without an answer", True),
        ("it exits when its input ends", False),
    ):
        try:
            child.start(timeout=_START, samplers=samplers)
        except _FAILURES as error:
            yield _wrong(child, "it starts again", error)
            return
        if child.stop(ask=ask):
            yield TriedRule(rule, True)
        else:
            words = "it answered" if child.last_line else "it was still there after 2 s"
            yield TriedRule(rule, False, words, child.last_line)


def _offer(said: Capabilities) -> str:
    offered = ", ".join(f"{f.name} ({f.quantity})" for f in said.functions)
    language = "" if said.language == "unknown" else f", {said.language}"
    return f"{said.name} {said.version}{language}: {offered}"


def _wrong(
    child: AdapterProcess, rule: str, error: Exception, arguments: Mapping[str, float] | None = None
) -> TriedRule:
    asked = (
        "" if arguments is None else " at " + ", ".join(f"{k}={v}" for k, v in arguments.items())
    )
    words = f"{error}{asked}"
    if isinstance(error, ProtocolError) and error.allowed:
        words += f"; allowed as {error.field}: {', '.join(error.allowed)}"
    if isinstance(error, AdapterHungError):
        if not child.last_line:
            words += "; an answer that is not flushed does not arrive"
        if child.last_words:
            words += f"; its last words were {child.last_words}"
    return TriedRule(rule, False, words, child.last_line)
