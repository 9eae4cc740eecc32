"""The Laplace mechanism on every witness: X.LAP, X.LAPRDP."""

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dporacle import enclosures, fast, reference
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import precision
from dporacle.vocabulary import QUANTITIES
from support import strategies as s
from support.exact import agrees, ulps_above
from support.witnesses import ask

pytestmark = pytest.mark.statement("X.LAP")

# Floats between the float64 answer and the closest one on the safe side: the operations' errors,
# as many ulps on top of them, and both roundings.
ULPS = 32
QUANTILE_ULPS = 160  # the error of ln(1−β), up to 37, multiplies that of a share
many = settings(max_examples=150)

sizes = s.positives() | s.positives(1e-6, 1e6)
deltas_from_zero = st.just(0.0) | s.deltas()
orders = (
    s.positives()
    | s.positives(1e-3, 1e3)
    | st.sampled_from([0.5, 1.0])
    | st.builds(
        lambda near, n: near * (1 + 2.0**-n), st.sampled_from([0.5, 1.0]), st.integers(1, 52)
    )
)


def agree(name, ulps=ULPS, quanta=0, **where):
    """The enclosure holds the reference's answer; the float64 answer is close, on the safe side."""
    up = QUANTITIES[name].safe == "up"
    exact = {name: Fraction(value) for name, value in where.items() if isinstance(value, float)}
    ball = getattr(enclosures, name)(**{**where, **exact})
    inside = getattr(reference, name)(**{**where, **exact})
    value = getattr(fast, name)(**where)
    if ball.is_zero():
        assert inside == 0
    elif abs(mpmath.mag(inside)) < 4000:
        assert agrees(ball, inside, 50)
    rounded = rounding.round_up if up else rounding.round_down
    try:
        most = {"ceiling": QUANTITIES[name].kind.ceiling} if up else {}
        best = rounded(
            lambda digits: getattr(enclosures, name)(**{**where, **exact}, digits=digits), **most
        )
    except OverflowError:
        assert value == math.inf or (not up and value > 1e308)
        return
    if math.isinf(value):
        assert up
        assert best > 1e308
        return
    if 0 <= value - best <= quanta * s.TINY:
        return
    off = ulps_above(value, best) if up else -ulps_above(value, best)
    assert 0 <= off <= ulps


def loss_profile(epsilon, m):
    """E(1 − e^{ε−L})₊ by quadrature over the noise, where the loss is what its densities say."""
    with mpmath.workdps(25):
        gain = lambda x: max(  # noqa: E731
            mpmath.mpf(0),
            mpmath.exp(-abs(x)) / 2 - mpmath.exp(mpmath.mpf(epsilon) - abs(x - m)) / 2,
        )
        return mpmath.quad(gain, sorted({-60, -10, 0, max(0, (m - epsilon) / 2), m, m + 40}))


@many
@given(epsilon=s.epsilons(), scale=sizes, sensitivity=sizes)
@example(epsilon=0.0, scale=1e300, sensitivity=1e-300)  # δ is below the least float
@example(epsilon=1.0, scale=1.0, sensitivity=1.0)
@example(epsilon=0.1, scale=10.0, sensitivity=1.0)  # 0.1·10 is above 1 by 2^-54
def test_deltas_agree(epsilon, scale, sensitivity):
    agree("laplace_delta_at_epsilon", epsilon=epsilon, scale=scale, sensitivity=sensitivity)


@many
@given(
    m=s.positives(1e-6, 600.0), share=st.floats(0, 1) | st.floats(-52, -1).map(lambda n: 1 - 2.0**n)
)
def test_deltas_agree_next_to_the_pure_epsilon(m, share):
    agree("laplace_delta_at_epsilon", epsilon=m * share, scale=1.0, sensitivity=m)


@given(m=st.floats(0.01, 20), share=st.floats(0, 1.2))
@pytest.mark.statement("BW18.T5")
def test_delta_by_quadrature(witness, m, share):
    found = ask(witness, "laplace_delta_at_epsilon", epsilon=m * share, scale=1, sensitivity=m)
    assert float(found[0]) == pytest.approx(float(loss_profile(m * share, m)), abs=1e-9)


