"""Quantities of the rank-one Gaussian mechanism: as published, and as it is."""

from typing import Any

from dporacle.vocabulary.kinds import DELTA, NOISE_NEEDED
from dporacle.vocabulary.mechanisms import PUBLISHED_RANK_ONE, RANK_ONE
from dporacle.vocabulary.quantities.row import Quantity

_RANK_ONE: dict[str, Any] = {
    "mechanism": RANK_ONE,
    "served": True,
    "unordered": frozenset({"dimension"}),
    "costly": True,
    "rounds": 9,
    "float64": (0, 1e-6),
    "judged": (16, 40),
    "certified": 30,
    "confined": "σ*/Δ² in [10^-6, 10^20], ε up to 10^4",
}

ROWS = (
    Quantity(
        name="rank_one_sigma_star",
        mechanism=PUBLISHED_RANK_ONE,
        kind=NOISE_NEEDED,
        arguments=("epsilon", "delta", "dimension", "sensitivity"),
        exact="the formula 2Δ²/(εψ) for rank-one noise, which is not private for M ≥ 4",
        harm="less noise than the formula says",
        statements=("JL24.T1", "JL24.R1"),
        served=True,
        unordered=frozenset({"dimension"}),
        float64=(0, 1e-13),
    ),
    Quantity(
        name="rank_one_delta_at_epsilon",
        kind=DELTA,
        arguments=("epsilon", "sigma_star", "dimension", "sensitivity"),
        exact="the least δ of rank-one noise",
        harm="a smaller δ than the noise gives",
        statements=("X.R1.PROFILE", "JL24.R1"),
        **_RANK_ONE,
    ),
    Quantity(
        name="rank_one_private_sigma_star",
        kind=NOISE_NEEDED,
        arguments=("epsilon", "delta", "dimension", "sensitivity"),
        exact="the least σ* at which rank-one noise is (ε, δ)-private",
        harm="less noise than the promise of (ε, δ) needs",
        statements=("X.R1.PRIVATE",),
        **{**_RANK_ONE, "rounds": 24},  # a proof takes seconds
    ),
)
