"""Pictures of the experiments, each in the width of a column."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from dporacle.fast import calibrate_sigma, classical_epsilon_max, classical_sigma
from dporacle.wings.papers.experiments.measured import Result
from dporacle.wings.papers.experiments.style import (
    COLOURS,
    DIVERGING,
    SEQUENTIAL,
    line,
    page,
    parameters,
    styled,
    write,
    write_numbers,
)

Values = npt.NDArray[np.float64]

_RED = COLOURS[2]


def draw(result: Result, output: Path) -> None:
    """Write the picture of an experiment to a file, in the format of its suffix.

    Args:
        result: what the experiment gave.
        output: the file.

    Raises:
        ValueError: if the format is unknown.
    """
    with styled():
        write(_PICTURES[result.name](result), output)


def publish(result: Result, folder: Path) -> list[Path]:
    """Write the picture of an experiment as SVG and as PNG, and its numbers as CSV.

    Args:
        result: what the experiment gave.
        folder: where to; it is made if it is missing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{result.name}.{suffix}" for suffix in ("svg", "png", "csv")]
    with styled():
        figure = _PICTURES[result.name](result)
        for path in paths[:2]:
            write(figure, path)
    numbers(result, paths[2])
    return paths


def numbers(result: Result, output: Path) -> None:
    """Write an experiment's lines as CSV: settings, exact values, measurements, intervals."""
    header = ("setting", "mechanism", "quantity", "exact", "measured", "low", "high")
    write_numbers(
        output,
        header,
        (
            (
                each.setting,
                each.mechanism,
                each.quantity,
                "" if each.exact is None else repr(each.exact),
                *(
                    ("", "", "")
                    if each.measured is None
                    else map(repr, (each.measured.value, each.measured.low, each.measured.high))
                ),
            )
            for each in result.lines
        ),
    )


def _calibration(result: Result) -> Figure:
    figure, panels = page(3, height=7.2)
    high, low, gain = panels[:, 0]
    for index, delta in enumerate(result.series["deltas"], start=1):
        colour = COLOURS[index]
        for panel, epsilons in ((high, result.series["epsilons"]), (low, result.series["low"])):
            exact = calibrate_sigma(epsilon=epsilons, delta=delta)
            wide = classical_sigma(epsilon=epsilons, delta=delta)
            most = float(classical_epsilon_max(delta=delta))
            kept = epsilons <= most
            panel.plot(epsilons, exact, color=colour, label=f"δ = {delta:g}")
            panel.plot(epsilons[kept], wide[kept], color=colour, linestyle="--")
            if not kept.all():
                there = float(classical_sigma(epsilon=most, delta=delta))
                panel.plot([most], [there], "x", color=colour, markersize=5, mew=1.4)
            if panel is high:
                gain.semilogx(epsilons, (wide / exact) ** 2, **line(index), label=f"δ = {delta:g}")
    high.set(
        xscale="log",
        yscale="log",
        xlabel="ε",
        ylabel="σ/Δ",
        title="high privacy, ε ≤ 1\nsolid: analytic; dashed: classical",
    )
    low.set(
        yscale="log",
        xlabel="ε",
        ylabel="σ/Δ",
        title="low privacy; dashed: classical, up to ×, the\nlast ε at which it is private",
    )
    high.legend()
    low.legend()
    gain.axhline(1.5, color="black", linewidth=0.8, label="a third saved")
    gain.axhline(2, color="black", linewidth=0.8, linestyle=":", label="half saved")
    gain.set(yscale="log", xlabel="ε", ylabel="classical/analytic variance", title="gain")
    gain.legend(ncols=2)
    return figure


