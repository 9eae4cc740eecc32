"""Which inputs are asked together, in one request."""

import itertools
from collections.abc import Iterator, Sequence

from dporacle.conformance.ask.cases import Case


def batches(cases: Sequence[Case], size: int) -> Iterator[Sequence[Case]]:
    """Yield what is asked together: those that are asked alone stay alone."""
    for alone, group in itertools.groupby(cases, key=lambda case: case.alone):
        members = list(group)
        step = 1 if alone else size
        if step > 1:
            members = _mixed(members)
        for start in range(0, len(members), step):
            yield members[start : start + step]


def _mixed(cases: Sequence[Case]) -> list[Case]:
    """Spread the inputs that are to be refused among the others: one must not spoil its batch."""
    valid, wrong = ([c for c in cases if c.valid is which] for which in (True, False))
    step = len(valid) // (len(wrong) + 1) + 1
    mixed: list[Case] = []
    for start in range(0, len(valid), step):
        mixed += [*valid[start : start + step], *wrong[start // step : start // step + 1]]
    return mixed + wrong[len(mixed) - len(valid) :]
