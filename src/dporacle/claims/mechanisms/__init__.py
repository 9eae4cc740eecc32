"""What a claim is about: a mechanism, with the sensitivity of what it releases.

A new mechanism is a file of this folder and a row of `Mechanisms` here; a wing's `wing.json` names
its own.
"""

from typing import TYPE_CHECKING, Final, get_args

from dporacle import wing_files as wings
from dporacle.claims.mechanisms.black_box import PrivacyBox
from dporacle.claims.mechanisms.composition import Composition
from dporacle.claims.mechanisms.contribution import Contribution
from dporacle.claims.mechanisms.discrete_gaussian import DiscreteGaussianMechanism
from dporacle.claims.mechanisms.dp_sgd import DpSgd
from dporacle.claims.mechanisms.dp_sgd_schedule import DpSgdSchedule
from dporacle.claims.mechanisms.gaussian import GaussianMechanism, Gdp, Rdp, Zcdp
from dporacle.claims.mechanisms.hierarchical_tree import HierarchicalTree
from dporacle.claims.mechanisms.laplace import LaplaceMechanism
from dporacle.claims.mechanisms.ledger import RecordedLedger
from dporacle.claims.mechanisms.matrix import Matrix
from dporacle.claims.mechanisms.matrix_variate import MatrixVariate
from dporacle.claims.mechanisms.mechanism import Mechanism
from dporacle.claims.mechanisms.randomised_response import RandomisedResponse, Rappor
from dporacle.claims.mechanisms.record import Neighbours, Strict, Unit
from dporacle.claims.mechanisms.selection import (
    AboveThreshold,
    Exponential,
    NoisyMax,
    PermuteAndFlip,
)
from dporacle.claims.mechanisms.thresholded_histogram import ThresholdedHistogram
from dporacle.claims.mechanisms.tree_aggregation import TreeAggregation

__all__ = [
    "MECHANISMS",
    "AboveThreshold",
    "Composition",
    "Contribution",
    "DiscreteGaussianMechanism",
    "DpSgd",
    "DpSgdSchedule",
    "Exponential",
    "GaussianMechanism",
    "Gdp",
    "HierarchicalTree",
    "LaplaceMechanism",
    "Matrix",
    "MatrixVariate",
    "Mechanism",
    "Mechanisms",
    "Neighbours",
    "NoisyMax",
    "PermuteAndFlip",
    "PrivacyBox",
    "RandomisedResponse",
    "Rappor",
    "Rdp",
    "RecordedLedger",
    "Strict",
    "ThresholdedHistogram",
    "TreeAggregation",
    "Unit",
    "Zcdp",
]

Mechanisms = (
    GaussianMechanism
    | Zcdp
    | Gdp
    | Rdp
    | TreeAggregation
    | Composition
    | RecordedLedger
    | DiscreteGaussianMechanism
    | LaplaceMechanism
    | HierarchicalTree
    | Matrix
    | MatrixVariate
    | ThresholdedHistogram
    | DpSgd
    | DpSgdSchedule
    | PrivacyBox
    | RandomisedResponse
    | Rappor
    | Exponential
    | PermuteAndFlip
    | NoisyMax
    | AboveThreshold
)
"""Every mechanism; a file names one by its `kind`."""

if not TYPE_CHECKING:  # mypy reads no computed union
    for _wing in wings.present():
        for _where in _wing.mechanisms.values():
            Mechanisms |= _wing.find(_where)

MECHANISMS: Final[dict[str, type[Mechanism]]] = {
    str(kind.__struct_config__.tag): kind for kind in get_args(Mechanisms)
}
"""Kind, as a file names it -> mechanism."""
