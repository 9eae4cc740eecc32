"""`dporacle sample`: audit the noise that a sampler really draws."""

import dataclasses
import json
import math
import sys
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from dporacle.cli import doing, headed_lines
from dporacle.cli.options import options
from dporacle.common.exit_status import ExitStatus
from dporacle.conformance.libraries.environments import EnvironmentBuildError
from dporacle.conformance.libraries.pinned import SAMPLED
from dporacle.enclosures.arithmetic.rounding import round_decimal
from dporacle.wings.samplers import (
    LAWS,
    AdapterSource,
    Audit,
    Batch,
    DrawsFile,
    Law,
    SourceError,
    audit,
    float_leak,
)
from dporacle.wings.samplers.audit import needed_rows
from dporacle.wings.samplers.commands.sources import (
    Drawing,
    Named,
    claimed_law,
    named_source,
    workers_for,
)
from dporacle.wings.samplers.decision import BUDGET, AspectFinding
from dporacle.wings.samplers.law import FAR
from dporacle.wings.samplers.other_law import claiming
from dporacle.wings.samplers.powers import NUMBERS
from dporacle.wings.samplers.sketch import Sketch
from dporacle.wings.samplers.unseen import unseen

_SHOWN = 4
_WIDTH = 12  # characters of a heading
_LEAK_DRAWS = 50_000
_LEAK_EPSILONS = (0.5, 1.0, 3.0)


@click.command()
@options("sample", library=["numpy", *SAMPLED], kind=list(LAWS), budget=BUDGET)
def sample(**given: Any) -> None:
    """Audit the noise of a LIBRARY's own sampler, of a program, or in a file.

    "privacy CONVICTED" is a proof that privacy is lost; "conformance CONVICTED" says that the
    noise has another law than claimed, which may be no less private.

    Exit status: 0 nothing found, 1 the sampler is convicted, 3 too few draws.

    "Nothing found" does not prove that the noise is correct. The output states the power for
    several kinds of faults: the probability that such a fault is convicted.
    """
    if given["plot"]:
        _can_draw(given["plot"])
    try:
        law = claimed_law(given)
        with named_source(given, law) as source:
            limit = given["limit"]
            values: tuple[float, ...] = (0.0,)
            if isinstance(source, DrawsFile):
                if given["leak"]:
                    raise ValueError("--leak needs a sampler; a file of noise is not enough")
                limit = min(limit or source.rows, source.rows)
            else:
                values = _values(law, given["sensitivity"])
                limit = limit or needed_rows(law, given["deviation"], budget=_budget(given))
            with workers_for(source, given["workers"]) as executor:
                found = audit(
                    law=law,
                    source=source,
                    deviation=given["deviation"],
                    limit=limit,
                    budget=_budget(given),
                    seed=given["seed"],
                    batch=_batch(limit, law, values),
                    values=values,
                    executor=executor,
                    checkpoint=given["checkpoint"],
                    name=_source_name(given),
                    progress=partial(_progress, limit),
                )
            about = _about(source)
            if given["plot"]:
                rows = _LEAK_DRAWS // law.dimension
                drawn = source(Batch(0, 0, rows, law.dimension, given["seed"], use="picture"))
            leaks = [] if isinstance(source, DrawsFile) else _leaks(given, law, source)
    except (ValueError, OverflowError) as error:
        raise click.UsageError(str(error)) from error
    except (SourceError, EnvironmentBuildError) as error:
        raise click.ClickException(str(error)) from error
    if given["plot"]:
        _draw(given["plot"], law, found, drawn)
    rate = found.drawn * law.dimension / max(found.seconds, 1e-9)
    released = sorted(_released(values, found))
    shown = {
        "source": about,
        "values": released,
        "unseen": unseen(law, released, found),
        **_shown(given, found, leaks),
        "draws_per_second": round(rate),
    }
    if given["as_json"]:
        click.echo(json.dumps(shown, ensure_ascii=False, indent=1))
    else:
        for heading, text in _lines(shown):
            headed_lines.line(heading, text, _WIDTH, hanging="  ")
    if found.convicted or leaks:
        sys.exit(ExitStatus.FINDING)
    if not found.enough:
        sys.exit(ExitStatus.NO_ANSWER)


def _budget(given: dict[str, Any]) -> float:
    return float(given["budget"]) / (2 if given["leak"] else 1)


