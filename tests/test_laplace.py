"""The Laplace mechanism on every witness: X.LAP, X.LAPRDP."""

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dporacle import enclosures, reference
from dporacle.enclosures.arithmetic import rounding
from support import strategies as s
from support.exact import agrees
from support.truths.laws import laplace_profile
from support.witnesses import ask

pytestmark = pytest.mark.statement("X.LAP")


def loss_profile(epsilon, m):
    """E(1 − e^{ε−L})₊ by quadrature over the noise, where the loss is what its densities say."""
    with mpmath.workdps(25):
        gain = lambda x: max(  # noqa: E731
            mpmath.mpf(0),
            mpmath.exp(-abs(x)) / 2 - mpmath.exp(mpmath.mpf(epsilon) - abs(x - m)) / 2,
        )
        return mpmath.quad(gain, sorted({-60, -10, 0, max(0, (m - epsilon) / 2), m, m + 40}))


@given(m=st.floats(0.01, 20), share=st.floats(0, 1.2))
@pytest.mark.statement("BW18.T5")
def test_delta_by_quadrature(witness, m, share):
    found = ask(witness, "laplace_delta_at_epsilon", epsilon=m * share, scale=1, sensitivity=m)
    assert float(found[0]) == pytest.approx(float(loss_profile(m * share, m)), abs=1e-9)


@given(epsilon=s.epsilons(50.0), delta=s.deltas(), sensitivity=s.positives(1e-6, 1e6))
def test_the_least_scale_has_that_delta_and_epsilon(epsilon, delta, sensitivity):
    """Back through the profile, on either side of the least scale."""
    ball = enclosures.laplace_calibrate_scale(
        epsilon=epsilon, delta=delta, sensitivity=sensitivity, digits=60
    )
    low, high = rounding.bounds(ball)
    for scale, private in (
        (high * (1 + Fraction(1, 10**59)), True),
        (low * (1 - Fraction(1, 10**59)), False),
    ):
        there = {"scale": scale, "sensitivity": sensitivity}
        given_delta = enclosures.laplace_delta_at_epsilon(epsilon=epsilon, **there, digits=100)
        assert rounding.side(given_delta, Fraction(delta)) == (-1 if private else 1)
        back = enclosures.laplace_epsilon_at_delta(delta=delta, **there, digits=100)
        assert rounding.side(back, Fraction(epsilon)) == (-1 if private else 1) or back.is_zero()


@given(alpha=s.deltas(), scale=s.positives(1e-6, 1e6))
def test_the_error_exceeds_the_accuracy_with_probability_alpha(alpha, scale):
    a = reference.laplace_accuracy(alpha=alpha, scale=scale, digits=400)
    back = enclosures.laplace_alpha_at_accuracy(accuracy=a, scale=scale, digits=60)
    assert agrees(back, Fraction(alpha), 50)
    one = enclosures.laplace_max_error_quantile(queries=1, beta=alpha, scale=scale)
    assert agrees(one, a, 45)


@pytest.mark.parametrize("m", [0.01, 1.0, 7.0])
@pytest.mark.parametrize("order", [0.25, 0.5, 1.0, 1.5, 8.0])
@pytest.mark.statement("X.LAPRDP")
def test_divergence_by_quadrature(witness, order, m):
    with mpmath.workdps(30):
        points = [-80, -5, 0, m / 2, m, m + 5, m + 80]
        density = lambda x: mpmath.exp(-abs(x)) / 2  # noqa: E731
        if order == 1:
            value = mpmath.quad(lambda x: density(x) * (abs(x - m) - abs(x)), points)
        else:
            power = mpmath.quad(
                lambda x: density(x) ** order * density(x - m) ** (1 - order), points
            )
            value = mpmath.log(power) / (order - 1)
        found = ask(witness, "laplace_rdp", order=order, scale=1, sensitivity=m)[0]
        assert float(found) == pytest.approx(float(value), rel=1e-11)


@given(m=s.positives(1e-3, 1e3), order=st.floats(1 + 1e-6, 1e6))
@pytest.mark.parametrize("witness", ["reference", "enclosures"])
@pytest.mark.statement("X.LAPRDP")
def test_rho_is_the_least_that_bounds_every_order(witness, m, order):
    rho = ask(witness, "laplace_zcdp_rho", scale=1, sensitivity=m)
    at = ask(witness, "laplace_rdp", order=order, scale=1, sensitivity=m)
    assert at[0] <= Fraction(order) * rho[1]
    near = ask(witness, "laplace_rdp", order=1 + Fraction(1, 10**30), scale=1, sensitivity=m)
    assert near[1] >= rho[0] * (1 - Fraction(1, 10**20))
    assert rho[1] <= Fraction(m) ** 2 / 2  # the bound of every mechanism that is m-DP


@given(shifts=st.lists(st.floats(0.05, 2), min_size=2, max_size=2), share=st.floats(0, 1))
def test_one_coordinate_dominates_several(shifts, share):
    """The profile of a shift of two coordinates, by quadrature, is below that of their sum."""
    first, second = shifts
    epsilon = share * (first + second)

    def profile(gap):
        return laplace_profile(gap, second)

    corners = [
        (first - epsilon + second) / 2,
        (first - epsilon - second) / 2,
        (first - epsilon) / 2,
    ]
    points = sorted({0.0, first, *(x for x in corners if 0 < x < first)})
    middle = mpmath.quad(lambda x: mpmath.exp(-x) * profile(epsilon - first + 2 * x), points)
    ends = profile(epsilon - first) + math.exp(-first) * profile(epsilon + first)
    sum_of = ask(
        "enclosures", "laplace_delta_at_epsilon", epsilon=epsilon, scale=1,
        sensitivity=Fraction(first) + Fraction(second),
    )  # fmt: skip
    assert float((middle + ends) / 2) <= float(sum_of[1]) + 1e-9
