"""The inverses of the rank-one profile at δ next to 0 and to 1: X.R1.INVERSE."""

from fractions import Fraction

import pytest
from flint import arb, fmpq

from dporacle import enclosures, reference
from dporacle.enclosures.arithmetic import rounding
from dporacle.wings.papers.rank_one_claims import TOTAL_VARIATION, decide_rank_one
from support.exact import agrees, bounds

pytestmark = pytest.mark.statement("X.R1.INVERSE")

NEAR_ZERO, NEAR_ONE = Fraction(1, 10**30), 1 - Fraction(1, 10**9)


@pytest.mark.statement("X.R1.PRIVATE")
@pytest.mark.parametrize("dimension", [3])
@pytest.mark.parametrize("delta", [NEAR_ZERO, NEAR_ONE], ids=["near 0", "near 1"])
def test_inverses_next_to_the_ends_solve_the_profile(dimension, delta):
    """δ(ε) at either end of the ball, a little widened, is on either side of δ."""
    ball = enclosures.rank_one_private_sigma_star(
        epsilon=1, delta=delta, dimension=dimension, digits=5
    )
    for s, side in zip(bounds(ball), (1, -1), strict=True):
        moved = s * (1 - side * Fraction(1, 10**4))
        value = enclosures.rank_one_delta_at_epsilon(
            epsilon=1, sigma_star=moved, dimension=dimension, digits=14
        )
        assert rounding.side(value, delta) == side
    back = enclosures.rank_one_epsilon_at_delta(
        delta=delta, sigma_star=Fraction(float(ball)), dimension=dimension, digits=4
    )
    assert abs(float(back) - 1) < 3e-4


@pytest.mark.thorough("balls of several seconds each")
@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("rank_one_private_sigma_star", {"epsilon": 1, "delta": NEAR_ZERO}),
        ("rank_one_private_sigma_star", {"epsilon": 0, "delta": NEAR_ONE}),
    ],
)
def test_inverses_next_to_the_ends_agree(name, where):
    ball = getattr(enclosures, name)(**where, dimension=3, digits=5)
    assert agrees(ball, getattr(reference, name)(**where, dimension=3, digits=1), 1)


@pytest.mark.parametrize("witness", [enclosures, reference])
def test_no_epsilon_is_needed_where_the_noise_suffices(witness):
    where = {"sigma_star": Fraction(1, 100), "dimension": 3}
    assert witness.rank_one_epsilon_at_delta(delta=NEAR_ONE, **where) == 0


@pytest.mark.parametrize("witness", [enclosures, reference])
def test_delta_one_is_for_the_other_inverse_only(witness):
    assert witness.rank_one_epsilon_at_delta(delta=1, sigma_star=1, dimension=4) == 0
    with pytest.raises(ValueError, match="delta"):
        witness.rank_one_private_sigma_star(epsilon=1, delta=1, dimension=4)


def test_a_claim_is_decided_by_the_total_variation_of_its_own_dimension():
    """That of one dimension more is larger, and would not be enough."""
    where = {"epsilon": Fraction(1, 100), "dimension": 3}
    exact = rounding.bounds(
        enclosures.rank_one_delta_at_epsilon(**where, sigma_star=Fraction(1, 2))
    )[1]
    found = decide_rank_one(
        **where, delta=exact * Fraction(101, 100), variance=lambda: arb(fmpq(1, 2))
    )
    assert (found.verdict, found.proof) == ("HOLDS", TOTAL_VARIATION)
