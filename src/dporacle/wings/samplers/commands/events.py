"""`dporacle events`: refute an (ε,δ) claim about a mechanism of which nothing is known."""

import importlib
import json
import math
import shlex
import sys
from collections.abc import Callable
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from dporacle.claims.wording import supports
from dporacle.cli.headed_lines import line
from dporacle.cli.options import options
from dporacle.cli.proved_under import as_data, listed_under
from dporacle.common.exit_status import ExitStatus
from dporacle.enclosures.arithmetic.rounding import round_decimal
from dporacle.wings.samplers import (
    LAWS,
    Batch,
    BlackBox,
    DrawsFile,
    Refutation,
    SourceError,
    likely_event,
    refute,
)
from dporacle.wings.samplers.commands.sources import PARAMETERS, claimed_law
from dporacle.wings.samplers.decision import BUDGET

Rows = NDArray[np.float64]
_PART = 50_000
_WIDTH = len("proved under")


@click.command()
@options("events", kind=list(LAWS), budget=BUDGET)
def events(**given: Any) -> None:
    """Look for an event that refutes the claim of a black-box mechanism.

    The command learns the event on half of the releases and tests it on the other half. Exit
    status: 1 the claim is refuted; 0 no such event was found, which proves nothing.
    """
    try:
        first, second = _releases(given)
        event = None
        if given["kind"]:
            # The promise is not to choose σ here.
            law = claimed_law(given | {"epsilon": None, "delta": None, "sensitivity": 1.0})
            low, high = given["values"]
            shift = np.full(law.dimension, high - low)
            event = likely_event(law, shift, low, given["epsilon"])
        found = refute(
            first,
            second,
            epsilon=given["epsilon"],
            delta=given["delta"],
            budget=given["budget"],
            event=event,
            joint=given["joint"],
        )
    except (ValueError, OverflowError) as error:
        raise click.UsageError(str(error)) from error
    except SourceError as error:
        raise click.ClickException(str(error)) from error
    under = as_data({"": found.hypotheses})
    shown = asdict(found) | {"refuted": found.refuted, "proved_under": under}
    if given["as_json"]:
        click.echo(json.dumps(shown, ensure_ascii=False))
    else:
        _print(found)
    if found.refuted:
        sys.exit(ExitStatus.FINDING)


def _releases(given: dict[str, Any]) -> tuple[Rows, Rows]:
    named = [name for name in ("paths", "function", "adapter") if given[name]]
    if len(named) != 1:
        raise ValueError("name one of: --file, --callable, --adapter")
    _all_read(given)
    if given["paths"]:
        files = [DrawsFile(path) for path in given["paths"]]
        first, second = (file(Batch(0, 0, given["releases"], file.dimension, 0)) for file in files)
        return first, second
    if given["function"]:
        function = _function(given["function"])
        first, second = (_called(function, value, given["releases"]) for value in given["values"])
        return first, second
    with BlackBox(
        shlex.split(given["adapter"]),
        sampler=given["sampler"] or "",
        parameters=dict(map(_parameter, given["parameters"])),
    ) as box:
        first, second = (
            box.release(value, given["releases"], given["dimension"]) for value in given["values"]
        )
    return first, second


def _all_read(given: dict[str, Any]) -> None:
    """Refuse values that are no two answers, and options that nothing would read."""
    first, second = given["values"]
    if not (math.isfinite(first) and math.isfinite(second)):
        raise ValueError(f"--values must be finite, got {first} and {second}")
    if first == second and not given["paths"]:
        raise ValueError(f"--values must be two different answers, got {first} twice")
    if not given["adapter"]:
        unread = [f"--{name}" for name in ("sampler", "parameters") if given[name]]
        if unread:
            raise ValueError(f"{unread[0].removesuffix('s')} is read with --adapter alone")
    if not given["kind"]:
        for name in PARAMETERS:
            if given[name] is not None:
                raise ValueError(f"--{name.replace('_', '-')} is read with --law alone")


def _parameter(text: str) -> tuple[str, float]:
    name, _, number = text.partition("=")
    try:
        return name, float(number)
    except ValueError:
        raise ValueError(f"--parameter must be NAME=NUMBER, got {text!r}") from None


def _function(text: str) -> Callable[[float, int], Any]:
    """Return the function that MODULE:FUNCTION names, of the current folder or installed."""
    module, _, name = text.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (Exception, SystemExit) as error:  # whatever the module does
        raise ValueError(f"--callable {text!r}: {error}") from None
    if not callable(found):
        raise ValueError(f"--callable {text!r} cannot be called")
    function: Callable[[float, int], Any] = found
    return function


def _called(function: Callable[[float, int], Any], value: float, wanted: int) -> Rows:
    try:
        found = np.asarray(function(value, wanted), dtype=np.float64)
    except (Exception, SystemExit) as error:
        raise SourceError(f"the function failed: {type(error).__name__}: {error}") from error
    if found.ndim not in (1, 2) or len(found) != wanted:
        raise ValueError(f"the function returned shape {found.shape} where {wanted} were asked")
    return found


def _print(found: Refutation) -> None:
    one, other = ("second", "first") if found.of_second else ("first", "second")
    bound = f"δ ≥ {round_decimal(Fraction(found.bound), 3, up=False)} at ε = {found.epsilon:g}"
    said = supports(found.sure, bound)
    needed = "no number: at the rates above, this event does not break the claim"
    if found.needed is not None:
        needed = f"about {found.needed:,} releases of each input for this event"
        needed += ", by a limit of its own for each rate" if found.joint else ""
    for heading, text in (
        ("claim", f"({found.epsilon:g}, {found.delta:g})-differential privacy"),
        ("event", found.event),
        (one, f"{found.hits[0]:,} of {found.draws[0]:,} releases in it"),
        (other, f"{found.hits[1]:,} of {found.draws[1]:,}"),
        ("test", "both rates at once" if found.joint else "a limit of its own for each rate"),
        ("verdict", f"{'REFUTED' if found.refuted else 'not refuted'}: {said}"),
        ("needed", needed),
    ):
        line(heading, text, _WIDTH)
    listed_under({"": found.hypotheses}, _WIDTH)
