"""What the faulty DP-SGD accountants are made of: exact answers to spoil, and the field's formulas.

An exact answer takes some tens of milliseconds, so that each is computed once for all specimens.
"""

import functools
import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from dporacle import fast
from dporacle.vocabulary import QUANTITIES, Quantity
from dporacle.vocabulary.mechanisms import SUBSAMPLED

_LEAST_RATE = 1e-8  # of the float64 witness


def directions(kind: str) -> Iterator[tuple[str, Quantity]]:
    """Yield each direction in which δ, ε or σ is asked of DP-SGD, and its quantity."""
    for direction, mechanism in SUBSAMPLED.items():
        for row in QUANTITIES.values():
            named = row.function == f"subsampled_{kind}" and "epsilon" not in row.fixed
            if row.mechanism is mechanism and named:
                yield direction, row


def exact(kind: str, direction: str, **inputs: float) -> float:
    """Return δ, ε or σ on the safe side; a specimen is this with one fault added.

    Raises:
        ValueError: if an argument is not in the domain of the float64 witness.
    """
    if direction == "both" and kind != "sigma":  # its parts are asked for too
        return max(exact(kind, each, **inputs) for each in ("add", "remove"))
    return _exact(kind, direction, tuple(inputs.items()))


@functools.lru_cache(maxsize=4096)
def _exact(kind: str, direction: str, inputs: tuple[tuple[str, float], ...]) -> float:
    given: dict[str, Any] = dict(inputs)
    function = getattr(fast, f"subsampled_{kind}")
    return float(function(**given, direction=direction))


def accounted(kind: str, direction: str, given: Mapping[str, float], **changed: float) -> float:
    """Return the answer to an input with something changed, where that is still one.

    Raises:
        ValueError: if the input itself is not in the domain.
    """
    changed = dict(changed)
    if "rate" in changed:
        changed["rate"] = min(1.0, max(changed["rate"], _LEAST_RATE))
    if "steps" in changed:
        changed["steps"] = max(1, int(changed["steps"]))
    return exact(kind, direction, **{**given, **changed})


def valid(quantity: Quantity, given: Mapping[str, float]) -> None:
    """Refuse what is to be refused.

    Raises:
        ValueError: if an argument is not in its domain.
    """
    for name, row in quantity.rows.items():
        if not math.isfinite(given[name]):
            raise ValueError(f"{name} must be finite, got {given[name]}")
        row.domain.require(name, Fraction(given[name]), str(given[name]))


def central_mu(sigma: float, rate: float, steps: float, *, reach: int = 1) -> float:
    """Return the μ of Gaussian differential privacy to which many steps tend (Bu et al., 2020)."""
    return reach * rate * math.sqrt(steps * math.expm1(min(sigma**-2.0, 700.0)))


def multiplier_of(mu: float, rate: float, steps: float, *, reach: int = 1) -> float:
    """Return the noise multiplier that gives this μ in the limit."""
    return 1 / math.sqrt(math.log1p((mu / (reach * rate)) ** 2 / steps))


def rdp(order: int, sigma: float, rate: float) -> float:
    """Return Rényi's divergence of one step at a whole order, by the binomial sum."""
    if rate == 1:
        return order / (2 * sigma * sigma)
    logs = [
        math.lgamma(order + 1)
        - math.lgamma(k + 1)
        - math.lgamma(order - k + 1)
        + (order - k) * math.log1p(-rate)
        + k * math.log(rate)
        + k * (k - 1) / (2 * sigma * sigma)
        for k in range(order + 1)
    ]
    top = max(logs)
    return (top + math.log(math.fsum(math.exp(each - top) for each in logs))) / (order - 1)


def by_orders(
    orders: tuple[int, ...], given: Mapping[str, float], *, minus_one: bool = True
) -> float:
    """Return ε by Rényi's divergence at some orders, and ln(1/δ)/(α − 1) for the δ.

    Args:
        orders: those that are tried.
        given: delta, sigma, rate and steps.
        minus_one: whether it is α − 1 that divides, as the theorem has it, or α.
    """
    found = (
        given["steps"] * rdp(order, given["sigma"], given["rate"])
        - math.log(given["delta"]) / (order - minus_one)
        for order in orders
    )
    return min(found)
