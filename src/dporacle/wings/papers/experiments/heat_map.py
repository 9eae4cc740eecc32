"""BW18.F2, second part: a heat map of pickups, released and denoised."""

import math
from pathlib import Path

import numpy as np
import numpy.typing as npt

from dporacle.fast import (
    calibrate_sigma,
    classical_sigma,
    james_stein_risk,
    positive_part_risk,
    soft_threshold_risk,
)
from dporacle.wings.papers.experiments import denoisers
from dporacle.wings.papers.experiments.data import SIDE, HeatMap, read_pickups, synthetic_heat_map
from dporacle.wings.papers.experiments.measured import (
    Line,
    Result,
    chi_square_mean,
    generator,
    repeated,
)
from dporacle.wings.papers.experiments.measured import student_mean as student

EPSILON, DELTA = 0.5, 1e-6

_FILLED = "aGM-wavelet-TH, filled"

Values = npt.NDArray[np.float64]


def heat_map(data: Path | None, seed: int) -> HeatMap:
    """Return the counts of a file, or synthetic ones without a file."""
    return synthetic_heat_map(seed=seed) if data is None else read_pickups(data)


def run(*, seed: int = 0, repetitions: int = 30, data: Path | None = None) -> Result:
    """Release a heat map with pickup-level (0.5, 1e-6)-DP, and denoise it in five ways.

    Args:
        seed: of the random generator.
        repetitions: releases, from 10 to 10⁴.
        data: a CSV file of pickups; a synthetic heat map without it.

    Raises:
        OSError, TypeError, ValueError: naming the argument or the line that is wrong.
        ModuleNotFoundError: without the extra `experiments`.
    """
    runs, rng = repeated(repetitions, 10**4), generator(seed)
    shown = heat_map(data, seed)
    theta, d = shown.counts.ravel(), SIDE * SIDE
    sigma = float(calibrate_sigma(epsilon=EPSILON, delta=DELTA))
    wide = float(classical_sigma(epsilon=EPSILON, delta=DELTA))
    coefficients = denoisers.to_wavelets(shown.counts)
    norm = float(np.linalg.norm(theta))
    exact: dict[str, float | None] = {
        "cGM": d * wide**2,
        "aGM": d * sigma**2,
        "aGM-JS": float(james_stein_risk(dimension=d, norm=norm, sigma=sigma)),
        "aGM-JS⁺": float(positive_part_risk(dimension=d, norm=norm, sigma=sigma)),
        "aGM-TH": float(soft_threshold_risk(means=theta, sigma=sigma)),
        _FILLED: float(soft_threshold_risk(means=coefficients, sigma=sigma)),
        "aGM-wavelet-TH": None,
        "aGM-TV": None,
    }
    losses: dict[str, list[float]] = {name: [] for name in exact}
    pictures: dict[str, Values] = {}
    for _ in range(runs):
        pictures = _release(rng, theta, sigma, wide)
        for name, image in pictures.items():
            losses[name].append(float(np.sum((image.ravel() - theta) ** 2)))
        # Cells of the filling have noise too, so that the coefficients' noise is white.
        noisy = coefficients + sigma * rng.standard_normal(coefficients.size)
        kept = denoisers.soft_threshold(noisy, sigma)
        losses[_FILLED].append(float(np.sum((kept - coefficients) ** 2)))
        pictures["aGM-wavelet-TH"] = denoisers.from_wavelets(kept, SIDE)
        losses["aGM-wavelet-TH"].append(
            float(np.sum((pictures["aGM-wavelet-TH"].ravel() - theta) ** 2))
        )
    lines = []
    for name, each in losses.items():
        values = np.array(each)
        measured = chi_square_mean(values, freedom=d) if name in {"cGM", "aGM"} else student(values)
        lines.append(
            Line(
                setting=f"ε = {EPSILON:g}, δ = {DELTA:g}",
                mechanism=name,
                quantity="E‖error‖²",
                exact=exact[name],
                measured=measured,
            )
        )
    zero = float(np.sum(theta**2))
    means = {line.mechanism: line.measured.value for line in lines if line.measured}
    facts = [
        f"The heat map: {shown.source}, {shown.outside} more outside the box.",
        f"Releasing zeros, which needs no data at all, has the squared error {zero:.6g}"
        f" (root mean square {math.sqrt(zero / d):.4g} a cell).",
        "Below that: "
        + (
            ", ".join(name for name, mean in means.items() if mean < zero and name != _FILLED)
            or "none"
        )
        + ".",
    ]
    return Result(
        name="heat-map",
        statement="BW18.F2",
        title=f"heat map of {SIDE}×{SIDE} cells, {runs} releases",
        lines=lines,
        facts=facts,
        series={
            "images": {"original": shown.counts, **pictures},
            "promise": f"({EPSILON:g}, {DELTA:g})-DP per pickup, Δ = 1",
            "size": d,
            "means": {name: mean for name, mean in means.items() if name != _FILLED},
            "zero": zero,
        },
    )


def _release(
    rng: np.random.Generator, theta: Values, sigma: float, wide: float
) -> dict[str, Values]:
    """One release of every mechanism, as images; the denoisers share the analytic one."""
    y = theta + sigma * rng.standard_normal(theta.size)
    probe = rng.standard_normal((SIDE, SIDE))
    released = {
        "cGM": theta + wide * rng.standard_normal(theta.size),
        "aGM": y,
        "aGM-JS": denoisers.james_stein(y, sigma),
        "aGM-JS⁺": denoisers.positive_part(y, sigma),
        "aGM-TH": denoisers.soft_threshold(y, sigma),
        "aGM-TV": denoisers.total_variation(y.reshape(SIDE, SIDE), sigma, probe),
    }
    return {name: image.reshape(SIDE, SIDE) for name, image in released.items()}
