"""`dporacle dp-sgd`: the proved ε of DP-SGD's noise, and the noise multiplier for a target ε."""

import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from dporacle import arguments
from dporacle.cli.drawn_batches import Drawn
from dporacle.cli.headed_lines import inputs, line, listed
from dporacle.cli.options import Relation, options
from dporacle.cli.phases import Listed, Numbers, ends_of, planned
from dporacle.dp_sgd import (
    DIRECTIONS,
    HYPOTHESES,
    NOT_POISSON,
    OF_A_GROUP,
    Rounding,
    Run,
    epsilons,
    limit_theorem_epsilon,
    noise_multipliers,
    renyi_epsilon,
    steps_of,
)
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.batches import DRAWN, SCHEMES
from dporacle.enclosures.batches.scheme import ADJACENCIES
from dporacle.vocabulary.domains import UNIT

_WIDTH = 16  # of headings
_NAMES = {
    "add": "add a record",
    "remove": "remove a record",
    "both": "add or remove",
    "replace": "replace one",
}
_TWO_ENDS = "the exact ε would need too much work ({names}): it lies between the ends, both proved"
_OF_A_GROUP = {"add": "add a group", "remove": "remove a group", "replace": "replace a group"}


def rate_of(
    sampling_rate: Fraction | None, batch_size: Fraction | None, dataset_size: Fraction | None
) -> Fraction:
    """Return the sampling rate that the options say."""
    sizes = (batch_size, dataset_size)
    if sampling_rate is not None:
        if sizes != (None, None):
            raise click.UsageError("give --sampling-rate, or --batch-size and --dataset-size")
        return arguments.within(UNIT, "--sampling-rate", sampling_rate)
    if batch_size is None or dataset_size is None:
        raise click.UsageError("give --sampling-rate, or --batch-size and --dataset-size")
    size = arguments.positive("--batch-size", batch_size)
    records = arguments.positive("--dataset-size", dataset_size)
    arguments.at_most("--dataset-size", records, "--batch-size", size)
    return size / records


