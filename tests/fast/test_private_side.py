"""Every result is on the private side of the exact one, and close to it.

The truth comes from balls that contain it.
"""

import itertools
import math
import random
from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dporacle import enclosures, fast

LEAST = 5e-324
LARGEST = 1.7976931348623157e308
OFF = 1 - 2.0**-53  # the largest float64 below 1

EPSILONS = [0.0, LEAST, 1e-310, 1e-300, 1e-12, 0.01, 1.0, 12.5, 700.0, 709.7, 709.79, 710.0, 800.0]
EPSILONS += [999.9, 1000.1, 1e4, 1e6, 1e36, 1e150, 1e300, LARGEST]
DELTAS = [LEAST, 1e-310, 1e-300, 1e-100, 1e-16, 1e-5, 0.3, math.nextafter(0.5, 0), 0.5]
DELTAS += [math.nextafter(0.5, 1), 0.7, 0.9, 1 - 2.0**-30, OFF]


def ball(x):
    mantissa, exponent = math.frexp(x)
    return arb(int(mantissa * 2.0**53)) * arb(2) ** (exponent - 53)


def excess(result, true, *, up=True):
    """Return (result − true)/ulp, or −inf if it is not certainly ≥ 0."""
    ctx.prec = 400
    gap = ball(result) - true if up else true - ball(result)
    if gap == 0:
        return 0.0
    return float((gap / ball(math.ulp(result))).mid()) if gap > 0 else -math.inf


def logs(low, high):
    return st.floats(low, high).map(
        lambda e: max(math.ldexp(2.0 ** (e % 1.0), math.floor(e)), LEAST)
    )


epsilons = st.one_of(st.just(0.0), logs(-40, 20), logs(-1074, 1023), st.sampled_from(EPSILONS))
deltas = st.one_of(
    logs(-1074, -1),
    logs(-40, -1),
    logs(-53, -1).map(lambda x: min(1 - x, OFF)),
    st.integers(-60, 60).map(lambda i: 0.5 + i * 2.0**-53),
    st.floats(0.01, 0.99),
    st.sampled_from(DELTAS),
)
sizes = st.one_of(st.just(1.0), logs(-30, 30), logs(-1074, 1023), st.sampled_from([LEAST, LARGEST]))
many = settings(max_examples=400)
some = settings(max_examples=150)


def check_sigma(epsilon, delta, sensitivity, most=2.25):
    true = enclosures.calibrate_sigma(
        epsilon=epsilon, delta=delta, sensitivity=sensitivity, digits=30
    )
    if true > ball(LARGEST) or true < ball(LEAST):
        with pytest.raises(OverflowError, match="sigma is too"):
            fast.calibrate_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        return
    sigma = fast.calibrate_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    assert 0 <= excess(sigma, true) <= most


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_sigma_at_corners(epsilon, delta):
    check_sigma(epsilon, delta, 1.0)


@pytest.mark.parametrize(
    "sensitivity", [LEAST, 1e-310, 2.0**-1022, 1e-300, 1e-10, 1e6, 1e300, LARGEST]
)
@pytest.mark.parametrize("epsilon", [0.0, 1e-300, 0.1, 1.0, 1e4, LARGEST])
def test_sigma_over_the_range_of_sensitivities(epsilon, sensitivity):
    for delta in (LEAST, 1e-12, 0.5, OFF):
        check_sigma(epsilon, delta, sensitivity)


@many
@given(epsilons, deltas, sizes)
def test_sigma(epsilon, delta, sensitivity):
    check_sigma(epsilon, delta, sensitivity)


@some
@given(logs(-3, 10), logs(-1070, -2))
def test_sigma_decides_both_ways(epsilon, delta):
    """σ itself holds; a few units below it does not."""
    sigma = fast.calibrate_sigma(epsilon=epsilon, delta=delta)
    ctx.prec = 200
    assert enclosures.delta_at_epsilon(epsilon=epsilon, sigma=sigma) <= ball(delta)
    below = sigma - 2.25 * math.ulp(sigma)
    assert enclosures.delta_at_epsilon(epsilon=epsilon, sigma=below, digits=60) > ball(delta)


def check_below_one(result, true):
    ctx.prec = 400
    if result == 1.0:  # the exact value is below 1
        assert true > 1 - ball(2.0**-52)
    else:
        assert 0 <= excess(result, true) <= 4


