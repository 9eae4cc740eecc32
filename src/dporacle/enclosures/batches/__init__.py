"""Enclosures for batches as they are drawn (X.BAT.*).

E epochs of T batches. Hypotheses, in full in `proofs_notes/batches.md`: σ, T and E are fixed before
the run and the same for both data sets; every noisy sum of a batch is released; a contribution
has norm at most 1 and the others' do not depend on the record; the order is drawn independently of
the data and is not released.
"""

from __future__ import annotations

import functools
import importlib
from fractions import Fraction
from typing import cast

from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures.analytic_gaussian import delta_at_epsilon, epsilon_at_delta
from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.batches.scheme import Epochs, Interval, Scheme
from dporacle.interface import Direction, orders_of, witness

__all__ = [
    "ALLOCATED",
    "DRAWN",
    "SCHEMES",
    "Epochs",
    "Interval",
    "balls_and_bins_delta",
    "balls_and_bins_epsilon",
    "batches_delta",
    "batches_epsilon",
    "random_allocation_delta",
    "random_allocation_epsilon",
    "scheme_of",
]

_BITS = 600

_MODULES = {
    "shuffled": "shuffled",
    "shuffled-once": "shuffled_once",
    "balls-and-bins": "balls_and_bins",
    "cyclic": "deterministic",
}
"""Scheme -> its module, which is imported when it is asked for."""

SCHEMES = tuple(_MODULES)
"""Schemes of which each epoch has all records."""

ALLOCATED = "random-allocation"
"""The scheme of which each epoch has each record so many times: module `random_allocation`."""

DRAWN = ("fixed-size", "with-replacement", "truncated")
"""Those of which each batch is drawn anew: `fixed_size`, `with_replacement` and `capped`."""


def scheme_of(sampling: str) -> Scheme:
    """Return the module of a scheme.

    Raises:
        ValueError: if there is none of that name.
    """
    if sampling not in _MODULES:
        raise ValueError(f"sampling must be one of {', '.join(SCHEMES)}, got {sampling!r}")
    return cast(Scheme, importlib.import_module(f"{__name__}.{_MODULES[sampling]}"))


def _asked(sigma: Exact, batches: int, epochs: int, sampling: str, adjacency: str) -> Epochs:
    known = scheme_of(sampling).ADJACENCIES
    if adjacency not in known:
        raise ValueError(
            f"adjacency must be one of {', '.join(known)} for {sampling} batches, got {adjacency!r}"
        )
    return Epochs(
        arguments.positive("sigma", sigma),
        arguments.count("batches", batches),
        arguments.count("epochs", epochs),
    )


def _ball(found: Interval) -> arb:
    with precision(256):
        return ball(found.low).union(ball(found.high))


def batches_delta(
    *,
    epsilon: Exact,
    sigma: Exact,
    batches: int,
    epochs: int,
    sampling: str,
    adjacency: str,
    digits: int = 12,
) -> arb:
    """Enclose the largest δ at an ε of E epochs of T batches (X.BAT.BINS, X.BAT.SHUFFLED).

    Args:
        epsilon: in [0, ∞).
        sigma: noise multiplier, in (0, ∞): standard deviation in units of the clipping norm.
        batches: T, of an epoch, at least 1.
        epochs: E, at least 1.
        sampling: "cyclic", "balls-and-bins", "shuffled" or "shuffled-once".
        adjacency: "zero-out", "replace", and where the scheme has them "add", "remove", "both".
        digits: how many of the value are shown; the ball is as tight as is proved.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: if an enclosure would need too much work.
    """
    arguments.digits(digits)
    run = _asked(sigma, batches, epochs, sampling, adjacency)
    return _ball(scheme_of(sampling).delta(run, arguments.epsilon(epsilon), adjacency))