def _batch(limit: int, law: Law, values: tuple[float, ...]) -> int:
    """Return how many numbers to draw at a time: a short audit comes to all values too."""
    numbers = limit * law.dimension
    return NUMBERS if numbers > NUMBERS else math.ceil(limit / len(values)) * law.dimension


def _released(values: tuple[float, ...], found: Audit) -> set[float]:
    """Return the values whose turn came before the audit ended; of a file none is known."""
    batches = math.ceil(found.sketch.numbers / found.batch)
    return set() if values == (0.0,) else set(values[:batches])


def _values(law: Law, sensitivity: float) -> tuple[float, ...]:
    """Return what is released in turn: 0 half of the time, its neighbours, and a large value.

    None is over 100 times as large as the noise, so that no sum with it loses bits that matter.
    """
    if not (math.isfinite(sensitivity) and sensitivity > 0):
        raise ValueError(f"--sensitivity must be positive and finite, got {sensitivity!r}")
    far = FAR * law.spread
    near = min(sensitivity, far)
    if law.grid:
        near, far = (max(round(size / law.grid), 1) * law.grid for size in (near, far))
    return (0.0, near, 0.0, -near, 0.0, far)


def _can_draw(path: Path) -> None:
    """Refuse what could not be drawn, before anything is."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise click.UsageError("--plot needs matplotlib: pip install 'dporacle[plots]'") from None
    known = Figure().canvas.get_supported_filetypes()
    if path.suffix[1:] not in known:
        raise click.UsageError(
            f"--plot must end in .{', .'.join(sorted(known))}, got {path.name!r}"
        )


def _draw(path: Path, law: Law, found: Audit, drawn: NDArray[np.float64]) -> None:
    from dporacle.wings.samplers.plots import draw_sampler

    draw_sampler(path, law, found, drawn)


def _source_name(given: dict[str, Any]) -> str:
    """Return what tells a checkpoint of this source from one of another."""
    named = given["library"] or given["adapter"] or str(given["path"])
    return f"{named} {given['sampler'] or ''}".strip()


def _about(source: Named) -> str:
    """Return what was audited, with its version."""
    if isinstance(source, AdapterSource):
        said, sampler = source.about
        return f"{said.name} {said.version}, {sampler.name}"
    return f"numpy {np.__version__}" if not isinstance(source, DrawsFile) else "file"


def _progress(
    limit: int, sketch: Sketch, privacy: AspectFinding, conformance: AspectFinding
) -> None:
    doing(
        f"{sketch.rows:,} of at most {limit:,} rows ({100 * sketch.rows / limit:.0f} %), evidence "
        f"10^{conformance.log10:.1f} of 10^{conformance.needed:.1f}, most: "
        f"{conformance.evidence[0].process.name}"
    )


def _leaks(given: dict[str, Any], law: Law, source: Drawing) -> list[dict[str, Any]]:
    """Try releases of 0 and D, and of two large values."""
    found: list[dict[str, Any]] = []
    if not given["leak"]:
        return found
    distance = given["sensitivity"]
    true = {epsilon: _true_delta(law, distance, epsilon) for epsilon in _LEAK_EPSILONS}
    for base in (0.0, 1000.0 * distance):
        values: list[NDArray[np.float64]] = []
        for number, value in enumerate((base, base + distance)):
            release = dataclasses.replace(source, value=value)
            batch = Batch(number, 0, _LEAK_DRAWS, law.dimension, given["seed"], use="leak")
            values.append(np.asarray(release(batch))[:, 0])
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
        ValueError: if the tails of its loss are not known.
    """
    shift = np.zeros(law.dimension)
    shift[0] = distance
    ((first, second),) = law.loss_tails(shift, [epsilon])
    return max(first[1] - math.exp(epsilon) * second[0], 0.0)


def _shown(given: dict[str, Any], found: Audit, leaks: list[dict[str, Any]]) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "law": repr(found.law),
        "folded": found.law.folded,
        "sized": found.law.sized,
        "rows": found.sketch.rows,
        "privacy": _finding(found.privacy),
        "conformance": _finding(found.conformance),
        "faults": {each.process.name: each.process.fault for each in found.faults},
        "supposes": sorted({each.process.supposes for each in found.faults} - {""}),
        "claim": [claiming(each) for each in found.other_laws],
        "deviation": found.deviation,
        "power": found.power,
        "enough": found.enough,
        "smallest": found.smallest,
        "hidden": found.hidden,
        "powers": {
            each.fault: {"power": each.power, "enough": each.enough} for each in found.powers
        },
        "budget": found.budget,
        "leaks": leaks,
    }
    if found.sigmas is not None:
        shown["sigma"] = list(found.sigmas)
        if given["epsilon"] is not None:
            shown["epsilon"] = given["epsilon"]
            shown["delta"] = _deltas(given, found)
    return shown


