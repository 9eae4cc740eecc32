"""Inputs of every public function: usual ones, ends of the floats, fractions built to cancel."""

import inspect
import math
import random
import struct
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from dporacle import enclosures, reference
from dporacle.vocabulary import ARGUMENTS, QUANTITIES
from dporacle.vocabulary.functions import directions_of

FEW_STEPS = {"group_delta", "group_epsilon", "group_sigma"}
"""Functions of which the reference knows one step or two, which are compared in their test."""

FEW_DIGITS = {f"subsampled_{each}" for each in ("mu_up_to", "nearest_mu", "regret")}
"""Functions whose balls have four digits or so: those of risk, compared in their test."""

FUNCTIONS = tuple(
    name
    for name in reference.__all__
    if name in enclosures.__all__ and name[0].islower() and name not in FEW_STEPS | FEW_DIGITS
)
"""What the reference and the enclosures compute: every quantity, and what stands beside it."""

_VECTORS = {name for name, row in ARGUMENTS.items() if row.several}
_SIGNED = {"mean", "means", "vector"}
_SHARES = {"delta", "alpha", "beta", "rate", "prior"}
_TYPED = (0.01, 0.05, 0.1, 0.2, 0.25, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 10.0, 100.0)
_TYPED_SHARES = (1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.1, 0.25, 0.5, 0.9)
_ENDS = (5e-324, 2.0**-1023, sys.float_info.min, 2.0**-500, 2.0**500, sys.float_info.max)
_USUAL = (-3.0, 3.0)
# Their integrals take minutes far from where people work.
QUADRATURES = {
    "rank_one_delta_at_epsilon",
    "rank_one_epsilon_at_delta",
    "rank_one_private_sigma_star",
    "divisor_delta",
    "divisor_epsilon",
}
# Theirs are quick, but only near there.
_BINS = ("balls_and_bins_", "random_allocation_", "exponential_mechanism_adaptive_")
CONTOURS = {name for name in FUNCTIONS if name.startswith(("subsampled_", "fixed_size_", *_BINS))}


def parameters(name: str) -> dict[str, bool]:
    """Return the arguments of a function, and whether each is a whole number."""
    found = inspect.signature(getattr(reference, name)).parameters
    return {key: each.annotation == "int" for key, each in found.items() if key != "digits"}


def draw(generator: random.Random, name: str) -> dict[str, Any]:
    """Draw an input of a function: floats and integers, or now and then fractions."""
    style = generator.choice(("usual", "typed", "mixed", "mixed", "anywhere"))
    if name in QUADRATURES | CONTOURS:
        style = generator.choice(("usual", "typed"))
    length = generator.randint(1, 5)
    where: dict[str, Any] = {}
    for key, whole in parameters(name).items():
        if whole:
            where[key] = _count(generator, name, key)
        elif key == "direction":
            where[key] = generator.choice(_directions(name))
        elif key == "phases":
            where[key] = [_phase(generator, name, style) for _ in range(1 + length % 2)]
        elif key in _VECTORS:
            where[key] = [number(generator, name, key, style) for _ in range(length)]
        else:
            where[key] = number(generator, name, key, style)
    if generator.random() < 0.3 and name not in QUADRATURES | CONTOURS:
        _cancel(generator, where)
    if name in CONTOURS and not name.startswith(_BINS) and generator.random() < 0.3:
        _next_to_the_largest_loss(generator, where)
    if name in QUADRATURES and {"epsilon", "dimension"} <= where.keys() and length == 1:
        # Where ε is no small part of the dimension, integrands are narrow peaks.
        where["epsilon"] = where["dimension"] * 10 ** generator.uniform(-4, 1)
    return where


def _directions(name: str) -> tuple[str, ...]:
    words, _ = directions_of(name)
    is_test = {"alpha", "prior"} & parameters(name).keys()  # it looks for one thing
    return tuple(each for each in words if each != "both" or not is_test)


def _phase(generator: random.Random, name: str, style: str) -> tuple[float, float, int]:
    sigma, rate = (number(generator, name, key, style) for key in ("sigma", "rate"))
    return sigma, rate, _count(generator, name, "steps")


def _next_to_the_largest_loss(generator: random.Random, where: dict[str, Any]) -> None:
    """Put DP-SGD at few steps and an ε a little below −ΣT·ln(1 − q), the largest of adding."""
    if "phases" in where:
        where["phases"] = [(*noise, generator.randint(1, 5)) for *noise, _ in where["phases"]]
    else:
        where["steps"] = generator.randint(1, 10)
    if "sigma" in where:
        where["sigma"] = max(where["sigma"], 0.3)
    phases = where.get("phases") or [(0.0, where["rate"], where["steps"])]
    most = -sum(steps * math.log1p(-rate) for _, rate, steps in phases if rate < 1)
    if "epsilon" in where and most:
        where["epsilon"] = most * (1 - 10 ** generator.uniform(-9, -1))
    if "delta" in where:
        where["delta"] = 10 ** generator.uniform(-30, -3)
    if "direction" in where:
        where["direction"] = generator.choice(("add", "add", where["direction"]))


