"""`dporacle sample`: audit the noise that a sampler really draws."""

from __future__ import annotations

import dataclasses
import importlib.resources
import json
import math
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from dporacle import calibrate_sigma
from dporacle.cli.numbers import json_option
from dporacle.exit_status import ExitStatus
from dporacle.samplers import (
    Audit,
    Batch,
    DiscreteGaussian,
    DrawsFile,
    Gaussian,
    Laplace,
    Law,
    ProgramSource,
    RankOneGaussian,
    RoundedGaussian,
    Source,
    audit,
    float_leak,
)
from dporacle.samplers.decision import BUDGET, Finding
from dporacle.samplers.library_draws import LIBRARIES
from dporacle.samplers.sketch import Sketch

__all__ = ["sample"]

_LAWS: dict[str, type[Law]] = {
    "gaussian": Gaussian,
    "discrete": DiscreteGaussian,
    "rounded": RoundedGaussian,
    "laplace": Laplace,
    "rank-one": RankOneGaussian,
}
_SHOWN = 4
_LEAK_DRAWS = 50_000
_LEAK_EPSILONS = (0.5, 1.0, 3.0)


@click.command()
@click.argument("library", type=click.Choice(["numpy", *LIBRARIES]), required=False)
@click.option(
    "--file",
    "path",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Noise in a .npy, .csv or .parquet file, a row to a line.",
)
@click.option(
    "--command", help="A program that releases values; docs/samplers.md has its protocol."
)
@click.option(
    "--law",
    "kind",
    type=click.Choice(list(_LAWS)),
    default="gaussian",
    show_default=True,
    help="What the noise is claimed to be.",
)
@click.option("--sigma", type=float, help="σ; of discrete noise, its parameter.")
@click.option("--scale", type=float, help="The scale of Laplace noise.")
@click.option("--sigma-star", type=float, help="σ* of rank-one noise.")
@click.option("--step", type=float, help="The step of rounded noise.")
@click.option("--epsilon", type=float, help="With --delta, in place of --sigma: the promise.")
@click.option("--delta", type=float, help="With --epsilon, in place of --sigma: the promise.")
@click.option(
    "--sensitivity",
    type=float,
    default=1.0,
    show_default=True,
    help="How far apart two neighbouring answers are.",
)
@click.option(
    "--dimension", type=click.IntRange(1), default=1, show_default=True, help="Numbers in a row."
)
@click.option(
    "--deviation",
    type=float,
    default=0.01,
    show_default=True,
    help="The share by which σ may be too small that is to be found.",
)
@click.option("--limit", type=click.IntRange(1), help="The most rows to draw.")
@click.option(
    "--budget",
    type=float,
    default=BUDGET,
    show_default=True,
    help="The probability that a correct sampler is accused.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--leak", is_flag=True, help="Try the low bits of releases of 0 and of D as well.")