def _finding(finding: AspectFinding) -> dict[str, Any]:
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


def _verdict(shown: dict[str, Any], aspect: str) -> str:
    """Return what is said of privacy, or of conformance."""
    if shown[aspect]["convicted"]:
        return "CONVICTED"
    if shown["conformance"]["convicted"]:  # of another law, which may be no less private
        return "no loss is proved"
    return "nothing found" if shown["enough"] else "too few draws to say"


def _faults(shown: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what is wrong, whether privacy is lost by it, and what to claim instead."""
    for name, words in shown["faults"].items():
        yield "fault", f"{name}: {words}"
    if shown["conformance"]["convicted"] and not shown["privacy"]["convicted"]:
        yield "", "the noise has another law than claimed; it may be no less private"
    for each in shown["claim"]:
        yield "", f"if it has that law by intention, claim: {headed_lines.unbroken(each)}"
    for words in shown["supposes"]:
        yield "supposed", words


def _lines(shown: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each line's heading, which may be empty, and its text."""
    yield from (("source", shown["source"]), ("claim", shown["law"]))
    yield "rows", f"{shown['rows']:,}"
    if shown["values"]:  # a file has none, and nothing was drawn
        yield "speed", f"{shown['draws_per_second']:,} draws per second (sampler only)"
    for aspect in ("privacy", "conformance"):
        finding = shown[aspect]
        yield (
            aspect,
            f"{_verdict(shown, aspect)}: evidence {_power(finding['log10_evidence'])}, "
            f"{_power(finding['needed'])} needed",
        )
    yield from _faults(shown)
    strongest = list(shown["conformance"]["evidence"].items())[:_SHOWN]
    yield "strongest", ", ".join(f"{n} {_power(v)}" for n, v in strongest if v is not None)
    if "sigma" in shown:
        yield "σ supported", _interval(shown["sigma"])
    if "epsilon" in shown:
        yield "true δ", f"{_interval(shown['delta'])} at ε = {shown['epsilon']:g}"
    for leak in shown["leaks"]:
        first, second = leak["values"]
        least = round_decimal(Fraction(leak["delta"]), 3, up=False)
        at = f"δ ≥ {least} at ε = {leak['epsilon']:g}"
        yield "leak", f"low bits of {first:g} and {second:g}: {at}"
    yield (
        "power",
        f"{shown['power']:.4f} to convict {shown['sized']} that is {shown['deviation']:.2%} "
        f"too small; a correct sampler is accused with probability at most {shown['budget']:g}",
    )
    if not shown["enough"]:
        least = shown["smallest"]
        which = shown["sized"]
        seen = f"no error of {which.removeprefix('a ')}"
        if least is not None:
            seen = f"{which} that is {least:.2%} too small"
        yield "", f"with power 0.99 these draws show {seen}"
    if shown["hidden"]:
        words = (
            "many times the draws would not show it: what is released hardly depends on this scale"
        )
        yield "", words
    theirs = shown["sized"].removeprefix("a scale of ")  # the noise
    apart = "" if theirs == shown["sized"] else f"; σ is theirs, not that of {theirs}"
    yield "other faults", "power at least, and from how many normal numbers on it is 0.99"
    yield "", f"(draws of every law are made normal numbers first{apart}):"
    for fault, each in shown["powers"].items():
        yield "", f"{each['power']:.4f} {_from(each['enough']):>15}   {fault}"
    for place, words in enumerate(shown["unseen"]):
        yield "" if place else "not seen", words


def _power(exponent: float) -> str:
    return f"10^{round(exponent, 1) + 0:.1f}"  # no -0.0


def _from(enough: int | None) -> str:
    return "not for certain" if enough is None else f"from {enough:,}"


def _interval(ends: list[float | None]) -> str:
    low, high = (
        "…" if end is None else round_decimal(Fraction(end), 8, up=up)
        for end, up in zip(ends, (False, True), strict=True)
    )
    return f"[{low}, {high}]"
