"""Quantities of DP-SGD whose batches are not drawn by Poisson sampling."""

from typing import Any

from dporacle.vocabulary.kinds import DELTA, EPSILON, NOISE_NEEDED
from dporacle.vocabulary.mechanisms import BALLS_AND_BINS, FIXED_SIZE
from dporacle.vocabulary.quantities.row import Quantity

_FIXED_SIZE: dict[str, Any] = {
    "mechanism": FIXED_SIZE,
    "fixed": {"direction": "both"},
    "statements": ("X.BAT.SIZE",),
    "served": True,
    "costly": True,
    "rounds": 9,
    "judged": (16, 26, 50),
    "certified": 30,
    "confined": "σ in [0.6, 200], rates from 10^-6, up to 10^7 steps, δ from 10^-100",
}
_SIZE = "of T batches of a fixed size, drawn anew; a record more or less"

_BALLS_AND_BINS: dict[str, Any] = {
    "mechanism": BALLS_AND_BINS,
    "fixed": {"direction": "both"},
    "statements": ("X.BAT.BINS",),
    "served": True,
    "costly": True,
    "rounds": 9,
    "judged": (14, 22),
    "certified": 20,
    "confined": "σ in [0.5, 10], up to 10^5 batches, δ from 10^-20",
}
_BINS = "of an epoch of T batches, a record in one of them, drawn uniformly; a record more or less"

ROWS = (
    Quantity(
        name="balls_and_bins_delta",
        kind=DELTA,
        arguments=("epsilon", "sigma", "batches"),
        exact=f"the least δ {_BINS}",
        harm="a smaller δ than the epoch gives",
        float64=(0, 1e-6),
        **_BALLS_AND_BINS,
    ),
    Quantity(
        name="balls_and_bins_epsilon",
        kind=EPSILON,
        arguments=("delta", "sigma", "batches"),
        exact=f"the least ε ≥ 0 {_BINS}",
        harm="a smaller ε than the epoch gives",
        float64=(0, 2e-3),
        **_BALLS_AND_BINS,
    ),
    Quantity(
        name="fixed_size_delta",
        kind=DELTA,
        arguments=("epsilon", "sigma", "rate", "steps"),
        exact=f"the least δ {_SIZE}",
        harm="a smaller δ than the steps give together",
        float64=(0, 1e-9),
        **_FIXED_SIZE,
    ),
    Quantity(
        name="fixed_size_epsilon",
        kind=EPSILON,
        arguments=("delta", "sigma", "rate", "steps"),
        exact=f"the least ε ≥ 0 {_SIZE}",
        harm="a smaller ε than the steps give together",
        float64=(0, 1e-6),
        **_FIXED_SIZE,
    ),
    Quantity(
        name="fixed_size_sigma",
        kind=NOISE_NEEDED,
        arguments=("epsilon", "delta", "rate", "steps"),
        exact=f"the least noise multiplier {_SIZE}",
        harm="less noise than the promise of all steps together needs",
        float64=(0, 1e-9),
        **{**_FIXED_SIZE, "rounds": 24},
    ),
)