@many
@given(delta=deltas_from_zero, epsilon=s.epsilons(), sensitivity=sizes)
def test_scales_agree(delta, epsilon, sensitivity):
    if delta == 0 == epsilon:
        return
    agree("laplace_calibrate_scale", epsilon=epsilon, delta=delta, sensitivity=sensitivity)


@many
@given(delta=deltas_from_zero | st.just(1.0), scale=sizes, sensitivity=sizes)
@example(delta=0.3, scale=1.0, sensitivity=0.7133498878774648)  # −2 ln 0.7 to 53 bits
@example(delta=5e-324, scale=1e300, sensitivity=1e-20)
@example(delta=5.776622002767455e-275, scale=1.3207363278391631e269, sensitivity=2.0**-16)
def test_epsilons_agree(delta, scale, sensitivity):
    where = {"delta": delta, "scale": scale, "sensitivity": sensitivity}
    ball = enclosures.laplace_epsilon_at_delta(**where)
    inside = reference.laplace_epsilon_at_delta(**where)
    value = fast.laplace_epsilon_at_delta(**where)
    with precision(2400):
        ratio = rounding.bounds(ball)[1] if ball.is_zero() else None
        assert (inside == 0) == ball.is_zero()
        assert ball.is_zero() or bool(ball > 0)
    if ratio is None and abs(mpmath.mag(inside)) < 4000:
        assert agrees(ball, inside, 50)
    m = Fraction(sensitivity) / Fraction(scale)
    if math.isinf(value):
        assert m > Fraction(2) ** 1023
        return
    exact = Fraction(0) if ball.is_zero() else None
    if exact is None and mpmath.mag(inside) < -4000:
        exact = Fraction(0)  # less than any float
    low, high = (exact, exact) if exact is not None else rounding.bounds(ball)
    slack = m / 2**50 + 2 * Fraction(s.TINY)
    assert low <= Fraction(value) <= high + slack


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


@many
@given(level=s.deltas(), size=sizes)
@example(level=1 - 2.0**-53, size=1.0)
def test_accuracies_agree(level, size):
    agree("laplace_accuracy", alpha=level, scale=size)
    agree("laplace_scale_at_accuracy", alpha=level, accuracy=size)


@many
@given(bound=st.just(0.0) | sizes, scale=sizes, queries=st.integers(1, 2**53))
def test_tails_agree(bound, scale, queries):
    agree("laplace_alpha_at_accuracy", accuracy=bound, scale=scale)
    # Of a subnormal tail, k times the rounding is left.
    most = {"error": bound, "scale": scale, "queries": queries}
    agree("laplace_max_error_probability", quanta=4 * queries, **most)


@many
@given(beta=s.deltas(), scale=sizes, queries=st.integers(1, 2**53))
@example(beta=s.TINY, scale=1.0, queries=2**53)  # β/k is below the least float
def test_quantiles_agree(beta, scale, queries):
    where = {"beta": beta, "scale": scale, "queries": queries}
    agree("laplace_max_error_quantile", ulps=QUANTILE_ULPS, **where)


@given(alpha=s.deltas(), scale=s.positives(1e-6, 1e6))
def test_the_error_exceeds_the_accuracy_with_probability_alpha(alpha, scale):
    a = reference.laplace_accuracy(alpha=alpha, scale=scale, digits=400)
    back = enclosures.laplace_alpha_at_accuracy(accuracy=a, scale=scale, digits=60)
    assert agrees(back, Fraction(alpha), 50)
    one = enclosures.laplace_max_error_quantile(queries=1, beta=alpha, scale=scale)
    assert agrees(one, a, 45)


@many
@given(order=orders, scale=sizes, sensitivity=sizes)
@example(order=0.5, scale=1.0, sensitivity=1e-9)
@example(order=1.0, scale=1.0, sensitivity=700.0)
@example(order=5e-324, scale=1e-300, sensitivity=1e300)  # D/b is no float, the divergence is
@pytest.mark.statement("X.LAPRDP")
def test_divergences_agree(order, scale, sensitivity):
    agree("laplace_rdp", order=order, scale=scale, sensitivity=sensitivity)
    agree("laplace_zcdp_rho", scale=scale, sensitivity=sensitivity)


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
        return max(0, 1 - mpmath.exp((gap - second) / 2), 1 - mpmath.exp(gap))

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
