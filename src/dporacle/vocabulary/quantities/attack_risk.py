"""Quantities of what an attacker reaches who tests whether a record was used."""

from typing import Any

from dporacle.vocabulary.domains import BELOW_ONE
from dporacle.vocabulary.draws import Near, Power
from dporacle.vocabulary.kinds import ADVANTAGE, BAYES_RISK, POWER, TRADEOFF
from dporacle.vocabulary.mechanisms import MECHANISMS, SUBSAMPLED
from dporacle.vocabulary.quantities.row import Quantity

_LEVEL = {"alpha": {"domain": BELOW_ONE, "meaning": "α: the false positive rate"}}
_SAMPLED: dict[str, Any] = {
    "mechanism": SUBSAMPLED["both"],
    "fixed": {"direction": "both"},
    "costly": True,
    "rounds": 9,
    "judged": (12, 20, 40),
    "certified": 25,
    "confined": "σ in [0.3, 100], rates from 10^-6, up to 10^7 steps, α from 10^-18",
    "served": True,
    "statements": ("X.RISK.POWER",),
}
_AT_A_LEVEL: dict[str, Any] = {
    "arguments": ("alpha", "sigma", "rate", "steps"),
    "own": {
        "alpha": {
            **_LEVEL["alpha"],
            "extreme": (-30.0, -0.001),
            "edges": (Power(-60, -20), Near(-1, 8, 20)),
        }
    },
}
_MORE = "a larger error of the attacker than the noise forces"
_LESS = "a smaller gain of the attacker than the noise allows"

ROWS = (
    Quantity(
        name="gdp_power",
        mechanism=MECHANISMS["gdp"],
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
        mechanism=MECHANISMS["laplace"],
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
        name="gdp_advantage",
        mechanism=MECHANISMS["gdp"],
        kind=ADVANTAGE,
        arguments=("mu",),
        exact="2Φ(μ/2) − 1, the largest TPR − FPR",
        harm=_LESS,
        statements=("X.GDP", "X.RISK.POWER"),
        served=True,
        function="gdp_delta",
        fixed={"epsilon": 0},
        float64=(0, 2.0**-51),
    ),
    Quantity(
        name="gdp_bayes_risk",
        mechanism=MECHANISMS["gdp"],
        kind=BAYES_RISK,
        arguments=("prior", "mu"),
        unordered=frozenset({"prior"}),
        exact="π·Φ(u − μ/2) + (1 − π)·Φ(−u − μ/2), u = ln((1−π)/π)/μ, the least share of errors",
        harm=_MORE,
        statements=("X.RISK.POWER",),
        served=True,
        float64=(2.0**-38, 0),
    ),
    Quantity(
        name="subsampled_tradeoff",
        kind=TRADEOFF,
        exact="the least error of type II of T Poisson-subsampled steps; a record more or less",
        harm=_MORE,
        float64=(1e-7, 0),
        **_AT_A_LEVEL,
        **_SAMPLED,
    ),
    Quantity(
        name="subsampled_power",
        kind=POWER,
        exact="the largest true positive rate of T Poisson-subsampled steps; a record more or less",
        harm=_LESS,
        float64=(0, 1e-8),
        **_AT_A_LEVEL,
        **_SAMPLED,
    ),
    Quantity(
        name="subsampled_advantage",
        kind=ADVANTAGE,
        arguments=("sigma", "rate", "steps"),
        exact="the largest TPR − FPR of T Poisson-subsampled steps; a record more or less",
        harm=_LESS,
        float64=(0, 1e-9),
        function="subsampled_delta",
        **{
            **_SAMPLED,
            "fixed": {"direction": "both", "epsilon": 0},
            "statements": ("X.SG.PROFILE", "X.RISK.POWER"),
        },
    ),
    Quantity(
        name="subsampled_bayes_risk",
        kind=BAYES_RISK,
        arguments=("prior", "sigma", "rate", "steps"),
        unordered=frozenset({"prior"}),
        exact="the least share of errors of T Poisson-subsampled steps; a record more or less",
        harm=_MORE,
        float64=(1e-7, 0),
        **_SAMPLED,
    ),
)
