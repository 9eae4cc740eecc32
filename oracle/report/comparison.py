"""What became better or worse between two runs, case by case."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from dporacle.report.model import CLASSES, Case, Document, Item, Target

__all__ = ["Change", "Comparison", "compare"]

_RANK = {name: rank for rank, name in enumerate(CLASSES)}
_RANK["refuses invalid"] = _RANK["tight"]  # both are as good as can be


@dataclass
class Change:
    """A function in two runs, on the cases that both asked.

    Attributes:
        title: the library, with both versions where they differ.
        old, new: the function in each run.
        shared: how many cases both runs asked.
        better: (old, new) of each case whose class is less harmful now.
        worse: (old, new) of each case whose class is more harmful now, the most harmful first.
    """

    title: str
    old: Item
    new: Item
    shared: int = 0
    better: list[tuple[Case, Case]] = field(default_factory=list)
    worse: list[tuple[Case, Case]] = field(default_factory=list)

    @property
    def same(self) -> bool:
        """Whether no case changed its class."""
        return not self.better and not self.worse


@dataclass
class Comparison:
    """Two runs.

    Attributes:
        changes: the functions that both have.
        appeared, gone: library and function of what only one run has.
    """

    changes: list[Change] = field(default_factory=list)
    appeared: list[tuple[str, str]] = field(default_factory=list)
    gone: list[tuple[str, str]] = field(default_factory=list)

    @property
    def changed(self) -> list[Change]:
        """The functions with a case that changed its class, those that became worse first."""
        found = [each for each in self.changes if not each.same]
        return sorted(found, key=lambda each: (not each.worse, -len(each.worse)))

    @property
    def summary(self) -> str:
        """All of it in a sentence."""
        better = sum(len(each.better) for each in self.changes)
        worse = sum(len(each.worse) for each in self.changes)
        shared = sum(each.shared for each in self.changes)
        return (
            f"Of {shared} cases that both runs asked, {worse} became worse and {better} better, "
            f"in {len(self.changed)} of {len(self.changes)} functions."
        )


def compare(new: Document, old: Document) -> Comparison:
    """Compare two runs on the cases that both asked; fresh inputs differ, unless seeds agree."""
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
        found.changes.append(_change(Change(title, old_item, item)))
    found.gone = [
        (target.title, item.function.name)
        for key, (target, item) in before.items()
        if key not in after
    ]
    return found


def _functions(document: Document) -> Iterator[tuple[tuple[str, str, str], tuple[Target, Item]]]:
    """Yield what identifies a function in every run, and the function."""
    for target in document.targets:
        library = target.name or target.target
        for item in target.functions:
            yield (library, item.function.name, item.function.quantity), (target, item)


def _change(change: Change) -> Change:
    before = {case.case: case for case in change.old.verdicts if case.asked}
    for case in change.new.verdicts:
        earlier = before.get(case.case)
        if earlier is None or not case.asked:
            continue
        change.shared += 1
        then, now = _rank(earlier), _rank(case)
        if now > then:
            change.better.append((earlier, case))
        elif now < then:
            change.worse.append((earlier, case))
    change.better.sort(key=lambda pair: (_rank(pair[0]), -pair[0].size))
    change.worse.sort(key=lambda pair: (_rank(pair[1]), -pair[1].size))
    return change


def _rank(case: Case) -> int:
    """A class that this version does not know is neither better nor worse than being safe."""
    return _RANK.get(case.outcome, _RANK["conservative"])
