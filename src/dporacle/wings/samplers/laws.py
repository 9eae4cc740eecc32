"""The laws of noise that can be audited, each reduced to independent standard normal numbers.

A sample of the law goes in, independent N(0, 1) numbers come out: exactly so if the sample has
the law, and with every fault of the sample still there if it has not. Laws with atoms, and laws
with fewer dimensions than their vectors, take fresh randomness for it (the randomised
probability integral transform); `proofs_notes/samplers.md` has the proofs.
"""

from dporacle.wings.samplers.continuous_laws import (
    Gaussian,
    Laplace,
    LaplaceWithGaussian,
    RankOneGaussian,
)
from dporacle.wings.samplers.lattice_laws import DiscreteGaussian, DiscreteLaplace, RoundedGaussian
from dporacle.wings.samplers.law import Law, Releases
from dporacle.wings.samplers.subsampled import SubsampledGaussian
from dporacle.wings.samplers.sum_laws import DiscreteGaussianSum, DiscreteLaplaceSum, Skellam
from dporacle.wings.samplers.thresholded import ThresholdedCounts

__all__ = [
    "LAWS",
    "RELEASES",
    "DiscreteGaussian",
    "DiscreteGaussianSum",
    "DiscreteLaplace",
    "DiscreteLaplaceSum",
    "Gaussian",
    "Laplace",
    "LaplaceWithGaussian",
    "Law",
    "RankOneGaussian",
    "Releases",
    "RoundedGaussian",
    "Skellam",
    "SubsampledGaussian",
    "ThresholdedCounts",
]

LAWS: dict[str, type[Law]] = {
    kind.name: kind
    for kind in (
        Gaussian,
        DiscreteGaussian,
        RoundedGaussian,
        Laplace,
        DiscreteLaplace,
        DiscreteGaussianSum,
        DiscreteLaplaceSum,
        Skellam,
        LaplaceWithGaussian,
        RankOneGaussian,
    )
}
"""The laws by the names that the command and adapters give them."""

RELEASES: dict[str, type[Releases]] = {
    **LAWS,
    **{kind.name: kind for kind in (SubsampledGaussian, ThresholdedCounts)},
}
"""The laws whose privacy losses are known, by the names that the mechanisms' rows give them."""