def _mean_estimation(result: Result) -> Figure:
    curves = result.series["curves"]
    epsilons = sorted({epsilon for epsilon, _ in curves})
    figure, panels = page(len(epsilons), height=0.6 + 2.7 * len(epsilons))
    parameters(figure, "n = 500, δ = 1e-4 (Lap: δ = 0), per-record privacy")
    for panel, epsilon in zip(panels[:, 0], epsilons, strict=True):
        named = [(name, points) for (each, name), points in curves.items() if each == epsilon]
        unit = np.array([exact for _, _, exact in curves[epsilon, "aGM"]])
        for index, (name, points) in enumerate(named):
            d, measured, exact = (np.array(each) for each in zip(*points, strict=True))
            panel.loglog(d, exact / unit, **line(index))
            shift = 1.08 ** (index - (len(named) - 1) / 2)  # side by side: none hides another
            panel.loglog(d * shift, measured / unit, **line(index, marked=True), label=name)
        panel.set(
            xlabel="dimension d",
            ylabel="√E‖error‖², aGM = 1",
            title=f"ε = {epsilon:g}: measured (marks), exact (lines)",
        )
        panel.legend(ncols=2)
    return figure


def _captioned(result: Result) -> Iterator[tuple[str, Values, list[str], bool]]:
    """Each release: its name, its map, what is written beside it, whether its promise is broken."""
    series = result.series
    for name, image in series["images"].items():
        if name == "original":
            continue
        if "captions" in series:
            says, broken = series["captions"][name]
        else:
            root = math.sqrt(series["means"][name] / series["size"])
            worse = series["means"][name] >= series["zero"]
            says = [name, f"RMSE {root:.3g}", *(["worse than zeros"] if worse else [])]
            broken = False
        yield name, image, says, broken


def _maps(result: Result) -> Figure:
    series = result.series
    original = series["images"]["original"]
    kept = list(_captioned(result))
    ratios = {"width_ratios": (1, 1, 1.15)}
    figure, panels = page(len(kept) + 1, 3, height=1.06 * (len(kept) + 1) + 0.5, gridspec_kw=ratios)
    parameters(
        figure,
        series.get("promise", "sensitivity Δ = 1 per pickup")
        + "\nleft: release; middle: release − truth",
    )
    for panel in panels.ravel():
        panel.set_axis_off()
    top = float(np.nanquantile(original[original > 0], 0.99))
    panels[0, 0].imshow(original, cmap=SEQUENTIAL, vmin=0, vmax=top, interpolation="nearest")
    _beside(panels[0, 2], ["original", f"colours 0 … {top:.3g}", "not released"], False)
    for row, (_, image, says, broken) in zip(panels[1:], kept, strict=True):
        residual = image - original
        for panel, shown in ((row[0], image), (row[1], residual)):
            most = float(np.nanmax(np.abs(shown)))
            size = max(float(np.nanquantile(np.abs(shown), 0.99)), most / 4, 1e-9)
            panel.imshow(shown, cmap=DIVERGING, vmin=-size, vmax=size, interpolation="nearest")
            panel.text(
                0.02,
                0.03,
                f"±{size:.3g}",
                transform=panel.transAxes,
                fontsize=6.5,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
            )
        _beside(row[2], says, broken)
    return figure


def _beside(panel: Any, says: list[str], broken: bool) -> None:
    colour = _RED if broken else "black"
    panel.text(
        0,
        0.95,
        says[0],
        transform=panel.transAxes,
        va="top",
        fontsize=7.5,
        fontweight="bold",
        color=colour,
    )
    panel.text(
        0,
        0.76,
        "\n".join(says[1:]),
        transform=panel.transAxes,
        va="top",
        fontsize=6.6,
        color=colour,
        linespacing=1.35,
    )


