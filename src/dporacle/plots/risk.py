"""The picture of a trade-off curve: TPR over FPR on plain and on logarithmic scales."""

import math
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dporacle.common import canvas, files
from dporacle.enclosures.arithmetic.balls import precision
from dporacle.enclosures.tradeoff.area import corners, first_places
from dporacle.enclosures.tradeoff.curve import BITS
from dporacle.risk import Figures, Interval

_NORMAL = NormalDist()
_SEARCHED = 9  # rates on either side of 1/2 at which the curve is searched
_POINTS = 400
_DECADE = 4.0  # how much lower the axes begin than the least rate asked for
# Okabe and Ito's colours, and lines that differ without any.
_CURVE, _FIT, _CHANCE, _ASKED = "#0072B2", "#D55E00", "#555555", "black"


def draw(output: Path, figures: Figures, asked: Mapping[Fraction, Interval]) -> None:
    """Write the picture to a file, in the format of its suffix.

    Args:
        output: the file.
        figures: the mechanism's.
        asked: false positive rate -> the true positive rate that was printed for it.

    Raises:
        ValueError: if the format is unknown.
        OSError: if the file cannot be written.
        ArithmeticError: if the curve cannot be enclosed.
    """
    figure = Figure(figsize=(11, 5.4), layout="constrained", facecolor="white")
    kinds = figure.canvas.get_supported_filetypes()
    if output.suffix.lower().lstrip(".") not in kinds:
        raise ValueError(f"plot must end in one of {', '.join(sorted(kinds))}, got {output}")
    left, right = figure.subplots(1, 2)
    for axes, logarithmic in ((left, False), (right, True)):
        operating_curve(figures, asked, logarithmic=logarithmic, ax=axes)
        axes.legend().remove()
    lines, labels = left.get_legend_handles_labels()
    figure.legend(lines, labels, loc="outside lower center", ncols=4)
    figure.suptitle(figures.setting.words)
    with files.beside(output) as part:
        figure.savefig(part, dpi=110)


def operating_curve(
    figures: Figures,
    asked: Mapping[Fraction, Interval] | None = None,
    *,
    logarithmic: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw the largest TPR over FPR between its two proved sides.

    Args:
        figures: the mechanism's.
        asked: false positive rate -> the true positive rate that is marked.
        logarithmic: the scale of both axes.
        ax: where to; pyplot's current axes if it is None.

    Returns:
        The axes, to be styled further.
    """
    axes, marked = canvas.on(ax), dict(asked or {})
    least = math.log10(float(min([*marked, Fraction(1, 1000)])) / _DECADE)
    if logarithmic:
        fpr = np.logspace(least, -1e-9, _POINTS)
    else:
        fpr = np.unique(np.concatenate([np.linspace(0, 1, _POINTS), np.logspace(least, 0, 60)]))
    low, high = _sides(figures, fpr, least)
    style: dict[str, Any] = {"color": _CURVE, "linewidth": 1.4}
    axes.fill_between(fpr, low, high, color=_CURVE, alpha=0.35, linewidth=0)
    axes.plot(fpr, high, label="largest TPR: proved upper end", **style)
    axes.plot(fpr, low, linestyle=(0, (6, 2)), label="proved lower end", **style)
    (mu_low, mu_high), (_, regret) = figures.gdp
    mu = (mu_low + mu_high) / 2
    fit = [0.0 if a <= 0 else _NORMAL.cdf(mu + _NORMAL.inv_cdf(a)) if a < 1 else 1.0 for a in fpr]
    words = f"μ-GDP, μ = {mu:.4g}: regret {regret:.2g}"
    axes.plot(fpr, fit, color=_FIT, linestyle="-.", linewidth=1.2, label=words)
    axes.plot(fpr, fpr, color=_CHANCE, linestyle=":", linewidth=1.4, label="guessing: TPR = FPR")
    for rate, (_, value) in marked.items():
        axes.plot(float(rate), value, marker="o", color=_ASKED, markersize=5, linestyle="")
        if logarithmic:
            near_axis = math.log10(rate) < least / 2  # where no room is left of the point
            axes.annotate(
                f"{value:.3g} at {float(rate):.3g}",
                (float(rate), value),
                xytext=(8, -12) if near_axis else (-8, 6),
                ha="left" if near_axis else "right",
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8},
                textcoords="offset points",
                fontsize="small",
            )
    if logarithmic:
        axes.set(xscale="log", yscale="log", xlim=(10**least, 1), ylim=(10**least, 1.5))
    else:
        axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axes.set(xlabel="false positive rate", ylabel="true positive rate")
    axes.grid(alpha=0.3)
    axes.legend()
    return axes


def _sides(figures: Figures, fpr: np.ndarray, least: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the two sides of the curve at rates, from the places that searches have looked at."""
    for k in range(_SEARCHED + 1):
        rate = Fraction(10 ** (least * (1 - k / _SEARCHED)) / 2)
        for each in (rate, 1 - rate):
            figures.tpr(each)
    curve = figures.setting.curve
    for x in first_places(curve):  # where rates have a closed form nothing was looked at
        curve.at(x)
    nodes = curve.nodes()
    with precision(BITS):
        below = corners(nodes)[0]
        above = [(node.a, node.height) for node in nodes]
        rough = [[(float(a), float(h.upper())) for a, h in above if h < 2 and a < 1e300]]
        rough.append([(float(a), float(h.lower())) for a, h in below if a < 1e300])
    high, low = (
        np.min([np.ones_like(fpr), *(h + a * fpr for a, h in lines)], axis=0) for lines in rough
    )
    return np.maximum(low, fpr), high