def check_delta(epsilon, sigma, sensitivity):
    result = fast.delta_at_epsilon(epsilon=epsilon, sigma=sigma, sensitivity=sensitivity)
    assert 0 < result <= 1
    ctx.prec = 400
    y = ball(epsilon) * ball(sigma) / ball(sensitivity) - ball(sensitivity) / ball(sigma) / 2
    if y > 60 or y < -60:  # nothing else can be right
        assert result == (LEAST if y > 60 else 1.0)
        return
    true = enclosures.delta_at_epsilon(
        epsilon=epsilon, sigma=sigma, sensitivity=sensitivity, digits=30
    )
    check_below_one(result, true)


@many
@given(epsilons, deltas, sizes, st.floats(-1e-3, 1e-3))
def test_delta(epsilon, delta, sensitivity, off):
    try:
        sigma = fast.calibrate_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    except OverflowError:
        return
    sigma = max(sigma * (1 + off), LEAST)
    if sigma <= LARGEST:
        check_delta(epsilon, sigma, sensitivity)


@many
@given(epsilons, sizes, sizes)
def test_delta_anywhere(epsilon, sigma, sensitivity):
    check_delta(epsilon, sigma, sensitivity)


@many
@given(logs(-40, 20), logs(-20, 40))
def test_log_delta(epsilon, sigma):
    result = fast.log_delta_at_epsilon(epsilon=epsilon, sigma=sigma)
    true = enclosures.log_delta_at_epsilon(epsilon=epsilon, sigma=sigma, digits=30)
    assert result <= 0
    if true > ball(-LEAST):
        assert result == 0.0
    else:
        assert 0 <= excess(result, true) <= 5


def test_log_delta_far_below_the_range():
    assert fast.log_delta_at_epsilon(epsilon=1e308, sigma=1e300) == pytest.approx(-LARGEST)
    assert fast.log_delta_at_epsilon(epsilon=1e4, sigma=1e-200) == 0.0
    result = fast.log_delta_at_epsilon(epsilon=1.0, sigma=1414.0)
    true = enclosures.log_delta_at_epsilon(epsilon=1.0, sigma=1414.0, digits=30)
    assert 0 <= excess(result, true) <= 5


def check_epsilon(delta, sigma, sensitivity):
    true = enclosures.epsilon_at_delta(delta=delta, sigma=sigma, sensitivity=sensitivity, digits=30)
    if true > ball(LARGEST):
        with pytest.raises(OverflowError, match="epsilon is too large"):
            fast.epsilon_at_delta(delta=delta, sigma=sigma, sensitivity=sensitivity)
        return
    result = fast.epsilon_at_delta(delta=delta, sigma=sigma, sensitivity=sensitivity)
    assert result >= 0
    ctx.prec = 400
    if true == 0:
        mu = sensitivity / sigma
        assert result <= max(mu * 2.0**-52, LEAST)  # 0, but for a δ next to δ(0)
        return
    assert result > 0
    over = excess(result, true)
    assert over >= 0
    if over > 1:
        mu = ball(sensitivity) / ball(sigma)
        h = ball(result) / mu
        slope = enclosures.delta_slope_epsilon(
            epsilon=result, sigma=sigma, sensitivity=sensitivity, digits=20
        )
        delta_there = enclosures.delta_at_epsilon(
            epsilon=result, sigma=sigma, sensitivity=sensitivity, digits=20
        )
        conditioning = ball(result) - delta_there / slope
        beyond = (over - 1) * ball(math.ulp(result)) / (conditioning * ball(2.0**-53))
        assert float(beyond.mid()) <= 0.5, (h, beyond)


@many
@given(deltas, logs(-20, 60), st.just(1.0))
def test_epsilon(delta, sigma, sensitivity):
    check_epsilon(delta, sigma, sensitivity)


@some
@given(deltas, sizes, sizes)
def test_epsilon_anywhere(delta, sigma, sensitivity):
    check_epsilon(delta, sigma, sensitivity)


@some
@given(logs(-20, 40), logs(-53, 0))
@example(23102943.746356748, 2.0**-53)  # δ of so small a μ loses 25 bits: no balls bracketed ε
def test_epsilon_where_it_vanishes(sigma, off):
    zero = fast.delta_at_epsilon(epsilon=0.0, sigma=sigma)
    assert fast.epsilon_at_delta(delta=zero, sigma=sigma) <= 2.0**-50 / sigma
    check_epsilon(max(zero * (1 - off), LEAST), sigma, 1.0)
    assert fast.epsilon_at_delta(delta=1.0, sigma=sigma) == 0.0