def _count(generator: random.Random, name: str, key: str) -> int:
    most = 15.9 if generator.random() < 0.15 else generator.choice((0.5, 1.5, 3.0, 5.0))
    if name in CONTOURS:
        most = min(most, 4.0)
    least = (
        3 if key == "dimension" and name.startswith(("james", "positive", "r1smg", "rank")) else 1
    )
    return max(least, int(10 ** generator.uniform(0, most)))


def number(generator: random.Random, name: str, key: str, style: str) -> float:
    """Draw one argument of a function, or of nothing in particular."""
    if style == "mixed":
        style = generator.choice(("usual", "typed", "edge", "end", "power", "anywhere"))
    sign = generator.choice((-1.0, 1.0)) if key in _SIGNED else 1.0
    value = _STYLES[style](generator, name, key)
    if key in _SHARES and not 0 < value < 1:
        value = abs(math.fmod(value, 1.0)) or 1 - 2.0 ** -generator.randint(1, 53)
    if key == "ratio" and value <= 1:
        value = 1 + min(value, 1.0) + 2.0**-52
    return sign * value


def _usual(generator: random.Random, name: str, key: str) -> float:
    row = QUANTITIES[name].rows.get(key) if name in QUANTITIES else ARGUMENTS.get(key)
    low, high = (row.usual if row else None) or ((-12.0, -0.01) if key in _SHARES else _USUAL)
    return float(10 ** generator.uniform(low, high))


def _typed(generator: random.Random, name: str, key: str) -> float:
    return generator.choice(_TYPED_SHARES if key in _SHARES else _TYPED)


def _edge(generator: random.Random, name: str, key: str) -> float:
    row = QUANTITIES[name].rows.get(key) if name in QUANTITIES else ARGUMENTS.get(key)
    if row is None or not row.edges:
        return _anywhere(generator, name, key)
    return generator.choice(row.edges)(generator)


def _end(generator: random.Random, name: str, key: str) -> float:
    if key in _SHARES:
        return generator.choice((*_ENDS[:4], 1 - 2.0**-53, 0.5 - 2.0**-54, 0.5 + 2.0**-53))
    return generator.choice(_ENDS)


def _power(generator: random.Random, name: str, key: str) -> float:
    return math.ldexp(1.0, generator.randint(-1074, -1 if key in _SHARES else 1023))


def _anywhere(generator: random.Random, name: str, key: str) -> float:
    most = 1 - 2.0**-53 if key in _SHARES else sys.float_info.max
    bits = struct.unpack("<q", struct.pack("<d", most))[0]
    return float(struct.unpack("<d", struct.pack("<q", generator.randint(1, bits)))[0])


_STYLES: dict[str, Callable[[random.Random, str, str], float]] = {
    "usual": _usual,
    "typed": _typed,
    "edge": _edge,
    "end": _end,
    "power": _power,
    "anywhere": _anywhere,
}


def _cancel(generator: random.Random, where: dict[str, Any]) -> None:
    """Put arguments where differences cancel: ε next to μ²/2, θ next to λ, δ next to a half."""
    gap = generator.choice((-1, 1)) * Fraction(1, 2 ** generator.choice((10, 30, 52, 60, 200, 600)))
    for change in _cancelling(where, 1 + gap):
        exact = change[1]
        kept = generator.random() < 0.5 and not any(isinstance(v, int) for v in where.values())
        where[change[0]] = exact if kept else _float(exact, where[change[0]])


def _cancelling(where: dict[str, Any], near: Fraction) -> Iterator[tuple[str, Fraction]]:
    if "epsilon" in where and ("mu" in where or "sigma" in where):
        if "mu" in where:
            mu = Fraction(where["mu"])
        else:
            mu = Fraction(where.get("sensitivity", 1)) / Fraction(where["sigma"])
        yield "epsilon", mu * mu / 2 * where.get("releases", 1) * near
    elif "threshold" in where and "mean" in where:
        yield "threshold", abs(Fraction(where["mean"])) * near
    elif "norm" in where:
        yield "norm", Fraction(where["sigma"]) * where["dimension"] * near
    else:
        for key in _SHARES & where.keys():
            yield key, near / 2


def _float(exact: Fraction, otherwise: Any) -> Any:
    """The float next to a number, if it is one in the range of positive floats."""
    try:
        return float(exact) or otherwise
    except OverflowError:
        return otherwise
