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


def _tail_of_gaussians(given: Given) -> float:
    """Return how far out the loss of a sum of Gaussian noises is that has to be ε."""
    if "epsilon" not in given:
        return 0.0
    width = given["sigma"] * math.sqrt(given["parties"]) / given.get("sensitivity", 1.0)
    return given["epsilon"] * width - 0.5 / width


def _tail_of_laplaces(given: Given) -> float:
    """Return the same of Laplace noises: there e^{−x²/2} is e^{−y/b}, whose loss is nΔ/y below."""
    if "epsilon" not in given:
        return 0.0
    sensitivity = given.get("sensitivity", 1.0)
    gap = sensitivity - given["epsilon"] * given["scale"]
    return math.sqrt(2 * given["parties"] * sensitivity / gap) if gap > 0 else 0.0


def _tail_of_skellam(given: Given) -> float:
    """Return the same of Skellam noise, whose loss at y is about Δ·asinh(y/λ)."""
    if "epsilon" not in given:
        return 0.0
    rise = given["epsilon"] / given.get("sensitivity", 1.0)
    return math.sqrt(2 * given["variance"] * (rise * math.sinh(rise) - math.cosh(rise) + 1))


def _tail_with_gaussian(given: Given) -> float:
    """Return the same behind the largest loss of the Laplace release."""
    beyond = given["epsilon"] - given.get("sensitivity", 1.0) / given["scale"]
    return beyond / given["mu"] - given["mu"] / 2


def _tail_of_subsampled(given: Given) -> float:
    """Return how far out a tail of DP-SGD's loss is, in widths of the noise.

    Either the central limit theorem says it, or one batch that the record is in, whichever is
    nearer: where a record is hardly ever drawn there is no central limit. Infinitely far where no
    noise multiplier of practice is asked for, and where ε is beyond use.
    """
    given = _at_prior(given)
    phases = _phases(given)
    if "sigma" not in given:
        return _calibrated(given["epsilon"], given["delta"], phases)
    if not all(_LEAST_NOISE <= sigma <= _MOST_NOISE for sigma, _, _ in phases):
        return math.inf
    mu = _limit(phases)
    if mu > (_SURE_MU if {"alpha", "prior"} & given.keys() else _LARGEST_MU):
        return math.inf
    if "epsilon" not in given:
        return 0.0
    return _WORK * min(_normal_depth(given["epsilon"], mu), _depth_in_a_batch(given, phases))


_Phase = tuple[float, float, float]
"""The noise multiplier, the rate and the number of steps."""

_LEAST_NOISE, _MOST_NOISE = 0.29, 51.0
_LARGEST_MU = 20.0
_SURE_MU = 12.0  # beyond it an attacker errs so seldom that float64 has no digits of it
_WORK = 3.0  # a proof of so deep a tail of batches takes as long as of one so many times deeper


def _phases(given: Given) -> list[_Phase]:
    names = ("sigma", "rate", "steps")
    parts = ("", "later_") if "later_rate" in given else ("",)
    return [tuple(given.get(part + name, 0.0) for name in names) for part in parts]  # type: ignore[misc]


def _limit(phases: list[_Phase]) -> float:
    """Return the μ to which the steps tend; never more than that of all records in all batches."""
    spent = 0.0
    for sigma, rate, steps in phases:
        inverse = sigma**-2.0
        spent += steps * min(rate * rate * math.expm1(inverse), inverse)
    return math.sqrt(spent)


def _normal_depth(epsilon: float, mu: float) -> float:
    return epsilon / mu - mu / 2


def _depth_in_a_batch(given: Given, phases: list[_Phase]) -> float:
    """Return how far out the sum has to lie in the one batch whose loss is to be ε."""
    found = (_in_a_batch(given["epsilon"], sigma, rate) for sigma, rate, _ in phases)
    return min(found)


def _in_a_batch(epsilon: float, sigma: float, rate: float) -> float:
    inside = math.log1p(math.expm1(min(epsilon, _LARGE)) / rate)  # the loss if it is drawn
    return inside * sigma - 0.5 / sigma


_LARGE = 600.0  # an ε whose exponential is a float


