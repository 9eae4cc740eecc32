"""Enclosures: the same quantities in ball arithmetic, as proofs.

Scalars only: ints, floats, Fractions and Decimals, each taken as the exact number that it is.
Every function takes `digits=` and returns a python-flint `arb` that contains the exact value,
with a radius of at most 10^-digits of it, and prints them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

# Where a function is called like its module, the function is what the package means.
from dporacle.enclosures.accuracy import accuracy as accuracy
from dporacle.enclosures.arithmetic.shown import show
from dporacle.vocabulary.witnesses import exports, homes, showing

if TYPE_CHECKING:
    from dporacle.enclosures.accuracy import *
    from dporacle.enclosures.accuracy_loss import *
    from dporacle.enclosures.analytic_gaussian import *
    from dporacle.enclosures.arithmetic.rounding import *
    from dporacle.enclosures.classical_gaussian import *
    from dporacle.enclosures.closed_forms import *
    from dporacle.enclosures.composition import *
    from dporacle.enclosures.conversions import *
    from dporacle.enclosures.denoising import *
    from dporacle.enclosures.discrete_gaussian import *
    from dporacle.enclosures.finite_mechanism import *
    from dporacle.enclosures.laplace import *
    from dporacle.enclosures.laplace_composition import *
    from dporacle.enclosures.minimax import *
    from dporacle.enclosures.privacy_loss import *
    from dporacle.enclosures.rank_one_gaussian import *
    from dporacle.enclosures.simultaneous_accuracy import *
    from dporacle.enclosures.subsampled_gaussian import *
    from dporacle.enclosures.thresholded_count import *

_HOMES = homes(
    "enclosures",
    rank_one_intervals="rank_one_gaussian",
    round_down="arithmetic.rounding",
    round_up="arithmetic.rounding",
)

__all__ = [*_HOMES]
_dressed = showing(__name__, show)
__getattr__ = exports(__name__, _HOMES, _dressed)
if not TYPE_CHECKING:
    accuracy = _dressed(accuracy)
