"""BW18.F2, first part: private mean estimation on synthetic data."""

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
from scipy import special

from dporacle.fast import calibrate_sigma, classical_sigma, james_stein_risk, soft_threshold_risk
from dporacle.wings.papers.experiments.denoisers import james_stein, soft_threshold
from dporacle.wings.papers.experiments.measured import (
    Line,
    Measured,
    Result,
    chi_square_mean,
    generator,
    repeated,
    student_mean,
)

DIMENSIONS = (10, 30, 100, 300, 1000)
EPSILONS = (0.01, 1.0)
DELTA = 1e-4
RECORDS = 500

_RELEASES = 50  # of each dataset, for the denoisers

Values = npt.NDArray[np.float64]


def run(
    *,
    seed: int = 0,
    repetitions: int = 100,
    dimensions: Sequence[int] = DIMENSIONS,
    epsilons: Sequence[float] = EPSILONS,
) -> Result:
    """Release the mean of n = 500 records by five mechanisms, each on fresh datasets.

    A dataset has a centre x₀ ~ N(0, I) and records x₀ + ξᵢ, the coordinates of ξᵢ even on
    [−1/2, 1/2]. Given x₀ a record moves the mean by at most √d/n in ℓ2 and d/n in ℓ1.

    Args:
        seed: of the random generator.
        repetitions: datasets for each dimension, from 10 to 10⁴.
        dimensions: d, at least 3 each.
        epsilons: in (0, 1] each: the classical calibration is asked within its domain.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    runs, rng = repeated(repetitions, 10**4), generator(seed)
    lines: list[Line] = []
    series: dict[tuple[float, str], list[tuple[int, float, float]]] = {}
    better, settings = 0, len(dimensions) * len(epsilons)
    worse: list[str] = []
    idle: list[str] = []
    for d in dimensions:
        means = np.stack([_dataset_mean(rng, d) for _ in range(runs)])
        for epsilon in epsilons:
            setting = f"ε = {epsilon:g}, d = {d}"
            risks = {}
            for name, exact, interval, distances in _release(rng, means, epsilon):
                distance = student_mean(distances)
                risks[name] = exact
                lines += [
                    Line(
                        setting=setting,
                        mechanism=name,
                        quantity="E‖error‖²",
                        exact=exact,
                        measured=interval,
                    ),
                    Line(
                        setting=setting,
                        mechanism=name,
                        quantity="E‖error‖",
                        exact=_mean_length(exact, d)
                        if name in {"cGM", "aGM"}
                        else _laplace_length(exact, d)
                        if name == "Lap"
                        else None,
                        measured=distance,
                    ),
                ]
                root = math.sqrt(interval.value)
                series.setdefault((epsilon, name), []).append((d, root, math.sqrt(exact)))
            better += risks["aGM-JS"] < risks["aGM"]
            if risks["aGM-TH"] > risks["aGM"]:
                factor = risks["aGM-TH"] / risks["aGM"]
                worse.append(f"({setting}: {factor:.3g} times)")
            zero = float(np.mean(np.sum(means**2, axis=1)))
            if risks["aGM-JS"] > zero:
                idle.append(f"({setting}: {risks['aGM-JS']:.4g} against {zero:.4g})")
    facts = [
        f"aGM-JS has a smaller exact risk than aGM at {better} of {settings} settings.",
        _listed("aGM-TH has a larger exact risk than aGM without denoising", worse),
        _listed("Even aGM-JS has a larger exact risk than releasing zeros, without data", idle),
    ]
    return Result(
        name="mean-estimation",
        statement="BW18.F2",
        title=f"private mean of n = {RECORDS} records, δ = {DELTA:g}, {runs} datasets each",
        lines=lines,
        facts=facts,
        series={"curves": series},
    )


def _dataset_mean(rng: np.random.Generator, d: int) -> Values:
    records = rng.uniform(-0.5, 0.5, (RECORDS, d))
    return np.asarray(rng.standard_normal(d) + records.mean(axis=0))


Release = tuple[str, float, Measured, Values]
"""A mechanism, its exact and its measured risk, and the distances ‖error‖ of its releases."""


def _release(rng: np.random.Generator, means: Values, epsilon: float) -> Iterator[Release]:
    runs, d = means.shape
    wide = math.sqrt(d) / RECORDS
    where = {"epsilon": epsilon, "delta": DELTA, "sensitivity": wide}
    for name, sigma in (("cGM", classical_sigma(**where)), ("aGM", calibrate_sigma(**where))):
        losses = np.sum((sigma * rng.standard_normal((runs, d))) ** 2, axis=1)
        yield name, d * sigma**2, chi_square_mean(losses, freedom=d), np.sqrt(losses)
    scale = d / RECORDS / epsilon
    losses = np.sum(rng.laplace(scale=scale, size=(runs, d)) ** 2, axis=1)
    yield "Lap", 2 * d * scale**2, student_mean(losses), np.sqrt(losses)
    sigma = calibrate_sigma(**where)
    denoisers: tuple[tuple[str, Callable[[Values, float], Values], Values], ...] = (
        (
            "aGM-JS",
            james_stein,
            james_stein_risk(dimension=d, norm=np.linalg.norm(means, axis=1), sigma=sigma),
        ),
        ("aGM-TH", soft_threshold, soft_threshold_risk(means=means, sigma=sigma)),
    )
    for name, denoise, exact in denoisers:
        each = np.array([_denoised(rng, mean, sigma, denoise) for mean in means])
        # The exact risk is that of the very datasets that were drawn.
        interval = student_mean(each[:, 0], around=exact)
        yield name, float(np.mean(exact)), interval, each[:, 1]


def _denoised(
    rng: np.random.Generator, mean: Values, sigma: float, denoise: Callable[[Values, float], Values]
) -> tuple[float, float]:
    """The mean squared error and the mean distance of a dataset's releases.

    Where all means are small, few coordinates pass the soft threshold: with one release of each
    dataset the losses' spread would rest on a handful of them.
    """
    y = mean + sigma * rng.standard_normal((_RELEASES, mean.size))
    squares = np.sum((denoise(y, sigma) - mean) ** 2, axis=1)
    return float(np.mean(squares)), float(np.mean(np.sqrt(squares)))


def _mean_length(square: float, d: int) -> float:
    """E‖N(0, σ²I)‖ = σ√2·Γ((d+1)/2)/Γ(d/2), from dσ²."""
    return math.sqrt(2 * square / d) * float(special.poch(d / 2, 0.5))


def _laplace_length(square: float, d: int) -> float:
    """E‖x‖ of d Laplace numbers, from 2db²: ∫₀^∞ (1 − (E e^{−tx²})^d)/(2√π t^{3/2}) dt.

    E e^{−tx²} at b = 1 is √(π/4t)·erfcx(1/2√t). With t = e^u the integrand falls off on both sides.
    """
    u = np.linspace(-60, 60, 24_001)
    t = np.exp(u)
    each = np.sqrt(np.pi / 4 / t) * special.erfcx(0.5 / np.sqrt(t))
    # For small t, 1 − 2t + 12t² − …, in which the square root would lose the digits.
    log = np.where(t < 1e-6, -2 * t + 10 * t * t, np.log(each))
    values = -np.expm1(d * log) / (2 * np.sqrt(np.pi) * np.sqrt(t))
    return float(np.trapezoid(values, u)) * math.sqrt(square / (2 * d))


def _listed(says: str, settings: list[str]) -> str:
    return f"{says}: {', '.join(settings) or 'nowhere'}."
