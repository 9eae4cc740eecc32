"""The pictures as matplotlib axes: each function draws on `ax`, and returns it to be styled.

Without `ax` they draw on pyplot's current axes, as in a notebook. `pip install 'dporacle[plots]'`.
Those of a wing stand in its own `plots`, such as `dporacle.wings.samplers.plots`.
"""

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from dporacle import fast
from dporacle.common import canvas
from dporacle.plots.dp_sgd import delta_over_epsilon, epsilon_over_steps
from dporacle.plots.risk import operating_curve
from dporacle.regions.picture import map_of

__all__ = [
    "delta_over_epsilon",
    "epsilon_over_steps",
    "map_of",
    "operating_curve",
    "privacy_profile",
]

_LEAST = 1e-15
_POINTS = 400


def privacy_profile(
    *, sigma: Any, sensitivity: Any = 1.0, epsilon: Any = None, ax: Axes | None = None, **style: Any
) -> Axes:
    """Draw δ(ε) of Gaussian noise, the smallest δ for which it is (ε,δ)-DP (BW18.T8).

    Args:
        sigma: standard deviation of the noise, in (0, ∞).
        sensitivity: ℓ2-sensitivity, in (0, ∞), in the unit of sigma.
        epsilon: where to draw it; from 0 to the ε at which δ is 1e-15 if it is None.
        ax: where to; pyplot's current axes if it is None.
        style: of the line, as `Axes.plot` takes it.

    Returns:
        The axes, to be styled further.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    axes = canvas.on(ax)
    if epsilon is None:
        top = fast.epsilon_at_delta(delta=_LEAST, sigma=sigma, sensitivity=sensitivity)
        epsilon = np.linspace(0.0, top, _POINTS)
    delta = fast.delta_at_epsilon(epsilon=epsilon, sigma=sigma, sensitivity=sensitivity)
    axes.plot(epsilon, delta, **{"label": f"σ = {float(sigma):g}", **style})
    axes.set(yscale="log", xlabel="ε", ylabel="δ(ε)")
    axes.grid(alpha=0.3)
    return axes
