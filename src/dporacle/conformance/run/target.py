"""One target: what it is asked, by whom, and what it answered."""

from __future__ import annotations

import contextlib
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import msgspec

from dporacle.conformance.ask.answers import Answer, End
from dporacle.conformance.ask.cases import Case
from dporacle.conformance.ask.earlier import Earlier
from dporacle.conformance.ask.fresh import RULES
from dporacle.conformance.ask.limits import Patience
from dporacle.conformance.ask.one_function import Asking
from dporacle.conformance.ask.plan import (
    Fresh,
    Plan,
    calibrates,
    chain,
    once_more,
    plainly_broken,
    planned,
)
from dporacle.conformance.ask.search import Search
from dporacle.conformance.ask.starting import Child
from dporacle.conformance.grade.runs import DeclaredFunction as Said
from dporacle.conformance.grade.runs import FunctionResult, TargetResult
from dporacle.conformance.judge import agreement
from dporacle.conformance.judge.contradictions import contradictions
from dporacle.conformance.judge.excess import of_the_loosest
from dporacle.conformance.libraries import environments
from dporacle.conformance.libraries.targets import Target
from dporacle.conformance.process.adapter import AdapterDiedError, AdapterHungError, AdapterProcess
from dporacle.conformance.protocol import Capabilities, Function, ProtocolError
from dporacle.conformance.run.judging import broken, judged_answers
from dporacle.conformance.run.tasks import Tasks

_RESERVED = 10.0  # seconds
_LEAST_USUAL = 3  # everyday vectors of a slow function that are asked in any case …
_LEAST_FRESH = 8  # … and drawn inputs: six have to be answered, two may have no exact value
_PARTS = 4  # in which a slow function is asked
_FEWER = 4  # times less is spent on what decides little …
_FEWER_FRESH, _FEWEST_FRESH = 8, 12  # … and so many times fewer fresh inputs are asked, or so many
_GLANCE = 0.5  # seconds for a question that is asked for what it may change in others
_AFTER_PAUSE = 2  # inputs of each function

Progress = Callable[[str, str, int, int], None]
"""Called with the target's name, what it does, how many cases are done, and of how many."""

Judging = Callable[[Callable[[], frozenset[bool]]], frozenset[bool]]
"""Lets a proof be done in the thread that judges; what it finds, or nothing if that takes long."""