@click.option(
    "--checkpoint",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where the state is kept, so that an interrupted audit goes on.",
)
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draw the noise.")
@json_option
def sample(**given: Any) -> None:
    r"""Audit noise: from a LIBRARY's own sampler, a program, or a file.

    \b
    dporacle sample numpy --sigma 3
    dporacle sample --file noise.npy --epsilon 1 --delta 1e-5
    dporacle sample opendp --sigma 3 --leak

    The status is 1 if the sampler is convicted, of anything. What is not found is not proved
    absent: the power for the smallest deviation that was planned for is printed.
    """
    try:
        law = _law(given)
        with _source(given, law, 0.0) as source:
            limit = given["limit"]
            if isinstance(source, DrawsFile):
                limit = min(limit or source.rows, source.rows)
            found = audit(
                law=law,
                source=source,
                deviation=given["deviation"],
                limit=limit,
                budget=given["budget"] / (2 if given["leak"] else 1),
                seed=given["seed"],
                checkpoint=given["checkpoint"],
                progress=_progress if sys.stderr.isatty() else None,
            )
            if given["plot"]:
                drawn = source(
                    Batch(0, 0, _LEAK_DRAWS // law.dimension, law.dimension, given["seed"])
                )
        leaks = _leaks(given, law) if given["leak"] else []
    except (ValueError, OverflowError) as error:
        raise click.UsageError(str(error)) from error
    if given["plot"]:
        from dporacle.figures.sampler import draw_sampler

        draw_sampler(given["plot"], law, found, drawn)
    shown = _shown(given, found, leaks)
    click.echo(
        json.dumps(shown, ensure_ascii=False, indent=1) if given["as_json"] else _text(shown)
    )
    if found.convicted or leaks:
        sys.exit(ExitStatus.FINDING)


def _law(given: dict[str, Any]) -> Law:
    """Return the claim; its σ may be the least that keeps a promise."""
    wanted = {name: given[name] for name in ("sigma", "scale", "sigma_star", "step")}
    promise = (given["epsilon"], given["delta"])
    if given["kind"] == "gaussian" and wanted["sigma"] is None and None not in promise:
        wanted["sigma"] = float(
            calibrate_sigma(epsilon=promise[0], delta=promise[1], sensitivity=given["sensitivity"])
        )
    law = _LAWS[given["kind"]]
    fields = {each.name for each in dataclasses.fields(law)}
    known = {name: value for name, value in wanted.items() if name in fields}
    for name, value in known.items():
        if value is None:
            raise ValueError(f"--{name.replace('_', '-')} is needed for --law {given['kind']}")
    surplus = [n for n, value in wanted.items() if value is not None and n not in known]
    if surplus:
        name = surplus[0].replace("_", "-")
        raise ValueError(f"--{name} is no parameter of --law {given['kind']}")
    made: Law = law(dimension=given["dimension"], **known)
    return made


@contextmanager
def _source(given: dict[str, Any], law: Law, value: float) -> Iterator[Source]:
    """Open where draws come from: exactly one is named."""
    named = [name for name in ("library", "path", "command") if given[name]]
    if len(named) != 1:
        raise ValueError("name one of: a LIBRARY, --file, --command")
    if given["path"]:
        if value:
            raise ValueError("--leak needs a sampler, a file of noise is not enough")
        file = DrawsFile(given["path"])
        if file.dimension != law.dimension:
            raise ValueError(f"--dimension is {law.dimension}, the file has {file.dimension}")
        yield file
        return
    if given["library"] == "numpy":
        yield lambda batch: value + law.draw(batch.rows, batch.generator())
        return
    command = shlex.split(given["command"]) if given["command"] else _program(given, law)
    with ProgramSource(command, value=value) as program:
        yield program


def _program(given: dict[str, Any], law: Law) -> list[str]:
    if not isinstance(law, Gaussian):
        raise ValueError(f"{given['library']} is known for --law gaussian only")
    from dporacle.conformance.environments import python_for
    from dporacle.conformance.libraries import find

    script = importlib.resources.files("dporacle.samplers") / "library_draws.py"
    python = python_for(find(given["library"]))
    return [str(python), "-I", str(script), given["library"], repr(law.sigma)]


def _progress(sketch: Sketch, privacy: Finding, conformance: Finding) -> None:
    best = conformance.evidence[0]
    text = (
        f"{sketch.rows:,} rows · evidence 10^{conformance.log10:.1f} of 10^{conformance.needed:.1f}"
    )
    click.echo(f"\r{text} · most: {best.process.name}   ", nl=False, err=True)


def _leaks(given: dict[str, Any], law: Law) -> list[dict[str, Any]]:
    """Try releases of 0 and D, and of two large values."""
    found = []
    distance = given["sensitivity"]
    true = {epsilon: _true_delta(law, distance, epsilon) for epsilon in _LEAK_EPSILONS}
    for base in (0.0, 1000.0 * distance):
        values: list[NDArray[np.float64]] = []
        for number, value in enumerate((base, base + distance)):
            with _source(given, law, value) as source:
                batch = Batch(number, 0, _LEAK_DRAWS, law.dimension, given["seed"] + 1)
                values.append(np.asarray(source(batch))[:, 0])
        bounds = float_leak(
            values[0],
            values[1],
            distance=distance,
            epsilons=_LEAK_EPSILONS,
            budget=given["budget"] / 4,
        )
        found += [
            {
                "values": [base, base + distance],
                "epsilon": each.epsilon,
                "delta": each.delta,
                "exact_delta": true[each.epsilon],
            }
            for each in bounds
            if each.delta > true[each.epsilon]
        ]
    return found


def _true_delta(law: Law, distance: float, epsilon: float) -> float:
    """Return the δ that the law itself has, which an event may well prove.

    Raises:
        ValueError: if it has no closed form.
    """
    shift = np.zeros(law.dimension)
    shift[0] = distance
    first, second = law.loss_tail(shift, epsilon)
    return max(first - math.exp(epsilon) * second, 0.0)


def _shown(given: dict[str, Any], found: Audit, leaks: list[dict[str, Any]]) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "law": repr(found.law),
        "rows": found.sketch.rows,
        "privacy": _finding(found.privacy),
        "conformance": _finding(found.conformance),
        "deviation": found.deviation,
        "power": found.power,
        "budget": found.budget,
        "leaks": leaks,
    }
    if found.sigmas is not None:
        shown["sigma"] = list(found.sigmas)
        if given["epsilon"] is not None:
            shown["epsilon"] = given["epsilon"]
            shown["delta"] = _deltas(given, found)
    return shown


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "convicted": finding.convicted,
        "log10_evidence": round(finding.log10, 2),
        "needed": round(finding.needed, 2),
        "evidence": {
            each.process.name: None if math.isinf(each.log10) else round(each.log10, 2)
            for each in finding.evidence
        },
    }


