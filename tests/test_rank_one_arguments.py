"""Nonsense is refused by every rank-one function: JL24.T1, X.R1.PROFILE."""

import math
from fractions import Fraction

import pytest

from dporacle import enclosures, fast, reference
from dporacle.papers.rank_one import judge_rank_one_claim
from support.exact import agrees

BAD = [
    {"epsilon": -1},
    {"epsilon": math.nan},
    {"epsilon": "one"},
    {"sigma_star": 0},
    {"sigma_star": math.inf},
    {"dimension": 1},
    {"dimension": 10**9 + 1},
    {"dimension": 4.0},
    {"dimension": True},
    {"sensitivity": 0},
]


@pytest.mark.statement("X.R1.PROFILE")
@pytest.mark.parametrize("bad", BAD, ids=str)
@pytest.mark.parametrize("witness", [reference, enclosures, fast])
def test_nonsense_is_refused(witness, bad):
    good = {"epsilon": 1, "sigma_star": 1, "dimension": 4, "sensitivity": 1}
    with pytest.raises((ValueError, TypeError), match=next(iter(bad))):
        witness.rank_one_delta_at_epsilon(**(good | bad))


@pytest.mark.statement("JL24.T1")
@pytest.mark.parametrize(
    "bad", [{"dimension": 2}, {"delta": 0}, {"delta": 1}, {"epsilon": 0}], ids=str
)
def test_nonsense_claims_are_refused(bad):
    good = {"epsilon": 1, "delta": Fraction(1, 10), "dimension": 4}
    for function in (
        reference.rank_one_sigma_star,
        enclosures.rank_one_sigma_star,
        enclosures.rank_one_published_delta,
        fast.rank_one_sigma_star,
        judge_rank_one_claim,
    ):
        arguments = good | bad
        if function is fast.rank_one_sigma_star:
            arguments["delta"] = float(arguments["delta"])
        with pytest.raises(ValueError, match=next(iter(bad))):
            function(**arguments)
    with pytest.raises(ValueError, match="ratio"):
        enclosures.rank_one_inner_ball_delta(epsilon=1, sigma_star=1, dimension=4, ratio=1)


@pytest.mark.thorough("the reference at thousands of bits")
@pytest.mark.statement("X.R1.PROFILE")
def test_what_would_cancel_thousands_of_bits_is_refused_by_the_reference_at_once():
    where = {"sigma_star": 0.7, "dimension": 3, "sensitivity": 100}
    for ask in (
        lambda: reference.rank_one_delta_at_epsilon(epsilon=7000, **where),
        lambda: reference.rank_one_epsilon_at_delta(delta=0.25, **where),
    ):
        with pytest.raises(ArithmeticError, match="more than 3000 bits may cancel"):
            ask()
    # A little noise, and still an answer.
    near = enclosures.rank_one_epsilon_at_delta(delta=0.25, sigma_star=0.001, dimension=3)
    found = reference.rank_one_epsilon_at_delta(
        delta=0.25, sigma_star=0.001, dimension=3, digits=10
    )
    assert agrees(near, found, 9)
