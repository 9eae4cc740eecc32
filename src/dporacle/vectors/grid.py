"""What a case is, and the numbers that all groups share."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from dporacle.vectors.notes import NOTES
from dporacle.vocabulary import Quantity

TINY = 5e-324
ALMOST_ONE = 1 - 2.0**-53

CORE_EPSILON = (1e-3, 1e-2, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0)
CORE_DELTA = (1e-12, 1e-9, 1e-6, 1e-5, 1e-3, 0.1)
CORE_MU = (0.01, 0.1, 0.25, 0.5, 1.0, 1.7, 2.0, 4.0)
CORE_SIGMA = (0.1, 0.5, 1.0, 2.0, 3.730631634815942, 10.0, 100.0)
HARD_EPSILON = (0.0, 1e-300, 1e-12, 700.0, 709.7, 709.79, 710.0, 800.0, 1e4)
HARD_DELTA = (TINY, 1e-300, 1e-100, 1e-16, 0.5, 0.9, ALMOST_ONE)
HARD_SENSITIVITY = (1e-300, 1e-10, 1.0, 1e6, 1e300)
HARD_SIGMA = (TINY, 1e-300, 1e-10, 0.03, 1e6, 1e10, 1e300)
DEEPEST = 60.0
"""Standard deviations; the probability of a tail beyond this, under 1e-780, is not written out."""

Number = int | float


@dataclass(frozen=True, slots=True)
class GridPoint:
    """Inputs and the flags that explain them; `wrong` names the argument to be refused.

    An integer among the inputs is an argument that counts something.
    """

    inputs: dict[str, Number]
    flags: tuple[str, ...]
    wrong: str | None = None

    @property
    def id(self) -> str:
        """The case's stable id: its inputs, spelt."""
        return ";".join(f"{name}={_spell(value)}" for name, value in self.inputs.items())


def _spell(value: Number) -> str:
    return repr(value).removesuffix(".0")


def merge(*sources: Iterator[GridPoint]) -> tuple[GridPoint, ...]:
    """Return the cases once each, with the flags of all their mentions."""
    merged: dict[str, GridPoint] = {}
    for case in itertools.chain(*sources):
        known = merged.get(case.id)
        flags = tuple(dict.fromkeys((*(known.flags if known else ()), *case.flags)))
        merged[case.id] = GridPoint(case.inputs, flags, case.wrong)
    return tuple(merged.values())


def refusals(row: Quantity) -> Iterator[GridPoint]:
    """Yield a quantity's everyday input with one argument made wrong."""
    valid = {name: argument.everyday for name, argument in row.rows.items()}
    for name, argument in row.rows.items():
        for value in argument.refused:
            flag = f"zero-{name}"
            flags = (flag,) if value == 0 and flag in NOTES else ("nonsense",)
            yield GridPoint({**valid, name: value}, flags, wrong=name)


def epsilon_flags(epsilon: float) -> Iterator[str]:
    """Yield why this ε is hard, if it is."""
    if epsilon == 0:
        yield "zero-epsilon"
    elif epsilon < 1e-6:
        yield "small-epsilon"
    elif 700 <= epsilon < 709.78:
        yield "near-exp-overflow"
    elif epsilon > 709.78:
        yield "exp-overflow"
    if epsilon >= 50:
        yield "large-epsilon"


def delta_flags(delta: float) -> Iterator[str]:
    """Yield why this δ is hard, if it is."""
    if delta == TINY:
        yield "subnormal"
    if delta <= 1e-16:
        yield "tiny-delta"
    if delta == ALMOST_ONE:
        yield "almost-one"
    if delta >= 0.5:
        yield "large-delta"
