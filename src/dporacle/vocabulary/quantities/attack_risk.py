"""Quantities of what an attacker reaches who tests whether a record was used."""

from typing import Any

from dporacle.vocabulary.domains import BELOW_ONE
from dporacle.vocabulary.draws import Near, Power
from dporacle.vocabulary.kinds import POWER, TRADEOFF
from dporacle.vocabulary.mechanisms import GDP, LAPLACE, SUBSAMPLED
from dporacle.vocabulary.quantities.row import Quantity

_LEVEL = {"alpha": {"domain": BELOW_ONE, "meaning": "α: the false positive rate"}}
_SAMPLED: dict[str, Any] = {
    "mechanism": SUBSAMPLED["both"],
    "arguments": ("alpha", "sigma", "rate", "steps"),
    "fixed": {"direction": "both"},
    "own": {
        "alpha": {
            **_LEVEL["alpha"],
            "extreme": (-30.0, -0.001),
            "edges": (Power(-60, -20), Near(-1, 8, 20)),
        }
    },
    "costly": True,
    "rounds": 9,
    "judged": (12, 20, 40),
    "certified": 25,
    "confined": "σ in [0.3, 100], rates from 10^-6, up to 10^7 steps, α from 10^-18",
}
_MORE = "a larger error of the attacker than the noise forces"
_LESS = "a smaller gain of the attacker than the noise allows"

ROWS = (
    Quantity(
        name="gdp_power",
        mechanism=GDP,
        kind=POWER,
        arguments=("alpha", "mu"),
        exact="Φ(Φ⁻¹(α) + μ), the largest true positive rate",
        harm=_LESS,
        statements=("X.RISK.POWER",),
        served=True,
        own=_LEVEL,
        float64=(0, 2.0**-38),
    ),
    Quantity(
        name="laplace_tradeoff",
        mechanism=LAPLACE,
        kind=TRADEOFF,
        arguments=("alpha", "scale", "sensitivity"),
        exact="the least error of type II, in three branches",
        harm=_MORE,
        statements=("X.RISK.POWER",),
        served=True,
        own=_LEVEL,
        float64=(2.0**-38, 0),
    ),
    Quantity(
        name="subsampled_tradeoff",
        kind=TRADEOFF,
        exact="the least error of type II of T Poisson-subsampled steps; a record more or less",
        harm=_MORE,
        statements=("X.RISK.POWER",),
        served=True,
        float64=(1e-7, 0),
        **_SAMPLED,
    ),
    Quantity(
        name="subsampled_power",
        kind=POWER,
        exact="the largest true positive rate of T Poisson-subsampled steps; a record more or less",
        harm=_LESS,
        statements=("X.RISK.POWER",),
        served=True,
        float64=(0, 1e-8),
        **_SAMPLED,
    ),
)
