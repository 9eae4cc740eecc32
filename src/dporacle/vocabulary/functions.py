"""What each function of the witnesses may be called with: the rows of its arguments.

A function that computes a quantity has the quantity's. The others have those of the arguments'
table, and of the few arguments here that no quantity takes.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from dporacle.vocabulary.arguments import ARGUMENTS, Argument
from dporacle.vocabulary.domains import BELOW_ONE, COUNT, NONNEGATIVE, POSITIVE, REAL, UNIT, Domain
from dporacle.vocabulary.quantities import QUANTITIES, Quantity

_ABOVE_ONE = Domain(least=1, open_below=True)

_OTHERS = {
    name: Argument(name=name, meaning=meaning, domain=domain, everyday=everyday, default=default)
    for name, meaning, domain, everyday, default in (
        ("records", "n: how many records there are", COUNT, 100, None),
        ("noise_multiplier", "σ of the noise per unit of sensitivity", POSITIVE, 1.0, None),
        ("rows", "M: how many rows the matrix has", COUNT, 10, None),
        ("columns", "N: how many columns it has; the smaller side is at most 10⁵", COUNT, 10, None),
        ("factor", "how many times its mean the loss is", NONNEGATIVE, 2.0, None),
        ("power", "p of the ℓp ball", POSITIVE, 1.0, None),
        ("radius", "B: the radius of the ball", POSITIVE, 1.0, None),
        ("strength", "s = (B/σ)^p, up to d", Domain(least=1), 2.0, None),
        ("nonzero", "k: how many coordinates are not 0, up to d", COUNT, 1, None),
        ("ratio", "λ: how many times farther the other input is", _ABOVE_ONE, 2.0, 2.0),
        ("distance", "ρ: the output's distance from the neighbour's answer", POSITIVE, 2.0, None),
        # Several numbers each.
        ("means", "the d coordinates of θ", REAL, 1.0, None),
        ("vector", "the coordinates of v, not all 0", REAL, 1.0, None),
        ("sensitivities", "the ℓ2-sensitivities Dᵢ", POSITIVE, 1.0, None),
        ("sigmas", "the standard deviations σᵢ, as many", POSITIVE, 1.0, None),
        ("variances", "the eigenvalues of the covariance, not all 0", NONNEGATIVE, 1.0, None),
        ("first", "the weights of P, not all 0", NONNEGATIVE, 1.0, None),
        ("second", "the weights of Q on the same outputs", NONNEGATIVE, 1.0, None),
    )
}

_POSITIVE_EPSILON = {"epsilon": {"domain": POSITIVE}}
_UP_TO_ONE = {"epsilon": {"domain": UNIT}}  # the classical theorem's
_ANY_ERROR = {"error": {"domain": POSITIVE}}
_UNIT_NOISE = {"sigma": {"default": 1.0}}
_LEVEL = {"alpha": {"domain": BELOW_ONE, "meaning": "α: the false positive rate"}}
_FROM_RADIUS = {
    "radius": {"meaning": "r: the output's distance from the answer that was made noisy"},
    "sensitivity": {"meaning": "D, the distance of the two answers"},
}


def _dimension(least: int, most: int = 10**9) -> dict[str, dict[str, Any]]:
    return {"dimension": {"domain": Domain(least=least, most=most, whole=True)}}


_OWN: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "algorithm_1": _POSITIVE_EPSILON,
    "analytic_loss_bound": _POSITIVE_EPSILON,
    "classical_expected_loss": _POSITIVE_EPSILON,
    "loss_tail": _dimension(1, 10**6),
    "low_privacy_threshold": _POSITIVE_EPSILON,
    "low_privacy_threshold_closed": _POSITIVE_EPSILON,
    "low_privacy_threshold_misquoted": _POSITIVE_EPSILON,
    "laplace_power": _LEVEL,
    "lp_ball_linear_risk": _UNIT_NOISE,
    "lp_ball_rate": {
        **_UNIT_NOISE,
        "power": {"domain": Domain(least=0, open_below=True, most=2, open_above=True)},
    },
    "lp_ball_threshold_bound": _UNIT_NOISE,
    "mvg_loss_bound": _POSITIVE_EPSILON,
    "name_and_shame_exposure": {
        "delta": {"meaning": "the probability with which a record is published"}
    },
    "r1smg_expected_loss": {**_POSITIVE_EPSILON, **_dimension(3, 1 << 53)},
    "rank_one_apollonius_delta": _dimension(2),
    "rank_one_cosecant_tail": _dimension(2),
    "rank_one_cotangent_tail": _dimension(2),
    "rank_one_delta_by_radius": _dimension(2),
    "rank_one_delta_interval": _dimension(2),
    "rank_one_epsilon_at_delta": {**_dimension(2), "delta": {"domain": UNIT}},
    "rank_one_inner_ball_delta": _dimension(2),
    "rank_one_intervals": {**_POSITIVE_EPSILON, **_dimension(2)},
    "rank_one_limit_constant": {**_POSITIVE_EPSILON, **_dimension(2)},
    "rank_one_loss": {**_FROM_RADIUS, **_dimension(2)},
    "rank_one_loss_bound": _FROM_RADIUS,
    "rank_one_psi": _dimension(3),
    "rank_one_published_apollonius": {**_POSITIVE_EPSILON, **_dimension(3)},
    "rank_one_published_delta": {**_POSITIVE_EPSILON, **_dimension(3)},
    "rank_one_published_inner_ball": {**_POSITIVE_EPSILON, **_dimension(3)},
    "rank_one_published_total_variation": {**_POSITIVE_EPSILON, **_dimension(3)},
    "rank_one_total_variation": _dimension(3),
    "sample_size": _ANY_ERROR,
    "sample_size_bound": _ANY_ERROR,
    "soft_threshold_oracle_bound": _UNIT_NOISE,
    "soft_threshold_risk": _UNIT_NOISE,
    "sparse_threshold_risk": _UNIT_NOISE,
    "variance_half_boundary": _UP_TO_ONE,
    "variance_third_boundary": _UP_TO_ONE,
}
"""Function -> argument -> the fields of its row that differ there."""

_QUANTITIES: Mapping[str, Quantity] = {
    row.function or row.name: row
    for row in sorted(QUANTITIES.values(), key=lambda row: -len(row.arguments), reverse=True)
}


_DOWN = {
    "delta_slope_epsilon",
    "classical_epsilon_max",
    "dwork_2006_epsilon_max",
    "dwork_roth_epsilon_max",
    "rank_one_inner_ball_delta",
    "rank_one_psi",
}


def rows_of(function: str) -> dict[str, Argument]:
    """Return the rows of all arguments that a function of this name may have.

    Args:
        function: its name, the same in every witness.
    """
    quantity = _QUANTITIES.get(function)
    known = {**ARGUMENTS, **_OTHERS} if quantity is None else quantity.rows
    own: dict[str, Mapping[str, Any]] = {**_OWN.get(function, {})}
    if "sensitivity" in known and "sensitivity" not in own:
        norm = "ℓ2" if quantity is None else quantity.mechanism.norm.partition(" ")[0]
        own["sensitivity"] = {"meaning": f"D, the {norm}-sensitivity"}
    return {**known, **{name: dataclasses.replace(known[name], **row) for name, row in own.items()}}


def rounds_down(function: str) -> bool:
    """Whether the safe side of a function's answer is down."""
    quantity = _QUANTITIES.get(function)
    return function in _DOWN if quantity is None else quantity.safe == "down"
