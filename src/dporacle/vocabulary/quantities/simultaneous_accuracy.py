"""Errors of several answers together."""

from dporacle.vocabulary.kinds import ERROR_BOUND, PROBABILITY
from dporacle.vocabulary.mechanisms import SIMULTANEOUS
from dporacle.vocabulary.quantities.row import Quantity

ROWS = (
    Quantity(
        name="max_error_quantile",
        mechanism=SIMULTANEOUS,
        kind=ERROR_BOUND,
        arguments=("queries", "beta", "sigma"),
        exact="the error that the largest of k errors exceeds with probability β",
        harm="an error bound that is exceeded more often than β says",
        statements=("GN.A1",),
        float64=(0, 64 * 2.0**-52),
    ),
    Quantity(
        name="max_error_probability",
        mechanism=SIMULTANEOUS,
        kind=PROBABILITY,
        arguments=("queries", "error", "sigma"),
        exact="the probability that one of k errors is larger",
        harm="a smaller probability of a larger error than is true",
        statements=("GN.A1",),
        float64=(0, 2.0**-40),
    ),
    Quantity(
        name="max_error_bound",
        mechanism=SIMULTANEOUS,
        kind=ERROR_BOUND,
        arguments=("queries", "beta", "sigma"),
        exact="σ√(2 ln(2k/β)), the lecture's bound",
        harm="an error bound that the tail bound does not prove",
        statements=("GN.A1",),
        arithmetic="elementary",
    ),
)
