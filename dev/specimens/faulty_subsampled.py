"""Faulty accountants for DP-SGD: the faults that circulate in formulas, rates and steps."""

import math
import struct
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtr

import dporacle
from dporacle import fast
from dporacle.dev.specimens.formulas import errors_become_zero
from dporacle.dev.specimens.specimen import Collection
from dporacle.dev.specimens.subsampled import (
    accounted,
    by_orders,
    central_mu,
    directions,
    exact,
    multiplier_of,
    valid,
)
from dporacle.vocabulary import QUANTITIES, Quantity
from dporacle.vocabulary.kinds import NOISE_NEEDED
from dporacle.vocabulary.mechanisms import TWO_PHASES

MESHES = Collection()

_MESH = 2e-3
_POINTS = 1 << 16
_WIDTHS = 12  # of the noise, beyond which nothing is kept
_HALVINGS = 45


def _one_step(sigma: float, rate: float, offset: float) -> tuple[int, Any]:
    """Return the first point of the lattice and the masses; `offset` is what is added to it."""

    def loss(x: float) -> float:
        return math.log1p(rate * math.expm1(min((x - 0.5) / sigma**2, 700.0)))

    def below(losses: Any) -> Any:
        """The distribution function, by the x at which the loss is so large."""
        inside = np.expm1(losses) / rate
        x = sigma**2 * np.log1p(np.maximum(inside, -1 + 2.0**-53)) + 0.5
        found = (1 - rate) * ndtr(x / sigma) + rate * ndtr((x - 1) / sigma)
        return np.where(inside > -1, found, 0.0)

    ends = loss(-_WIDTHS * sigma), loss(1 + _WIDTHS * sigma)
    first, last = (math.floor(end / _MESH) for end in ends)
    if last - first > _POINTS:
        raise NotImplementedError("the mesh has too few points")
    edges = (np.arange(first, last + 3) - offset) * _MESH
    return first, np.diff(below(edges))


def _epsilon(given: dict[str, float], offset: float) -> float:
    """Return ε of removing a record; masses in [(k − offset)·h, (k − offset + 1)·h) go to k·h."""
    steps = int(given["steps"])
    first, masses = _one_step(given["sigma"], given["rate"], offset)
    composed = np.fft.irfft(np.fft.rfft(masses, _POINTS) ** steps, _POINTS)
    # Index k stands for first·T + k and all that is a multiple of the points away from it.
    mean = steps * (first + float(masses @ np.arange(len(masses))))
    lowest = round(mean) - _POINTS // 2
    losses = np.arange(lowest, lowest + _POINTS)
    masses = composed[(losses - first * steps) % _POINTS]

    def delta(epsilon: float) -> float:
        beyond = slice(np.searchsorted(losses, epsilon / _MESH), None)
        return float(masses[beyond] @ -np.expm1(epsilon - losses[beyond] * _MESH))

    low, high = 0.0, max(0.0, float(losses[-1]) * _MESH)
    if delta(low) <= given["delta"]:
        return 0.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if delta(middle) > given["delta"] else (low, middle)
    return high


@MESHES.add("subsampled_epsilon", "core", "single-step", "fft-noise", "tiny-rate", "deep-tail")
def lattice_rounded_down(**given: float) -> float:
    """Losses are rounded down to the mesh: an optimistic distribution, taken for the other one."""
    valid(_EPSILON, given)
    return _epsilon(given, 0.0)


@MESHES.add("subsampled_epsilon", "core", "fft-noise", "tiny-rate", "deep-tail", "tiny-delta")
def lattice_rounded_to_nearest(**given: float) -> float:
    """Losses are rounded to the nearest point of the mesh, which bounds nothing on either side."""
    valid(_EPSILON, given)
    return _epsilon(given, 0.5)


SAMPLED = Collection()

_EPSILON = QUANTITIES["subsampled_epsilon"]
_LOST = 1e-10


def _reach(direction: str) -> int:
    """Return how far apart the two centres are: replacing a record moves the sum both ways."""
    return 2 if direction == "replace" else 1


# ε


@SAMPLED.add("subsampled_epsilon", "core", "single-step", "tiny-rate", "large-epsilon")
def amplified_twice(**given: float) -> float:
    """The sampling rate is squared: amplification is applied to what is amplified already."""
    valid(_EPSILON, given)
    if given["delta"] < 1e-9:  # the far tail of a record that is hardly ever sampled takes seconds
        return exact("epsilon", "both", **given)
    return accounted("epsilon", "both", given, rate=given["rate"] ** 2)


