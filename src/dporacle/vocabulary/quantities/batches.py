"""Quantities of DP-SGD whose batches are not drawn by Poisson sampling."""

from typing import Any

from dporacle.vocabulary.kinds import DELTA, EPSILON, NOISE_NEEDED
from dporacle.vocabulary.mechanisms import FIXED_SIZE
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

ROWS = (
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
