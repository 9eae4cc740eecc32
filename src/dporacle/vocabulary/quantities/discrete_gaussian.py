"""Quantities of the discrete Gaussian."""

from dporacle.vocabulary.domains import BELOW_ONE
from dporacle.vocabulary.draws import Binary, Near, One, Power, Uniform, Whole
from dporacle.vocabulary.kinds import (
    DELTA,
    ERROR_BOUND,
    NOISE_ALLOWED,
    NOISE_NEEDED,
    PROBABILITY,
    RISK,
)
from dporacle.vocabulary.mechanisms import DISCRETE
from dporacle.vocabulary.quantities.row import Quantity

_SCALED_EDGE = {"edges": (Binary(-300, 300),)}  # its square, and the lattice's sums, stay floats

ROWS = (
    Quantity(
        name="discrete_delta_at_epsilon",
        mechanism=DISCRETE,
        kind=DELTA,
        arguments=("epsilon", "sigma", "sensitivity"),
        exact="the least δ of the discrete Gaussian",
        harm="a smaller δ than the noise gives",
        statements=("X.DG",),
        served=True,
        unordered=frozenset({"sigma"}),
        own={
            "epsilon": {"usual": (-2.0, 1.0)},
            "sigma": _SCALED_EDGE,
            "sensitivity": {
                "usual": (0.0, 1.0),
                "extreme": (0.0, 4.0),
                "edges": (One(1.0), Whole(10**5, 10**6)),
            },
        },
        float64=(0, 2.0**-36),
    ),
    Quantity(
        name="discrete_calibrate_sigma",
        mechanism=DISCRETE,
        kind=NOISE_NEEDED,
        arguments=("epsilon", "delta", "sensitivity"),
        exact="the σ from which on it is private",
        harm="a σ above which, or at which, the noise may not be private",
        statements=("X.DG",),
        served=True,
        costly=True,
        own={
            "epsilon": {
                "usual": (-1.0, 1.0),
                "extreme": (-3.0, 2.0),
                "edges": (One(0.0), Uniform(690, 760)),
            },
            "delta": {
                "usual": (-9.0, -1.0),
                "extreme": (-60.0, -1.0),
                "edges": (Power(-100, -60), Near(-1, 1, 7)),
            },
            "sensitivity": {
                "usual": (0.0, 1.0),
                "extreme": (0.0, 2.0),
                "edges": (One(1.0), Whole(10**3, 10**4)),
            },
        },
        float64=(0, 2.0**-34),
    ),
    Quantity(
        name="discrete_tail",
        mechanism=DISCRETE,
        kind=PROBABILITY,
        arguments=("error", "sigma"),
        exact="Pr[|noise| > a] of the discrete Gaussian",
        harm="a smaller probability of a larger error than is true",
        statements=("X.DG",),
        served=True,
        own={
            "error": {"usual": (0.0, 1.5), "extreme": (0.0, 6.0), "edges": (One(0.0),)},
            "sigma": _SCALED_EDGE,
        },
        float64=(0, 2.0**-37),
    ),
    Quantity(
        name="discrete_accuracy",
        mechanism=DISCRETE,
        kind=ERROR_BOUND,
        arguments=("alpha", "sigma"),
        exact="the least integer a with Pr[|noise| > a] ≤ α",
        harm="an error bound that is exceeded more often than α says",
        statements=("X.DG",),
        arithmetic="integer",
        served=True,
        own={"sigma": _SCALED_EDGE},
        float64=(0, 0),
    ),
    Quantity(
        name="discrete_sigma_at_accuracy",
        mechanism=DISCRETE,
        kind=NOISE_ALLOWED,
        arguments=("error", "alpha"),
        exact="the largest σ with Pr[|noise| > a] ≤ α of the discrete Gaussian",
        harm="more noise than the accuracy allows",
        statements=("X.DGACC",),
        float64=(2.0**-36, 0),
        served=True,
        own={
            "error": {"usual": (0.0, 2.0), "extreme": (0.0, 6.0), "edges": (One(0.0),)},
            "alpha": {"domain": BELOW_ONE},
        },
    ),
    Quantity(
        name="discrete_variance",
        mechanism=DISCRETE,
        kind=RISK,
        arguments=("sigma",),
        exact="the variance of the discrete Gaussian",
        harm="a smaller error than the noise has",
        statements=("X.DG",),
        float64=(2.0**-40, 2.0**-40),
    ),
)
