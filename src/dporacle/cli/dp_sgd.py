"""`dporacle dp-sgd`: the proved ε of DP-SGD's noise, and the noise multiplier for a target ε."""

import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from dporacle import arguments
from dporacle.cli.drawn import Drawn
from dporacle.cli.lines import inputs, line, listed
from dporacle.cli.numbers import ExactNumber, json_option
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

_NUMBER = ExactNumber()
_WIDTH = 16  # of headings
_NAMES = {
    "add": "add a record",
    "remove": "remove a record",
    "both": "add or remove",
    "replace": "replace one",
}
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
    rate = arguments.positive("--batch-size", batch_size) / arguments.positive(
        "--dataset-size", dataset_size
    )
    return arguments.within(UNIT, "--batch-size over --dataset-size", rate)


@click.command("dp-sgd", short_help="Prove the ε of DP-SGD.")
@click.option("--noise-multiplier", type=_NUMBER, help="σ, in units of the clipping norm.")
@click.option("--epsilon", type=_NUMBER, help="Target ε: print the least noise multiplier.")
@click.option("--sampling-rate", type=_NUMBER, help="Poisson sampling rate q, such as 256/60000.")
@click.option("--batch-size", type=_NUMBER, help="Expected batch size, instead of the rate.")
@click.option("--dataset-size", type=_NUMBER, help="Number of records, with --batch-size.")
@click.option("--steps", type=click.IntRange(1), help="T, the number of steps.")
@click.option("--epochs", type=_NUMBER, help="Instead of the steps: T = epochs/q.")
@click.option(
    "--round",
    "rounded",
    type=click.Choice(["up", "down", "nearest"]),
    default="up",
    show_default=True,
    help="How epochs/q is rounded to a number of steps.",
)
@click.option(
    "--sampling",
    type=click.Choice(["poisson", *SCHEMES, *DRAWN]),
    metavar="SCHEME",
    default="poisson",
    show_default=True,
    help="How the batches are drawn: poisson, shuffled, shuffled-once, balls-and-bins, cyclic, "
    "fixed-size or with-replacement.",
)
@click.option(
    "--batches-per-epoch", type=click.IntRange(1), help="With --sampling: batches in one epoch."
)
@click.option(
    "--adjacency",
    type=click.Choice(ADJACENCIES),
    multiple=True,
    help="With --sampling: only these neighbours; may be repeated.",
)
@click.option(
    "--group",
    type=click.IntRange(1, 64),
    help="Number of records that are protected together, such as those of one user; default: 1.",
)
@click.option(
    "--group-cap",
    type=click.IntRange(1),
    help="With --group: the largest change of one sum, in clipping norms; default: the group.",
)
@click.option(
    "--phase",
    "phases",
    type=Numbers(",", 3, 4),
    multiple=True,
    metavar="SIGMA,RATE,STEPS[,CAP]",
    help="One phase of a schedule, perhaps with its own --group-cap; repeat it for each phase. It "
    "replaces --noise-multiplier, --sampling-rate and --steps.",
)
@click.option(
    "--drawn-sensitivity",
    "law",
    type=Numbers(":", 2),
    multiple=True,
    metavar="LENGTH:PROBABILITY",
    help="Instead of --sampling-rate: the largest change of one step's sum, and its probability; "
    "repeat it for each length above 0.",
)
@click.option("--compare", is_flag=True, help="Print a table of ε under every sampling scheme.")
@click.option("--delta", type=_NUMBER, required=True, help="δ, in (0, 1).")
@click.option(
    "--digits", type=click.IntRange(1, 40), default=12, show_default=True, help="Proved digits."
)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for a picture of ε over the steps and δ over ε; with --compare, of ε over σ.",
)
@click.option(
    "--accountants/--no-accountants",
    default=True,
    show_default=True,
    help="With --plot: also draw the answers of dp-accounting, Opacus and prv-accountant, if they "
    "are installed.",
)
@json_option
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
    schemes. These need --batches-per-epoch and --epochs, or --batch-size, --dataset-size and
    --steps.

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
                "--phase and --drawn-sensitivity have the place of the sampling rate, the epochs "
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
            "--batches-per-epoch and --adjacency need --sampling with a scheme other than poisson"
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
            shown["epsilon"] = ends_of(values, digits)
            if of is None:
                shown["renyi"] = f"{renyi_epsilon(run, delta=delta):.6g}"
                shown["central_limit"] = f"{limit_theorem_epsilon(run, delta=delta):.6g}"
        else:
            assert epsilon is not None
            values = noise_multipliers(
                epsilon=epsilon, delta=delta, rate=rate, steps=steps, digits=digits, group=of
            )
            shown["noise_multiplier"] = ends_of(values, digits)
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
    if "renyi" in shown:
        line("Rényi accounting", f"ε = {shown['renyi']}, add or remove, float64", _WIDTH)
        line("central limit", f"ε = {shown['central_limit']}, not a bound, float64", _WIDTH)
    listed("proved under", assumed, _WIDTH)
    line("not covered", NOT_POISSON, _WIDTH)
