"""The axes that a picture is drawn on: the caller's, or pyplot's current ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def on(ax: Axes | None) -> Axes:
    """Return the axes that were given, or the current ones as matplotlib's own functions do."""
    if ax is not None:
        return ax
    from matplotlib import pyplot  # a global state, which nobody else is to get

    return pyplot.gca()
