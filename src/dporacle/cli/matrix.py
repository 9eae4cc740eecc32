"""`dporacle matrix`: the proved sensitivity and ε of noise that is correlated by a matrix."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dporacle.cli.headed_lines import inputs, line, listed
from dporacle.cli.options import RelationChoice, options
from dporacle.mechanisms.matrix import (
    ADJACENCIES,
    decimal_ends,
    epsilons,
    hypotheses,
    named,
    noise_multipliers,
    participation,
    sampled_figures,
)
from dporacle.vocabulary.relations import FORMER, SHORT

if TYPE_CHECKING:
    from dporacle.enclosures.matrix.strategies import Strategy, Toeplitz, Tree

_ENCLOSED = {FORMER[word]: word for word in ADJACENCIES}  # a relation -> the enclosures' word
_WIDTH = 19  # of headings
_SAMPLED_METHOD = "Poisson sampling in groups: a sampled Gaussian step for each column of a group"


@click.command(short_help="Prove the ε of a matrix mechanism.")
@options("matrix", adjacency=RelationChoice(tuple(_ENCLOSED)))
def matrix(
    source: str,
    size: int | None,
    buffer_decay: tuple[Fraction, ...],
    output_scale: tuple[Fraction, ...],
    participations: int | None,
    separation: int | None,
    epochs_fixed: bool,
    sampling_rate: Fraction | None,
    bands: int | None,
    noise_multiplier: Fraction | None,
    epsilon: Fraction | None,
    delta: Fraction,
    adjacency: tuple[str, ...],
    digits: int,
    as_json: bool,
) -> None:
    """Prove the ε of a matrix mechanism (X.COMP).

    The mechanism releases Cx + z. Entry x_j is the sum of the contributions of step j, each of norm
    at most 1. z is Gaussian noise on every row; its σ is the noise multiplier.

    The sensitivity is exact for one participation, for a fixed period, for decreasing Toeplitz
    matrices, and if at most a few columns overlap. Otherwise both of its ends are proved.

    With --sampling-rate and --bands the records are split into groups, which are sampled in turn.
    Then ε is exact for every matrix with this number of bands.
    """
    from dporacle.enclosures.arithmetic.rounding import decimal_bounds

    steps: Sequence[int] = ()
    wanted = adjacency or tuple(_ENCLOSED)
    if (noise_multiplier is None) == (epsilon is None):
        raise click.UsageError("give --noise-multiplier or --epsilon, and only one of them")
    if (sampling_rate is None) != (bands is None):
        raise click.UsageError("give --sampling-rate and --bands together, or neither")
    unsampled = participations is not None or separation is not None or epochs_fixed
    if sampling_rate is not None and unsampled:
        raise click.UsageError(
            "--participations, --separation and --epochs-fixed are for records that are not "
            "sampled: leave them out with --sampling-rate"
        )
    if sampling_rate is None and participations is None:
        raise click.UsageError(
            "--participations is missing: in how many steps one record takes part at most. It is "
            "the number of epochs, with --separation, the least number of steps from one to the "
            "next; or 1. For records that are sampled give --sampling-rate and --bands"
        )
    from dporacle.enclosures.matrix.sensitivity import sensitivity

    try:
        strategy: Strategy | Toeplitz | Tree
        if size is None and Path(source).suffix and ":" not in source:
            from dporacle.mechanisms.matrix_files import read

            if buffer_decay or output_scale:
                raise click.UsageError("--buffer-decay and --output-scale need --matrix blt")
            strategy = read(Path(source))
        elif size is None:
            raise click.UsageError(f"--size is missing: the number of steps of {source}")
        else:
            strategy = named(source, size, buffer_decay, output_scale)
        asked = None
        if sampling_rate is not None:
            assert bands is not None
            pattern = {"sampling_rate": str(sampling_rate), "bands": str(bands)}
            columns, values = sampled_figures(
                strategy,
                bands=bands,
                rate=sampling_rate,
                noise_multiplier=noise_multiplier,
                epsilon=epsilon,
                delta=delta,
                digits=digits,
                adjacencies=tuple(_ENCLOSED[name] for name in wanted),
            )
            low, high = (max(column[0][end] for column in columns) for end in (0, 1))
            exact, method = True, _SAMPLED_METHOD
        else:
            assert participations is not None
            asked = participation(participations, separation, epochs_fixed=epochs_fixed)
            pattern = {"participations": str(participations)}
            if separation is not None:
                pattern["separation"] = str(separation) + (", exactly" if epochs_fixed else "")
            found = sensitivity(strategy, asked)
            low, high = found.low, found.high
            exact, method, steps = found.exact, found.method, found.pattern
            if epsilon is not None:
                values = noise_multipliers(found, epsilon=epsilon, delta=delta, digits=digits)
            else:
                assert noise_multiplier is not None
                values = epsilons(
                    found, noise_multiplier=noise_multiplier, delta=delta, digits=digits
                )
    except OSError as error:
        raise click.UsageError(f"cannot read {source}: {error.strerror}") from error
    except (ValueError, TypeError) as error:
        raise click.UsageError(str(error)) from error
    except ArithmeticError as error:
        raise click.ClickException(str(error)) from error
    key, symbol = ("epsilon", "ε") if epsilon is None else ("noise_multiplier", "ζ")
    squared = "sensitivity_squared" if sampling_rate is None else "column_norm_squared"
    shown: dict[str, Any] = {
        squared: decimal_ends(low, high, digits + 8),
        "exact": exact,
        key: {
            name: list(decimal_bounds(values[word], digits + 3))
            for name, word in _ENCLOSED.items()
            if name in wanted
        },
        "method": method,
        "pattern": list(steps),
    }
    asked_for = {
        "matrix": source,
        "steps": str(strategy.size),
        **pattern,
        "noise_multiplier": str(noise_multiplier),
        "epsilon": str(epsilon),
        "delta": str(delta),
    }
    asked_for = {name: value for name, value in asked_for.items() if value != "None"}
    if as_json:
        told = [{"id": each.id, "says": each.says} for each in hypotheses(asked)]
        shown |= {"input": asked_for, "hypotheses": told}
        click.echo(json.dumps(shown, ensure_ascii=False))
        return
    inputs(asked_for, _WIDTH)
    ends = shown[squared]
    called = "squared sensitivity" if sampling_rate is None else "longest column²"
    line(called, f"∈ [{ends[0]}, {ends[1]}]{', exact' * exact}", _WIDTH)
    line("", method, _WIDTH)
    for name, ends in shown[key].items():
        line(SHORT[name], f"{symbol} ∈ [{ends[0]}, {ends[1]}]", _WIDTH)
    listed("proved under", [each.says for each in hypotheses(asked)], _WIDTH)
