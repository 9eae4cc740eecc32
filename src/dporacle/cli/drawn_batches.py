"""`dporacle dp-sgd --sampling`: the ε of batches that are not drawn by Poisson sampling."""

import json
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from dporacle import arguments
from dporacle.cli import doing
from dporacle.cli.headed_lines import enumerated, inputs, line, listed
from dporacle.cli.proved_under import as_data, listed_under
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.batches import ALLOCATED, SCHEMES
from dporacle.mechanisms import Ends
from dporacle.mechanisms.training import TrainingRun
from dporacle.vocabulary.hypotheses import Hypothesis
from dporacle.vocabulary.relations import SHORT

_DIGITS = 12
_SHOWN_DIGITS = 8  # of ends that are apart
_WIDTH = 17  # of headings
_NEXT = ". "  # between two notes
_EACH_FOR_ITSELF = "Each line is for its own scheme. Do not use one line's ε for another scheme."
_COMPARED = ("zero-out", "replace-one")

_EXACT = "both ends enclose one number; some algorithm and pair of data sets have exactly this ε"
_GAP = (
    "for {names}: some algorithm and pair of data sets reach the lower end; no ε is above the "
    "upper end; between the two nothing is proved"
)
_ONE_SIDED = "for {names}: no upper end is proved"
_SHORT_LAST = (
    "the last batch of each epoch is short, and has the records that remain; if they are left out, "
    "say --sampling drop-last"
)
_BINS_ROUNDED = (
    "the records over the batch size are no whole number: an epoch has so many bins, rounded up, "
    "all of them alike"
)
_REACHED_BY = {
    "nothing": "all other records contribute nothing",
    "against": "all other records contribute the same against it",
}
_NOT_REACHED = "for {names}: no lower end is proved"


def show(
    run: TrainingRun,
    delta: Fraction,
    asked: tuple[str, ...],
    *,
    compare: bool,
    as_json: bool,
    plot: Path | None,
) -> None:
    """Print what is proved, and draw it after that, since it takes many more values.

    Raises:
        ValueError: naming what is wrong.
        ArithmeticError: if an enclosure would need too much work.
    """
    target = arguments.delta(delta)
    if compare and asked:
        raise click.UsageError("--compare takes no --neighbours: it shows zero-out and replace-one")
    shown, under = _compared(run, target) if compare else _one(run, target, asked)
    if as_json:
        click.echo(json.dumps(shown, ensure_ascii=False))
    elif compare:
        _table(shown)
    else:
        _lines(shown)
        listed_under(under, _WIDTH)
        listed("the ends", shown["note"].split(_NEXT), _WIDTH)
    if plot is not None:
        from dporacle.plots.dp_sgd import draw_dimensions, draw_schemes

        sys.stdout.flush()
        draw = draw_schemes if run.as_sums else draw_dimensions
        draw(plot, run, target, lambda part: doing(f"drawing {plot}: {part}"))


def _input(run: TrainingRun, delta: Fraction) -> dict[str, str]:
    """Return what was asked, by the names of the options."""
    given = {"noise_multiplier": str(run.noise_multiplier)}
    whole = run.whole_epochs()
    if run.in_epochs and whole is not None:
        given |= {"batches_per_epoch": str(whole[0]), "epochs": str(whole[1])}
    elif run.sizes is not None:
        given |= {"batch_size": str(run.sizes[0]), "dataset_size": str(run.sizes[1])}
        given |= {} if run.epochs is None else {"epochs": str(run.epochs)}
        given |= {"steps": str(run.steps)}
    else:
        given |= {"sampling_rate": arguments.as_written(run.sampling_rate), "steps": str(run.steps)}
    if run.batch_cap is not None:
        given |= {"sampling_rate": arguments.as_written(run.sampling_rate)}
        given |= {"batch_cap": str(run.batch_cap), "kept": run.kept}
    if run.divisor is not None:
        given |= {"divisor": run.divisor}
    if not run.as_sums:
        given |= {"sampling_rate": arguments.as_written(run.sampling_rate)}
        given |= {} if run.dimension is None else {"dimension": str(run.dimension)}
        scale = run.noise_divisor
        given |= {} if scale is None else {"noise_divisor": arguments.as_written(scale)}
        rated = run.division is not None and run.division.public
        given |= {"rate_from_n": "yes"} if rated else {}
    if run.sampling == ALLOCATED:
        given |= {"participations": str(run.participations)}
    return given | {"delta": str(delta)}


def _one(
    run: TrainingRun, delta: Fraction, asked: tuple[str, ...]
) -> tuple[dict[str, Any], dict[str, tuple[Hypothesis, ...]]]:
    known = run.relations(two_ends=True)
    found = {name: run.ends(delta, name) for name in known if not asked}
    found = {
        name: each
        for name, each in found.items()
        if each.low or each.high is not None or run.tells(name)  # that nothing is known is said
    }
    if not found:
        found = {name: run.known_ends(delta, name) for name in asked or known}
    shown = {
        "epsilon": {name: _ends(each) for name, each in found.items()},
        "exact": all(each.exact for each in found.values()),
        "exact_for": [name for name, each in found.items() if each.exact],
        "sampling": run.sampling,
        "input": _input(run, delta),
        "hypotheses": as_data({name: each.hypotheses for name, each in found.items()}),
        "note": _NEXT.join([*_notes(found), *_uneven(run)]),
    }
    further = {name: _further(each) for name, each in found.items() if each.further}
    if further:
        shown["further"] = further
    return shown, {name: each.hypotheses for name, each in found.items()}


