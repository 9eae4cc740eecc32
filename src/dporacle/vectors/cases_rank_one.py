"""Cases for the rank-one Gaussian mechanism, as published and as it would be private."""

import itertools
from collections.abc import Callable, Iterator, Mapping

from dporacle.vectors.grid import GridPoint

_MANY = 1000


def _point(flags: tuple[str, ...], **inputs: float) -> GridPoint:
    many = ("many-dimensions",) if inputs["dimension"] >= _MANY else ()
    return GridPoint(inputs, (*flags, *many))


def _published() -> Iterator[GridPoint]:
    for epsilon, delta, dimension in itertools.product(
        (1e-5, 0.1, 1.0), (1e-7, 1e-3), (3, 4, 100, 7921)
    ):
        yield _point(("core",), epsilon=epsilon, delta=delta, dimension=dimension, sensitivity=1.0)
    for dimension, sensitivity in ((3, 1e-10), (10**9, 1e6)):
        yield _point(
            ("scaled",), epsilon=1.0, delta=1e-5, dimension=dimension, sensitivity=sensitivity
        )


def _profiles() -> Iterator[GridPoint]:
    for epsilon, sigma_star, dimension, sensitivity in (
        (0.5, 1e4, 3, 1.0),
        (1.0, 50.0, 10, 1.0),
        (0.1, 1e6, 10, 1.0),
        (0.0, 1e4, 3, 1.0),
        (1.0, 1e8, 3, 1.0),
        (1.0, 450.0, 10, 3.0),
        (0.1, 1000.0, 7921, 1.0),
    ):
        flags = ("core",) if epsilon else ("zero-epsilon",)
        yield _point(
            flags if sensitivity == 1 else ("scaled",),
            epsilon=epsilon,
            sigma_star=sigma_star,
            dimension=dimension,
            sensitivity=sensitivity,
        )


def _private() -> Iterator[GridPoint]:
    for epsilon, delta, dimension, sensitivity in (
        (0.5, 1e-3, 10, 1.0),
        (0.5, 1e-3, 3, 1.0),
        (0.5, 1e-3, 10, 3.0),
        (0.0, 1e-3, 10, 1.0),
    ):
        flags = ("core",) if epsilon else ("zero-epsilon",)
        yield _point(
            flags if sensitivity == 1 else ("scaled",),
            epsilon=epsilon,
            delta=delta,
            dimension=dimension,
            sensitivity=sensitivity,
        )


CASES: Mapping[str, Callable[[], Iterator[GridPoint]]] = {
    "rank_one_sigma_star": _published,
    "rank_one_delta_at_epsilon": _profiles,
    "rank_one_private_sigma_star": _private,
}
"""Group -> what it is asked, but for what it is to refuse."""