@click.command("dp-sgd", short_help="Prove the ε of DP-SGD.")
@options(
    "dp-sgd",
    sampling=["poisson", *SCHEMES, *DRAWN],
    adjacency=Relation(ADJACENCIES),
    phases=Numbers(",", 3, 4),
    law=Numbers(":", 2),
)
def dp_sgd(
    noise_multiplier: Fraction | None,
    epsilon: Fraction | None,
    sampling_rate: Fraction | None,
    batch_size: Fraction | None,
    dataset_size: Fraction | None,
    steps: int | None,
    epochs: Fraction | None,
    rounded: Rounding,
    sampling: str,
    batches_per_epoch: int | None,
    adjacency: tuple[str, ...],
    group: int | None,
    group_cap: int | None,
    phases: tuple[Listed, ...],
    law: tuple[Listed, ...],
    compare: bool,
    delta: Fraction,
    digits: int,
    plot: Path | None,
    accountants: bool,
    as_json: bool,
) -> None:
    """Prove the ε of DP-SGD, or the noise multiplier for a target ε (X.SG).

    By default each record enters each batch independently, with the sampling rate as probability
    (Poisson sampling). The clipped contributions are summed. Gaussian noise is added: its σ is the
    noise multiplier times the clipping norm. Both ends of each interval are proved.

    This ε says nothing about shuffled batches or batches of a fixed size. --sampling names such
    schemes. Shuffled, balls-and-bins and cyclic batches need --batches-per-epoch and --epochs.
    Batches of a fixed size need --sampling-rate and --steps. Each scheme takes --batch-size,
    --dataset-size and --steps or --epochs instead; sampling with replacement needs these.

    --group 8 proves the ε of eight records together. It is neither 8 times the ε of one record nor
    the ε of 8 times the sensitivity.

    --phase 1.2,0.01,500 --phase 0.8,0.02,1000 proves the ε of a run in two phases. With --epsilon
    it prints the least factor of their noise multipliers.
    """
    if phases or law:
        if sampling != "poisson" or compare or plot is not None or batches_per_epoch or adjacency:
            raise click.UsageError(
                "--phase and --drawn-sensitivity need Poisson sampling; they have no --compare and "
                "no --plot"
            )
        rest = sampling_rate, batch_size, dataset_size, epochs, group_cap
        if any(each is not None for each in rest):
            raise click.UsageError(
                "--phase and --drawn-sensitivity replace the sampling rate, the epochs "
                "and --group-cap"
            )
        found = planned(phases, law, noise_multiplier, steps, epsilon, delta, digits, group)
        _print(*found, as_json=as_json)
        return
    if group is None and group_cap is not None:
        raise click.UsageError("--group-cap needs --group")
    if group is not None and (sampling != "poisson" or compare or plot is not None):
        raise click.UsageError("--group needs Poisson sampling; it has no --compare and no --plot")
    if sampling != "poisson" or compare:
        drawn = Drawn(
            noise_multiplier=noise_multiplier,
            epsilon=epsilon,
            sampling_rate=sampling_rate,
            batch_size=batch_size,
            dataset_size=dataset_size,
            steps=steps,
            epochs=epochs,
            batches=batches_per_epoch,
            delta=delta,
            adjacency=adjacency,
        )
        if plot is not None and not compare:
            raise click.UsageError("--plot draws Poisson sampling, or with --compare every scheme")
        drawn.show(sampling, compare=compare, as_json=as_json, plot=plot)
        return
    if batches_per_epoch is not None or adjacency:
        raise click.UsageError(
            "--batches-per-epoch and --neighbours need --sampling with a scheme other than poisson"
        )
    if (noise_multiplier is None) == (epsilon is None):
        raise click.UsageError("give --noise-multiplier or --epsilon, and only one of them")
    if (steps is None) == (epochs is None):
        raise click.UsageError("give --steps or --epochs, and only one of them")
    try:
        if plot is not None:
            from dporacle.dp_sgd_plot import check

            check(plot)
        rate = rate_of(sampling_rate, batch_size, dataset_size)
        if epochs is not None:
            steps = steps_of(epochs=epochs, rate=rate, rounding=rounded)
        assert steps is not None
        shown: dict[str, Any] = {}
        asked: dict[str, str] = {"sampling_rate": str(rate), "steps": str(steps)}
        if epochs is not None:
            asked |= {"epochs": str(epochs), "rounded": rounded}
        of = None if group is None else (group, group_cap)
        asked |= {"group": str(group)} if of else {}
        asked |= {"group_cap": str(group_cap)} if group_cap is not None else {}
        if noise_multiplier is not None:
            run = Run(arguments.positive("--noise-multiplier", noise_multiplier), rate, steps)
            asked = {"noise_multiplier": str(noise_multiplier), **asked}
            values = epsilons(run, delta=delta, digits=digits, group=of)
            shown |= ends_of("epsilon", values, digits)
            if of is None:
                shown["renyi"] = f"{renyi_epsilon(run, delta=delta):.6g}"
                shown["central_limit"] = f"{limit_theorem_epsilon(run, delta=delta):.6g}"
        else:
            assert epsilon is not None
            values = noise_multipliers(
                epsilon=epsilon, delta=delta, rate=rate, steps=steps, digits=digits, group=of
            )
            shown |= ends_of("noise_multiplier", values, digits)
            asked["epsilon"] = str(epsilon)
            run = Run(rounding.bounds(values["both"])[1], rate, steps)
        asked["delta"] = str(delta)
    except (ValueError, TypeError) as error:
        raise click.UsageError(str(error)) from error
    except ArithmeticError as error:
        raise click.ClickException(str(error)) from error
    assumed = (*HYPOTHESES, OF_A_GROUP) if group else HYPOTHESES
    _print(shown, asked, assumed, as_json=as_json)
    if plot is not None:
        _draw(plot, run, delta, accountants=accountants)


def _draw(plot: Path, run: Run, delta: Fraction, *, accountants: bool) -> None:
    """Draw, after the answer: many more values, and accountants, take a while."""
    from dporacle.dp_sgd_plot import draw

    sys.stdout.flush()
    if sys.stderr.isatty():
        click.echo(f"drawing {plot} …", err=True)
    try:
        draw(plot, run, delta, accountants=accountants)
    except OSError as error:
        raise click.UsageError(str(error)) from error
    except ArithmeticError as error:
        raise click.ClickException(str(error)) from error


def _print(
    shown: dict[str, Any], asked: dict[str, str], assumed: tuple[str, ...], *, as_json: bool
) -> None:
    if as_json:
        shown |= {"input": asked, "hypotheses": [*assumed], "note": NOT_POISSON}
        click.echo(json.dumps(shown, ensure_ascii=False))
        return
    inputs(asked, _WIDTH)
    key = next(iter(shown))
    symbol = {"epsilon": "ε", "noise_multiplier": "σ", "noise_factor": "factor"}[key]
    names = _NAMES | (_OF_A_GROUP if "group" in asked else {})
    for name in DIRECTIONS:
        low, high = shown[key][name]
        line(names[name], f"{symbol} ∈ [{low}, {high}]", _WIDTH)
    if not shown.get("exact", True):
        wide = ", ".join(names[n] for n in DIRECTIONS if n not in shown["exact_for"])
        line("two ends", _TWO_ENDS.format(names=wide), _WIDTH)
    if "renyi" in shown:
        line("Rényi accounting", f"ε = {shown['renyi']}, add or remove, float64", _WIDTH)
        line("central limit", f"ε = {shown['central_limit']}, not a bound, float64", _WIDTH)
    listed("proved under", assumed, _WIDTH)
    line("not covered", NOT_POISSON, _WIDTH)
