"""Many conformance runs with fresh inputs: who is convicted how often, and by which checks.

The vectors are the same in every run, and so are a specimen's answers to them: they are asked
once. The fresh inputs follow from each run's own seed; where each exact value takes seconds, as
those of DP-SGD and rank-one noise do, they are asked in the first run and in every twentieth after
it. Everything goes through the judge as any library's answers do; in each run some specimens also
go through a real process.
"""

import math
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

from dporacle.conformance.ask.fresh import RULES
from dporacle.conformance.ask.limits import Patience
from dporacle.conformance.ask.plan import Fresh
from dporacle.conformance.ask.power import POWER, SHARE, rounds_for
from dporacle.conformance.grade.runs import TargetResult
from dporacle.conformance.process.adapter import AdapterProcess
from dporacle.conformance.quantities import QUANTITIES
from dporacle.conformance.run.runner import judge_child
from dporacle.dev.specimens.correct import CORRECT
from dporacle.dev.specimens.faulty import FAULTY, NARROW
from dporacle.dev.specimens.power import convicts
from dporacle.dev.specimens.serve import InProcess
from dporacle.dev.specimens.specimen import Specimen

_LIMITS = Patience(request=3.0, start=60.0)
_ROUNDS = 4
_NARROW_ROUNDS = rounds_for(share=SHARE, power=POWER)
_SELDOM = 20  # runs, of which one has fresh inputs for a quantity that limits its rounds


@dataclass(slots=True)
class Tally:
    """What became of one specimen in all runs.

    Attributes:
        specimen: whose answers they are.
        vectors: how many vectors convict it.
        asked: how many vectors it was asked.
        runs: in how many runs it got fresh inputs.
        fresh: in how many of them a fresh input convicted it.
        by: check -> in how many runs it convicted.
        cases: the first convicting cases, for the record.
    """

    specimen: Specimen
    vectors: int = 0
    asked: int = 0
    runs: int = 0
    fresh: int = 0
    by: Counter[str] = field(default_factory=Counter)
    cases: list[str] = field(default_factory=list)

    @property
    def in_every_run(self) -> bool:
        """Whether each run convicts it, by a vector or by a fresh input."""
        return self.vectors > 0 or self.fresh == self.runs > 0

    @property
    def as_expected(self) -> bool:
        """Whether a faulty one is convicted in every run, and any other in none.

        A narrow one is to be convicted in as many runs as its power says, but for chance: three
        standard deviations of the count.
        """
        if self.specimen.power:
            expected, runs = self.specimen.power, self.runs
            return self.fresh >= expected * runs - 3 * math.sqrt(expected * (1 - expected) * runs)
        if self.specimen.fault and not self.specimen.limit:
            return self.in_every_run
        return not self.vectors and not self.fresh


def judged(
    specimen: Specimen, fresh: Fresh, *, vectors: bool, process: bool = False
) -> TargetResult:
    """Return a specimen's answers, judged.

    Args:
        specimen: whom to judge.
        fresh: which inputs to make anew.
        vectors: whether to ask all certified vectors, or only those that others compare with.
        process: whether to ask it in a process of its own.
    """
    if not process:
        child = InProcess(specimen)
        return judge_child(child, specimen.name, _LIMITS, lambda case: vectors, fresh, told=False)
    command = [sys.executable, "-m", "dporacle.dev.specimens.serve", specimen.name]
    with AdapterProcess(command, environment=os.environ) as adapter:
        return judge_child(adapter, specimen.name, _LIMITS, lambda case: vectors, fresh, told=False)


def many_runs(
    runs: int,
    seed: int,
    *,
    jobs: int = 2,
    specimens: Sequence[Specimen] = (*FAULTY, *NARROW, *CORRECT),
    progress: Callable[[int], None] = lambda done: None,
) -> list[Tally]:
    """Judge every specimen in so many runs, with the seeds from `seed` on.

    Raises:
        RuntimeError: if a specimen could not be judged.
    """
    tallies = {each.name: Tally(each) for each in specimens if each.function in QUANTITIES}
    todo = [None, *range(seed, seed + runs)]
    often = [name for name, each in tallies.items() if not _seldom(each.specimen)]
    whom = [list(tallies) if not n or n % _SELDOM == 1 else often for n in range(runs + 1)]
    with ProcessPoolExecutor(max_workers=jobs) as pool:
        results = pool.map(_run, todo, whom)
        for done, (run, found) in enumerate(zip(todo, results, strict=True)):
            for name, asked, convicting in found:
                _enter(tallies[name], asked, convicting, vectors=run is None)
            progress(done)
    return list(tallies.values())


def _seldom(specimen: Specimen) -> bool:
    return QUANTITIES[specimen.function].rounds is not None


_Found = tuple[str, int, list[tuple[str, tuple[str, ...]]]]


def _run(seed: int | None, names: Sequence[str]) -> list[_Found]:
    """Return for each specimen how much it was asked and what convicts it."""
    return list(_each(seed, names))


def _each(seed: int | None, names: Sequence[str]) -> Iterator[_Found]:
    known = {each.name: each for each in (*FAULTY, *NARROW, *CORRECT)}
    for index, name in enumerate(names):
        # Of each run, one specimen goes through a real process.
        process = seed is not None and index == seed % len(names)
        narrow = bool(known[name].power)
        many = narrow or _seldom(known[name])  # of which few are asked of who is seldom asked
        rounds = 0 if seed is None else _NARROW_ROUNDS if many else _ROUNDS
        fresh = Fresh(rounds=rounds, seed=seed or 0)
        # What one remembers depends on all that is asked, as in a library's run.
        vectors = seed is None or (narrow and known[name].remembers)
        result = judged(known[name], fresh, vectors=vectors, process=process)
        if result.failure:
            raise RuntimeError(f"{name}: {result.failure}")
        (mine,) = (item for item in result.functions if item.function.name == name)
        cases = [v for v in mine.judged if vectors or not RULES.keys().isdisjoint(v.flags)]
        yield name, len(cases), [(v.case, v.flags) for v in cases if convicts(v)]


def _enter(
    tally: Tally, asked: int, found: list[tuple[str, tuple[str, ...]]], *, vectors: bool
) -> None:
    if vectors:
        tally.asked, tally.vectors = asked, len(found)
    else:
        tally.runs += 1
        tally.fresh += bool(found)
        tally.by.update({flag for _, flags in found for flag in flags if flag in RULES})
    tally.cases += [case for case, _ in found][: max(0, 3 - len(tally.cases))]
