"""The mechanisms: what each adds, what it is measured by, and what its promises cover.

A mechanism is a row; that the same noise is spoken of in another currency (zCDP, Rényi, Gaussian
differential privacy), or released several times, is a row too: its quantities are others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dporacle.vocabulary.domains import Domain

__all__ = [
    "CLASSICAL",
    "DEEPEST",
    "DENOISED",
    "DISCRETE",
    "GAUSSIAN",
    "GDP",
    "MECHANISMS",
    "MOST_DISCRETE_SENSITIVITY",
    "RENYI",
    "REPEATED",
    "SIMULTANEOUS",
    "ZCDP",
    "Mechanism",
]

Given = Mapping[str, float]

DEEPEST = 35.0
"""Widths of the noise: a deeper tail of the Gaussian is no float64."""

MOST_DISCRETE_SENSITIVITY = 10**6
"""The largest sensitivity of the discrete mechanism at which its sums are done in good time."""


def _tail_of_gaussian(given: Given) -> float:
    """Return how many standard deviations out the tail is that has to be computed."""
    if "mu" in given and "epsilon" in given:
        return given["epsilon"] / given["mu"] - given["mu"] / 2
    if "sigma" not in given or "delta" in given or "alpha" in given:
        return 0.0
    ratio = given["sigma"] / given.get("sensitivity", 1.0) / math.sqrt(given.get("releases", 1.0))
    if "epsilon" in given:
        return given["epsilon"] * ratio - 0.5 / ratio
    return given["accuracy"] / given["sigma"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism:
    """A mechanism, or a way to speak of one.

    Attributes:
        name: what it is called here.
        meaning: what it does.
        parameter: the argument that says how much noise there is.
        norm: the norm of its sensitivity.
        neighbours: the relations between data sets under which its sensitivity may be taken.
        composes: what adds up when it is used several times; empty where nothing here does.
        depth: how far out in its tail an input lies, in the widths of the noise: a deeper one than
            `DEEPEST` is no float64.
        has_unit: whether there is a unit in which the data can be scaled.
        own: argument -> the fields of its row that differ here.
    """

    name: str
    meaning: str
    parameter: str
    norm: str = "ℓ2"
    neighbours: tuple[str, ...] = ("add or remove one", "replace one")
    composes: str = "μ²"
    depth: Callable[[Given], float] = _tail_of_gaussian
    has_unit: bool = True
    own: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


GAUSSIAN = Mechanism(
    name="gaussian",
    meaning="N(0, σ²) noise on each coordinate",
    parameter="sigma",
)
CLASSICAL = Mechanism(
    name="classical gaussian",
    meaning="Gaussian noise by a closed formula",
    parameter="sigma",
)
ZCDP = Mechanism(
    name="zcdp",
    meaning="Gaussian noise, accounted by zero-concentrated differential privacy",
    parameter="mu",
    composes="ρ",
)
RENYI = Mechanism(
    name="renyi",
    meaning="Gaussian noise, accounted by Rényi differential privacy",
    parameter="mu",
    composes="the divergence of each order",
)
GDP = Mechanism(
    name="gdp",
    meaning="Gaussian noise, accounted by Gaussian differential privacy",
    parameter="mu",
)
REPEATED = Mechanism(
    name="repeated gaussian",
    meaning="k releases with the same Gaussian noise",
    parameter="sigma",
    own={"sigma": {"everyday": 10.0}},
)
SIMULTANEOUS = Mechanism(
    name="simultaneous answers",
    meaning="Gaussian noise on each of k answers",
    parameter="sigma",
)
DISCRETE = Mechanism(
    name="discrete gaussian",
    meaning="discrete Gaussian noise on an integer",
    parameter="sigma",
    composes="ρ",
    has_unit=False,
    own={
        "sensitivity": {
            "domain": Domain(least=1, most=MOST_DISCRETE_SENSITIVITY, whole=True),
            "everyday": 1,
            "refused": (0, -1),
        },
        "error": {
            "domain": Domain(least=0, most=1 << 53, whole=True),
            "everyday": 1,
            "refused": (-1,),
        },
    },
)
DENOISED = Mechanism(
    name="denoised gaussian",
    meaning="an estimator after Gaussian noise",
    parameter="sigma",
)

MECHANISMS = {
    row.name: row
    for row in (
        GAUSSIAN,
        CLASSICAL,
        ZCDP,
        RENYI,
        GDP,
        REPEATED,
        SIMULTANEOUS,
        DISCRETE,
        DENOISED,
    )
}
"""Every mechanism by its name."""
