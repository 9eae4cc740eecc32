"""The picture of the rank-one mechanism: claimed against exact privacy, and the true σ*."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from dporacle import arguments
from dporacle.enclosures import rank_one_private_sigma_star, rank_one_published_delta
from dporacle.fast import calibrate_sigma, rank_one_sigma_star

__all__ = ["draw"]

_DIMENSIONS = (3, 4, 10, 100, 7921)
_DIGITS = 6


def draw(output: Path, delta: Fraction) -> None:
    """Write the picture to a file, in the format of its suffix.

    Args:
        output: the file.
        delta: the claimed δ, in (0, 1).

    Raises:
        ValueError: if delta is not such a number, or the format is unknown.
    """
    target = arguments.delta(delta)
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    epsilons = np.geomspace(1e-5, 10, 37).tolist()
    for size in _DIMENSIONS:
        exact = [
            float(
                rank_one_published_delta(epsilon=eps, delta=target, dimension=size, digits=_DIGITS)
            )
            for eps in epsilons
        ]
        left.loglog(epsilons, exact, label=f"exact, M = {size}")
    left.axhline(float(target), color="black", linestyle="--", label="claimed")
    left.set(xlabel="ε", ylabel="δ(ε) at the published σ*", title="R1SMG: claimed and exact δ")
    left.legend(fontsize="small")
    sizes = [3, 4, 6, 10, 20, 50, 100, 300, 1000, 3000, 7921]
    private = [
        float(rank_one_private_sigma_star(epsilon=1, delta=target, dimension=size, digits=_DIGITS))
        for size in sizes
    ]
    sigma = calibrate_sigma(epsilon=1.0, delta=float(target))
    published = rank_one_sigma_star(epsilon=1.0, delta=float(target), dimension=np.array(sizes))
    right.loglog(sizes, private, marker="o", label="smallest private σ* of R1SMG")
    right.loglog(sizes, [size * sigma**2 for size in sizes], label="M·σ² of the analytic Gaussian")
    right.loglog(sizes, published, linestyle="--", label="published σ* (not private for M ≥ 4)")
    right.set(xlabel="M", ylabel="E‖n‖²/Δ²", title=f"expected loss at ε = 1, δ = {float(target):g}")
    right.legend(fontsize="small")
    figure.savefig(output)
