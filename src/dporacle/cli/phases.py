"""Schedules and drawn sensitivities on the command line of `dporacle dp-sgd`."""

from fractions import Fraction
from typing import Any

import click
from flint import arb

from dporacle import arguments
from dporacle.cli.proved_under import OfRelations
from dporacle.cli.wrong_input import wrong_input
from dporacle.dp_sgd import SHOWN, schedule_values
from dporacle.enclosures.arithmetic import rounding
from dporacle.mechanisms.training import TrainingPhase, TrainingSchedule

Listed = tuple[Fraction, ...]
_LAST = ("steps", "cap")  # the last numbers of a phase


class Numbers(click.ParamType[Listed]):
    """Exact numbers with a mark between them, so many."""

    name = "numbers"

    def __init__(self, mark: str, *counts: int) -> None:
        self.mark, self.counts = mark, counts

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Listed:
        """Return the numbers, or fail with a message that names the option."""
        if isinstance(value, tuple):
            return value
        words = value.split(self.mark)
        if len(words) not in self.counts:
            many = " or ".join(map(str, self.counts))
            self.fail(f"must be {many} numbers joined by {self.mark!r}, got {value!r}", param, ctx)
        try:
            return tuple(arguments.parse("number", word) for word in words)
        except ValueError as error:
            self.fail(str(error), param, ctx)


def ends_of(key: str, found: dict[str, arb], digits: int) -> dict[str, Any]:
    """Return what is shown of balls, and for which relations they have the digits."""
    shown: dict[str, Any] = {key: {name: _ends(found[name], digits + 3) for name in SHOWN}}
    ends = {name: rounding.bounds(found[name]) for name in SHOWN}
    tight = [n for n, (low, high) in ends.items() if (high - low) * 10 ** (digits - 1) <= high]
    return shown if len(tight) == len(ends) else shown | {"exact": False, "exact_for": tight}


def _ends(value: arb, digits: int) -> list[str]:
    """Return decimals around a number that is not below 0, as its ball may be."""
    low, high = rounding.decimal_bounds(value, digits)
    return ["0" if low.startswith("-") else low, high]


def planned(
    phases: tuple[Listed, ...],
    law: tuple[Listed, ...],
    noise_multiplier: Fraction | None,
    steps: int | None,
    epsilon: Fraction | None,
    delta: Fraction,
    digits: int,
    group: int | None,
) -> tuple[dict[str, Any], dict[str, str], OfRelations]:
    """Return the ends of a schedule, or of a law, what was asked, and what each is proved under.

    Raises:
        click.UsageError: if the options do not fit together, or a number is outside its domain.
        click.ClickException: if an enclosure would need too much work.
    """
    asked: dict[str, str] = {}
    plan: list[TrainingPhase]
    if phases:
        if law or noise_multiplier is not None or steps is not None:
            raise click.UsageError(
                "--phase replaces --noise-multiplier, --steps and --drawn-sensitivity"
            )
        plan = [
            TrainingPhase(sigma, rate, *map(_whole, _LAST, rest)) for sigma, rate, *rest in phases
        ]
        for place, each in enumerate(phases, 1):
            asked[f"phase_{place}"] = ", ".join(map(arguments.decimal, each))
    else:
        if steps is None or group is not None:
            raise click.UsageError("--drawn-sensitivity needs --steps, and has no --group")
        if (noise_multiplier is None) == (epsilon is None):
            raise click.UsageError("give --noise-multiplier or --epsilon, and only one of them")
        moved = _summed(law)
        plan = [TrainingPhase(noise_multiplier or Fraction(1), moved, steps)]
        if noise_multiplier is not None:
            asked["noise_multiplier"] = str(noise_multiplier)
        asked["steps"] = str(steps)
        for length, chance in moved.items():
            asked[f"sensitivity_{length}"] = f"with probability {arguments.decimal(chance)}"
    if group is not None:
        asked["group"] = str(group)
    key = "epsilon" if epsilon is None else "noise_factor" if phases else "noise_multiplier"
    return _answered(TrainingSchedule(tuple(plan), group), key, asked, epsilon, delta, digits)


def _answered(
    schedule: TrainingSchedule,
    key: str,
    asked: dict[str, str],
    epsilon: Fraction | None,
    delta: Fraction,
    digits: int,
) -> tuple[dict[str, Any], dict[str, str], OfRelations]:
    if epsilon is not None:
        asked["epsilon"] = str(epsilon)
    asked["delta"] = str(delta)
    with wrong_input():
        found = schedule_values(schedule, epsilon=epsilon, delta=delta, digits=digits)
    under = {name: schedule.hypotheses(name) for name in SHOWN}
    return ends_of(key, found, digits), asked, under


def _whole(name: str, value: Fraction) -> int:
    if value.denominator != 1:
        raise click.UsageError(f"{name} must be a whole number, got {arguments.show(value)}")
    return int(value)


def _summed(law: tuple[Listed, ...]) -> dict[Fraction, Fraction]:
    found: dict[Fraction, Fraction] = {}
    for length, chance in law:
        found[length] = found.get(length, Fraction(0)) + chance
    return found
