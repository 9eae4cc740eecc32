"""Pictures of DP-SGD: exact ε over the steps, and δ over ε; or ε over σ for all schemes.

Where the divisor tells a record: ε over the number of coordinates.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import matplotlib as mpl
from flint import arb
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dporacle.common import canvas, files
from dporacle.conformance.libraries.accountants import ACCOUNTANTS, answers
from dporacle.conformance.libraries.environments import python_there
from dporacle.dp_sgd import limit_theorem_epsilon, renyi_epsilon
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.subsampled_gaussian import subsampled_delta, subsampled_epsilon
from dporacle.mechanisms.training import TrainingRun

_POINTS = 10
_DIGITS = 5
_ASKED = 5  # points of each accountant's curve over the steps
_POWERS = (0.5, 0.75, 1.0, 1.5, 2.0)  # of δ, where they are asked for ε
_MARKERS = "x+1"
_PATIENCE = 10.0  # seconds of processor time for one of them
# Colours that people with any deficiency of sight tell apart (Okabe and Ito), with other markers.
_SHOWN = (
    ("remove", {"label": "exact, remove", "color": "#0072B2", "marker": "o"}),
    ("add", {"label": "exact, add", "color": "#D55E00", "marker": "s"}),
    ("replace", {"label": "exact, replace one", "color": "#009E73", "marker": "^"}),
)
_OTHERS = ("#CC79A7", "#E69F00", "#56B4E9")
_DIMENSIONS = 10**8  # coordinates, where nobody says how many there are
_NOISES = 7  # values of σ, from half of a run's to its double
# Scheme -> colour and marker; a marker without a line is that of a curve close to Poisson's.
_SCHEMES = {
    "shuffled-once": ("#E69F00", "v"),
    "cyclic": ("#D55E00", "s"),
    "shuffled": ("#0072B2", "o"),
    "fixed-size": ("#009E73", "^"),
    "balls-and-bins": ("#CC79A7", "D"),
}


def check(output: Path) -> None:
    """Refuse a file whose suffix names no format, before anything is computed.

    Raises:
        ValueError: if the format is unknown.
    """
    kinds = Figure().canvas.get_supported_filetypes()
    if output.suffix.lower().lstrip(".") not in kinds:
        raise ValueError(f"plot must end in one of {', '.join(sorted(kinds))}, got {output}")


def draw(output: Path, run: TrainingRun, delta: Fraction, *, accountants: bool = True) -> None:
    """Write the picture to a file, in the format of its suffix.

    Args:
        output: the file.
        run: the run; its steps are where the curves end.
        delta: the δ of the left half.
        accountants: whether those are asked as well that are installed.

    Raises:
        ValueError: if the format is unknown.
        OSError: if the file cannot be written.
        ArithmeticError: if no value at all can be enclosed.
    """
    check(output)
    figure = Figure(figsize=(11, 5.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    epsilon_over_steps(run, delta, ax=left)
    delta_over_epsilon(run, delta, ax=right)
    if accountants:
        _add_accountants(left, right, run, delta)
    lines: dict[str, Any] = {}
    for axes in (left, right):
        lines |= {
            label: line for line, label in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        axes.legend().remove()
    # One for both halves, below them: within, it lies on a curve of this or that run.
    figure.legend(lines.values(), lines.keys(), loc="outside lower center", ncols=5)
    figure.suptitle(
        f"DP-SGD with Poisson sampling: noise multiplier {float(run.noise_multiplier):.6g}, "
        f"sampling rate {float(run.sampling_rate):.6g}"
    )
    with files.beside(output) as part:
        figure.savefig(part, dpi=110)


def epsilon_over_steps(run: TrainingRun, delta: Fraction, *, ax: Axes | None = None) -> Axes:
    """Draw the exact ε over the steps, with Rényi's and the central limit theorem's account.

    Args:
        run: the run; its steps are where the curves end.
        delta: the δ of all of them.
        ax: where to; pyplot's current axes if it is None.

    Returns:
        The axes, to be styled further.
    """
    axes = canvas.on(ax)
    counts = sorted({max(1, round(run.steps ** (k / _POINTS))) for k in range(_POINTS + 1)})
    runs = [replace(run, steps=count) for count in counts]
    setting = _setting(run)
    for direction, style in _SHOWN:
        values = [
            _value(subsampled_epsilon, delta=delta, steps=n, direction=direction, **setting)
            for n in counts
        ]
        axes.plot(counts, values, markersize=4, **style)  # type: ignore[arg-type]
    renyi = [renyi_epsilon(each, delta=delta) for each in runs]
    axes.plot(counts, renyi, "--", color="black", label="Rényi bound, add or remove")
    limit = [limit_theorem_epsilon(each, delta=delta) for each in runs]
    axes.plot(counts, limit, ":", color="dimgrey", label="central limit theorem, not a bound")
    axes.set(xscale="log", yscale="log", xlabel="steps", ylabel=f"ε at δ = {_short(delta)}")
    axes.grid(alpha=0.3)
    axes.legend()
    return axes


def delta_over_epsilon(run: TrainingRun, delta: Fraction, *, ax: Axes | None = None) -> Axes:
    """Draw the exact δ over ε after all steps; arguments and result as `epsilon_over_steps`."""
    axes = canvas.on(ax)
    setting = _setting(run)
    reach = _value(subsampled_epsilon, delta=delta, steps=run.steps, direction="remove", **setting)
    grid = [Fraction(reach * k / _POINTS) for k in range(1, 2 * _POINTS)]
    for direction, style in _SHOWN:
        deltas = [
            _value(subsampled_delta, epsilon=e, steps=run.steps, direction=direction, **setting)
            for e in grid
        ]
        axes.plot([float(e) for e in grid], deltas, markersize=4, **style)  # type: ignore[arg-type]
    axes.axhline(float(delta), color="grey", linewidth=0.8, label=f"δ = {_short(delta)}")
    axes.set(yscale="log", xlabel="ε", ylabel=f"δ after {run.steps:,} steps")
    axes.grid(alpha=0.3)
    axes.legend()
    return axes


def _write(output: Path, drawn: Callable[[Axes], Axes], *, columns: int) -> None:
    """Write a picture whose legend, in so many columns, stands below it."""
    check(output)
    figure = Figure(figsize=(8, 5.6), layout="constrained")
    drawn(figure.subplots()).legend().remove()
    figure.legend(loc="outside lower center", ncols=columns)
    with files.beside(output) as part:
        figure.savefig(part, dpi=110)


def draw_schemes(
    output: Path, run: TrainingRun, delta: Fraction, doing: Callable[[str], object] = str
) -> None:
    """Write a picture of ε over the noise, for all ways to draw the batches; raises as `draw`.

    `doing` is told the scheme that is computed next.
    """
    _write(output, lambda ax: epsilon_over_noise(run, delta, ax=ax, doing=doing), columns=3)


def epsilon_over_noise(
    run: TrainingRun,
    delta: Fraction,
    *,
    ax: Axes | None = None,
    doing: Callable[[str], object] = str,
) -> Axes:
    """Draw the ε of all ways to draw the batches over the noise multiplier.

    The neighbours are zero-out, for batches of a fixed size add or remove. Where the proved ends
    of a scheme differ both are drawn, and what lies between them.

    Args:
        run: whole epochs of batches; the noise reaches from half of the run's to its double.
        delta: the δ of all of them.
        ax: where to; pyplot's current axes if it is None.
        doing: is told the scheme that is computed next.

    Returns:
        The axes, to be styled further.

    Raises:
        ValueError: if the steps make no whole epochs of whole batches.
    """
    axes = canvas.on(ax)
    batches, epochs = run.need_whole_epochs()
    noises = [
        (run.noise_multiplier * Fraction(2 ** (2 * k / (_NOISES - 1) - 1))).limit_denominator(10**6)
        for k in range(_NOISES)
    ]
    sigmas = [float(each) for each in noises]
    given: dict[str, Any] = {"delta": delta, "direction": "both"}
    given |= {"rate": run.sampling_rate, "steps": run.steps}
    for name, (color, marker) in _SCHEMES.items():
        doing(name)
        if name == "shuffled-once" and epochs == 1:
            continue  # it is "shuffled"
        if name == "fixed-size":
            if batches == 1:
                continue  # a batch of all records has no neighbour with one record more or less
            values = [_value(subsampled_epsilon, sigma=each / 2, **given) for each in noises]
            ends = [*zip(values, values, strict=True)]
        else:
            ends = [
                _proved(replace(run, sampling=name, noise_multiplier=each), delta)
                for each in noises
            ]
        low, high = ([each or math.nan for each in side] for side in zip(*ends, strict=True))
        style: dict[str, Any] = {"color": color, "marker": marker, "markersize": 5}
        if name == "balls-and-bins":
            style |= {"linestyle": "", "markersize": 9, "fillstyle": "none"}
        if name == "shuffled-once":  # often that of cyclic batches, which is drawn over it
            style |= {"markersize": 11, "fillstyle": "none"}
        if any(up > 1.01 * down for down, up in ends):
            axes.plot(sigmas, low, **style, label=f"{name}, at least")
            upper = {"fillstyle": "none", "linestyle": "--", "label": f"{name}, at most"}
            axes.plot(sigmas, high, **{**style, **upper})
            axes.fill_between(sigmas, low, high, color=color, alpha=0.25)
        else:
            kind = ", add or remove" if name == "fixed-size" else ""
            axes.plot(sigmas, high, **style, label=name + kind)
    quoted = [_value(subsampled_epsilon, sigma=each, **given) for each in noises]
    axes.plot(
        sigmas,
        quoted,
        color=mpl.rcParams["text.color"],
        linewidth=2.5,
        label="Poisson, as accountants quote it",
    )
    axes.set(xscale="log", yscale="log", xlabel="noise multiplier σ", ylabel="ε")
    axes.set_xticks(sigmas, [f"{each:.3g}" for each in sigmas])
    axes.set_xticks([], minor=True)
    many = "1 epoch" if epochs == 1 else f"{epochs:,} epochs"
    axes.set_title(f"DP-SGD, {many} of {batches:,} batches, δ = {_short(delta)}: ε under zero-out")
    axes.grid(alpha=0.3)
    axes.legend()
    return axes


def draw_dimensions(
    output: Path, run: TrainingRun, delta: Fraction, doing: Callable[[str], object] = str
) -> None:
    """Write a picture of ε over the number of coordinates; raises as `draw`.

    `doing` is told the number that is computed next.
    """
    _write(output, lambda ax: epsilon_over_dimension(run, delta, ax=ax, doing=doing), columns=2)


def epsilon_over_dimension(
    run: TrainingRun,
    delta: Fraction,
    *,
    ax: Axes | None = None,
    doing: Callable[[str], object] = str,
) -> Axes:
    """Draw the proved ends of ε over the number of coordinates, where the divisor tells a record.

    Beside them stands the ε of the same noisy sums with a public divisor and rate, as accountants
    claim it.

    Args:
        run: whose divisor is "from-n" or "drawn"; its dimension is where the curves end, or 10^8.
        delta: the δ of all of them.
        ax: where to; pyplot's current axes if it is None.
        doing: is told the number that is computed next.

    Returns:
        The axes, to be styled further.

    Raises:
        ValueError: if the divisor tells nothing of a record.
        ArithmeticError: if what is claimed needs too much work.
    """
    if run.as_sums or (run.division is not None and run.division.public):
        raise ValueError(f"divisor must be from-n or drawn for this picture, got {run.divisor!r}")
    if run.noise_divisor is not None:
        raise ValueError("noise_divisor must be absent for this picture: its ε has no dimension")
    axes = canvas.on(ax)
    most = run.dimension or _DIMENSIONS
    counts = sorted({most, *(10**k for k in range(len(str(most))))})
    ends = []
    for count in counts:
        doing(f"{count:,} coordinates")
        division = run.division and replace(run.division, dimension=count)
        ends.append(_ends_of(replace(run, dimension=count, division=division), delta))
    low, high = zip(*ends, strict=True)
    style: dict[str, Any] = {"color": "#D55E00", "markersize": 5}
    axes.plot(counts, [each or math.nan for each in low], "o-", label="at least", **style)
    if any(math.isfinite(each) for each in high):
        axes.plot(counts, high, "v--", fillstyle="none", label="at most", **style)
    claimed = _ends_of(replace(run, divisor="public", division=None, dimension=None), delta)[1]
    rates = " and rate" if run.division is not None and run.division.rates() else ""
    told = f"claimed: with a public divisor{rates}"
    axes.axhline(claimed, color=mpl.rcParams["text.color"], linewidth=2.5, label=told)
    axes.set(xscale="log", yscale="log", xlabel="coordinates of a sum", ylabel="ε, add or remove")
    what = {"from-n": "a number computed from the records", "drawn": "the size of the drawn batch"}
    axes.set_title(
        f"Divided by {what[str(run.divisor)]}: σ = {float(run.noise_multiplier):.4g}, "
        f"{run.steps:,} steps, δ = {_short(delta)}"
    )
    axes.grid(alpha=0.3)
    axes.legend()
    return axes


def _ends_of(run: TrainingRun, delta: Fraction) -> tuple[float, float]:
    """Return the proved ends of ε under add-remove; infinite above where none is proved."""
    found = run.ends(delta, "add-remove")
    return float(found.low), math.inf if found.high is None else float(found.high)


def _proved(run: TrainingRun, delta: Fraction) -> tuple[float, float]:
    """Return the proved ends of ε under zero-out; NaN where they need too much work."""
    try:
        found = run.ends(delta, "zero-out")
    except ArithmeticError:
        return math.nan, math.nan
    return float(found.low), math.nan if found.high is None else float(found.high)


def _add_accountants(left: Axes, right: Axes, run: TrainingRun, delta: Fraction) -> None:
    """Draw what the accountants that are installed answer, at a few points of both halves."""
    counts = sorted({max(1, round(run.steps ** (k / _ASKED))) for k in range(1, _ASKED + 1)})
    deltas = [float(delta) ** power for power in _POWERS]
    setting = {name: float(value) for name, value in _setting(run).items()}
    inputs = [{**setting, "steps": count, "delta": float(delta)} for count in counts]
    inputs += [{**setting, "steps": run.steps, "delta": each} for each in deltas]
    for place, (name, (library, _)) in enumerate(ACCOUNTANTS.items()):
        python = python_there(library)
        if python is None:
            continue
        version, said = answers(name, inputs, python=python, timeout=_PATIENCE)
        values, label = [each.value for each in said], f"{name} {version}"
        style: dict[str, Any] = {"marker": _MARKERS[place], "color": _OTHERS[place]}
        style |= {"linestyle": "", "markersize": 9, "label": label}
        left.plot(counts, values[: len(counts)], **style)
        right.plot(values[len(counts) :], deltas, **style)


def _setting(run: TrainingRun) -> dict[str, Fraction]:
    return {"sigma": run.noise_multiplier, "rate": run.sampling_rate}


def _value(enclose: object, **given: object) -> float:
    """Return the middle of an enclosure as a float; NaN where it needs too much work."""
    try:
        value: arb = enclose(**given, digits=_DIGITS)  # type: ignore[operator]
    except ArithmeticError:
        return math.nan
    low, high = bounds(value)
    return float((low + high) / 2)


def _short(delta: Fraction) -> str:
    """Return a few digits, as people write them: 1e-5."""
    return f"{float(delta):g}".replace("e-0", "e-")
