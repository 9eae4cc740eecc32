"""What became better or worse between two runs, input by input."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from dporacle.conformance.grade.runs import Document, FunctionResult, TargetResult
from dporacle.conformance.judge.outcomes import FLAWED, JudgedCase

# From one harm to another nothing is better: a hang may hide a violation.
_RANK = {"refuses valid": 1, "loose": 2, "tight": 3, "refuses invalid": 3}
_RANK |= dict.fromkeys(FLAWED, 0)
_MUCH = 2.0  # an error is larger or smaller by this factor, where the class is the same


@dataclass
class FunctionInTwoRuns:
    """A function in two runs, on the inputs that both asked.

    Attributes:
        title: the library, with both versions where they differ.
        old, new: the function in each run.
        shared: how many inputs both runs asked.
        better: (old, new) of each case that does less harm now, or whose error is less than half.
        worse: (old, new) of each case that does more harm now, or whose error is more than twice
            what it was; the most harmful first.
    """

    title: str
    old: FunctionResult
    new: FunctionResult
    shared: int = 0
    better: list[tuple[JudgedCase, JudgedCase]] = field(default_factory=list)
    worse: list[tuple[JudgedCase, JudgedCase]] = field(default_factory=list)

    @property
    def same(self) -> bool:
        """Whether no case became better or worse."""
        return not self.better and not self.worse


@dataclass
class Comparison:
    """Two runs.

    Attributes:
        changes: the functions that both have.
        appeared, gone: library and function of what only one run has.
    """

    changes: list[FunctionInTwoRuns] = field(default_factory=list)
    appeared: list[tuple[str, str]] = field(default_factory=list)
    gone: list[tuple[str, str]] = field(default_factory=list)

    @property
    def changed(self) -> list[FunctionInTwoRuns]:
        """The functions with a better or worse case, those that became worse first."""
        found = [each for each in self.changes if not each.same]
        return sorted(found, key=lambda each: (not each.worse, -len(each.worse)))

    @property
    def summary(self) -> str:
        """All of it in a sentence."""
        better = sum(len(each.better) for each in self.changes)
        worse = sum(len(each.worse) for each in self.changes)
        shared = sum(each.shared for each in self.changes)
        if not shared:
            return "The runs have no case in common: nothing can be compared."
        if not better and not worse:
            return f"None of the {shared} inputs that both runs asked became better or worse."
        return (
            f"Of {shared} inputs that both runs asked, {worse} became worse and {better} better, "
            f"in {len(self.changed)} of {len(self.changes)} functions."
        )


def compare(new: Document, old: Document) -> Comparison:
    """Compare two runs on the inputs that both asked; fresh ones differ, unless the seeds agree."""
    found = Comparison()
    before = dict(_functions(old))
    after = dict(_functions(new))
    for key, (target, item) in after.items():
        if key not in before:
            found.appeared.append((target.title, item.function.name))
            continue
        earlier, old_item = before[key]
        title = target.title
        if earlier.version != target.version:
            title = f"{target.name or target.target} {earlier.version} → {target.version}"
        found.changes.append(_change(FunctionInTwoRuns(title, old_item, item)))
    found.gone = [
        (target.title, item.function.name)
        for key, (target, item) in before.items()
        if key not in after
    ]
    return found


def _functions(
    document: Document,
) -> Iterator[tuple[tuple[str, str, str], tuple[TargetResult, FunctionResult]]]:
    """Yield what identifies a function in every run, and the function."""
    for target in document.targets:
        library = target.name or target.target
        for item in target.functions:
            yield (library, item.function.name, item.function.quantity), (target, item)


def _change(change: FunctionInTwoRuns) -> FunctionInTwoRuns:
    before = {_input(case): case for case in change.old.judged if case.asked}
    for case in change.new.judged:
        earlier = before.get(_input(case))
        if earlier is None or not case.asked:
            continue
        change.shared += 1
        step = _rank(case) - _rank(earlier) or _shrunk(earlier, case)
        if step > 0:
            change.better.append((earlier, case))
        elif step < 0:
            change.worse.append((earlier, case))
    change.better.sort(key=lambda pair: (_rank(pair[0]), -pair[0].size))
    change.worse.sort(key=lambda pair: (_rank(pair[1]), -pair[1].size))
    return change


def _input(case: JudgedCase) -> frozenset[tuple[str, str]]:
    """What was asked, whatever it was called."""
    return frozenset(case.arguments.items())


def _rank(case: JudgedCase) -> int:
    """How harmless a class is; one that this version does not know counts as safe."""
    return _RANK.get(case.outcome, 2)


def _shrunk(old: JudgedCase, new: JudgedCase) -> int:
    """Return 1, -1 or 0 as the error became much smaller, much larger, or neither."""
    if old.outcome != new.outcome or new.outcome not in ("violating", "loose"):
        return 0
    if new.size * _MUCH < old.size:
        return 1
    return -1 if old.size * _MUCH < new.size else 0
