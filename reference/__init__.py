"""The specification: every statement in mpmath, at any precision, as the papers write it.

Scalars only: ints, floats, Fractions, Decimals and `mpf`s, each taken as the exact number that
it is. Every function takes `digits=` and returns an `mpmath.mpf` that is correct to so many
decimal digits, and prints them. The global mpmath precision is neither read nor changed.
"""

from __future__ import annotations

# Where a function is called like its module, the function is what the package means.
from dporacle.reference.accuracy import accuracy as accuracy
from dporacle.reference.numerics.shown import show
from dporacle.vocabulary.witnesses import exports, homes, showing

_HOMES = homes("reference", rank_one_delta_by_radius="rank_one_gaussian")

__all__ = [*_HOMES]
_dressed = showing(__name__, show)
__getattr__, __dir__ = exports(__name__, _HOMES, _dressed)
accuracy = _dressed(accuracy)
