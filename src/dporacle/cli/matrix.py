"""`dporacle matrix`: the proved sensitivity and ε of noise that is correlated by a matrix."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dporacle.cli.numbers import ExactNumber, json_option
from dporacle.matrix_mechanism import ADJACENCIES, HYPOTHESES, decimal_ends, epsilons, named

if TYPE_CHECKING:
    from dporacle.enclosures.matrix.strategies import Strategy, Toeplitz

_NUMBER = ExactNumber()
_NAMES = {"both": "add or remove", "replace": "replace one"}


@click.command(short_help="Prove the ε of a matrix mechanism.")
@click.option(
    "--matrix",
    "source",
    metavar="C",
    required=True,
    help="A file (.npy, .npz, .csv, .mtx), or identity, prefix, tree, sqrt-toeplitz[:BANDS] or "
    "blt, with --size.",
)
@click.option("--size", type=int, help="n, the number of steps of a matrix that has a name.")
@click.option("--buffer-decay", type=_NUMBER, multiple=True, help="θ of a buffer; repeated, blt's.")
@click.option("--output-scale", type=_NUMBER, multiple=True, help="ω of a buffer; as many.")
@click.option(
    "--participations",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="k: in how many steps a record takes part at most.",
)
@click.option(
    "--min-separation",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="b: how many steps apart two of them are at least.",
)
@click.option("--epochs-fixed", is_flag=True, help="They are exactly so many steps apart.")
@click.option(
    "--noise-multiplier",
    type=_NUMBER,
    required=True,
    help="ζ, the noise of each row over the norm of a contribution.",
)
@click.option("--delta", type=_NUMBER, required=True, help="δ, in (0, 1).")
@click.option(
    "--adjacency",
    type=click.Choice(ADJACENCIES),
    multiple=True,
    help="Only this one; both is add or remove a record.",
)
@click.option(
    "--digits", type=click.IntRange(1, 40), default=12, show_default=True, help="Proved digits."
)
@json_option
def matrix(
    source: str,
    size: int | None,
    buffer_decay: tuple[Fraction, ...],
    output_scale: tuple[Fraction, ...],
    participations: int,
    min_separation: int,
    epochs_fixed: bool,
    noise_multiplier: Fraction,
    delta: Fraction,
    adjacency: tuple[str, ...],
    digits: int,
    as_json: bool,
) -> None:
    """Prove the ε of a matrix mechanism (X.COMP).

    What is released is Cx + z: entry x_j sums the contributions of step j, each of norm at most 1,
    and z is Gaussian noise of the noise multiplier on every row. The sensitivity is exact for
    single participation, for columns that do not meet and for a few that do, for decreasing
    Toeplitz matrices, and for a fixed period; elsewhere both of its ends are proved.
    """
    from dporacle.enclosures.arithmetic.rounding import decimal_bounds
    from dporacle.enclosures.matrix.sensitivity import Participation, sensitivity

    try:
        strategy: Strategy | Toeplitz
        if size is None and Path(source).suffix and ":" not in source:
            from dporacle.matrix_files import read

            if buffer_decay or output_scale:
                raise click.UsageError("--buffer-decay and --output-scale are blt's")
            strategy = read(Path(source))
        elif size is None:
            raise click.UsageError("--size says how many steps a matrix that has a name has")
        else:
            strategy = named(source, size, buffer_decay, output_scale)
        asked = Participation(participations, min_separation, epochs_fixed)
        found = sensitivity(strategy, asked)
        values = epsilons(found, noise_multiplier=noise_multiplier, delta=delta, digits=digits)
    except (ValueError, TypeError, OSError) as error:
        raise click.UsageError(str(error)) from error
    except ArithmeticError as error:
        raise click.ClickException(str(error)) from error
    shown: dict[str, Any] = {
        "sensitivity_squared": decimal_ends(found.low, found.high, digits + 8),
        "exact": found.exact,
        "epsilon": {
            name: list(decimal_bounds(values[name], digits + 3))
            for name in ADJACENCIES
            if name in (adjacency or ADJACENCIES)
        },
        "method": found.method,
        "pattern": list(found.pattern),
    }
    asked_for = {
        "matrix": source,
        "steps": str(strategy.size),
        "participations": str(participations),
        "min_separation": str(min_separation) + (", exactly" if epochs_fixed else ""),
        "noise_multiplier": str(noise_multiplier),
        "delta": str(delta),
    }
    if as_json:
        shown |= {"input": asked_for, "hypotheses": [*HYPOTHESES]}
        click.echo(json.dumps(shown, ensure_ascii=False))
        return
    for name, value in asked_for.items():
        click.echo(f"{name.replace('_', ' '):<19} {value}")
    low, high = shown["sensitivity_squared"]
    click.echo(f"{'squared sensitivity':<19} ∈ [{low}, {high}]{', exact' * found.exact}")
    click.echo(f"{'':<19} {found.method}")
    for name, (low, high) in shown["epsilon"].items():
        click.echo(f"{_NAMES[name]:<19} ε ∈ [{low}, {high}]")
    for number, each in enumerate(HYPOTHESES):
        click.echo(f"{'proved under' if not number else '':<19} {each}")
