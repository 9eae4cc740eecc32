"""BW18.F3: a histogram released and denoised, for counts that follow a power law or are sparse."""

import numpy as np
import numpy.typing as npt

from dporacle.fast import calibrate_sigma, james_stein_risk, soft_threshold_risk
from dporacle.wings.papers.experiments.denoisers import james_stein, soft_threshold
from dporacle.wings.papers.experiments.measured import (
    Line,
    Result,
    chi_square_mean,
    generator,
    repeated,
    student_mean,
)

EPSILON, DELTA = 0.1, 1e-6
BINS, ITEMS = 1000, 10_000
EXPONENTS = (0.5, 1.0, 1.5, 2.0, 3.0)

Values = npt.NDArray[np.float64]


def power_law(exponent: float) -> Values:
    """Return counts ∝ i^−a for the bins i = 1, 2, …, rounded down: ITEMS at most in all."""
    weights = np.arange(1, BINS + 1, dtype=np.float64) ** -exponent
    return np.asarray(np.floor(ITEMS * weights / weights.sum()))


def run(*, seed: int = 0, repetitions: int = 100) -> Result:
    """Release a histogram of 1000 bins with (0.1, 1e-6)-DP, one item added or removed: Δ = 1.

    Args:
        seed: of the random generator.
        repetitions: releases of each histogram, from 10 to 10⁴.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    runs, rng = repeated(repetitions, 10**4), generator(seed)
    sigma = float(calibrate_sigma(epsilon=EPSILON, delta=DELTA))
    lines: list[Line] = []
    worse = []
    for exponent in EXPONENTS:
        theta = power_law(exponent)
        setting = f"a = {exponent:g}, {np.count_nonzero(theta)} bins not empty"
        y = theta + sigma * rng.standard_normal((runs, BINS))
        norm = float(np.linalg.norm(theta))
        exact = {
            "aGM": BINS * sigma**2,
            "aGM-JS": float(james_stein_risk(dimension=BINS, norm=norm, sigma=sigma)),
            "aGM-TH": float(soft_threshold_risk(means=theta, sigma=sigma)),
        }
        released = {"aGM": y, "aGM-JS": james_stein(y, sigma), "aGM-TH": soft_threshold(y, sigma)}
        for name, values in released.items():
            losses = np.sum((values - theta) ** 2, axis=1)
            measured = (
                chi_square_mean(losses, freedom=BINS) if name == "aGM" else student_mean(losses)
            )
            lines.append(
                Line(
                    setting=setting,
                    mechanism=name,
                    quantity="E‖error‖²",
                    exact=exact[name],
                    measured=measured,
                )
            )
        lines.append(
            Line(
                setting=setting,
                mechanism="zeros, without data",
                quantity="E‖error‖²",
                exact=norm**2,
            )
        )
        if exact["aGM-TH"] > exact["aGM"]:
            worse.append(setting)
    fine = np.linspace(0.25, 3.5, 40)
    curves = {"aGM": np.full(fine.size, BINS * sigma**2)}
    histograms = [power_law(float(each)) for each in fine]
    norms = np.array([float(np.linalg.norm(each)) for each in histograms])
    curves["aGM-JS"] = james_stein_risk(dimension=BINS, norm=norms, sigma=sigma)
    curves["aGM-TH"] = np.array(
        [float(soft_threshold_risk(means=each, sigma=sigma)) for each in histograms]
    )
    curves["zeros, without data"] = norms**2
    return Result(
        name="histogram",
        statement="BW18.F3",
        title=f"{ITEMS} items in {BINS} bins, counts ∝ i^−a, {runs} releases each",
        lines=lines,
        facts=[
            "The soft threshold does worse than the release itself at "
            f"{', '.join(worse) or 'none of these'}.",
            "Releasing zeros needs no data; what does not beat it says nothing about them.",
        ],
        series={"exponents": fine, "curves": curves},
    )