def _deltas(given: dict[str, Any], found: Audit) -> list[float | None]:
    """Return the least and the largest δ that noise of the supported σ gives."""
    from dporacle.fast import delta_at_epsilon

    low, high = found.sigmas or (None, None)
    return [
        None
        if sigma is None
        else float(
            delta_at_epsilon(
                epsilon=given["epsilon"], sigma=sigma, sensitivity=given["sensitivity"]
            )
        )
        for sigma in (high, low)
    ]


def _text(shown: dict[str, Any]) -> str:
    lines = [f"claim        {shown['law']}", f"rows         {shown['rows']:,}"]
    for aspect in ("privacy", "conformance"):
        finding = shown[aspect]
        word = "CONVICTED" if finding["convicted"] else "nothing found"
        lines.append(
            f"{aspect:<12} {word}: evidence 10^{finding['log10_evidence']:.1f}, "
            f"10^{finding['needed']:.1f} needed"
        )
    strongest = list(shown["conformance"]["evidence"].items())[:_SHOWN]
    lines.append(
        "strongest    " + ", ".join(f"{n} 10^{v:.1f}" for n, v in strongest if v is not None)
    )
    if "sigma" in shown:
        lines.append(f"σ supported  {_interval(shown['sigma'])}")
    if "epsilon" in shown:
        lines.append(f"true δ       {_interval(shown['delta'])} at ε = {shown['epsilon']:g}")
    for leak in shown["leaks"]:
        first, second = leak["values"]
        lines.append(
            f"leak         low bits of {first:g} and {second:g}: δ ≥ {leak['delta']:.3g} "
            f"at ε = {leak['epsilon']:g}"
        )
    lines.append(
        f"power        {shown['power']:.4f} to convict a σ that is {shown['deviation']:.2%} "
        f"too small; a correct sampler is accused with probability {shown['budget']:g} at most"
    )
    return "\n".join(lines)


def _interval(ends: list[float | None]) -> str:
    low, high = ("…" if end is None else f"{end:.8g}" for end in ends)
    return f"[{low}, {high}]"