def _accuracy_loss(result: Result) -> Figure:
    figure, panels = page(2, height=5.4)
    above, below = panels[:, 0]
    grid = result.series["grid"]
    for index, (name, tail) in enumerate(result.series["tails"].items(), start=1):
        drawn = result.series["drawn"][name]
        heights, edges = np.histogram(np.log10(drawn), bins=60, density=True)
        above.stairs(
            heights, 10**edges, color=COLOURS[index], linestyle=line(index)["linestyle"], label=name
        )
        below.plot(grid[tail > 1e-9], tail[tail > 1e-9], **line(index), label=name)
        ordered = np.sort(drawn)[::-1]
        count = np.arange(1, ordered.size + 1)
        few = np.unique(np.geomspace(1, ordered.size, 25).astype(int)) - 1
        below.plot(ordered[few], count[few] / ordered.size, **line(index, marked=True))
    above.set(
        xscale="log",
        yscale="log",
        xlim=(1e-3, 30),
        ylim=(1e-3, 200),
        xlabel="L/E[L]",
        ylabel="density per decade",
        title="accuracy loss L = ‖noise‖², each over its own mean",
    )
    below.set(
        xscale="log",
        yscale="log",
        xlim=(0.1, 30),
        ylim=(1e-6, 1.5),
        xlabel="x",
        ylabel="Pr[L > x·E L]",
        title="tails: the largest kurtosis (R1SMG) has the\nmost extreme losses, not the fewest",
    )
    above.legend()
    parameters(figure, "privacy differs: this compares shapes, not mechanisms")
    return figure


def _histogram(result: Result) -> Figure:
    figure, panels = page(1, height=3.2)
    panel = panels[0, 0]
    exponents = result.series["exponents"]
    for index, (name, risk) in enumerate(result.series["curves"].items()):
        panel.semilogy(exponents, risk, **line(index), label=name)
    marks: dict[str, list[tuple[float, float]]] = {}
    for each in result.lines:
        if each.measured is not None:
            exponent = float(each.setting.split(",")[0].removeprefix("a = "))
            marks.setdefault(each.mechanism, []).append((exponent, each.measured.value))
    for index, name in enumerate(result.series["curves"]):
        if name in marks:
            panel.plot(*zip(*marks[name], strict=True), **line(index, marked=True))
    panel.set(
        xlabel="exponent a of the counts ∝ i^−a",
        ylabel="E‖error‖²",
        title="lines exact, marks measured",
    )
    panel.legend(loc="center right", bbox_to_anchor=(1.0, 0.66))
    parameters(figure, "10⁴ items, 1000 bins, ε = 0.1, δ = 1e-6, Δ = 1")
    return figure


def _conversion_gap(result: Result) -> Figure:
    curves = result.series["curves"]
    deltas = sorted({delta for delta, _ in curves}, reverse=True)
    figure, panels = page(len(deltas), height=2.6 * len(deltas) + 0.3, sharex=True)
    epsilons = result.series["epsilons"]
    for panel, delta in zip(panels[:, 0], deltas, strict=True):
        named = [(name, ratio) for (each, name), ratio in curves.items() if each == delta]
        for index, (name, ratio) in enumerate(named, start=1):
            panel.semilogx(epsilons, ratio, **line(index), label=name)
        most = float(classical_epsilon_max(delta=delta))
        panel.axvline(most, color=COLOURS[1], linewidth=0.6)
        panel.annotate(
            "classical: not\nprivate from here →",
            (most, 0.97),
            xycoords=("data", "axes fraction"),
            fontsize=5.8,
            va="top",
            ha="right",
            xytext=(-2, 0),
            textcoords="offset points",
            color=COLOURS[1],
        )
        panel.axhline(1, color="black", linewidth=0.8)
        panel.set(ylabel="σ over the exact σ", title=f"δ = {delta:g}", ylim=(0.97, 2.1))
    panels[1, 0].legend(
        loc="upper left",
        bbox_to_anchor=(0, 0.92),
        fontsize=6.5,
        title="all but classical: private for every ε",
        title_fontsize=6.5,
    )
    panels[-1, 0].set_xlabel("ε")
    return figure


_PICTURES: dict[str, Callable[[Result], Figure]] = {
    "accuracy-loss": _accuracy_loss,
    "calibration": _calibration,
    "conversion-gap": _conversion_gap,
    "heat-map": _maps,
    "histogram": _histogram,
    "mean-estimation": _mean_estimation,
    "pickups": _maps,
    "street-graph": _maps,
}
