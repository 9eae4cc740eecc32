"""Schedules and drawn sensitivities on the command line of `dporacle dp-sgd`."""

from fractions import Fraction
from typing import Any

import click
from flint import arb

from dporacle import arguments
from dporacle.dp_sgd import DIRECTIONS, HYPOTHESES, OF_A_GROUP, OF_A_LAW, OF_PHASES, schedule_values
from dporacle.enclosures.arithmetic import rounding

Listed = tuple[Fraction, ...]


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
    """Return what is shown of balls, and for which directions they have the digits."""
    shown: dict[str, Any] = {key: {name: _ends(found[name], digits + 3) for name in DIRECTIONS}}
    ends = {name: rounding.bounds(found[name]) for name in DIRECTIONS}
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
) -> tuple[dict[str, Any], dict[str, str], tuple[str, ...]]:
    """Return the ends of a schedule, or of a law, what was asked, and what is assumed.

    Raises:
        click.UsageError: if the options do not fit together, or a number is outside its domain.
        click.ClickException: if an enclosure would need too much work.
    """
    asked: dict[str, str] = {}
    assumed: tuple[str, ...] = HYPOTHESES
    plan: list[tuple[Any, ...]]
    if phases:
        if law or noise_multiplier is not None or steps is not None:
            raise click.UsageError(
                "--phase replaces --noise-multiplier, --steps and --drawn-sensitivity"
            )
        plan = [(*each[:2], *map(_whole, each[2:])) for each in phases]
        for place, each in enumerate(phases, 1):
            asked[f"phase_{place}"] = ", ".join(map(arguments.decimal, each))
        assumed += (OF_PHASES,)
    else:
        if steps is None or group is not None:
            raise click.UsageError("--drawn-sensitivity needs --steps, and has no --group")
        if (noise_multiplier is None) == (epsilon is None):
            raise click.UsageError("give --noise-multiplier or --epsilon, and only one of them")
        plan = [(noise_multiplier or Fraction(1), _summed(law), steps)]
        if noise_multiplier is not None:
            asked["noise_multiplier"] = str(noise_multiplier)
        asked["steps"] = str(steps)
        for length, chance in law:
            asked[f"sensitivity_{length}"] = f"with probability {arguments.decimal(chance)}"
        assumed = (OF_A_LAW, *HYPOTHESES[1:])
    if group is not None:
        asked["group"] = str(group)
        assumed += (OF_A_GROUP,)
    if epsilon is not None:
        asked["epsilon"] = str(epsilon)
    asked["delta"] = str(delta)
    key = "epsilon" if epsilon is None else "noise_factor" if phases else "noise_multiplier"
    try:
        found = schedule_values(plan, epsilon=epsilon, delta=delta, digits=digits, size=group or 1)
    except (ValueError, TypeError) as error:
        raise click.UsageError(str(error)) from error
    except ArithmeticError as error:
        raise click.ClickException(str(error)) from error
    return ends_of(key, found, digits), asked, assumed


def _whole(value: Fraction) -> int | Fraction:
    return int(value) if value.denominator == 1 else value


def _summed(law: tuple[Listed, ...]) -> dict[Fraction, Fraction]:
    found: dict[Fraction, Fraction] = {}
    for length, chance in law:
        found[length] = found.get(length, Fraction(0)) + chance
    return found
