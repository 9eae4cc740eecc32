"""Cases for denoising: the risks of shrinking and of thresholding one release."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from dporacle.vectors.grid import GridPoint, Number


def _dimension_flags(dimension: int) -> tuple[str, ...]:
    if dimension == 3:
        return ("few-dimensions",)
    return ("many-dimensions",) if dimension >= 1000 else ()


def _signals(dimensions: tuple[int, ...], norms: tuple[float, ...]) -> Iterator[GridPoint]:
    for dimension, norm in itertools.product(dimensions, norms):
        flags = ["core"] if 4 <= dimension <= 100 and 0.5 <= norm <= 20 else []
        flags += _dimension_flags(dimension)
        if norm == 0:
            flags.append("zero-signal")
        elif norm > 20:
            flags.append("strong-signal")
        yield GridPoint(
            {"dimension": dimension, "norm": norm, "sigma": 1.0}, tuple(flags or ["core"])
        )
    yield GridPoint({"dimension": 10, "norm": 2.0, "sigma": 0.5}, ("scaled",))
    yield GridPoint(
        {"dimension": 10, "norm": 1e-100, "sigma": 1e-100}, ("scaled", "square-overflow")
    )


def _too_few() -> Iterator[GridPoint]:
    inputs: dict[str, Number] = {"dimension": 2, "norm": 1.0, "sigma": 1.0}
    yield GridPoint(inputs, ("too-few-dimensions",), wrong="dimension")


def _priors(least: int) -> Iterator[GridPoint]:
    for dimension, width in itertools.product((least, 4, 10, 100, 10**6), (0.1, 1.0, 10.0, 1e6)):
        flags = ["core"] if 4 <= dimension <= 100 and width <= 10 else ["wide-bracket"]
        inputs = {"dimension": dimension, "prior_sigma": width, "sigma": 1.0}
        yield GridPoint(inputs, (*flags, *_dimension_flags(dimension)))
    yield GridPoint({"dimension": 10, "prior_sigma": 3.0, "sigma": 0.5}, ("scaled",))


def _coordinates() -> Iterator[GridPoint]:
    for mean, threshold in itertools.product(
        (0.0, 0.5, -0.5, 3.0, -3.0, 10.0, 20.0), (1e-9, 0.5, 1.0, 3.7169221888498383, 8.0)
    ):
        flags = ["core"] if abs(mean) <= 10 and 1e-9 < threshold <= 4 else ["wide-bracket"]
        if mean == 0:
            flags.append("zero-signal")
        if mean < 0:
            flags.append("sign-of-mean")
        if threshold == 1e-9:
            flags.append("no-threshold")
        yield GridPoint({"mean": mean, "threshold": threshold, "sigma": 1.0}, tuple(flags))
    for sigma in (0.5, 2.0):
        yield GridPoint({"mean": 3.0, "threshold": 1.0, "sigma": sigma}, ("scaled",))


def _thresholds() -> Iterator[GridPoint]:
    for dimension in (1, 2, 3, 10, 1000, 10**6, 2**53):
        flags = ("zero-answer",) if dimension == 1 else ("core", *_dimension_flags(dimension)[:1])
        yield GridPoint(
            {"dimension": dimension, "sigma": 1.0}, tuple(f for f in flags if "few" not in f)
        )
    for sigma in (1e-300, 3.730631634815942, 1e300):
        yield GridPoint({"dimension": 1000, "sigma": sigma}, ("scaled",))


def _of_a_signal(dimensions: tuple[int, ...], norms: tuple[float, ...]) -> Iterator[GridPoint]:
    yield from _signals(dimensions, norms)
    yield from _too_few()


CASES: Mapping[str, Callable[[], Iterator[GridPoint]]] = {
    "bayes_risk": partial(_priors, 1),
    "james_stein_prior_risk": partial(_priors, 3),
    "james_stein_risk": partial(
        _of_a_signal, (3, 4, 10, 100, 10_000), (0.0, 0.1, 1.0, 10.0, 100.0, 1e6)
    ),
    "positive_part_risk": partial(_of_a_signal, (3, 4, 10, 100), (0.0, 0.1, 1.0, 10.0)),
    "soft_threshold_coordinate_risk": _coordinates,
    "universal_threshold": _thresholds,
}
"""Group -> what it is asked, but for what it is to refuse."""