class TargetRun:
    """One target: what it is asked, by whom, and what it answered."""

    def __init__(
        self,
        index: int,
        target: Target,
        limits: Patience,
        progress: Progress,
        wanted: Callable[[Case], bool],
        fresh: Fresh,
        work: Tasks,
        finished: Callable[[TargetRun], None] = lambda inquiry: None,
        judging: Judging = lambda job: job(),
        earlier: Earlier = MappingProxyType({}),
    ) -> None:
        self.index = index
        self.result = TargetResult(target.name)
        self.answered: list[Plan] = []
        self._target = target
        self._limits = limits
        self._progress = progress
        self._wanted = wanted
        self._fresh = fresh
        self._work = work
        self._finished = finished
        self._judging = judging
        self._earlier = earlier
        self._lock = threading.Lock()
        self._left = limits.library
        self._unbegun = self._open_units = self._done = self._total = 0
        self._later: list[Plan] = []
        self._idle: list[AdapterProcess] = []
        self._command: Sequence[str] = ()
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._begun = time.monotonic()
        self._gone = ""

    def open(self) -> None:
        """Start the adapter, and give out the work."""
        self._begun = time.monotonic()
        with self._telling():
            self._progress(self._target.name, "preparing", 0, 0)
            self._command = self._target.prepare()
            self._folder = tempfile.TemporaryDirectory()
            self._progress(self._target.name, "starting", 0, 0)
            child = self._process()
            self._idle.append(child)
            self.plan(child.start(timeout=self._limits.start))
            if not self._target.apart:
                self._open_units = 1
                self._work.add(self.index, lambda: self._unit(self.answered))
                return
            # Calibrations come first: their answers are inputs for the other functions.
            firsts = [each for each in self.answered if calibrates(each.function)]
            self._later = [a for a in self.answered if a not in firsts]
            self._give_out(firsts or self._later)
            return
        self._finish()

    def plan(self, capabilities: Capabilities) -> None:
        """Choose the questions to each function."""
        self.result.name, self.result.version = capabilities.name, capabilities.version
        self.result.language = capabilities.language
        for function in capabilities.functions:
            found = self._earlier.get((capabilities.name, function.name, function.quantity), ())
            self.answered.append(planned(function, self._fresh, self._wanted, found))
        self.answered.sort(key=lambda each: not calibrates(each.function))
        self._unbegun = len(self.answered)
        self._total = sum(len(each.cases) for each in self.answered)

    def _give_out(self, units: Sequence[Plan]) -> None:
        if units is self._later:
            self._later = []
        self._open_units = len(units)
        # The slow ones first, so that the last of them does not keep everybody waiting.
        for each in sorted(units, key=lambda each: not each.function.slow):
            self._work.add(self.index, lambda each=each: self._unit([each]))  # type: ignore[misc]

    def _unit(self, units: Sequence[Plan]) -> None:
        """Ask some of the functions, in one process."""
        child = None
        with self._telling():
            with self._lock:
                child = self._idle.pop() if self._idle else None
            child = child or self._process()
            self.ask(child, units)
        with self._lock:
            if child is not None:
                self._idle.append(child)
            self._open_units -= 1
            last = not self._open_units
        if last and self._later and not self.result.failure:
            self._give_out(self._later)
        elif last:
            self._finish()

    def ask(self, child: Child, units: Sequence[Plan]) -> None:
        """Put the questions to a child, and a few of them to another process of it."""
        askings = []
        for answered in units:
            if self._gone:
                self._not_asked(answered)
                continue
            asked = Asking(
                child,
                answered.function,
                self._share(),
                lambda plan=answered: self._judging(lambda: broken(plan.pairs)),  # type: ignore[misc]
            )
            askings.append((asked, answered))
            for pairs in (self._asked(asked, answered), self._searched(asked, answered)):
                if not self._kept(asked, answered, pairs):
                    return
        again = self._fresh.rounds and (self._target.forks or not self._target.apart)
        if again and not self._asked_once_more(child, askings):
            return
        child.stop()

    def _asked_once_more(self, child: Child, askings: Sequence[tuple[Asking, Plan]]) -> bool:
        """Ask some again: after a pause, and in another process, after the other functions.

        Who is slow, fails or breaks a promise is not asked: his grade is no worse for it.
        """
        again = [
            (asked, plan, once_more(plan))
            for asked, plan in askings
            if not (plan.function.slow or plan.broken or asked.decided)
        ]
        if self._limits.pause and again:
            self._work.pause(self._limits.pause)
            for asked, plan, cases in again:
                if not (self._gone or self._kept(asked, plan, asked.answers(cases[:_AFTER_PAUSE]))):
                    return False
                del cases[:_AFTER_PAUSE]
        child.stop()
        if self._target.apart and again and not self._gone:
            self._glance(child, [plan for _, plan in askings])
        # The last comes first here, so that each was asked after each other.
        for asked, plan, cases in reversed(again):
            if not (self._gone or self._kept(asked, plan, asked.answers(cases))):
                return False
        return True

    def _glance(self, child: Child, known: Sequence[Plan]) -> None:
        """Ask each other function once, for what that may change in the answers to come."""
        for plan in self.answered:
            other = all(plan is not each for each in known)
            if other and plan.usual and not plan.function.slow:
                Asking(child, plan.function, self._limits).ask(plan.usual[0], limit=_GLANCE)

    def _kept(self, asked: Asking, plan: Plan, pairs: Iterator[tuple[Case, Answer]]) -> bool:
        """Note the answers as they come; return whether to go on."""
        before = asked.spent
        for pair in pairs:
            if self._work.stopping:
                return False
            plan.pairs.append(pair)
            plan.broken = plan.broken or plainly_broken(*pair)
            self._tell(plan.function, pair[0])
        plan.patience.update(asked.patience)
        with self._lock:
            self._left -= asked.spent - before
            self._gone = self._gone or asked.gone
        return True

    def _asked(self, asked: Asking, plan: Plan) -> Iterator[tuple[Case, Answer]]:
        """Yield the answers to what is planned, each part in its share of the patience."""
        chained = list(chain(plan.function, self.answered))
        limits = self._limits
        yield from asked.answers(plan.again)
        if plan.function.slow:
            yield from asked.answers(plan.usual, most=limits.slow, least=_LEAST_USUAL)
            if plan.broken:
                limits = replace(limits, slow=limits.slow / _FEWER)
            # Fresh inputs have limits of their own: how many are wanted changes no other question.
            if not plan.broken and asked.usual_time * plan.vectors <= _PARTS * limits.slow:
                yield from self._as_others(asked, plan)
                return
            valid, wrong = ([c for c in plan.unusual if c.valid is each] for each in (True, False))
            least = 1 if plan.broken else _LEAST_FRESH
            yield from asked.answers(plan.fresh, most=limits.slow, least=least)
            yield from asked.answers([*valid, *chained], most=limits.slow)
            # To accept what is to be refused weighs less than to fail.
            yield from asked.answers(wrong, most=limits.slow / (_FEWER if asked.decided else 1))
        else:
            made = [case for case in plan.unusual if not RULES.keys().isdisjoint(case.flags)]
            vectors = [case for case in plan.unusual if RULES.keys().isdisjoint(case.flags)]
            yield from asked.answers(plan.usual)
            if plan.broken:  # all vectors still, as they stay the same from run to run
                few = max(_FEWEST_FRESH, len(plan.fresh) // _FEWER_FRESH)
                yield from asked.answers([*plan.fresh[:few], *vectors])
                return
            yield from asked.answers(plan.fresh, most=limits.fresh)
            yield from asked.answers([*vectors, *chained])
            yield from asked.answers(made, most=limits.slow)

    def _as_others(self, asked: Asking, plan: Plan) -> Iterator[tuple[Case, Answer]]:
        """Yield the other answers of a function that says that it is slow, and is not."""
        known, plan.again = {case.id for case, _ in plan.pairs}, []
        function = msgspec.structs.replace(plan.function, slow=False)
        full = planned(function, self._fresh, self._wanted)
        plan.function, plan.relations = function, full.relations
        plan.usual = [case for case in full.usual if case.id not in known]
        plan.fresh, plan.unusual = full.fresh, full.unusual
        yield from self._asked(asked, plan)

    def _searched(self, asked: Asking, answered: Plan) -> Iterator[tuple[Case, Answer]]:
        """Yield answers near those that look worse than their neighbours."""
        if self._fresh.rounds and not (answered.function.slow or answered.broken):
            for cases in Search(answered.function).turns(answered.pairs):
                yield from asked.answers(cases)

    def _tell(self, function: Function, case: Case) -> None:
        with self._lock:
            self._done = min(self._done + 1, self._total)
            done = self._done
        inputs = ", ".join(f"{name}={value:.6g}" for name, value in case.arguments.items())
        self._progress(self._target.name, f"{function.name}, after {inputs}", done, self._total)

    def _share(self) -> Patience:
        """Return the patience for one function: a little is kept for each one to come."""
        with self._lock:
            self._unbegun -= 1
            left = self._left - _RESERVED * self._unbegun
        share = min(self._limits.function, max(left, _RESERVED))
        return replace(self._limits, function=round(share, 1))

    def _not_asked(self, answered: Plan) -> None:
        message = f"not asked: the adapter does not start again: {self._gone}"
        answer = Answer(end=End.NOT_ASKED, message=message)
        answered.pairs += [(case, answer) for case in answered.cases]

    def _process(self) -> AdapterProcess:
        assert self._folder is not None
        return AdapterProcess(
            self._command,
            environment=self._target.environment,
            directory=None if self._target.own_environment else Path(self._folder.name),
            memory_limit=self._limits.memory,
            forks=self._target.forks,
        )

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        """Keep what goes wrong as the result of this target, and of no other."""
        try:
            yield
        except environments.EnvironmentBuildError as error:
            self.result.failure = str(error)
        except (AdapterDiedError, AdapterHungError, ProtocolError) as error:
            self.result.failure = f"the adapter does not start: {error}"
        except OSError as error:
            self.result.failure = f"the adapter cannot be run: {error}"
        except Exception as error:  # a mistake of ours: the other libraries' results are kept
            self.result.failure = f"the judge failed: {type(error).__name__}: {error}"

    def _finish(self) -> None:
        try:
            self.close()
            self.result.seconds = time.monotonic() - self._begun
            words = "failed" if self.result.failure else "done"
            self._progress(self._target.name, words, 0, 0)
        finally:
            self._finished(self)

    def close(self) -> None:
        """End the processes, and remove what they were given to work in."""
        with self._lock:
            idle, self._idle = self._idle, []
            folder, self._folder = self._folder, None
        for child in idle:
            child.close()
        if folder is not None:
            with contextlib.suppress(OSError):
                folder.cleanup()

    def judged(self, *, told: bool = True, processes: int = 1) -> TargetResult:
        """Return the result, with each answer judged; unless `told`, not what it does."""
        pairs = [pair for answered in self.answered for pair in answered.pairs]
        judgings = iter(judged_answers(pairs, told=told, processes=processes))
        for answered in self.answered:
            begun = time.thread_time()
            function = msgspec.convert(answered.function, Said, from_attributes=True)
            item = FunctionResult(function, vectors=answered.vectors)
            self.result.functions.append(item)
            for (case, _), judging in zip(answered.pairs, judgings, strict=False):
                begun -= judging.seconds
                if judging.judged is not None:
                    item.judged.append(judging.judged)
                elif judging.unreached:
                    item.unreached += 1
                else:
                    self._unproved(case.id, judging.failure)
            with self._proving(answered.function.name):
                item.judged = agreement.consistent(item.judged, answered.relations)
                item.looseness = of_the_loosest(item.judged) if told else None
            answered.patience["judging"] = time.thread_time() - begun
            item.patience = {what: round(seconds, 3) for what, seconds in answered.patience.items()}
        with self._proving("what two functions answer"):
            answers = ((each.function.name, each.judged) for each in self.result.functions)
            self.result.contradictions = contradictions(answers) if told else []
        self.answered.clear()
        return self.result

    @contextlib.contextmanager
    def _proving(self, what: str) -> Iterator[None]:
        """Where there is no proof there is no outcome, and the run is incomplete."""
        try:
            yield
        except Exception as error:
            self._unproved(what, f"{type(error).__name__}: {error}")

    def _unproved(self, what: str, why: str) -> None:
        self.result.failure = self.result.failure or f"{what} cannot be judged: {why}"
