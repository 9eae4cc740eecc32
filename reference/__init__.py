"""The specification: every statement in mpmath, at any precision, as the papers write it.

Scalars only: ints, floats, Fractions, Decimals and `mpf`s, each taken as the exact number that
it is. Every function takes `digits=` and returns an `mpmath.mpf` with that many correct decimal
digits, and prints them. The global mpmath precision is neither read nor changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

# Where a function is called like its module, the function is what the package means.
from dporacle.reference.accuracy import accuracy as accuracy
from dporacle.reference.numerics.shown import show
from dporacle.vocabulary.witnesses import exports, homes, showing

if TYPE_CHECKING:
    from dporacle.reference.accuracy import *
    from dporacle.reference.accuracy_loss import *
    from dporacle.reference.analytic_gaussian import *
    from dporacle.reference.classical_gaussian import *
    from dporacle.reference.closed_forms import *
    from dporacle.reference.composition import *
    from dporacle.reference.conversions import *
    from dporacle.reference.denoising import *
    from dporacle.reference.discrete_gaussian import *
    from dporacle.reference.finite_mechanism import *
    from dporacle.reference.laplace import *
    from dporacle.reference.laplace_composition import *
    from dporacle.reference.minimax import *
    from dporacle.reference.privacy_loss import *
    from dporacle.reference.rank_one_gaussian import *
    from dporacle.reference.simultaneous_accuracy import *
    from dporacle.reference.subsampled_gaussian import *
    from dporacle.reference.thresholded_count import *

_HOMES = homes(
    "reference",
    rank_one_delta_by_radius="rank_one_gaussian",
)

__all__ = [*_HOMES]
_dressed = showing(__name__, show)
__getattr__ = exports(__name__, _HOMES, _dressed)
if not TYPE_CHECKING:
    accuracy = _dressed(accuracy)
