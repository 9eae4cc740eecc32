"""Counts released at or above a threshold: X.TAU and X.LAPTAU, on every witness."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.dear import mostly_dear
from support.strategies import positives
from support.truths.divergences import divergence
from support.witnesses import ask

counts = st.one_of(st.integers(1, 20), st.integers(1, 2**53))


@given(tau=st.integers(2, 60), scale=positives(0.2, 20))
@pytest.mark.statement("X.INTTAU")
def test_the_mass_at_the_threshold_counts(witness, tau, scale):
    """Without it one count has the probability of the next threshold, e^{1/b} times less."""
    name = "integer_count_threshold_delta"
    at = ask(witness, name, threshold=tau, scale=scale, contributions=1)[0]
    above = ask(witness, name, threshold=tau + 1, scale=scale, contributions=1)[0]
    assert float(at / above) == pytest.approx(math.exp(1 / scale), rel=1e-9)


@given(delta=positives(1e-12, 0.3), width=positives(0.1, 50), count=st.integers(1, 100))
@pytest.mark.parametrize(
    ("name", "width_name"),
    [
        pytest.param("count_threshold", "sigma", marks=pytest.mark.statement("X.TAU")),
        pytest.param("laplace_count_threshold", "epsilon", marks=pytest.mark.statement("X.LAPTAU")),
    ],
)
def test_a_threshold_gives_its_delta(witness, name, width_name, delta, width, count):
    where = {width_name: width, "contributions": count}
    tau = ask(witness, name, delta=delta, **where)[0]
    there = ask("enclosures", f"{name}_delta", threshold=tau, **where)[1]
    assert abs(there / Fraction(delta) - 1) < Fraction(1, 2**30 if witness == "fast" else 10**40)
    assert there <= Fraction(delta) * (1 + Fraction(1, 10**40))


@pytest.mark.statement("X.TAU")
def test_one_contribution_is_the_quantile(witness):
    """τ = 1 + σΦ⁻¹(1−δ)."""
    tau = ask(witness, "count_threshold", delta=2.0**-10, sigma=2.0)[0]
    with mpmath.workdps(30):
        assert abs(float(tau) - (1 + 2 * math.sqrt(2) * float(mpmath.erfinv(1 - 2.0**-9)))) < 1e-12


@given(delta=positives(1e-12, 0.9), sigma=positives(0.1, 50), count=st.integers(2, 10**6))
@pytest.mark.statement("X.TAU")
def test_the_union_bound_asks_for_more(delta, sigma, count):
    """δ/k for each count, which libraries take, is on the safe side, and close for a small δ."""
    exact = ask("enclosures", "count_threshold", delta=delta, sigma=sigma, contributions=count)
    bound = ask("enclosures", "count_threshold", delta=Fraction(delta) / count, sigma=sigma)
    assert exact[1] <= bound[0]
    if delta < 1e-3:
        assert bound[1] - exact[0] < Fraction(sigma) * Fraction(delta)


@pytest.mark.parametrize("shared", mostly_dear([1, 0, 2], 3))
@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-3), (0.25, 0.05), (2.0, 0.4)])
@pytest.mark.statement("X.LAPTAU")
def test_the_whole_release_is_private_by_quadrature(shared, epsilon, delta):
    """Two counts of one person, of which others share some: H_ε both ways, on a fine grid."""
    scale = 2 / epsilon
    tau = float(
        ask("enclosures", "laplace_count_threshold", epsilon=epsilon, delta=delta, contributions=2)[
            1
        ]
    )
    edges = np.concatenate(([-np.inf], tau + np.linspace(0, 60 * scale, 4001), [np.inf]))

    def outcomes(count):
        """The probabilities of what is seen of a count: hidden, or in a cell from τ on."""
        if count == 0:
            return np.eye(1, edges.size - 1)[0]
        x = (edges - count) / scale
        below = np.where(x < 0, np.exp(np.minimum(x, 0)) / 2, 1 - np.exp(-np.maximum(x, 0)) / 2)
        return np.diff(below)

    with_one, without = ([], [])
    for index in range(2):
        others = 3 if index < shared else 0
        with_one.append(outcomes(others + 1))
        without.append(outcomes(others))
    first, second = (np.outer(*each).ravel() for each in (with_one, without))
    for one, other in ((first, second), (second, first)):
        assert divergence(one, other, math.exp(epsilon)) <= delta + 1e-12
    if shared == 0:
        assert divergence(first, second, math.exp(epsilon)) == pytest.approx(delta)
