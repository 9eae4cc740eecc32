"""Coarse enclosures hold what another way gives, where no formula of `test_every_formula` does.

That coarse balls meet fine ones is a law of `laws/test_rows.py`.
"""

from fractions import Fraction

import mpmath
import pytest
from flint import arb, ctx
from test_every_formula import asked

from dporacle import enclosures, reference
from support.dear import dear_if

COARSE = (1, 3, 6)

CLAIM = {"epsilon": 0.75, "delta": 0.015625, "dimension": 9}
NOISE = {"sigma_star": 0.5, "dimension": 9, "sensitivity": 2.0}
OFTEN = {"rate": 0.5, "steps": 64, "direction": "remove"}  # where the reference is quick
STEPS = {"sigma": 8.0} | OFTEN
BINS = {"sigma": 2.0, "batches": 4, "direction": "remove"}
SIZES = {"sigma": 16.0} | OFTEN
GROUP = {"rate": 0.5, "steps": 1, "size": 3, "direction": "remove"}
DIVISORS = {"divisor": 8, "other_divisor": 9, "coordinates": 16}
PHASES = {"phases": [(8.0, 0.5, 48), (6.0, 0.25, 32)], "direction": "add"}


def same(name):
    """The witness's own identity."""
    return lambda where, digits: getattr(reference, name)(**where, digits=digits)


def published(name):
    """The same at the variance of the published theorem."""

    def truth(where, digits):
        noise = {key: value for key, value in where.items() if key != "delta"}
        sigma = reference.rank_one_sigma_star(**CLAIM, digits=digits + 10)
        if name == "rank_one_total_variation":
            noise = {"dimension": where["dimension"]}
        return getattr(reference, name)(**noise, sigma_star=exact(sigma), digits=digits)

    return truth


def crossing(name, profile, root):
    """The place beside which the witness's profile, which falls, passes δ: its inverse is dear."""

    def truth(where, digits):
        middle = exact(mpmath.mpf(float(asked(enclosures, name, where, digits))))
        rest = {key: value for key, value in where.items() if key != "delta"}
        for side in (-1, 1):
            place = middle * (1 + Fraction(side, 10 ** (digits - 2)))
            beside = getattr(reference, profile)(**rest, **{root: place}, digits=digits)
            assert side * (exact(beside) - Fraction(where["delta"])) < 0
        return mpmath.mpf(middle)

    return truth


def exact(value):
    sign, mantissa, exponent, _ = value._mpf_
    return (-1) ** sign * Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


OTHERS = {
    "classical_epsilon_threshold": ({}, same("classical_epsilon_threshold")),
    "divisor_delta": ({"epsilon": 0.75} | DIVISORS, same("divisor_delta")),
    "divisor_epsilon": ({"delta": 0.015625} | DIVISORS, same("divisor_epsilon")),
    "dwork_2006_epsilon_threshold": ({}, same("dwork_2006_epsilon_threshold")),
    "dwork_roth_epsilon_threshold": ({}, same("dwork_roth_epsilon_threshold")),
    "rank_one_apollonius_delta": (
        {"epsilon": 0.75, "ratio": 1.5} | NOISE,
        same("rank_one_apollonius_delta"),
    ),
    "rank_one_delta_at_epsilon": ({"epsilon": 0.75} | NOISE, same("rank_one_delta_by_radius")),
    "rank_one_epsilon_at_delta": (
        {"delta": 0.25} | NOISE,
        crossing("rank_one_epsilon_at_delta", "rank_one_delta_at_epsilon", "epsilon"),
    ),
    "rank_one_private_sigma_star": (
        CLAIM,
        crossing("rank_one_private_sigma_star", "rank_one_delta_at_epsilon", "sigma_star"),
    ),
    "rank_one_published_apollonius": (
        CLAIM | {"ratio": 1.5},
        published("rank_one_apollonius_delta"),
    ),
    "rank_one_published_delta": (CLAIM, published("rank_one_delta_by_radius")),
    "rank_one_published_inner_ball": (
        CLAIM | {"ratio": 1.5},
        published("rank_one_inner_ball_delta"),
    ),
    "rank_one_published_total_variation": (CLAIM, published("rank_one_total_variation")),
    "rank_one_total_variation": (NOISE, same("rank_one_total_variation")),
    "subsampled_delta": ({"epsilon": 0.75} | STEPS, same("subsampled_delta")),
    "subsampled_epsilon": ({"delta": 0.015625} | STEPS, same("subsampled_epsilon")),
    "subsampled_schedule_delta": ({"epsilon": 0.75} | PHASES, same("subsampled_schedule_delta")),
    "subsampled_schedule_epsilon": (
        {"delta": 0.015625} | PHASES,
        same("subsampled_schedule_epsilon"),
    ),
    "subsampled_sigma": (
        {"epsilon": 0.75, "delta": 0.015625} | OFTEN,
        crossing("subsampled_sigma", "subsampled_delta", "sigma"),
    ),
    "subsampled_tradeoff": ({"alpha": 0.75} | STEPS, same("subsampled_tradeoff")),
    "subsampled_power": ({"alpha": 0.25} | STEPS, same("subsampled_power")),
    "subsampled_bayes_risk": ({"prior": 0.25} | STEPS, same("subsampled_bayes_risk")),
    "subsampled_bayes_success": ({"prior": 0.25} | STEPS, same("subsampled_bayes_success")),
    "subsampled_mu": (
        {"epsilon": 0.75, "sigma": 8.0, "rate": 0.5, "steps": 16},
        same("subsampled_mu"),
    ),
    "group_delta": ({"epsilon": 0.75, "sigma": 2.0} | GROUP, same("group_delta")),
    "group_epsilon": ({"delta": 0.015625, "sigma": 2.0} | GROUP, same("group_epsilon")),
    "group_sigma": ({"epsilon": 0.75, "delta": 0.015625} | GROUP, same("group_sigma")),
    "balls_and_bins_delta": ({"epsilon": 0.75} | BINS, same("balls_and_bins_delta")),
    "balls_and_bins_epsilon": ({"delta": 0.015625} | BINS, same("balls_and_bins_epsilon")),
    "fixed_size_delta": ({"epsilon": 0.75} | SIZES, same("fixed_size_delta")),
    "fixed_size_epsilon": ({"delta": 0.015625} | SIZES, same("fixed_size_epsilon")),
    "fixed_size_sigma": (
        {"epsilon": 0.75, "delta": 0.015625} | OFTEN,
        crossing("fixed_size_sigma", "fixed_size_delta", "sigma"),
    ),
}


# Of fewer digits, for the time that they take.
COSTLY = ("subsampled_", "fixed_size_", "group_", "balls_and_bins_")
DEAR = {name for name in OTHERS if name.startswith(COSTLY)} | {
    "rank_one_epsilon_at_delta",
    "rank_one_private_sigma_star",
}


@pytest.mark.parametrize("name", [dear_if(name, DEAR) for name in sorted(OTHERS)])
def test_coarse_balls_hold_what_another_way_gives(name):
    where, truth = OTHERS[name]
    digits = 11 if name in DEAR else 20
    value = exact(truth(where, digits))
    with ctx.workprec(300):
        middle = arb(value.numerator) / value.denominator
        for coarse in COARSE:
            ball = asked(enclosures, name, where, coarse)
            assert abs(ball.mid() - middle) <= ball.rad() + abs(middle) * arb(10) ** (1 - digits)
