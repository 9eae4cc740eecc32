"""Faults where some people work and most do not: in one decade of one argument.

Half of what is promised, or twice the attacker's error, in that part of the range; exact everywhere
else and at the vectors. A run that never asks there calls them sound and tight. The last ones break
what every accountant owes.
"""

import math
from collections.abc import Callable, Mapping
from functools import cache

from dporacle.dev.specimens.formulas import answer_of
from dporacle.dev.specimens.specimen import Collection
from dporacle.vectors import load
from dporacle.vocabulary import QUANTITIES, Quantity

DECADES = Collection()

Given = Mapping[str, float]

WRONG: dict[str, Callable[[Given], bool]] = {}
"""A specimen with a fault in one decade -> where that is."""

_SMALL_RATES = (
    "subsampled_sigma",
    "subsampled_epsilon",
    "subsampled_delta",
    "subsampled_group_epsilon",
    "subsampled_bayes_risk",
    "subsampled_phases_epsilon",
    "fixed_size_epsilon",
)


@cache
def _vectors(quantity: str) -> frozenset[tuple[float, ...]]:
    names = QUANTITIES[quantity].arguments
    vectors = load(quantity).vectors
    return frozenset(tuple(float(each.inputs[name]) for name in names) for each in vectors)


def _add(quantity: str, name: str, fault: str, wrong: Callable[[Given], bool]) -> None:
    """Add a specimen that promises half of what it should where that is said."""
    row = QUANTITIES[quantity]

    def faulty(**given: float) -> float:
        right = answer_of(quantity, **given)
        known = tuple(float(given[each]) for each in row.arguments) in _vectors(quantity)
        if known or not wrong(given):
            return right
        return right / 2 if row.safe == "up" else min(1.0, 2 * right)

    faulty.__doc__ = fault
    WRONG[f"{name}-in-{quantity}".replace("_", "-")] = wrong
    DECADES.add(quantity, power=0.95, name=f"{name}-in-{quantity}")(faulty)


def _rates(given: Given) -> list[float]:
    return [given[name] for name in ("rate", "later_rate") if name in given]


def _drawn(given: Given) -> list[float]:
    """Return how often a record is drawn in each phase, on average."""
    return [given["rate"] * given["steps"], given["later_rate"] * given["later_steps"]]


for _name in _SMALL_RATES:
    _add(
        _name,
        "half-for-small-rates",
        "Half, or twice the error, for a sampling rate below 10⁻³.",
        lambda given: min(_rates(given)) < 1e-3,
    )
for _name in ("subsampled_epsilon", "subsampled_delta"):
    _add(
        _name,
        "half-for-little-noise",
        "Half for a noise multiplier below ½.",
        lambda given: given["sigma"] < 0.5,
    )
    _add(
        _name,
        "half-for-large-rates",
        "Half for a sampling rate above ½.",
        lambda given: given["rate"] > 0.5,
    )
_add(
    "laplace_repeated_delta",
    "half-for-many-releases",
    "Half for more than 50 releases.",
    lambda given: given["releases"] > 50,
)
for _name in ("gdp_bayes_risk", "subsampled_bayes_risk"):
    _add(
        _name,
        "twice-for-a-large-prior",
        "Twice the error for a prior above 0.9.",
        lambda given: given["prior"] > 0.9,
    )
for _name in ("subsampled_phases_epsilon", "subsampled_phases_delta"):
    _add(
        _name,
        "half-for-a-rare-phase",
        "Half where one of the phases draws a record less than once on average.",
        lambda given: min(_drawn(given)) < 1 <= max(_drawn(given)),
    )


# What every accountant owes


def _phases(row: Quantity, **given: float) -> float:
    for name, argument in row.rows.items():
        if not math.isfinite(given[name]) or given[name] not in argument.domain:
            raise ValueError(f"{name} must be {argument.domain.words}, got {given[name]}")
    return answer_of(row.name, **given)


def _add_owed(row: Quantity) -> None:
    @DECADES.add(row.name, power=0.95, name=f"bad-event-erases-a-good-one-in-{row.name}")
    def bad_event(**given: float) -> float:
        """Where the noise of one event is NaN or infinite, nothing is said to be lost."""
        noises = given["sigma"], given["later_sigma"]
        if not all(map(math.isfinite, noises)):
            return 0.0
        return _phases(row, **given)

    @DECADES.add(row.name, power=0.95, name=f"the-larger-phase-comes-second-in-{row.name}")
    def reordered(**given: float) -> float:
        """The second event is counted once more if it is the longer one: safe, and not the same."""
        longer = given["later_steps"] > given["steps"] > 0
        right = _phases(row, **given)
        return right * 1.5**longer if row.kind.ceiling is None else min(1.0, right * 1.5**longer)

    @DECADES.add(row.name, power=0.95, name=f"a-single-event-costs-more-in-{row.name}")
    def listed(**given: float) -> float:
        """An event that stands alone beside equal ones is counted twice: safe, and not the same."""
        alone = given["later_steps"] == 1 and given["later_rate"] == given["rate"]
        right = _phases(row, **given)
        return right * 1.5**alone if row.kind.ceiling is None else min(1.0, right * 1.5**alone)


for _name in ("subsampled_phases_epsilon", "subsampled_phases_delta"):
    _add_owed(QUANTITIES[_name])


def _add_fewer(row: Quantity) -> None:
    @DECADES.add(row.name, power=0.95, name=f"odd-numbers-cost-more-in-{row.name}")
    def odd(**given: float) -> float:
        """An odd number of steps is rounded up generously: safe, and one step more costs less."""
        right = answer_of(row.name, **given)
        return right * 1.5 if given["steps"] % 2 else right


_add_fewer(QUANTITIES["subsampled_epsilon"])
