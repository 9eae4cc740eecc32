"""The exact profile of rank-one noise at the ends of its domain: X.R1.PROFILE."""

import math
from fractions import Fraction

import pytest
from flint import arb

from dporacle import enclosures, reference
from dporacle.enclosures.arithmetic import rounding
from dporacle.verdicts import Verdict
from dporacle.wings.papers import rank_one_claims as rank_one
from support.cases import table
from support.dear import dear, mostly_dear
from support.exact import agrees

pytestmark = pytest.mark.statement("X.R1.PROFILE")


@pytest.mark.parametrize(
    ("dimension", "epsilon", "variance", "shown"),
    [
        *table("edges"),
        (5, 1, Fraction(1, 10**30), "1.0000000000000000000"),
        (3, Fraction(1, 2**1000), 2**1000, "1.61"),
    ],
)
def test_edges(dimension, epsilon, variance, shown):
    """Regression values of the enclosures at the edges, where the reference does not reach."""
    ball = enclosures.rank_one_delta_at_epsilon(
        epsilon=epsilon, sigma_star=variance, dimension=dimension, digits=20
    )
    assert ball > 0
    assert ball.rel_accuracy_bits() >= 66
    mantissa = rounding.decimal_digits(ball, 20) if dimension > 3 else ball.str(20, radius=False)
    if variance != 2**1000:
        assert mantissa.replace("e", " ").split()[0][:12] == shown.replace("e", " ").split()[0][:12]


@pytest.mark.parametrize("dimension", mostly_dear([2, 3, 1000, 10**9], 4))
@pytest.mark.parametrize(
    ("epsilon", "variance"),
    [
        (1, 10**300),
        (Fraction(1, 10**12), 10**24),  # ε is as small as the noise is wide
        (Fraction(1, 10**300), 1),
        (10**300, 1),
        (10**9, Fraction(1, 10**9)),
        (6 * 10**7, Fraction(1, 10**8)),  # all of δ lies in the noise's own tail
        (5 * 10**7, Fraction(1, 10**8)),  # where the typical loss is ε
        dear(Fraction(1, 100), Fraction(1, 10**300)),
    ],
)
def test_the_whole_range_of_float64_is_enclosed(dimension, epsilon, variance):
    """δ(ε) is between its lower bound and 1, and falls, wherever float64 can write the inputs."""
    where = {"sigma_star": variance, "dimension": dimension}
    balls = [
        enclosures.rank_one_delta_at_epsilon(epsilon=eps, **where, digits=10)
        for eps in (epsilon, epsilon * Fraction(3, 2))
    ]
    assert all(ball.rel_accuracy_bits() >= 33 and 0 < ball <= 1.001 for ball in balls)
    assert not balls[1] > balls[0]
    ratio = 1 + Fraction(min(math.ceil(epsilon), 10**6), dimension - 1)
    inner = enclosures.rank_one_inner_ball_delta(epsilon=epsilon, **where, ratio=ratio, digits=10)
    assert not inner > balls[0]


@pytest.mark.parametrize(
    ("dimension", "epsilon", "variance", "shown"),
    [*table("far_values_do_not_change"), dear(7922, "541500", "1.793", "1.2179204124286380e-30")],
)
def test_far_values_do_not_change(dimension, epsilon, variance, shown):
    ball = enclosures.rank_one_delta_at_epsilon(
        epsilon=Fraction(epsilon), sigma_star=Fraction(variance), dimension=dimension, digits=30
    )
    assert ball.str(16, radius=False)[:15] == shown[:15]


def test_out_of_reach_of_the_reference_is_said():
    with pytest.raises(ArithmeticError, match="bits"):
        reference.rank_one_delta_at_epsilon(epsilon=10**6, sigma_star=1, dimension=3)


def test_an_audited_claim_out_of_reach_is_undecided(monkeypatch):
    """The work is counted, and where it does not do the verdict says so."""
    where = {"epsilon": Fraction(1), "delta": Fraction(19, 100), "dimension": 4}
    for work, verdict in ((500, Verdict.UNDECIDED), (60_000, Verdict.VIOLATED)):
        monkeypatch.setattr("dporacle.wings.papers.enclosures.rank_one.work_limit.AUDITED", work)
        found = rank_one.decide_rank_one(**where, variance=lambda: arb(10))
        assert found.verdict is verdict
        assert ("500 evaluations" in found.reason) == (work == 500)


@pytest.mark.parametrize("dimension", [3, 10])
def test_the_least_float64_of_variance(dimension):
    """The distance at which the largest loss is least was lost in rounding, and divided by."""
    where = {"epsilon": 1, "sigma_star": 5e-324, "dimension": dimension}
    ball = enclosures.rank_one_delta_at_epsilon(**where, digits=20)
    value = reference.rank_one_delta_at_epsilon(**where, digits=20)
    assert agrees(ball, value, 20)
    assert enclosures.rank_one_intervals(**where) == 1


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
