"""The mechanisms: what each adds, what it is measured by, and what its promises cover.

A mechanism is a row; that the same noise is spoken of in another currency (zCDP, Rényi, Gaussian
differential privacy), or released several times, is a row too: its quantities are others. The rows
stand in `mechanisms.json`.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dporacle.vocabulary.reading import fields, rows_of

Given = Mapping[str, float]

DEEPEST = 35.0
"""Widths of the noise: a deeper tail of the Gaussian is no float64."""

MOST_DISCRETE_SENSITIVITY = 10**6
"""The largest sensitivity of the discrete mechanism at which its sums are done in good time."""


def _at_prior(given: Given) -> Given:
    """Return the same with the ε at which δ decides a Bayes risk."""
    if "prior" not in given:
        return given
    return {**given, "epsilon": abs(math.log(given["prior"] / (1 - given["prior"])))}


def _tail_of_gaussian(given: Given) -> float:
    """Return how many standard deviations out the tail is that has to be computed."""
    given = _at_prior(given)
    if "mu" in given and "epsilon" in given:
        return given["epsilon"] / given["mu"] - given["mu"] / 2
    if "sigma" not in given or "delta" in given or "alpha" in given:
        return 0.0
    ratio = given["sigma"] / given.get("sensitivity", 1.0) / math.sqrt(given.get("releases", 1.0))
    if "epsilon" in given:
        return given["epsilon"] * ratio - 0.5 / ratio
    return given.get("accuracy", given.get("error", 0.0)) / given["sigma"]


def _tail_of_laplace(given: Given) -> float:
    """Return how far out in its exponential tail an error lies, as the Gaussian's is measured."""
    ratio = given["accuracy"] / given["scale"] if {"accuracy", "scale"} <= given.keys() else 0.0
    return math.sqrt(2 * ratio)  # where e^{−x²/2} is e^{−a/b}


def _tail_with_gaussian(given: Given) -> float:
    """Return the same behind the largest loss of the Laplace release."""
    beyond = given["epsilon"] - given.get("sensitivity", 1.0) / given["scale"]
    return beyond / given["mu"] - given["mu"] / 2


def _tail_of_subsampled(given: Given) -> float:
    """Return how far out a tail of DP-SGD's loss is by the central limit theorem.

    Infinitely far where the loss has hardly left its atom, and where no noise multiplier of
    practice gives the privacy: there a proof takes long.
    """
    given = _at_prior(given)
    steps, rate = given["steps"], given["rate"]
    if steps > 1 and steps * rate < _FEWEST:
        return math.inf
    if "sigma" not in given:
        spared = steps * math.log1p(-rate) if rate < 1 else -math.inf
        if given["delta"] > -math.expm1(given["epsilon"] + spared) / 2:
            return math.inf  # nearly all that adding a record can cost: it needs no noise then
        z = math.sqrt(2 * math.log(1 / given["delta"]))
        mu = math.sqrt(z * z + 2 * given["epsilon"]) - z
        inverse = math.log1p((mu / rate) ** 2 / steps)
        return 0.0 if _PRACTICE[0] < inverse < _PRACTICE[1] else math.inf
    inverse = given["sigma"] ** -2.0
    if not _PRACTICE[0] < inverse < _PRACTICE[1]:
        return math.inf
    spent = rate * rate * steps * math.expm1(inverse)
    if "later_sigma" in given:
        rest = {name: given[f"later_{name}"] for name in ("sigma", "rate", "steps")}
        if _tail_of_subsampled(rest) == math.inf:
            return math.inf
        spent += rest["rate"] ** 2 * rest["steps"] * math.expm1(rest["sigma"] ** -2.0)
    mu = math.sqrt(spent)
    if mu > _LARGEST_MU:
        return math.inf
    return 5 * (given["epsilon"] / mu - mu / 2) if "epsilon" in given else 0.0


_FEWEST = 1.0  # batches that a record is expected in
_PRACTICE = (1e-3, 4.0)  # of 1/σ²
_LARGEST_MU = 20.0


def _tail_of_threshold(given: Given) -> float:
    """Return how far out a threshold lies for a count of 1."""
    if "threshold" not in given:
        return 0.0
    if "sigma" in given:
        return (given["threshold"] - 1) / given["sigma"]
    ratio = (given["threshold"] - 1) * given["epsilon"] / given.get("contributions", 1.0)
    return math.sqrt(2 * max(0.0, ratio))


def _tail_of_whole_threshold(given: Given) -> float:
    """Return the same with discrete Laplace noise."""
    return math.sqrt(2 * max(0.0, (given["threshold"] - 1) / given["scale"]))


def _tail_of_rank_one(given: Given) -> float:
    """Return infinity where σ*/Δ² is outside of practice; δ falls slowly, and no tail is deep."""
    if "sigma_star" not in given:
        return 0.0
    ratio = given["sigma_star"] / given.get("sensitivity", 1.0) ** 2
    return 0.0 if _RANK_ONE_PRACTICE[0] < ratio < _RANK_ONE_PRACTICE[1] else math.inf


