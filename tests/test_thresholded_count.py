"""Counts released at or above a threshold: X.TAU and X.LAPTAU, on every witness."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from support.dear import mostly_dear
from support.strategies import deltas, positives
from support.witnesses import ask, function

FINE = Fraction(1, 10**47)
TAIL = Fraction(1, 2**39)

counts = st.one_of(st.integers(1, 20), st.integers(1, 2**53))
widths = positives(1e-3, 1e3) | positives(1e-300, 1e300) | st.sampled_from([0.5, 1.0, 2.0, 10.0])


def witnessed(name, **where):
    """The exact ends, with the reference in them, and the float64."""
    low, high = ask("enclosures", name, **where)
    coarse = ask("enclosures", name, digits=12, **where)
    assert coarse[0] <= high
    assert low <= coarse[1]
    value = ask("reference", name, **where)[0]
    assert abs(value - low) <= FINE * abs(low)
    return low, high, function("fast", name)(**where)


def holds(name, **where):
    low, high, found = witnessed(name, **where)
    if math.isinf(found):
        assert found > 0
        assert high > Fraction(10**308)
        return
    assert Fraction(found) >= low
    assert Fraction(found) - low <= (1 + abs(low - 1)) / 2**45 + Fraction(1, 10**290)


@given(delta=deltas(), sigma=widths, count=counts)
@example(delta=0.5, sigma=1e300, count=1)
@example(delta=math.nextafter(0.5, 1), sigma=1e308, count=1)
@example(delta=1 - 1.5 * 2.0**-52, sigma=1e10, count=53)
@example(delta=0.75, sigma=3.0, count=2)  # a count is hidden with probability 1/2 exactly
@example(delta=0.875, sigma=3.0, count=3)
@example(delta=math.nextafter(0.75, 0), sigma=1e10, count=2)
@example(delta=0.8748046942695984, sigma=10.0, count=2)  # z < 0: its sign lost digits once
@example(delta=5e-324, sigma=1.0, count=2**53)
@example(delta=1 - 2.0**-53, sigma=2.0, count=1)
@pytest.mark.statement("X.TAU")
def test_gaussian_thresholds_agree(delta, sigma, count):
    holds("count_threshold", delta=delta, sigma=sigma, contributions=count)


@given(delta=deltas(), epsilon=widths, count=counts)
@example(delta=0.5, epsilon=1e-300, count=1)
@example(delta=math.nextafter(0.5, 1), epsilon=5e-324, count=1)  # infinite once
@example(delta=math.nextafter(0.5, 0), epsilon=5e-324, count=1)
@example(delta=math.nextafter(0.875, 1), epsilon=5e-324, count=3)
@example(delta=1 - 1.5 * 2.0**-52, epsilon=1e-10, count=53)  # its ln 2p lost digits
@example(delta=0.75, epsilon=1.0, count=2)
@example(delta=math.nextafter(0.75, 1), epsilon=1e-10, count=2)
@example(delta=5e-324, epsilon=1.0, count=2**53)
@pytest.mark.statement("X.LAPTAU")
def test_laplace_thresholds_agree(delta, epsilon, count):
    holds("laplace_count_threshold", delta=delta, epsilon=epsilon, contributions=count)


@given(z=st.floats(-30, 38), width=positives(1e-3, 1e3), count=counts)
@example(z=38.0, width=1.0, count=6)  # a single tail is 0 in float64, six of them are not
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("count_threshold_delta", marks=pytest.mark.statement("X.TAU")),
        pytest.param("laplace_count_threshold_delta", marks=pytest.mark.statement("X.LAPTAU")),
    ],
)
def test_probabilities_agree(name, z, width, count):
    if name == "count_threshold_delta":
        where = {"threshold": 1 + z * width, "sigma": width}
    else:
        where = {"threshold": 1 + z * abs(z) / 2 * count * width, "epsilon": 1 / width}
    low, _, found = witnessed(name, **where, contributions=count)
    assert min(low, 1) <= Fraction(found) <= min(low * (1 + TAIL), 1) + Fraction(1, 10**290)


@given(z=st.floats(-30, 38), scale=positives(1e-2, 1e3), count=counts)
@example(z=0.0, scale=1.0, count=1)
@example(z=math.sqrt(2), scale=2.0**-10, count=2**53)
@example(z=1.0, scale=1e15, count=1)
@pytest.mark.statement("X.INTTAU")
def test_probabilities_of_whole_noise_agree(z, scale, count):
    far = round(z * abs(z) / 2 * scale)
    where = {"threshold": 1 + far, "scale": scale, "contributions": count}
    low, _, found = witnessed("integer_count_threshold_delta", **where)
    assert min(low, 1) <= Fraction(found) <= min(low * (1 + TAIL), 1) + Fraction(1, 10**290)


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
        assert np.maximum(one - math.exp(epsilon) * other, 0).sum() <= delta + 1e-12
    if shared == 0:
        assert np.maximum(first - math.exp(epsilon) * second, 0).sum() == pytest.approx(delta)
