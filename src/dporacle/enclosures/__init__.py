"""Enclosures: the same quantities in ball arithmetic, as proofs.

Scalars only: ints, floats, Fractions and Decimals, each taken as the exact number that it is.
Every function takes `digits=` and returns a python-flint `arb` that contains the exact value,
with a radius of at most 10^-digits of it, and prints them.
"""

from __future__ import annotations

# Where a function is called like its module, the function is what the package means.
from dporacle.enclosures.accuracy import accuracy as accuracy
from dporacle.enclosures.arithmetic.shown import show
from dporacle.vocabulary.witnesses import exports, homes, showing

_HOMES = homes(
    "enclosures",
    rank_one_intervals="rank_one_gaussian",
    round_down="arithmetic.rounding",
    round_up="arithmetic.rounding",
)

__all__ = [*_HOMES]
_dressed = showing(__name__, show)
__getattr__, __dir__ = exports(__name__, _HOMES, _dressed)
accuracy = _dressed(accuracy)