_RANK_ONE_PRACTICE = (0.1, 1e14)  # of σ*/Δ²


@dataclass(frozen=True, slots=True, kw_only=True)
class MechanismRow:
    """A mechanism, or a way to speak of one.

    Attributes:
        name: what it is called here.
        meaning: what it does.
        parameter: the argument that says how much noise there is.
        law: that of what is released, as `dporacle.wings.samplers.RELEASES` calls it.
        norm: the norm of its sensitivity.
        neighbours: the relations between data sets under which its sensitivity may be taken.
        depth: how far out in its tail an input lies, in the widths of the noise: a deeper one than
            `DEEPEST` is no float64.
        least: the least noise of which δ is worked out: below it, the noise is none.
        has_unit: whether there is a unit in which the data can be scaled.
        mutual: whether the two data sets may change places.
        own: argument -> the fields of its row that differ here.
    """

    name: str
    meaning: str
    parameter: str
    law: str
    norm: str = "ℓ2"
    neighbours: tuple[str, ...] = ("add or remove one", "replace one")
    depth: Callable[[Given], float] = _tail_of_gaussian
    least: Fraction = Fraction(0)
    has_unit: bool = True
    mutual: bool = True
    own: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def _tail_of_group(given: Given) -> float:
    """Return the same of a group: that of one record with the rate of its mean size at least."""
    size = given["size"]
    rate = min(given["rate"] * size, 0.5) if given["rate"] < 1 else 1.0
    inside = {**given, "rate": rate}
    if "sigma" in given:
        # Of the χ² between the mixture and the plain noise, Σ p_i·p_j·e^{ij/σ²} − 1.
        inverse = given["sigma"] ** -2.0
        if not _PRACTICE[0] < inverse < _PRACTICE[1] / size:
            return math.inf
        spread = size * math.log1p(given["rate"] * math.expm1(size * inverse))
        inside["sigma"] = math.log1p(math.expm1(min(spread, 50.0)) / rate**2) ** -0.5
    return _tail_of_subsampled(inside)


def _tail_at_half(given: Given) -> float:
    """Return the same of batches of a fixed size: Poisson sampling's at half the noise."""
    halved = {"sigma": given["sigma"] / 2} if "sigma" in given else {}
    return _tail_of_subsampled({**given, **halved})


def _tail_in_bins(given: Given) -> float:
    """Return how far out a tail of the loss of an epoch is, as if it were normal."""
    inverse = given["sigma"] ** -2.0
    if not _IN_BINS[0] < inverse < _IN_BINS[1]:
        return math.inf
    mu = math.sqrt(math.log1p(math.expm1(inverse) / given["batches"]))
    return given["epsilon"] / mu - mu / 2 if "epsilon" in given else 0.0


_IN_BINS = (0.009, 4.1)  # of 1/σ²: what is inverted in seconds

_DEPTHS = {
    "laplace": _tail_of_laplace,
    "laplace with gaussian": _tail_with_gaussian,
    "threshold": _tail_of_threshold,
    "whole threshold": _tail_of_whole_threshold,
    "rank-one": _tail_of_rank_one,
    "subsampled": _tail_of_subsampled,
    "group": _tail_of_group,
    "half": _tail_at_half,
    "bins": _tail_in_bins,
}


def _read(row: Mapping[str, Any]) -> MechanismRow:
    """Return a row of the file, with its function, its exact number and what differs."""
    said: dict[str, Any] = {
        key: tuple(each) if isinstance(each, list) else each for key, each in row.items()
    }
    if "depth" in row:
        said["depth"] = _DEPTHS[row["depth"]]
    if "least" in row:
        said["least"] = Fraction(row["least"])
    said["own"] = {name: fields(each) for name, each in row.get("own", {}).items()}
    return MechanismRow(**said)


MECHANISMS = {row.name: row for row in map(_read, rows_of("mechanisms"))}
"""The order of the vectors and of the pages; another mechanism may stand with its quantities."""

_CHANGED = {"both": "add or remove", "add": "add", "remove": "remove", "replace": "replace"}
SUBSAMPLED = {
    direction: MECHANISMS[f"subsampled gaussian, {change} one"]
    for direction, change in _CHANGED.items()
}
"""The direction, as the witnesses call it -> DP-SGD under it."""

GROUPS = {
    direction: MECHANISMS[f"subsampled gaussian of a group, {change} a group"]
    for direction, change in _CHANGED.items()
}
"""The direction, as the witnesses call it -> DP-SGD of a group under it."""

TWO_PHASES = MECHANISMS["subsampled gaussian in two phases"]
FIXED_SIZE = MECHANISMS["fixed-size batches"]
BALLS_AND_BINS = MECHANISMS["balls-and-bins batches"]
