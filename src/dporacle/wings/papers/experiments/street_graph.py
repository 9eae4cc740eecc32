"""BW18.F2, third part: counts at the junctions of a street graph, denoised along its streets."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from dporacle.fast import calibrate_sigma, james_stein_risk, soft_threshold_risk
from dporacle.wings.papers.experiments import denoisers
from dporacle.wings.papers.experiments.data import SIDE
from dporacle.wings.papers.experiments.graphs import (
    differences,
    haar_basis,
    street_graph,
    trend_filter,
)
from dporacle.wings.papers.experiments.heat_map import DELTA, EPSILON, heat_map
from dporacle.wings.papers.experiments.measured import (
    Line,
    Result,
    chi_square_mean,
    generator,
    repeated,
)
from dporacle.wings.papers.experiments.measured import student_mean as student

Values = npt.NDArray[np.float64]


def run(*, seed: int = 0, repetitions: int = 12, data: Path | None = None) -> Result:
    """Release counts on a street graph with (0.5, 1e-6)-DP, and denoise them in four ways.

    Args:
        seed: of the random generator.
        repetitions: releases, from 10 to 10³.
        data: a CSV file of pickups; a synthetic heat map without it.

    Raises:
        OSError, TypeError, ValueError: naming the argument or the line that is wrong.
    """
    runs, rng = repeated(repetitions, 1000), generator(seed)
    shown = heat_map(data, seed)
    cells, streets = street_graph(SIDE)
    theta, d = shown.counts.ravel()[cells], cells.size
    sigma = float(calibrate_sigma(epsilon=EPSILON, delta=DELTA))
    basis, along = haar_basis(d, streets), differences(d, streets)
    coefficients = basis @ theta
    exact: dict[str, float | None] = {
        "aGM": d * sigma**2,
        "aGM-JS": float(
            james_stein_risk(dimension=d, norm=float(np.linalg.norm(theta)), sigma=sigma)
        ),
        "aGM-TH": float(soft_threshold_risk(means=theta, sigma=sigma)),
        "graph wavelets-TH": float(soft_threshold_risk(means=coefficients, sigma=sigma)),
        "graph trend filter": None,
    }
    losses: dict[str, list[float]] = {name: [] for name in exact}
    released: dict[str, Values] = {}
    for _ in range(runs):
        y = theta + sigma * rng.standard_normal(d)
        released = {
            "aGM": y,
            "aGM-JS": denoisers.james_stein(y, sigma),
            "aGM-TH": denoisers.soft_threshold(y, sigma),
            # White noise is white in any orthonormal basis.
            "graph wavelets-TH": basis.T @ denoisers.soft_threshold(basis @ y, sigma),
            "graph trend filter": trend_filter(y, along, sigma, rng.standard_normal(d)),
        }
        for name, found in released.items():
            losses[name].append(float(np.sum((found - theta) ** 2)))
    lines = [
        Line(
            setting=f"ε = {EPSILON:g}, δ = {DELTA:g}",
            mechanism=name,
            quantity="E‖error‖²",
            exact=exact[name],
            measured=chi_square_mean(np.array(each), freedom=d)
            if name == "aGM"
            else student(np.array(each)),
        )
        for name, each in losses.items()
    ]
    zero = float(np.sum(theta**2))
    means = {line.mechanism: line.measured.value for line in lines if line.measured}

    def image(values: Values) -> Values:
        full = np.full(SIDE * SIDE, np.nan)
        full[cells] = values
        return full.reshape(SIDE, SIDE)

    return Result(
        name="street-graph",
        statement="BW18.F2",
        title=f"{d} junctions, {len(streets)} streets, {runs} releases",
        lines=lines,
        facts=[
            f"The heat map: {shown.source}; {int(theta.sum())} of them at the graph's junctions.",
            f"Releasing zeros, which needs no data, has the squared error {zero:.6g}. Below that: "
            + (", ".join(name for name, mean in means.items() if mean < zero) or "none")
            + ".",
        ],
        series={
            "images": {"original": image(theta)}
            | {name: image(each) for name, each in released.items()},
            "promise": f"({EPSILON:g}, {DELTA:g})-DP per pickup, Δ = 1",
            "size": d,
            "means": means,
            "zero": zero,
        },
    )
