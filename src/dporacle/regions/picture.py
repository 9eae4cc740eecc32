"""The picture of a map: its boxes in the plane of (ε, δ), both axes logarithmic."""

import math
from pathlib import Path
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import LinearSegmentedColormap, to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from dporacle.common import canvas, files
from dporacle.enclosures.arithmetic import rounding
from dporacle.regions.maps import Map, read_label

_VIOLATED = "#d55e00"
_UNDECIDED = "#f0e442"
_PRIVATE = LinearSegmentedColormap.from_list("private", ("#e8f3fa", "#56b4e9", "#0b3c6f"))
"""Vermilion against blues of rising darkness: the colour-blind tell them apart."""

_LEGEND: dict[str, Any] = {
    "ncols": 2,
    "frameon": False,
    "fontsize": "small",
    "title": "Proved by ball arithmetic, box by box (share of the picture):",
    "alignment": "left",
}

_CURVE_POINTS = 80
_CURVE_DIGITS = 6


def draw(chart: Map, output: Path) -> None:
    """Write the picture to a file, in the format of its suffix.

    Raises:
        ValueError: if the format is unknown.
        OSError: if the file cannot be written.
    """
    figure = Figure(figsize=(8.8, 6.6), layout="constrained")
    _, handles = _drawn(chart, figure.subplots())
    legend = figure.legend(handles=handles, loc="outside lower left", **_LEGEND)
    legend.get_title().set_fontsize("small")
    with files.beside(output) as part:
        figure.savefig(part, dpi=160, metadata=_no_date(output))


def map_of(chart: Map, *, ax: Axes | None = None) -> Axes:
    """Draw a map.

    Args:
        chart: as `regions.maps.chart` makes it.
        ax: where to; pyplot's current axes if it is None.

    Returns:
        The axes, to be styled further.
    """
    axes, handles = _drawn(chart, canvas.on(ax))
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(0, -0.12), **_LEGEND)
    return axes


def _drawn(chart: Map, axes: Axes) -> tuple[Axes, list[Artist]]:
    (eps_low, eps_high), (low, high) = chart.box
    colours = _colours(chart)
    _boxes(axes, chart, colours)
    handles = _legend(chart, colours)
    handles += _curve(axes, chart)
    axes.set(
        xscale="log",
        yscale="log",
        xlim=(float(eps_low), float(eps_high)),
        ylim=(float(low), float(high)),
        xlabel="ε",
        ylabel="δ",
        title=chart.calibration.formula,
    )
    axes.title.set_fontsize("large" if len(chart.calibration.formula) < 60 else "small")
    axes.tick_params(which="both", direction="out")
    axes.set_axisbelow(False)
    axes.grid(True, which="major", color="white", alpha=0.35, linewidth=0.6)
    return axes, handles


def _no_date(output: Path) -> dict[str, None] | None:
    """The same map gives the same file."""
    return {"Date": None} if output.suffix.lower() == ".svg" else None


def _colours(chart: Map) -> dict[tuple[int, int], str]:
    """Return a colour per label; the edge between two private bands is between their blues."""
    last = max(1, len(chart.loose))
    found = {}
    for band in chart.bands():
        ends = (band.least, band.most)
        if band.least < 0:
            found[ends] = _VIOLATED if band.most < 0 else _UNDECIDED
        else:
            found[ends] = to_hex(_PRIVATE((band.least + band.most) / 2 / last))
    return found


def _boxes(axes: Axes, chart: Map, colours: dict[tuple[int, int], str]) -> None:
    groups: dict[str, list[list[tuple[float, float]]]] = {}
    for leaf in chart.run.leaves:
        (left, right), (bottom, top) = ((float(a), float(b)) for a, b in leaf.box)
        corners = [(left, bottom), (right, bottom), (right, top), (left, top)]
        groups.setdefault(colours[read_label(leaf.label)], []).append(corners)
    for colour, polygons in groups.items():
        # Pixels, also in a vector file: thousands of boxes would leave seams between them.
        axes.add_collection(
            PolyCollection(
                polygons,
                facecolors=colour,
                edgecolors=colour,
                linewidths=0.2,
                antialiaseds=False,
                rasterized=True,
            )
        )


def _legend(chart: Map, colours: dict[tuple[int, int], str]) -> list[Artist]:
    bands = chart.bands()
    proved = [band for band in bands if band.least == band.most]
    handles: list[Artist] = [
        Patch(
            facecolor=colours[band.least, band.most],
            edgecolor="#444444",
            linewidth=0.5,
            label=f"{band.says} ({_share(band.share)})",
        )
        for band in proved
    ]
    edges = _share(sum(band.share for band in bands if 0 <= band.least < band.most))
    unknown = [band for band in bands if band.least < 0 <= band.most]
    if unknown:
        share = _share(sum(band.share for band in unknown))
        handles.append(
            Patch(
                facecolor=_UNDECIDED,
                edgecolor="#444444",
                linewidth=0.5,
                label=f"{unknown[0].says} ({share})",
            )
        )
    if chart.loose:
        words = f"private, on the edge of two blues ({edges})"
        handles.append(Patch(facecolor="none", edgecolor="none", label=words))
    return handles


def _share(share: float) -> str:
    return f"{100 * share:.1f} %"


def _curve(axes: Axes, chart: Map) -> list[Artist]:
    """Draw the largest private ε of each δ, enclosed by balls, where there is such a curve."""
    find, threshold = chart.calibration.epsilon_max, chart.calibration.threshold
    if find is None or threshold is None:
        return []
    (left, right), (low, high) = chart.box
    ratio = (float(high) / float(low)) ** (1 / (_CURVE_POINTS - 1))
    deltas = [min(float(low) * ratio**step, float(high)) for step in range(_CURVE_POINTS)]
    edge = [float(find(delta=delta, digits=_CURVE_DIGITS).mid()) for delta in deltas]
    words = "boundary: the largest private ε of each δ"
    lines: list[Artist] = list(axes.plot(edge, deltas, color="black", linewidth=1.3, label=words))
    least = float(rounding.bounds(threshold(digits=_CURVE_DIGITS))[0])
    if float(left) < least < float(right):
        shown = math.floor(least * 1000) / 1000
        words = f"private for every δ up to ε = {shown}"
        lines.append(axes.axvline(least, color="black", linewidth=1, linestyle=":", label=words))
    return lines
