"""The inputs that every library is asked, and why each one is there.

They are fixed, in a fixed order, under stable ids that say the input itself. `core` is where
people work; `hard` is where formulas overflow, cancel or underflow; `scale` varies the
sensitivity; `bug` are inputs on which real libraries went wrong; `invalid` has to be refused.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from dporacle.conformance.protocol import Function
from dporacle.conformance.quantities import QUANTITIES

__all__ = ["Case", "all_cases", "cases_for"]

_CORE_EPSILON = (1e-3, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0)
_CORE_DELTA = (1e-12, 1e-9, 1e-7, 1e-5, 1e-3, 0.1)
_CORE_SIGMA = (0.1, 0.5, 1.0, 3.7306316348159418, 10.0, 100.0)
_CORE_ALPHA = (0.5, 0.1, 0.05, 0.01, 1e-3, 1e-6, 1e-9)
_HARD_EPSILON = (0.0, 1e-300, 1e-12, 700.0, 709.7, 709.79, 710.0, 800.0, 1e4)
_HARD_DELTA = (5e-324, 1e-300, 1e-100, 1e-16, 0.5, 0.9, 1 - 2**-53)
_HARD_SIGMA = (1e-300, 1e-3, 1.0, 1e3, 1e300)
_HARD_ALPHA = (5e-324, 1e-300, 1e-100, 1e-16, 0.9, 1 - 2**-53)
_SENSITIVITY = (1e-300, 1e-10, 1.0, 1e6, 1e300)

_NOTES = {
    "core": "where people work",
    "hard": "an extreme of one argument against all of the other",
    "scale": "the answer is proportional to the sensitivity, whatever its size",
}


@dataclass(frozen=True)
class Case:
    """One input.

    Attributes:
        id: stable; it spells out the input.
        quantity: what is asked.
        group: core, hard, scale, bug or invalid.
        arguments: exact floats by name.
        note: why the case exists.
        valid: whether there is a right answer; otherwise the input has to be refused.
        acceptable: answers to an invalid input that are true as limits, such as σ = ∞ at δ = 0.
    """

    id: str
    quantity: str
    group: str
    arguments: dict[str, float]
    note: str
    valid: bool = True
    acceptable: tuple[float, ...] = ()


def _case(
    quantity: str,
    group: str,
    arguments: dict[str, float],
    *,
    note: str = "",
    valid: bool = True,
    acceptable: tuple[float, ...] = (),
) -> Case:
    text = ",".join(f"{name}={value!r}" for name, value in arguments.items())
    return Case(
        f"{quantity}/{group}/{text}",
        quantity,
        group,
        arguments,
        note or _NOTES[group],
        valid,
        acceptable,
    )


def _grid(quantity: str, group: str, **values: tuple[float, ...]) -> Iterator[Case]:
    for chosen in itertools.product(*values.values()):
        yield _case(quantity, group, dict(zip(values, chosen, strict=True)))


def _invalid(
    quantity: str, good: dict[str, float], acceptable: dict[tuple[str, float], float]
) -> Iterator[Case]:
    """Spoil one argument at a time."""
    for name in good:
        bad = [math.nan, math.inf, -math.inf, -1.0, -1e-300]
        if name in ("delta", "alpha"):
            bad += [0.0, 1.5, 1 + 2**-52]
        if name in ("sigma", "sensitivity"):
            bad += [0.0]
        for value in bad:
            limit = acceptable.get((name, value))
            yield _case(
                quantity,
                "invalid",
                {**good, name: value},
                note=f"{name}={value!r} is not in the domain",
                valid=False,
                acceptable=() if limit is None else (limit,),
            )


def _calibration() -> Iterator[Case]:
    unit = {"sensitivity": (1.0,)}
    name = "calibrate_sigma"
    yield from _grid(name, "core", epsilon=_CORE_EPSILON, delta=_CORE_DELTA, **unit)
    for epsilon, delta, sensitivity, note in (
        (0.0, 1e-5, 1.0, "ε = 0 has the exact answer T2; root finders loop for ever here"),
        (710.0, 1e-5, 1.0, "e^ε overflows above 709.78, and the noise vanished"),
        (4.0, 1e-5, 1.0, "the classical formula beyond its domain ε ≤ 1"),
        (9.0, 1e-5, 1.0, "the classical formula gives too little noise here"),
        (1.0, 0.2, 1.0, "δ above the threshold δ₀: the other branch of Algorithm 1"),
        (1e-3, 1e-15, 1.0, "an absolute tolerance on δ stops too early"),
        (600.0, 1e-10, 1.0, "a root bracket that ends at 500"),
        (1.0, 1e-5, 2.5, "a scale given as a variance, or squared twice"),
    ):
        arguments = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
        yield _case(name, "bug", arguments, note=note)
    yield from _grid(
        name, "hard", epsilon=(*_HARD_EPSILON, 1.0), delta=(*_HARD_DELTA, 1e-5, 1e-10), **unit
    )
    yield from _grid(name, "scale", epsilon=(0.1, 5.0), delta=(1e-6,), sensitivity=_SENSITIVITY)
    # Noise 0 is right for inputs that do not matter, noise ∞ for promises that need it.
    limits = {
        ("epsilon", math.inf): 0.0,
        ("delta", 0.0): math.inf,
        ("sensitivity", 0.0): 0.0,
        ("sensitivity", math.inf): math.inf,
    }
    yield from _invalid(name, {"epsilon": 1.0, "delta": 1e-5, "sensitivity": 1.0}, limits)


def _delta() -> Iterator[Case]:
    unit = {"sensitivity": (1.0,)}
    name = "delta_at_epsilon"
    yield from _grid(name, "core", epsilon=_CORE_EPSILON, sigma=_CORE_SIGMA, **unit)
    yield from _grid(name, "hard", epsilon=_HARD_EPSILON, sigma=(*_HARD_SIGMA, 0.03), **unit)
    yield from _grid(name, "hard", epsilon=(1e-3, 1.0, 50.0), sigma=_HARD_SIGMA, **unit)
    for sensitivity in _SENSITIVITY:
        arguments = {"epsilon": 1.0, "sigma": 2 * sensitivity, "sensitivity": sensitivity}
        yield _case(name, "scale", arguments)
    limits = {
        ("epsilon", math.inf): 0.0,
        ("sigma", math.inf): 0.0,
        ("sigma", 0.0): 1.0,
        ("sensitivity", 0.0): 0.0,
        ("sensitivity", math.inf): 1.0,
    }
    yield from _invalid(name, {"epsilon": 1.0, "sigma": 1.0, "sensitivity": 1.0}, limits)


def _epsilon() -> Iterator[Case]:
    unit = {"sensitivity": (1.0,)}
    name = "epsilon_at_delta"
    yield from _grid(name, "core", delta=_CORE_DELTA, sigma=_CORE_SIGMA, **unit)
    for sigma in (1.0, 5.0):
        arguments = {"delta": 0.5, "sigma": sigma, "sensitivity": 1.0}
        yield _case(name, "bug", arguments, note="δ so large that ε = 0; some answered ε < 0")
    yield from _grid(name, "hard", delta=(*_HARD_DELTA, 1e-5), sigma=(*_HARD_SIGMA, 0.03), **unit)
    for sensitivity in _SENSITIVITY:
        arguments = {"delta": 1e-6, "sigma": 2 * sensitivity, "sensitivity": sensitivity}
        yield _case(name, "scale", arguments)
    limits = {
        ("delta", 0.0): math.inf,
        ("sigma", math.inf): 0.0,
        ("sigma", 0.0): math.inf,
        ("sensitivity", 0.0): 0.0,
        ("sensitivity", math.inf): math.inf,
    }
    yield from _invalid(name, {"delta": 1e-5, "sigma": 1.0, "sensitivity": 1.0}, limits)


def _accuracy() -> Iterator[Case]:
    name = "accuracy"
    yield from _grid(name, "core", alpha=_CORE_ALPHA, sigma=_CORE_SIGMA)
    yield from _grid(name, "hard", alpha=_HARD_ALPHA, sigma=_HARD_SIGMA)
    limits = {("sigma", 0.0): 0.0, ("sigma", math.inf): math.inf, ("alpha", 0.0): math.inf}
    yield from _invalid(name, {"alpha": 0.05, "sigma": 1.0}, limits)

    name = "alpha_at_accuracy"
    yield from _grid(name, "core", accuracy=(0.01, 0.1, 1.0, 2.0, 5.0), sigma=_CORE_SIGMA)
    yield from _grid(name, "hard", accuracy=(1e-300, 8.0, 38.0, 40.0), sigma=(1e-3, 1.0, 1e300))
    limits = {
        ("accuracy", math.inf): 0.0,
        ("sigma", 0.0): 0.0,
        ("sigma", math.inf): 1.0,
    }
    yield from _invalid(name, {"accuracy": 1.0, "sigma": 1.0}, limits)

    name = "sigma_at_accuracy"
    yield from _grid(name, "core", accuracy=(0.01, 0.1, 1.0, 2.0, 5.0), alpha=_CORE_ALPHA)
    yield from _grid(name, "hard", accuracy=(1e-300, 1.0, 1e300), alpha=_HARD_ALPHA)
    limits = {("accuracy", math.inf): math.inf, ("alpha", 0.0): 0.0}
    yield from _invalid(name, {"accuracy": 1.0, "alpha": 0.05}, limits)


@cache
def all_cases() -> tuple[Case, ...]:
    """Return every case, core cases first within each quantity, each input once."""
    unique: dict[str, Case] = {}
    seen: set[tuple[str, str]] = set()
    for case in itertools.chain(_calibration(), _delta(), _epsilon(), _accuracy()):
        key = (case.quantity, case.id.rpartition("/")[2])
        if key not in seen:
            seen.add(key)
            unique[case.id] = case
    return tuple(unique.values())


def cases_for(function: Function) -> list[Case]:
    """Return the cases that a function can be asked.

    One without the argument `sensitivity` is asked those at sensitivity 1. A slow one is asked
    every case about a known bug and, of each other group, every fifth.
    """
    wanted = set(QUANTITIES[function.quantity].arguments)
    offered = set(function.arguments)
    if not offered <= wanted or not wanted - offered <= {"sensitivity"}:
        return []
    chosen = []
    for case in all_cases():
        if case.quantity != function.quantity:
            continue
        if "sensitivity" not in offered and case.arguments.get("sensitivity", 1.0) != 1.0:
            continue
        chosen.append(case)
    if not function.slow:
        return chosen
    kept: list[Case] = []
    counts: dict[str, int] = {}
    for case in chosen:
        counts[case.group] = counts.get(case.group, -1) + 1
        if case.group == "bug" or counts[case.group] % 5 == 0:
            kept.append(case)
    return kept