def _calibrated(epsilon: float, delta: float, phases: list[_Phase]) -> float:
    """Return 0 where a noise multiplier of practice gives so much privacy, else infinity."""
    least, most = (_delta(epsilon, noise, phases) for noise in (_LEAST_NOISE, _MOST_NOISE))
    return 0.0 if most < delta < least * _SURE else math.inf


def _delta(epsilon: float, noise: float, phases: list[_Phase]) -> float:
    """Return about how large δ is at a noise multiplier."""
    mu = _limit([(noise, rate, steps) for _, rate, steps in phases])
    once = (
        min(1.0, rate * steps) * _above(_in_a_batch(epsilon, noise, rate))
        for _, rate, steps in phases
    )
    return max(_above(_normal_depth(epsilon, mu)), *once)


_SURE = 0.5  # of an estimate of δ: above it, the noise multiplier may lie far below


def _above(depth: float) -> float:
    return math.erfc(depth / math.sqrt(2)) / 2


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


_GAUSSIAN = "no finite amount of Gaussian noise gives 0"

_WHY_NO_ZERO = {
    "gaussian": _GAUSSIAN,
    "discrete": _GAUSSIAN,
    "rank-one": _GAUSSIAN,
    "subsampled": _GAUSSIAN,
    "thresholded": "no finite threshold gives 0",
}
"""Law -> why its δ is never 0; of other laws nothing is said."""


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

    def why_not_zero(self, argument: str) -> str:
        """Return why an argument is never 0, if the law of the release says so."""
        return _WHY_NO_ZERO.get(self.law, "") if argument == "delta" else ""


def _tail_of_group(given: Given) -> float:
    """Return the same of a group: of its members, some are in a batch together."""
    size, rate, steps = (given[name] for name in ("size", "rate", "steps"))
    if "sigma" not in given:
        return _tail_of_subsampled({**given, "rate": min(rate * size, 1.0)})
    sigma, inverse = given["sigma"], given["sigma"] ** -2.0
    if not (_LEAST_NOISE <= sigma <= _MOST_NOISE and size * inverse <= _GROUP_NOISE):
        return math.inf
    chances = _chances(round(size), rate)
    # The χ² between the mixture and the plain noise, Σ p_i·p_j·e^{ij/σ²} − 1.
    spread = sum(
        chance * math.expm1(min(size * math.log1p(rate * math.expm1(j * inverse)), _LARGE))
        for j, chance in enumerate(chances)
    )
    mu = math.sqrt(steps * min(spread, size * size * inverse))
    if mu > _LARGEST_MU:
        return math.inf
    if "epsilon" not in given:
        return 0.0
    together = (
        math.hypot(
            max(0.0, _in_a_batch(given["epsilon"], sigma / j, chance)),
            math.sqrt(-2 * math.log(min(chance, 1.0))),
        )
        for j, chance in enumerate(chances)
        if j and chance > _LEAST_CHANCE
    )
    return _WORK * min(_normal_depth(given["epsilon"], mu), *together, math.inf)


_GROUP_NOISE = 8.0  # of k/σ²: beyond it a proof of a group takes long
_LEAST_CHANCE = 1e-200


def _chances(size: int, rate: float) -> list[float]:
    """Return the probabilities that so many of a group are in a batch."""
    return [math.comb(size, j) * rate**j * (1 - rate) ** (size - j) for j in range(size + 1)]


def _tail_at_half(given: Given) -> float:
    """Return the same of batches of a fixed size: about Poisson sampling's at half the noise."""
    if "sigma" not in given:
        return _tail_of_subsampled(given)
    halved = max(given["sigma"] / 2, _LEAST_NOISE)
    if not _LEAST_NOISE <= given["sigma"] <= _MOST_NOISE:
        return math.inf
    return _tail_of_subsampled({**given, "sigma": halved})


def _tail_in_bins(given: Given) -> float:
    """Return how far out a tail of the loss of an epoch is: as if it were normal, or in one batch.

    In float64 δ(ε) of an epoch is a difference of numbers near 1, and errs by up to 10^-12. People
    do not promise a δ far below that, so a safe answer there is not called loose.
    """
    inverse = given["sigma"] ** -2.0
    if not _IN_BINS[0] < inverse < _IN_BINS[1]:
        return math.inf
    if "epsilon" not in given:
        return 0.0
    mu = math.sqrt(math.log1p(math.expm1(inverse) / given["batches"]))
    once = _in_a_batch(given["epsilon"], given["sigma"], 1 / given["batches"])
    return _PROMISED * min(_normal_depth(given["epsilon"], mu), once)


