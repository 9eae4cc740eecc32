"""Pictures of the experiments."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from dporacle.experiments.measured import Result
from dporacle.fast import calibrate_sigma, classical_sigma

__all__ = ["draw"]


def draw(result: Result, output: Path) -> None:
    """Write the picture of an experiment to a file, in the format of its suffix.

    Args:
        result: what the experiment gave.
        output: the file.

    Raises:
        ValueError: if the format is unknown.
    """
    _PICTURES[result.name](result).savefig(output, dpi=150)


def _calibration(result: Result) -> Figure:
    figure = Figure(figsize=(11, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    epsilons = result.series["epsilons"]
    for index, delta in enumerate(result.series["deltas"]):
        analytic = calibrate_sigma(epsilon=epsilons, delta=delta)
        classical = classical_sigma(epsilon=epsilons, delta=delta)
        left.loglog(epsilons, classical, color=f"C{index}", linestyle="--")
        left.loglog(epsilons, analytic, color=f"C{index}", label=f"δ = {delta:g}")
        right.semilogx(epsilons, (classical / analytic) ** 2, color=f"C{index}")
    right.axhline(1.5, color="black", linestyle=":", label="a third of the variance saved")
    right.set_yscale("log")
    left.set(xlabel="ε", ylabel="σ/D", title="standard deviation: classical (dashed), analytic")
    right.set(xlabel="ε", ylabel="classical/analytic variance", title="gain in variance")
    left.legend(fontsize="small")
    right.legend(fontsize="small")
    return figure


def _mean_estimation(result: Result) -> Figure:
    curves = result.series["curves"]
    epsilons = sorted({epsilon for epsilon, _ in curves})
    figure = Figure(figsize=(5.5 * len(epsilons), 4.4), layout="constrained")
    panels = np.atleast_1d(figure.subplots(1, len(epsilons)))
    for panel, epsilon in zip(panels, epsilons, strict=True):
        for index, (name, points) in enumerate(
            (name, points) for (each, name), points in curves.items() if each == epsilon
        ):
            d, measured, exact = zip(*points, strict=True)
            panel.loglog(d, measured, "o", color=f"C{index}", label=name)
            panel.loglog(d, exact, color=f"C{index}")
        panel.set(
            xlabel="dimension d",
            ylabel="ℓ2 error",
            title=f"ε = {epsilon:g}: mean error (dots), √ of the exact risk (lines)",
        )
        panel.title.set_fontsize("medium")
        panel.legend(fontsize="small")
    return figure


def _heat_maps(result: Result) -> Figure:
    images = result.series["images"]
    columns = min(4, len(images))
    rows = math.ceil(len(images) / columns)
    figure = Figure(figsize=(3.2 * columns, 3.3 * rows), layout="constrained")
    original = images["original"]
    # One scale for all, of the original's colours; few cells have the largest counts.
    top = float(np.quantile(original[original > 0], 0.99))
    panels = np.ravel(figure.subplots(rows, columns))
    for panel in panels:
        panel.set_axis_off()
    for panel, (name, image) in zip(panels, images.items(), strict=False):
        shown = panel.imshow(image, cmap="magma", vmin=0, vmax=top, interpolation="nearest")
        root = math.sqrt(float(np.mean((image - original) ** 2)))
        panel.set_title(name if name == "original" else f"{name}, RMSE {root:.3g}", fontsize=9)
    figure.colorbar(shown, ax=panels.tolist(), shrink=0.7, label="pickups")
    return figure


_PICTURES: dict[str, Callable[[Result], Figure]] = {
    "calibration": _calibration,
    "heat-map": _heat_maps,
    "mean-estimation": _mean_estimation,
    "pickups": _heat_maps,
}
