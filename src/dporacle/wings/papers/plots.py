"""The picture of the rank-one mechanism: claimed against exact privacy, and the true σ*."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dporacle import arguments
from dporacle.common import canvas, files
from dporacle.enclosures import rank_one_private_sigma_star, rank_one_published_delta
from dporacle.fast import calibrate_sigma, rank_one_sigma_star

__all__ = ["claimed_and_exact", "expected_losses"]

_DIMENSIONS = (3, 4, 10, 100, 7921)
_SIZES = (3, 4, 6, 10, 20, 50, 100, 300, 1000, 3000, 7921)
_EPSILONS = tuple(np.geomspace(1e-5, 10, 37).tolist())
_DIGITS = 6
_LEAST = Fraction(1, 10**12)  # δ from which on the curves fit into one picture, and float64

STEPS = len(_DIMENSIONS) * len(_EPSILONS) + len(_SIZES)
"""How often `draw` reports progress."""


def draw(output: Path, delta: Fraction, advance: Callable[[], None] = lambda: None) -> None:
    """Write the picture to a file, in the format of its suffix.

    Args:
        output: the file.
        delta: the claimed δ, from 1e-12 to 0.1.
        advance: called after each of `STEPS` steps.

    Raises:
        ValueError: if delta is not such a number, or the format is unknown.
        OSError: if the file cannot be written.
    """
    target = _target(delta)
    figure = Figure(figsize=(11, 4.8), layout="constrained")
    kinds = figure.canvas.get_supported_filetypes()
    if output.suffix.lower().lstrip(".") not in kinds:
        raise ValueError(f"output must end in one of {', '.join(sorted(kinds))}, got {output}")
    if not output.resolve().parent.is_dir():
        raise ValueError(f"output must be in a folder that exists, got {output}")
    left, right = figure.subplots(1, 2)
    claimed_and_exact(target, ax=left, advance=advance)
    expected_losses(target, ax=right, advance=advance)
    with files.beside(output) as part:
        figure.savefig(part, dpi=110)


def _target(delta: Fraction) -> Fraction:
    target = arguments.delta(delta)
    if not _LEAST <= target <= Fraction(1, 10):
        raise ValueError(f"delta must be from 1e-12 to 0.1 for the picture, got {float(target):g}")
    return target


def claimed_and_exact(
    delta: Fraction, *, ax: Axes | None = None, advance: Callable[[], None] = lambda: None
) -> Axes:
    """Draw the exact δ over ε at the published σ*, beside the δ that it was published for.

    Args:
        delta: the claimed δ, from 1e-12 to 0.1.
        ax: where to; pyplot's current axes if it is None.
        advance: called after each step.

    Returns:
        The axes, to be styled further.

    Raises:
        ValueError: if delta is not such a number.
    """
    axes, target = canvas.on(ax), _target(delta)
    claimed = float(target)
    colours = mpl.colormaps["viridis"](np.linspace(0, 0.75, len(_DIMENSIONS)))
    for size, colour, marker in zip(_DIMENSIONS, colours, "osD^v", strict=True):
        exact = []
        for eps in _EPSILONS:
            ball = rank_one_published_delta(
                epsilon=eps, delta=target, dimension=size, digits=_DIGITS
            )
            exact.append(float(ball))
            advance()
        axes.loglog(_EPSILONS, exact, color=colour, marker=marker, markevery=4, markersize=4)
        axes.annotate(
            f"M = {size}",
            (_EPSILONS[0], exact[0]),
            xytext=(-6, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            fontsize="small",
        )
    axes.axhline(claimed, color="black", linestyle="--")
    axes.axhspan(claimed, 2, color="tab:red", alpha=0.07, linewidth=0)
    for words, factor, where in (("more than claimed", 1.2, "bottom"), ("claimed δ", 0.8, "top")):
        axes.text(
            0.98,
            claimed * factor,
            words,
            transform=axes.get_yaxis_transform(),
            ha="right",
            va=where,
            fontsize="small",
        )
    axes.set(xlim=(5e-7, 15), ylim=(None, 2))
    axes.grid(alpha=0.25)
    axes.set(xlabel="ε", ylabel="exact δ(ε) at the published σ*", title="Claimed and exact δ")
    return axes


def expected_losses(
    delta: Fraction, *, ax: Axes | None = None, advance: Callable[[], None] = lambda: None
) -> Axes:
    """Draw the squared error of the smallest private σ* over M; otherwise `claimed_and_exact`."""
    axes, target = canvas.on(ax), _target(delta)
    claimed, sizes = float(target), np.array(_SIZES)
    private = []
    for size in _SIZES:
        ball = rank_one_private_sigma_star(epsilon=1, delta=target, dimension=size, digits=_DIGITS)
        private.append(float(ball))
        advance()
    spherical = sizes * calibrate_sigma(epsilon=1.0, delta=claimed) ** 2
    published = rank_one_sigma_star(epsilon=1.0, delta=claimed, dimension=sizes)
    axes.loglog(sizes, private, color="tab:blue", marker="o", label="rank-one, smallest private σ*")
    axes.loglog(
        sizes, spherical, color="tab:green", marker="s", label="analytic Gaussian, M·σ² (private)"
    )
    axes.loglog(
        sizes,
        published,
        color="tab:red",
        linestyle="--",
        marker="x",
        label="rank-one, published σ* (not private for M ≥ 4)",
    )
    axes.set(
        xlabel="M",
        ylabel="E‖n‖²/Δ²",
        title=f"Expected loss at ε = 1, δ = {claimed:g}",
        ylim=(0.5, None),
    )
    axes.margins(y=0.12)
    axes.grid(alpha=0.25)
    axes.legend(fontsize="small", loc="upper right", bbox_to_anchor=(1, 0.72))
    return axes