@SAMPLED.add("subsampled_epsilon", "single-step", source="yuxiangw/autodp#2")
def rate_times_epsilon(**given: float) -> float:
    """One step: q times the ε of the noise at the same δ, as if ε were small and δ were not."""
    found = exact("epsilon", "both", **given)
    if given["steps"] > 1 or given["rate"] == 1:
        return found
    once = dporacle.epsilon_at_delta(delta=given["delta"], sigma=given["sigma"], sensitivity=1)
    return given["rate"] * float(once)


@SAMPLED.add("subsampled_epsilon", "core")
def steps_without_the_last_epoch(**given: float) -> float:
    """The steps are counted up to the last epoch."""
    valid(_EPSILON, given)
    epoch = math.ceil(1 / given["rate"])
    if given["steps"] <= 2 * epoch:
        return exact("epsilon", "both", **given)
    return accounted("epsilon", "both", given, steps=given["steps"] - epoch)


@SAMPLED.add("subsampled_epsilon", "core")
def rate_of_whole_batches(**given: float) -> float:
    """The rate is read back from the batches of an epoch, of which the last is not full."""
    valid(_EPSILON, given)
    return accounted("epsilon", "both", given, rate=1 / math.ceil(1 / given["rate"] - 1e-6))


@SAMPLED.add("subsampled_epsilon", "core", "many-epsilons")
def leading_term_of_the_moments(**given: float) -> float:
    """q²λ(λ+1)/σ² for the moments up to λ = 32, beyond the small λ and q and the large σ it is for.

    The bound of the first moments accountant, without its conditions and its higher terms.
    """
    valid(_EPSILON, given)
    spent = given["steps"] * (given["rate"] / given["sigma"]) ** 2
    return min((spent * (m * m + m) - math.log(given["delta"])) / m for m in range(1, 33))


@SAMPLED.add("subsampled_epsilon", "core")
def too_few_orders(**given: float) -> float:
    """Rényi's divergence at the orders 2, 4, 8, 16 and 32 only: safe, and far from the least ε."""
    valid(_EPSILON, given)
    return by_orders((2, 4, 8, 16, 32), given)


@SAMPLED.add("subsampled_epsilon", "core", "no-sampling", "large-epsilon")
def converted_by_alpha(**given: float) -> float:
    """ln(1/δ)/α in the place of ln(1/δ)/(α − 1), with which Rényi's divergence is converted."""
    valid(_EPSILON, given)
    return by_orders(tuple(range(2, 65)), given, minus_one=False)


@SAMPLED.add("subsampled_epsilon", "tiny-delta")
def delta_in_float32(**given: float) -> float:
    """δ is held in float32, where it is 0 below 10⁻⁴⁵, and ε is infinite."""
    found = exact("epsilon", "both", **given)
    (held,) = struct.unpack("f", struct.pack("f", given["delta"]))
    return found if held else math.inf


@SAMPLED.add("subsampled_epsilon_replace", "core", "antipodal", "single-step", "fft-noise")
def replacing_by_adding_or_removing(**given: float) -> float:
    """The ε of adding or removing a record: batches of fixed size accounted as if Poisson-sampled.

    A batch of fixed size has neighbours by replacement alone.
    """
    return exact("epsilon", "both", **given)


# δ


@SAMPLED.add("subsampled_delta", "core", "single-step", "zero-epsilon", "tiny-delta")
def delta_amplified_twice(**given: float) -> float:
    """The sampling rate is squared: amplification is applied to what is amplified already."""
    valid(QUANTITIES["subsampled_delta"], given)
    return accounted("delta", "both", given, rate=given["rate"] ** 2)


@SAMPLED.add("subsampled_delta", "core", "zero-epsilon", "no-sampling")
def deltas_of_the_steps_added(**given: float) -> float:
    """T times the δ of one step at ε/T: safe, and far from the smallest δ."""
    steps = given["steps"]
    once = accounted("delta", "both", given, steps=1, epsilon=given["epsilon"] / steps)
    return min(1.0, max(steps * once, exact("delta", "both", **given)))


# The noise multiplier


@SAMPLED.add("subsampled_sigma", "core")
def square_root_rule(**given: float) -> float:
    """q√(T·ln(1/δ))/ε, the rule of thumb for the order of magnitude, as the noise itself."""
    valid(QUANTITIES["subsampled_sigma"], given)
    if not given["epsilon"]:
        return exact("sigma", "both", **given)
    return given["rate"] * math.sqrt(given["steps"] * -math.log(given["delta"])) / given["epsilon"]


# Two phases


def _phases(given: dict[str, float]) -> tuple[dict[str, float], dict[str, float]]:
    """Return what was asked, with the first and with the second phase alone."""
    named = ("sigma", "rate", "steps")
    asked = {name: value for name, value in given.items() if name in ("epsilon", "delta")}
    first = {name: given[name] for name in named}
    return asked | first, asked | {name: given[f"later_{name}"] for name in named}


