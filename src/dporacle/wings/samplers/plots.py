"""A picture of drawn noise: quantiles, tails, the evidence over the draws, and the low bits."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, MaxNLocator
from numpy.typing import NDArray
from scipy import special

from dporacle.common import canvas, files, randomness
from dporacle.wings.samplers import Audit, Law
from dporacle.wings.samplers.events import trailing_bits
from dporacle.wings.samplers.law import reduced

__all__ = ["evidence", "low_bits", "quantiles", "tails"]

_BLUE, _ORANGE, _GREY = "#0072b2", "#d55e00", "#666666"


def draw_sampler(path: Path, law: Law, found: Audit, drawn: NDArray[np.float64]) -> None:
    """Write the picture of an audit.

    Args:
        path: where to; the suffix says which format.
        law: the claim.
        found: the audit.
        drawn: some noise to show, of shape (n, dimension).
    """
    figure = Figure(figsize=(9, 7), layout="constrained")
    panels = figure.subplots(2, 2)
    figure.suptitle(f"{law}: {found.sketch.rows:,} rows audited, {len(drawn):,} shown")
    quantiles(law, drawn, ax=panels[0, 0])
    tails(law, drawn, ax=panels[0, 1])
    evidence(found, ax=panels[1, 0])
    low_bits(drawn, ax=panels[1, 1])
    with files.beside(path) as part:
        figure.savefig(part, dpi=150)


def _normal(law: Law, drawn: NDArray[np.float64]) -> NDArray[np.float64]:
    normal, _ = reduced(law, drawn, randomness.generator("atoms in a picture"))
    return np.sort(normal, axis=None)


def quantiles(law: Law, drawn: NDArray[np.float64], *, ax: Axes | None = None) -> Axes:
    """Draw by how much the quantiles of drawn noise differ from those that are claimed.

    Args:
        law: the claim.
        drawn: the noise, of shape (n, dimension).
        ax: where to; pyplot's current axes if it is None.

    Returns:
        The axes, to be styled further.
    """
    axis, normal = canvas.on(ax), _normal(law, drawn)
    exact = special.ndtri((np.arange(normal.size) + 0.5) / normal.size)
    shares = special.ndtr(exact)
    band = 3.29 * np.sqrt(shares * (1 - shares) / normal.size)
    band /= np.exp(-(exact**2) / 2) / np.sqrt(2 * np.pi)
    label = "99.9 % of correct draws, point by point"
    axis.fill_between(exact, -band, band, color="#dddddd", label=label)
    axis.plot(exact, normal - exact, color=_BLUE, lw=1.2)
    axis.axhline(0, color=_GREY, lw=0.8)
    axis.set(
        title="quantiles: drawn − claimed",
        xlabel="claimed quantile (standard normal)",
        ylabel="difference",
    )
    axis.legend(frameon=False, loc="upper center")
    return axis


def tails(law: Law, drawn: NDArray[np.float64], *, ax: Axes | None = None) -> Axes:
    """Draw how much of the noise lies beyond ±t; arguments and result as for `quantiles`."""
    axis, normal = canvas.on(ax), _normal(law, drawn)
    sizes = np.sort(np.abs(normal))
    share = 1 - np.arange(sizes.size) / sizes.size
    axis.step(sizes, share, where="post", color=_BLUE, lw=1.2, label="drawn")
    grid = np.linspace(0, max(5.0, sizes[-1]), 200)
    axis.plot(grid, 2 * special.ndtr(-grid), color=_ORANGE, ls="--", lw=1.2, label="claimed")
    axis.set(
        title="tails",
        xlabel="standard deviations t",
        ylabel="share beyond ±t",
        yscale="log",
        ylim=(0.5 / sizes.size, 1.5),
    )
    axis.legend(frameon=False)
    return axis


def evidence(found: Audit, *, ax: Axes | None = None) -> Axes:
    """Draw the evidence from 0 on; what is far beyond conviction is drawn at the upper edge.

    Args:
        found: the audit.
        ax: where to; pyplot's current axes if it is None.

    Returns:
        The axes, to be styled further.
    """
    axis = canvas.on(ax)
    rows, private, conformant = (
        np.array([0, *column]) for column in zip(*found.history, strict=True)
    )
    needed = found.privacy.needed
    top = 2 * needed
    for values, name, style in (
        (private, "privacy", {"color": _BLUE, "marker": "o", "ms": 5}),
        (conformant, "conformance", {"color": _ORANGE, "marker": ".", "ls": "--"}),
    ):
        label = f"{name}: 10^{values[-1]:.1f} at the end"
        axis.plot(rows, np.clip(values, -1.0, top), label=label, **style)
    axis.axhline(needed, color=_GREY, lw=0.8)
    axis.annotate("convicted from here on", (0, needed), ha="left", va="bottom", color=_GREY)
    axis.xaxis.set_major_locator(MaxNLocator(5))
    axis.xaxis.set_major_formatter(EngFormatter())
    axis.set(
        title="evidence against the claim",
        xlabel="rows drawn",
        ylabel="log₁₀ of the e-value",
        ylim=(-1.5, top * 1.35),
    )
    axis.legend(frameon=False, loc="upper left")
    return axis


def low_bits(drawn: NDArray[np.float64], *, ax: Axes | None = None) -> Axes:
    """Draw how many bits the draws use; arguments and result as for `quantiles`."""
    axis = canvas.on(ax)
    values = np.ravel(drawn)
    values = values[(values != 0) & np.isfinite(values)]
    if not values.size:
        axis.set_axis_off()
        return axis
    _, exponents = np.frexp(values)
    used = exponents - trailing_bits(values)
    axis.hist(used, bins=np.arange(0.5, 55).tolist(), color=_BLUE)
    axis.set(
        title="bits that the draws use",
        xlabel="significant bits of the float64, without trailing zeros",
        ylabel="draws",
        xlim=(0, 54.5),
    )
    return axis
