"""Thresholds below which noisy counts are kept back."""

from dporacle.vocabulary.kinds import DELTA, THRESHOLD
from dporacle.vocabulary.mechanisms import THRESHOLDED, THRESHOLDED_INTEGER, THRESHOLDED_LAPLACE
from dporacle.vocabulary.quantities.row import Quantity

ROWS = (
    Quantity(
        name="count_threshold",
        mechanism=THRESHOLDED,
        kind=THRESHOLD,
        arguments=("delta", "sigma", "contributions"),
        exact="the least τ that one of k noisy counts of 1 reaches with probability δ at most, "
        "1 + σΦ⁻¹((1−δ)^{1/k})",
        harm="a threshold that single records pass more often than δ says",
        statements=("X.TAU",),
        # 2^-45 of 1 and of what the noise adds: of their sum, with these inputs, ten times as much.
        float64=(0, 2.0**-41),
        served=True,
        unordered=frozenset({"sigma"}),
    ),
    Quantity(
        name="count_threshold_delta",
        mechanism=THRESHOLDED,
        kind=DELTA,
        arguments=("threshold", "sigma", "contributions"),
        exact="that probability, 1 − Φ((τ−1)/σ)^k",
        harm="a smaller probability that a single record is shown than is true",
        statements=("X.TAU",),
        float64=(0, 2.0**-39),
        served=True,
        unordered=frozenset({"sigma"}),
    ),
    Quantity(
        name="laplace_count_threshold",
        mechanism=THRESHOLDED_LAPLACE,
        kind=THRESHOLD,
        arguments=("epsilon", "delta", "contributions"),
        exact="the least τ at which counts with Laplace noise of scale k/ε are (ε, δ)-private",
        harm="a threshold that single records pass more often than δ says",
        statements=("X.LAPTAU",),
        arithmetic="elementary",
        float64=(0, 2.0**-41),
        served=True,
        unordered=frozenset({"epsilon"}),
    ),
    Quantity(
        name="laplace_count_threshold_delta",
        mechanism=THRESHOLDED_LAPLACE,
        kind=DELTA,
        arguments=("threshold", "epsilon", "contributions"),
        exact="the probability that one of k noisy counts of 1 reaches τ, the scale being k/ε",
        harm="a smaller probability that a single record is shown than is true",
        statements=("X.LAPTAU",),
        arithmetic="elementary",
        float64=(0, 2.0**-39),
        served=True,
        unordered=frozenset({"epsilon"}),
    ),
    Quantity(
        name="integer_count_threshold_delta",
        mechanism=THRESHOLDED_INTEGER,
        kind=DELTA,
        arguments=("threshold", "scale", "contributions"),
        exact="the probability that one of k counts of 1 with discrete Laplace noise of scale b "
        "reaches the whole number τ, as it does at τ itself",
        harm="a smaller probability that a single record is shown than is true",
        statements=("X.INTTAU",),
        arithmetic="elementary",
        float64=(0, 2.0**-39),
        served=True,
        unordered=frozenset({"scale"}),
    ),
)