def _tail_of_allocation(given: Given) -> float:
    """Return the same of k batches of an epoch of T, as if the loss were normal."""
    inverse = given["sigma"] ** -2.0
    if not _IN_BINS[0] < inverse < _IN_BINS[1]:
        return math.inf
    if "epsilon" not in given:
        return 0.0
    k = given["participations"]
    mu = math.sqrt(k * math.log1p(math.expm1(inverse) * k / given["batches"]))
    return _PROMISED * _normal_depth(given["epsilon"], mu)


def _tail_of_truncated(given: Given) -> float:
    """Return the same of T truncated batches, as if nothing were cut and the loss were normal.

    Infinitely far where a record takes another one's place so often that hardly anything is hidden.
    """
    inverse = given["sigma"] ** -2.0
    if not _IN_BINS[0] < inverse < _IN_BINS[1] or given["records"] > _MOST_RECORDS:
        return math.inf
    mu = _limit([(given["sigma"], given["rate"], given["steps"])])
    if mu > _MOST_CUT:
        return math.inf
    return _PROMISED * _normal_depth(given["epsilon"], mu) if "epsilon" in given else 0.0


_MOST_RECORDS, _MOST_CUT = 1e5, 6.0
_IN_BINS = (0.009, 4.1)  # of 1/σ²: what is inverted in seconds
_PROMISED = 5.0  # of such a depth `DEEPEST` is a δ of about 10^-12


def _beside_leaks(given: Given) -> float:
    """Return infinity where a δ is below what boxes lose: no ε has it."""
    if "delta" not in given:
        return 0.0
    lost = -math.expm1(given["releases"] * math.log1p(-given["box_delta"]))
    return math.inf if given["delta"] < lost * (1 + 1e-9) else 0.0


def _between_ends(given: Given) -> float:
    """Return infinity where values are to lie in an interval that is none."""
    return math.inf if given.get("lower", -math.inf) > given.get("upper", math.inf) else 0.0


def _on_the_grid(given: Given) -> float:
    """Return infinity where a norm has more steps of the grid than are counted."""
    return math.inf if given["clipping_norm"] > _MOST_STEPS * given["grid"] else 0.0


_MOST_STEPS = 60_000.0  # fewer than are refused, so that no rounding decides

_DEPTHS = {
    "ends": _between_ends,
    "leaks": _beside_leaks,
    "grid": _on_the_grid,
    "laplace": _tail_of_laplace,
    "laplace of parties": _tail_of_laplaces,
    "gaussian of parties": _tail_of_gaussians,
    "skellam": _tail_of_skellam,
    "laplace with gaussian": _tail_with_gaussian,
    "threshold": _tail_of_threshold,
    "whole threshold": _tail_of_whole_threshold,
    "rank-one": _tail_of_rank_one,
    "subsampled": _tail_of_subsampled,
    "group": _tail_of_group,
    "half": _tail_at_half,
    "bins": _tail_in_bins,
    "allocation": _tail_of_allocation,
    "truncated": _tail_of_truncated,
}


def read_mechanism(row: Mapping[str, Any]) -> MechanismRow:
    """Return a row of a file, with its function, its exact number and what differs."""
    said: dict[str, Any] = {
        key: tuple(each) if isinstance(each, list) else each for key, each in row.items()
    }
    if "depth" in row:
        said["depth"] = _DEPTHS[row["depth"]]
    if "least" in row:
        said["least"] = Fraction(row["least"])
    said["own"] = {name: fields(each) for name, each in row.get("own", {}).items()}
    return MechanismRow(**said)


MECHANISMS = {row.name: row for row in map(read_mechanism, rows_of("mechanisms"))}
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
RANDOM_ALLOCATION = MECHANISMS["random-allocation batches"]
TRUNCATED = MECHANISMS["truncated batches"]
