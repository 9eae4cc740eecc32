"""Quantities of one release with Gaussian noise: δ, ε, σ and the errors."""

from dporacle.vocabulary.domains import BELOW_ONE, POSITIVE
from dporacle.vocabulary.kinds import (
    DELTA,
    EPSILON,
    ERROR_BOUND,
    NOISE_ALLOWED,
    NOISE_NEEDED,
    PROBABILITY,
)
from dporacle.vocabulary.mechanisms import GAUSSIAN
from dporacle.vocabulary.quantities.row import ONE_ALLOWED, Quantity

ROWS = (
    Quantity(
        name="calibrate_sigma",
        mechanism=GAUSSIAN,
        kind=NOISE_NEEDED,
        arguments=("epsilon", "delta", "sensitivity"),
        exact="the least σ that is (ε, δ)-private",
        harm="less noise than the promise of (ε, δ) needs",
        statements=("BW18.T8", "BW18.T9", "BW18.T2"),
        served=True,
        public=True,
    ),
    Quantity(
        name="delta_at_epsilon",
        mechanism=GAUSSIAN,
        kind=DELTA,
        arguments=("epsilon", "sigma", "sensitivity"),
        exact="the least δ for this ε",
        harm="a smaller δ than the noise gives",
        statements=("BW18.T8", "BW18.T2"),
        served=True,
        public=True,
    ),
    Quantity(
        name="epsilon_at_delta",
        mechanism=GAUSSIAN,
        kind=EPSILON,
        arguments=("delta", "sigma", "sensitivity"),
        exact="the least ε ≥ 0 for this δ",
        harm="a smaller ε than the noise gives",
        statements=("X.EPS",),
        served=True,
        public=True,
        own=ONE_ALLOWED,
    ),
    Quantity(
        name="accuracy",
        mechanism=GAUSSIAN,
        kind=ERROR_BOUND,
        arguments=("alpha", "sigma"),
        exact="the a with Pr[|noise| > a] = α",
        harm="an error bound that is exceeded more often than α says",
        statements=("GMA.T1",),
        served=True,
        public=True,
    ),
    Quantity(
        name="alpha_at_accuracy",
        mechanism=GAUSSIAN,
        kind=PROBABILITY,
        arguments=("accuracy", "sigma"),
        exact="that probability, given a",
        harm="a smaller probability of a larger error than is true",
        statements=("GMA.T1",),
        served=True,
        public=True,
    ),
    Quantity(
        name="sigma_at_accuracy",
        mechanism=GAUSSIAN,
        kind=NOISE_ALLOWED,
        arguments=("accuracy", "alpha"),
        exact="that σ, given a and α",
        harm="more noise than the accuracy allows",
        statements=("GMA.T1",),
        served=True,
        public=True,
        own={"accuracy": {"domain": POSITIVE}, "alpha": {"domain": BELOW_ONE}},
    ),
)
