"""`dporacle dp-sgd`: the proved ε of DP-SGD's noise, and the noise multiplier for a target ε."""

import json
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from dporacle import arguments
from dporacle.cli import doing, drawn_batches
from dporacle.cli.headed_lines import inputs, line
from dporacle.cli.options import RelationChoice, options
from dporacle.cli.phases import Listed, Numbers, ends_of, planned
from dporacle.cli.proved_under import OfRelations, as_data, listed_under
from dporacle.cli.wrong_input import wrong_input
from dporacle.dp_sgd import (
    NOT_POISSON,
    SHOWN,
    epsilons,
    limit_theorem_epsilon,
    noise_multipliers,
    renyi_epsilon,
)
from dporacle.enclosures.arithmetic import rounding
from dporacle.mechanisms.training import TrainingRun, read_training
from dporacle.mechanisms.words import TELLING, Rounding
from dporacle.vocabulary.relations import DIRECTIONS, RELATIONS, SHORT

_WIDTH = 16  # of headings
_TWO_ENDS = "the exact ε would need too much work ({names}): it lies between the ends, both proved"
_OF_A_GROUP = {"add": "add a group", "remove": "remove a group", "replace-one": "replace a group"}


@click.command("dp-sgd", short_help="Prove the ε of DP-SGD.")
@options(
    "dp-sgd",
    adjacency=RelationChoice([*DIRECTIONS, *RELATIONS]),
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
    batch_cap: int | None,
    divisor: str | None,
    dimension: int | None,
    noise_divisor: Fraction | None,
    rate_from_n: bool,
    kept: str | None,
    participations: int | None,
    microbatches: int | None,
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
    schemes. Each takes --batch-size and --dataset-size, or --sampling-rate or --batches-per-epoch,
    with --steps or --epochs; sampling with replacement needs the two sizes, truncated Poisson
    batches --batch-cap and --dataset-size, and random-allocation --participations.

    --group 8 proves the ε of eight records together. It is neither 8 times the ε of one record nor
    the ε of 8 times the sensitivity.

    --phase 1.2,0.01,500 --phase 0.8,0.02,1000 proves the ε of a run in two phases. With --epsilon
    it prints the least factor of their noise multipliers.
    """
    if epochs is None:
        _refuse_given("rounded", "--round is for --epochs")
    if plot is None:
        _refuse_given("accountants", "--accountants and --no-accountants are for --plot")
    if phases or law:
        if sampling != "poisson" or compare or plot is not None or batches_per_epoch or adjacency:
            raise click.UsageError(
                "--phase and --drawn-sensitivity need Poisson sampling; they have no --compare, "
                "no --plot and no --neighbours"
            )
        rest = (
            *(sampling_rate, batch_size, dataset_size, epochs, group_cap),
            *(participations, microbatches, batch_cap, kept, divisor, dimension, noise_divisor),
        )
        if rate_from_n or any(each is not None for each in rest):
            raise click.UsageError(
                "--phase and --drawn-sensitivity replace the sampling rate, the epochs, "
                "--participations, --microbatches and --group-cap; they have no --batch-cap, "
                "--kept, --divisor, --dimension, --noise-divisor and --rate-from-n"
            )
        found = planned(phases, law, noise_multiplier, steps, epsilon, delta, digits, group)
        _print(*found, as_json=as_json)
        return
    if group is None and group_cap is not None:
        raise click.UsageError("--group-cap needs --group")
    if group is not None and (sampling != "poisson" or compare or plot is not None):
        raise click.UsageError("--group needs Poisson sampling; it has no --compare and no --plot")
    if microbatches is not None and (compare or plot is not None):
        raise click.UsageError("--microbatches has no --compare and no --plot")
    if compare and (sampling != "poisson" or participations is not None):
        raise click.UsageError(
            "--compare takes no --sampling and no --participations: it shows every scheme that it "
            "has"
        )
    if divisor in TELLING and (compare or epsilon is not None):
        raise click.UsageError(
            f"--divisor {divisor} has no --compare and no --epsilon: these are of noisy sums that "
            "are divided by a public number or a noisy count"
        )
    if rate_from_n and (compare or epsilon is not None):
        raise click.UsageError(
            "--rate-from-n has no --compare and no --epsilon: these are of a rate that is public"
        )
    if plot is not None and (rate_from_n or noise_divisor is not None):
        raise click.UsageError(
            "--rate-from-n and --noise-divisor have no --plot: their ε is that of any number of "
            "coordinates"
        )
    if (noise_multiplier is None) == (epsilon is None):
        raise click.UsageError("give --noise-multiplier or --epsilon, and only one of them")
    others = sampling != "poisson" or compare
    if epsilon is not None and others:
        raise click.UsageError("--epsilon is for Poisson sampling: give --noise-multiplier")
    if plot is not None and others and not compare:
        raise click.UsageError("--plot draws Poisson sampling, or with --compare every scheme")
    if others or divisor in TELLING or rate_from_n:
        _refuse_given("digits", "--digits is for Poisson sampling and its noisy sums")
    with wrong_input():
        if plot is not None:
            from dporacle.plots.dp_sgd import check

            check(plot)
        run = read_training(
            noise_multiplier=1 if noise_multiplier is None else noise_multiplier,
            sampling="cyclic" if compare else sampling,
            sampling_rate=sampling_rate,
            batch_size=batch_size,
            dataset_size=dataset_size,
            batches_per_epoch=batches_per_epoch,
            steps=steps,
            epochs=epochs,
            rounding=None if epochs is None else rounded,
            group=group,
            group_cap=group_cap,
            batch_cap=batch_cap,
            kept=kept,
            divisor=divisor,
            dimension=dimension,
            noise_divisor=noise_divisor,
            rate_from_n=rate_from_n,
            participations=participations,
            microbatches=microbatches,
        )
        if others or not run.as_sums:
            drawn_batches.show(run, delta, adjacency, compare=compare, as_json=as_json, plot=plot)
            return
        asked = {"sampling_rate": arguments.as_written(run.sampling_rate), "steps": str(run.steps)}
        asked |= {} if epochs is None else {"epochs": str(epochs), "rounded": rounded}
        asked |= {} if microbatches is None else {"microbatches": str(microbatches)}
        asked |= {} if group is None else {"group": str(group)}
        asked |= {} if group_cap is None else {"group_cap": str(group_cap)}
        shown: dict[str, Any]
        if epsilon is None:
            asked = {"noise_multiplier": str(noise_multiplier), **asked}
            shown = ends_of("epsilon", epsilons(run, delta=delta, digits=digits), digits)
            if run.draws == 1 and group is None:
                shown["renyi"] = f"{renyi_epsilon(run, delta=delta):.6g}"
                shown["central_limit"] = f"{limit_theorem_epsilon(run, delta=delta):.6g}"
        else:
            values = noise_multipliers(run, epsilon=epsilon, delta=delta, digits=digits)
            shown = ends_of("noise_multiplier", values, digits)
            asked["epsilon"] = str(epsilon)
            least = rounding.bounds(values["add-remove"])[1]
            if not least and plot is not None:
                raise click.UsageError("no noise is needed: --plot has nothing to draw")
            run = replace(run, noise_multiplier=least)
        asked["delta"] = str(delta)
        if adjacency:
            shown = _only(shown, adjacency)
        under = {name: run.hypotheses(name) for name in adjacency or SHOWN}
        _print(shown, asked, under, as_json=as_json)
        if plot is not None:
            _draw(plot, run, delta, accountants=accountants)


def _refuse_given(name: str, why: str) -> None:
    """Refuse an option that somebody wrote and that nothing would read."""
    source = click.get_current_context().get_parameter_source(name)
    if source is not ParameterSource.DEFAULT:
        raise click.UsageError(why)


def _only(shown: dict[str, Any], asked: tuple[str, ...]) -> dict[str, Any]:
    """Return what is shown of the relations that were asked for; zeroing out is leaving out."""
    key, *_ = shown
    same = {name: "add-remove" if name == "zero-out" else name for name in asked}
    found = {**shown, key: {name: shown[key][word] for name, word in same.items()}}
    if "exact_for" in shown:
        found["exact_for"] = [name for name, word in same.items() if word in shown["exact_for"]]
        found["exact"] = len(found["exact_for"]) == len(same)
    return found


def _draw(plot: Path, run: TrainingRun, delta: Fraction, *, accountants: bool) -> None:
    """Draw, after the answer: many more values, and accountants, take a while."""
    from dporacle.plots.dp_sgd import draw

    sys.stdout.flush()
    doing(f"drawing {plot}")
    draw(plot, run, delta, accountants=accountants)


def _print(
    shown: dict[str, Any], asked: dict[str, str], under: OfRelations, *, as_json: bool
) -> None:
    if as_json:
        shown |= {"input": asked, "hypotheses": as_data(under), "note": NOT_POISSON}
        click.echo(json.dumps(shown, ensure_ascii=False))
        return
    inputs(asked, _WIDTH)
    key = next(iter(shown))
    symbol = {"epsilon": "ε", "noise_multiplier": "σ", "noise_factor": "factor"}[key]
    names = {**SHORT, **(_OF_A_GROUP if "group" in asked else {})}
    for name, (low, high) in shown[key].items():
        line(names[name], f"{symbol} ∈ [{low}, {high}]", _WIDTH)
    if not shown.get("exact", True):
        wide = ", ".join(names[n] for n in shown[key] if n not in shown["exact_for"])
        line("two ends", _TWO_ENDS.format(names=wide), _WIDTH)
    if "renyi" in shown:
        line("Rényi accounting", f"ε = {shown['renyi']}, add or remove, float64", _WIDTH)
        line("central limit", f"ε = {shown['central_limit']}, not a bound, float64", _WIDTH)
    listed_under(under, _WIDTH)
    line("not covered", NOT_POISSON, _WIDTH)
