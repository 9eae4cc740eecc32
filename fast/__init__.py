"""The float64 witness: scalars or arrays in, results on the private side of the exact ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

# Where a function is called like its module, the function is what the package means.
from dporacle.fast.accuracy import accuracy as accuracy
from dporacle.vocabulary.witnesses import exports, homes

if TYPE_CHECKING:
    from dporacle.fast.accuracy import *
    from dporacle.fast.accuracy_loss import *
    from dporacle.fast.analytic_gaussian import *
    from dporacle.fast.classical_gaussian import *
    from dporacle.fast.closed_forms import *
    from dporacle.fast.composition import *
    from dporacle.fast.conversions import *
    from dporacle.fast.denoising import *
    from dporacle.fast.discrete_gaussian import *
    from dporacle.fast.finite_mechanism import *
    from dporacle.fast.laplace import *
    from dporacle.fast.laplace_composition import *
    from dporacle.fast.minimax import *
    from dporacle.fast.privacy_loss import *
    from dporacle.fast.rank_one_gaussian import *
    from dporacle.fast.simultaneous_accuracy import *
    from dporacle.fast.subsampled_gaussian import *
    from dporacle.fast.thresholded_count import *

_HOMES = homes(
    "fast",
    rank_one_delta_interval="rank_one_gaussian",
    rank_one_sample="rank_one_gaussian",
    rank_one_sample_marginal="rank_one_gaussian",
)

__all__ = [*_HOMES]
__getattr__ = exports(__name__, _HOMES)
