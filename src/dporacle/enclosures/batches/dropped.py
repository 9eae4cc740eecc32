"""Shuffled batches of which the last, incomplete one is dropped, from below (X.BAT.SHUFFLED, S4).

A record is kept in an epoch with the probability κ = bT/n, where b does not divide n. Others
contribute −1 and the record 1. One that is dropped, missing or replaced by −1 leaves T batches of
b times −1: the law is N(0) at one data set, and at least κ^E that of balls-and-bins at half the
noise at the other. Zeroed out, among others that contribute nothing: the same at the noise itself.
Where each epoch drops records anew the maximum of the outputs tests both laws as they are.
"""

from __future__ import annotations

import contextlib
from fractions import Fraction

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches import balls_and_bins, deterministic, half_spaces
from dporacle.enclosures.batches.curves import BITS
from dporacle.enclosures.batches.scheme import Epochs, affordable


def lower_epsilon(
    run: Epochs, kept: Fraction, delta: Fraction, adjacency: str, *, anew: bool = False
) -> Fraction:
    """Bound ε at a δ from below: δ(ε) ≥ κ^E·δ'(ε + E ln(1/κ)), δ' that of balls-and-bins.

    Args:
        run: the epochs; `batches` are the complete ones.
        kept: κ, in (0, 1).
        delta: in (0, 1).
        adjacency: "zero-out", "replace" or "both" (add or remove).
        anew: whether each epoch keeps a record with this probability, whatever the others do.

    Raises:
        ArithmeticError: if it would need too much work.
    """
    found = Fraction(0)
    with contextlib.suppress(ArithmeticError):
        found = max(found, _by_kept(run, kept, delta, adjacency))
    if anew:
        with contextlib.suppress(ArithmeticError):
            found = max(found, _by_maximum(run, kept, delta, adjacency))
    return found


def _by_kept(run: Epochs, kept: Fraction, delta: Fraction, adjacency: str) -> Fraction:
    target = delta / kept**run.epochs
    if target >= 1:
        return Fraction(0)
    if run.batches == 1:
        sort = "zero-out" if adjacency == "zero-out" else "replace"
        found = deterministic.epsilon(run, target, sort).low
    else:
        law = balls_and_bins.mean(run, 1 if adjacency == "zero-out" else 2)
        found = balls_and_bins.pair_epsilon(law, run.epochs, target, "remove").low
    with precision(BITS):
        lost = bounds(-run.epochs * ball(kept).log())[1]
    return max(Fraction(0), found - lost)


def _by_maximum(run: Epochs, kept: Fraction, delta: Fraction, adjacency: str) -> Fraction:
    """Bound ε by tests of the maximum: others −1, the record 1 against 0, nothing or −1."""
    centres = (1, 2) if adjacency == "zero-out" else (0, 2)
    tiny = float(delta) * 1e-6 / run.epochs

    def made(sigma: Fraction) -> Fraction:
        tests = half_spaces.by_maximum(sigma**2, run.batches, tiny, centres, kept)
        if run.epochs == 1:
            return max(half_spaces.at_delta(each, delta) for each in tests)
        return max(e.epsilon(delta) for e in half_spaces.products(tests, run.epochs, tiny))

    affordable(run.batches, run.epochs, delta)
    return half_spaces.noisier(run.sigma, made)
