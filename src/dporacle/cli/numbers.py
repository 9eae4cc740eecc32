"""Numbers on the command line: read exactly, shown with their proof."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from dporacle import arguments

if TYPE_CHECKING:
    from flint import arb

    from dporacle.vocabulary import Quantity


class ExactNumber(click.ParamType[Fraction]):
    """A number, exactly as written: 0.1 is one tenth; 1e-5, 3/7 and 0x1.8p-3 are read too."""

    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Fraction:
        """Return the exact number, or fail with a message that names the option."""
        if isinstance(value, Fraction):
            return value
        try:
            return arguments.parse(param.name if param and param.name else "number", value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


def answer(
    name: str, row: Quantity, given: Mapping[str, Fraction], *, digits: int, as_json: bool
) -> None:
    """Print a quantity: its digits, its enclosure and the float64 on its safe side.

    Args:
        name: what it is called.
        row: its row in the vocabulary.
        given: its arguments.
        digits: how many to print.
        as_json: whether to print a JSON object.

    Raises:
        click.UsageError: if an argument is outside the domain.
    """
    # Where help is all that is asked for, no witness is imported.
    from dporacle import enclosures
    from dporacle.enclosures.arithmetic import rounding

    def enclose(digits: int) -> arb:
        ball: arb = row.of(enclosures)(**given, digits=digits)
        return ball

    try:
        enclosure = enclose(digits + 2)
    except (ValueError, TypeError) as error:
        raise click.UsageError(str(error)) from error
    try:
        safe = rounding.round_safely(enclose, safe=row.safe, ceiling=row.kind.ceiling)
    except OverflowError:
        safe = None
    low, high = rounding.decimal_bounds(enclosure, digits + 2, ceiling=row.kind.ceiling)
    if as_json:
        shown = {
            "quantity": name,
            "value": rounding.decimal_digits(enclosure, digits),
            "enclosure": [low, high],
            "float64": safe,
            "float64_hex": None if safe is None else safe.hex(),
            "rounded": row.safe,
        }
        click.echo(json.dumps(shown, ensure_ascii=False))
        return
    click.echo(f"{name:<10} {rounding.decimal_digits(enclosure, digits)}")
    click.echo(f"enclosure  [{low}, {high}]")
    if safe is None:
        click.echo("float64    none: the value is above the largest float64")
    else:
        click.echo(f"float64    {safe!r}  ({safe.hex()}, rounded {row.safe})")
