"""Quantities of several releases with Gaussian noise together."""

from dporacle.vocabulary.kinds import DELTA, DIVERGENCE, EPSILON, NOISE_NEEDED
from dporacle.vocabulary.mechanisms import REPEATED
from dporacle.vocabulary.quantities.row import ONE_ALLOWED, Quantity

ROWS = (
    Quantity(
        name="repeated_mu",
        mechanism=REPEATED,
        kind=DIVERGENCE,
        arguments=("mu", "releases"),
        exact="μ√k of k releases together",
        harm="a smaller μ than the releases give together",
        statements=("X.COMP",),
        arithmetic="elementary",
        float64=(0, 2.0**-46),
    ),
    Quantity(
        name="repeated_sigma",
        mechanism=REPEATED,
        kind=NOISE_NEEDED,
        arguments=("epsilon", "delta", "releases", "sensitivity"),
        exact="the least σ of each of k releases",
        harm="less noise than the promise of all releases together needs",
        statements=("X.COMP",),
        served=True,
        float64=(0, 8 * 2.0**-52),
    ),
    Quantity(
        name="repeated_delta",
        mechanism=REPEATED,
        kind=DELTA,
        arguments=("epsilon", "sigma", "releases", "sensitivity"),
        exact="the least δ of k releases together",
        harm="a smaller δ than the releases give together",
        statements=("X.COMP",),
        served=True,
        # 4·2^-52 in μ, magnified by w² + 3.
        float64=(0, 2.0**-52 * (4 * (60**2 + 3) + 2)),
    ),
    Quantity(
        name="repeated_epsilon",
        mechanism=REPEATED,
        kind=EPSILON,
        arguments=("delta", "sigma", "releases", "sensitivity"),
        exact="the least ε ≥ 0 of k releases together",
        harm="a smaller ε than the releases give together",
        statements=("X.COMP",),
        served=True,
        own=ONE_ALLOWED,
        # dε/d ln μ = μ/m(w) < μ(w + 1), a few times ε here.
        float64=(0, 2.0**-47),
    ),
)