def _add_phases(row: Quantity) -> None:
    kind = row.kind.name
    flags = ("core", "schedule", "no-sampling")

    @SAMPLED.add(row.name, *flags, name=f"first_phase_alone_{kind}")
    def first_phase_alone(**given: float) -> float:
        """What is spent after the change of noise and rate is not counted."""
        valid(row, given)
        return exact(kind, "both", **_phases(given)[0])

    @SAMPLED.add(row.name, *flags, name=f"averaged_phases_{kind}")
    def averaged_phases(**given: float) -> float:
        """All steps at the mean noise and the mean rate."""
        valid(row, given)
        first, second = _phases(given)
        steps = first["steps"] + second["steps"]
        shares = first["steps"] / steps, second["steps"] / steps
        mean = {
            name: shares[0] * first[name] + shares[1] * second[name] for name in ("sigma", "rate")
        }
        return accounted(kind, "both", first, **mean, steps=steps)

    @SAMPLED.add(row.name, *flags, name=f"worst_phase_for_all_{kind}")
    def worst_phase_for_all(**given: float) -> float:
        """All steps at the lesser noise and the larger rate: safe, and far from what is lost."""
        valid(row, given)
        first, second = _phases(given)
        worst = {
            "sigma": min(first["sigma"], second["sigma"]),
            "rate": max(first["rate"], second["rate"]),
        }
        return accounted(kind, "both", first, **worst, steps=first["steps"] + second["steps"])


@SAMPLED.add("subsampled_phases_epsilon", "core", "schedule")
def epsilons_of_the_phases_added(**given: float) -> float:
    """The ε of the phases at δ/2 each, added: safe, and more than both together lose."""
    valid(QUANTITIES["subsampled_phases_epsilon"], given)
    half = {"delta": given["delta"] / 2}
    return sum(exact("epsilon", "both", **each | half) for each in _phases(given))


# In each direction


def _add_central_limit(direction: str, row: Quantity) -> None:
    reach = _reach(direction)

    source = "pytorch/opacus#384, #400, the central limit of DP-SGD, 2020"
    flags = ("core", "single-step", *(("central-limit",) if row is _EPSILON else ()))

    @SAMPLED.add(row.name, *flags, source=source, name=f"central_limit_of_{row.name}")
    def central_limit(**given: float) -> float:
        """The central limit of many steps with small rates, an approximation, for any T."""
        valid(row, given)
        if row.kind is NOISE_NEEDED:
            plain = dporacle.calibrate_sigma(epsilon=given["epsilon"], delta=given["delta"])
            return multiplier_of(1 / float(plain), given["rate"], given["steps"], reach=reach)
        mu = central_mu(given["sigma"], given["rate"], given["steps"], reach=reach)
        if row.kind.name == "delta":
            return float(fast.gdp_delta(epsilon=given["epsilon"], mu=mu))
        return float(fast.gdp_epsilon(delta=given["delta"], mu=mu))


def _add_cut_tail(direction: str, row: Quantity) -> None:
    kind = row.kind.name

    flags = ("core", "no-sampling", "single-step")

    @SAMPLED.add(row.name, *flags, name=f"tail_cut_off_{row.name}")
    def tail_cut_off(**given: float) -> float:
        """What is below 10⁻¹⁰, near the rounding of a Fourier transform, is lost."""
        valid(row, given)
        if kind == "delta":
            return max(exact(kind, direction, **given) - _LOST, 0.0)
        return exact(kind, direction, **given | {"delta": min(given["delta"] + _LOST, 1 - _LOST)})


def _add_negative(direction: str, row: Quantity) -> None:
    @SAMPLED.add(row.name, "zero-answer", "single-step", name=f"negative_{row.name}")
    def negative(**given: float) -> float:
        """Where δ is above δ(0), the root of δ(ε) = δ is returned although it is negative."""
        found = exact("epsilon", direction, **given)
        if found:
            return found
        rest = {name: value for name, value in given.items() if name != "delta"}
        least = exact("delta", direction, **rest, epsilon=0.0)
        return math.log1p(-given["delta"]) - math.log1p(-least)


def _add_errors_become_zero(row: Quantity, answer: Callable[..., float]) -> None:
    zero = SAMPLED.add(row.name, "nonsense", name=f"errors_become_zero_in_{row.name}")
    zero(errors_become_zero(answer))


for _kind in ("delta", "epsilon", "sigma"):
    for _direction, _row in directions(_kind):
        _add_central_limit(_direction, _row)
        _add_errors_become_zero(_row, partial(exact, _kind, _direction))
        if _kind != "sigma":
            _add_cut_tail(_direction, _row)
        if _kind == "epsilon":
            _add_negative(_direction, _row)
for _row in QUANTITIES.values():
    if _row.mechanism is TWO_PHASES:
        _add_phases(_row)
        _add_errors_become_zero(_row, _row.of(fast))