def batches_epsilon(
    *,
    delta: Exact,
    sigma: Exact,
    batches: int,
    epochs: int,
    sampling: str,
    adjacency: str,
    digits: int = 12,
) -> arb:
    """Enclose the smallest ε ≥ 0 that holds at a δ of E epochs (X.BAT.BINS, X.BAT.SHUFFLED).

    Args:
        delta: in (0, 1).
        sigma: noise multiplier, in (0, ∞).
        batches: T, of an epoch, at least 1.
        epochs: E, at least 1.
        sampling: as for `batches_delta`.
        adjacency: as for `batches_delta`.
        digits: how many of the value are shown; the ball is as tight as is proved.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: if an enclosure would need too much work.
    """
    arguments.digits(digits)
    run = _asked(sigma, batches, epochs, sampling, adjacency)
    return _ball(scheme_of(sampling).epsilon(run, arguments.delta(delta), adjacency))


@witness
def balls_and_bins_delta(
    *, epsilon: Fraction, sigma: Fraction, batches: int, direction: Direction, digits: int = 12
) -> arb:
    """Enclose δ(ε) of one epoch of T balls-and-bins batches (X.BAT.BINS)."""
    ways = orders_of(direction)
    if batches == 1:
        return delta_at_epsilon(epsilon=epsilon, sigma=sigma, digits=digits)
    from dporacle.enclosures.batches.balls_and_bins import mean, one_epoch_delta

    law = mean(Epochs(sigma, batches, 1))
    with precision(_BITS):
        point = ball(epsilon)
        found = [one_epoch_delta(law, point, way, digits + 1) for way in ways]
        return _tight(functools.reduce(arb.max, found), digits)


@witness
def balls_and_bins_epsilon(
    *, delta: Fraction, sigma: Fraction, batches: int, direction: Direction, digits: int = 12
) -> arb:
    """Enclose the smallest ε ≥ 0 of one epoch of T balls-and-bins batches (X.BAT.BINS)."""
    ways = orders_of(direction)
    if batches == 1:
        return epsilon_at_delta(delta=delta, sigma=sigma, digits=digits)
    from dporacle.enclosures.batches.balls_and_bins import mean, one_epoch_epsilon

    law = mean(Epochs(sigma, batches, 1))
    with precision(_BITS):
        found = [one_epoch_epsilon(law, delta, way, digits + 1) for way in ways]
        return _tight(functools.reduce(arb.max, found), digits)


@witness
def random_allocation_delta(
    *,
    epsilon: Fraction,
    sigma: Fraction,
    batches: int,
    participations: int,
    direction: Direction,
    digits: int = 8,
) -> arb:
    """Enclose two ends of δ(ε) of one epoch, a record in k random ones of T batches (X.BAT.ALLOC).

    The ball reaches from one to the other, whatever digits are asked for.
    """
    return _allocated("delta", epsilon, sigma, batches, participations, direction)


@witness
def random_allocation_epsilon(
    *,
    delta: Fraction,
    sigma: Fraction,
    batches: int,
    participations: int,
    direction: Direction,
    digits: int = 8,
) -> arb:
    """Enclose two ends of the least ε ≥ 0 of k random ones of T batches (X.BAT.ALLOC).

    The ball reaches from one to the other, whatever digits are asked for.
    """
    return _allocated("epsilon", delta, sigma, batches, participations, direction)


@functools.lru_cache(maxsize=256)  # ends take seconds, and more digits of them are no others
def _allocated(
    quantity: str,
    at: Fraction,
    sigma: Fraction,
    batches: int,
    participations: int,
    direction: Direction,
) -> arb:
    from dporacle.enclosures.batches import random_allocation

    if participations > batches:
        raise ValueError(f"participations must be at most batches, {batches}, got {participations}")
    run = random_allocation.Allocation(sigma, batches, participations, 1)
    return _ball(getattr(random_allocation, quantity)(run, at, direction))


def _tight(value: arb, digits: int) -> arb:
    if not (value.is_zero() or value.rad() <= abs(value.mid()) * arb(10) ** -digits):
        raise ArithmeticError(f"the enclosure has no {digits} digits")
    return value
