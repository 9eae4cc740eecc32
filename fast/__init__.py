"""The float64 witness: scalars or arrays in, results on the private side of the exact ones."""

from __future__ import annotations

import functools

from dporacle.common import ieee754

# Before anything else: what is imported while the processor rounds otherwise has other constants,
# and Python keeps them.
ieee754.demand()
# isort: split
# Where a function is called like its module, the function is what the package means.
from dporacle.fast.accuracy import accuracy as accuracy  # noqa: E402
from dporacle.vocabulary.witnesses import exports, found_in, homes  # noqa: E402

_HOMES = homes(
    "fast",
    rank_one_delta_interval="rank_one_gaussian",
    rank_one_sample="rank_one_gaussian",
    rank_one_sample_marginal="rank_one_gaussian",
)

__all__ = [*_HOMES]
_dressed = functools.partial(found_in, __name__)
__getattr__, __dir__ = exports(__name__, _HOMES, _dressed)
accuracy = _dressed(accuracy)