def _compared(run: TrainingRun, delta: Fraction) -> tuple[dict[str, Any], dict[str, Any]]:
    run.need_whole_epochs()
    schemes: dict[str, Any] = {}
    every = ("poisson", *SCHEMES, "fixed-size")
    for place, name in enumerate(every, 1):
        doing(f"{name}, {place} of {len(every)}")
        drawn = replace(run, sampling=name)
        two = drawn.relations(two_ends=True)
        found = {each: drawn.ends(delta, each, digits=_DIGITS) for each in _COMPARED if each in two}
        schemes[name] = {
            "epsilon": {key: _ends(each) for key, each in found.items()},
            "exact": all(each.exact for each in found.values()),
            "hypotheses": as_data({key: each.hypotheses for key, each in found.items()}),
        }
    return {"schemes": schemes, "input": _input(run, delta)}, {}


def _uneven(run: TrainingRun) -> list[str]:
    """Say what becomes of the records where the batch size does not divide them."""
    if not run.in_epochs or run.last_batch != "short":
        return []
    return [_BINS_ROUNDED if run.sampling == "balls-and-bins" else _SHORT_LAST]


def _notes(found: dict[str, Ends]) -> list[str]:
    """Say what the two ends of each relation are."""
    open_above = [name for name, each in found.items() if each.high is None]
    nothing = [name for name, each in found.items() if not each.low and not each.exact]
    gap = [name for name, each in found.items() if not each.exact]
    gap = [name for name in gap if name not in (*open_above, *nothing)]
    said = ((_GAP, gap), (_ONE_SIDED, open_above), (_NOT_REACHED, nothing))
    notes = [sentence.format(names=enumerated(names)) for sentence, names in said if names]
    return notes or [_EXACT]


def _ends(found: Ends) -> list[str | None]:
    with precision(256):
        low = rounding.decimal_bounds(ball(found.low), _DIGITS)[0]
        if found.high is None:
            return [low, None]
        return [low, rounding.decimal_bounds(ball(found.high), _DIGITS)[1]]


def _further(found: Ends) -> list[dict[str, Any]]:
    """Return ends under other hypotheses, or of other data sets, as they stand in JSON."""
    rows: list[dict[str, Any]] = []
    for each in found.further:
        with precision(256):
            shown = rounding.decimal_bounds(ball(each.value), _DIGITS)[int(each.upper)]
        if each.upper:
            said = [{"id": row.id, "says": row.says} for row in each.hypotheses]
            rows.append({"at_most": shown, "hypotheses": said, "instead_of": [*each.instead]})
        else:
            rows.append({"at_least": shown, "by": each.by, "says": _REACHED_BY[each.by]})
    return rows


def _lines(shown: dict[str, Any]) -> None:
    line("sampling", shown["sampling"], _WIDTH)
    inputs(shown["input"], _WIDTH)
    for name, (low, high) in shown["epsilon"].items():
        kind = "attained" if name in shown["exact_for"] else "the lower end is reached"
        if name not in shown["exact_for"] and Fraction(low) == 0:
            kind = "no lower end is proved"
        if name not in shown["exact_for"]:  # nobody needs many digits of two ends that are apart
            low, high = _some(low), high and _some(high, up=True)
        ends = f"ε ≥ {low}" if high is None else f"ε ∈ [{low}, {high}]"
        line(SHORT[name], f"{ends}, {kind}", _WIDTH)
        for each in shown.get("further", {}).get(name, ()):
            if "at_most" in each:
                said = " and ".join(row["says"] for row in each["hypotheses"])
                line(
                    "", f"ε ≤ {_some(each['at_most'], up=True)} though {said}", _WIDTH, hanging="  "
                )
            else:
                line(
                    "", f"ε ≥ {_some(each['at_least'])} where {each['says']}", _WIDTH, hanging="  "
                )


def _some(text: str, *, up: bool = False) -> str:
    return rounding.round_decimal(Fraction(text), _SHOWN_DIGITS, up=up)


def _table(shown: dict[str, Any]) -> None:
    """Print a line for each scheme, with the numbers of its own hypotheses, and these below."""
    inputs(shown["input"], _WIDTH)
    said: dict[str, int] = {}
    click.echo(f"{'batches':<17} {'zero out, ε ∈':<30} {'replace one, ε ∈':<30} proved under")
    for name, found in shown["schemes"].items():
        cells = [
            f"[{_short(ends[0])}, {_short(ends[1], up=True)}]" if ends else "not bounded here"
            for ends in (found["epsilon"].get(each) for each in _COMPARED)
        ]
        click.echo(f"{name:<17} {cells[0]:<30} {cells[1]:<30} {_numbered(found, said)}")
    line("note", _EACH_FOR_ITSELF, _WIDTH)
    listed("proved under", (f"{place}: {text}" for text, place in said.items()), _WIDTH)


def _numbered(found: dict[str, Any], said: dict[str, int]) -> str:
    """Return the numbers of a line's hypotheses, and those of one relation after its name."""
    groups: dict[str, list[int]] = {}
    for each in found["hypotheses"]:
        place = said.setdefault(each["says"], len(said) + 1)
        groups.setdefault(" and ".join(each.get("of", ())), []).append(place)
    return "; ".join(
        f"{name} {', '.join(map(str, sorted(places)))}".lstrip()
        for name, places in sorted(groups.items())
    )


def _short(text: str, *, up: bool = False) -> str:
    """Return a decimal with six digits, rounded outwards."""
    with precision(256):
        ends = rounding.decimal_bounds(ball(Fraction(text)), 6)
    return ends[1] if up else ends[0]
