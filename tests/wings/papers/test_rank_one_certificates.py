"""Certificates of violations by the inner ball, over the whole domain of rank-one claims."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_audit import formula, privacy
from test_audit_kinds import rank_one_noise
from test_certificates import confirm

from dporacle import claims
from dporacle.claims import judge
from dporacle.wings.papers import rank_one_claims as rank_one
from support.strategies import deltas, epsilons, positives


def confirm_inner_ball(mechanism, asserts):
    """Check the certificate of a claim that the inner ball refutes; tell whether it does.

    That proof comes first and is not counted as work: claims that it leaves to the exact profile
    are not to be waited for, and are out of reach.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dporacle.wings.papers.enclosures.rank_one.work_limit.AUDITED", 1)
        claim = claims.make({"id": "x", "mechanism": mechanism, "asserts": asserts})
        refuted = judge.decide(claim).proof == rank_one.INNER_BALL
        if refuted:
            confirm(mechanism, asserts)
    return refuted


@settings(max_examples=100)
@given(st.integers(2, 40), positives(), epsilons(), deltas())
def test_rank_one_over_the_whole_domain(dimension, sigma_star, epsilon, delta):
    confirm_inner_ball(rank_one_noise(dimension, sigma_star=sigma_star), privacy(epsilon, delta))


@settings(max_examples=100)
@given(st.integers(2, 40), positives(1e-3, 1e12), epsilons(5.0), positives(1e-12, 0.3))
@example(4, 1.0, 1.0, 1e-5)
def test_rank_one_where_inner_balls_are_common(dimension, sigma_star, epsilon, delta):
    mechanism = rank_one_noise(dimension, sigma_star=sigma_star)
    refuted = confirm_inner_ball(mechanism, privacy(epsilon, delta))
    # By X.R1.SCALING δ(ε)·√σ* stays above some 0.01 for these ε.
    assert refuted or delta * sigma_star**0.5 > 1e-3 or epsilon > 1 or sigma_star < 1


@settings(max_examples=30)
@given(st.integers(3, 20_000), epsilons(5.0, zero=False), deltas())
@example(7921, 1.0, 1e-5)
def test_the_published_theorem_over_its_domain(dimension, epsilon, delta):
    confirm_inner_ball(None, formula("r1smg", epsilon, delta) | {"dimension": dimension})
