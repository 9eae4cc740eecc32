"""Cases for the rank-one Gaussian mechanism, as published and as it would be private."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping

from dporacle.vectors.grid import GridPoint

__all__ = ["CASES"]


def _published() -> Iterator[GridPoint]:
    for epsilon, delta, dimension in itertools.product(
        (1e-5, 0.1, 1.0), (1e-7, 1e-3), (3, 4, 100, 7921)
    ):
        inputs = {"epsilon": epsilon, "delta": delta, "dimension": dimension, "sensitivity": 1.0}
        yield GridPoint(inputs, ("core",))
    for dimension, sensitivity in ((3, 1e-10), (10**9, 1e6)):
        inputs = {"epsilon": 1.0, "delta": 1e-5, "dimension": dimension, "sensitivity": sensitivity}
        yield GridPoint(inputs, ("scaled",))


def _profiles() -> Iterator[GridPoint]:
    for epsilon, sigma_star, dimension in (
        (0.5, 1e4, 3),
        (1.0, 50.0, 10),
        (0.1, 1e6, 10),
        (0.0, 1e4, 3),
        (1.0, 1e8, 3),
    ):
        flags = ("core",) if epsilon else ("zero-epsilon",)
        inputs = {
            "epsilon": epsilon,
            "sigma_star": sigma_star,
            "dimension": dimension,
            "sensitivity": 1.0,
        }
        yield GridPoint(inputs, flags)


def _private() -> Iterator[GridPoint]:
    for epsilon, delta, dimension in ((0.5, 1e-3, 10), (0.5, 1e-3, 3)):
        inputs = {"epsilon": epsilon, "delta": delta, "dimension": dimension, "sensitivity": 1.0}
        yield GridPoint(inputs, ("core",))


CASES: Mapping[str, Callable[[], Iterator[GridPoint]]] = {
    "rank_one_sigma_star": _published,
    "rank_one_delta_at_epsilon": _profiles,
    "rank_one_private_sigma_star": _private,
}
"""Group -> what it is asked, but for what it is to refuse."""