@pytest.mark.parametrize(
    ("name", "up"),
    [
        ("delta_slope_mu", True),
        ("delta_slope_epsilon", False),
        ("loss_upper_tail", True),
        ("loss_lower_tail", True),
    ],
)
@some
@given(logs(-40, 20), deltas, st.floats(-1e-3, 1e-3))
def test_tails_and_slopes(name, up, epsilon, delta, off):
    sigma = fast.calibrate_sigma(epsilon=epsilon, delta=delta) * (1 + off)
    result = getattr(fast, name)(epsilon=epsilon, sigma=sigma)
    true = getattr(enclosures, name)(epsilon=epsilon, sigma=sigma, digits=30)
    if abs(result) == LEAST:
        assert abs(true) < ball(4 * LEAST)
    elif result == 1.0:
        check_below_one(result, true)
    else:
        assert 0 <= excess(result, true, up=up) <= 3


@some
@given(logs(-1074, 1023), logs(-1074, 1023))
def test_loss_mean(sigma, sensitivity):
    true = enclosures.loss_mean(sigma=sigma, sensitivity=sensitivity, digits=40)
    if true > ball(LARGEST):
        with pytest.raises(OverflowError, match="eta is too large"):
            fast.loss_mean(sigma=sigma, sensitivity=sensitivity)
        return
    assert 0 <= excess(fast.loss_mean(sigma=sigma, sensitivity=sensitivity), true) <= 1.0001


def test_loss_mean_is_above_the_fraction():
    # The remainders of the quotient and of its square decide one case in fifty.
    generator = random.Random(1)
    for _ in range(500):
        sigma, sensitivity = generator.uniform(0.1, 10), generator.uniform(0.1, 10)
        exact = (Fraction(sensitivity) / Fraction(sigma)) ** 2 / 2
        found = fast.loss_mean(sigma=sigma, sensitivity=sensitivity)
        assert 0 <= Fraction(found) - exact <= Fraction(1.0001) * Fraction(math.ulp(found))


@some
@given(logs(-1074, 1023), deltas, logs(-1074, 1023))
def test_closed_forms(epsilon, delta, sensitivity):
    for name, arguments in (
        ("pinsker_sigma", {"delta": delta, "sensitivity": sensitivity}),
        ("classical_sigma", {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}),
    ):
        true = getattr(enclosures, name)(**arguments, digits=40)
        if true > ball(LARGEST) or true < ball(LEAST):
            with pytest.raises(OverflowError, match="sigma is too"):
                getattr(fast, name)(**arguments)
        else:
            assert 0 <= excess(getattr(fast, name)(**arguments), true) <= 1.75 + 0.25


@many
@given(st.one_of(deltas, logs(-1074, 0)), logs(-60, 60))
def test_accuracy(alpha, sigma):
    result = fast.accuracy(alpha=alpha, sigma=sigma)
    true = enclosures.accuracy(alpha=alpha, sigma=sigma, digits=30)
    assert 0 <= excess(result, true) <= 2.25
    if alpha < 1 and result > 0:
        result = fast.sigma_at_accuracy(accuracy=sigma, alpha=alpha)
        true = enclosures.sigma_at_accuracy(accuracy=sigma, alpha=alpha, digits=30)
        assert 0 <= excess(result, true, up=False) <= 2.25


@many
@given(st.one_of(st.just(0.0), logs(-1074, 6)), logs(-3, 3))
def test_alpha(accuracy, sigma):
    result = fast.alpha_at_accuracy(accuracy=accuracy, sigma=sigma)
    assert 0 < result <= 1
    if accuracy / sigma > 45:
        assert result == LEAST
        return
    true = enclosures.alpha_at_accuracy(accuracy=accuracy, sigma=sigma, digits=30)
    check_below_one(result, true)


def test_exact_edges():
    assert fast.accuracy(alpha=1.0, sigma=3.0) == 0.0
    assert fast.alpha_at_accuracy(accuracy=0.0, sigma=3.0) == 1.0
    assert fast.pinsker_sigma(delta=0.25) == 2.0
    assert fast.epsilon_at_delta(delta=1.0, sigma=LEAST) == 0.0
    for a, b in itertools.pairwise([0.0, 1e-300, 1.0, 1e300]):
        assert fast.delta_at_epsilon(epsilon=b, sigma=1.0) <= fast.delta_at_epsilon(
            epsilon=a, sigma=1.0
        )
