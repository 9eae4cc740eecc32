"""The reference at arguments that cancel inside a function, against balls.

Where a difference stands inside an exponential, two precisions that both round it to the same
short number agree, and are wrong. These arguments are fractions built to cancel so.
"""

from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dporacle import enclosures, reference
from support.exact import fraction

DIGITS = 15
ONE = Fraction(1)
few = settings(max_examples=25)

sizes = st.integers(-800, 800)
gaps = st.tuples(st.sampled_from([-1, 1]), st.integers(1, 1200))


def power(exponent):
    return Fraction(2) ** exponent


def near(gap):
    """1 ± 2⁻ⁿ."""
    sign, bits = gap
    return 1 + sign * power(-bits)


def agree(name, digits=DIGITS, **where):
    """The number lies within its last digits of the ball, of whatever magnitude both are."""
    sign, mantissa, exponent, _ = getattr(reference, name)(**where, digits=digits)._mpf_
    ball = getattr(enclosures, name)(**where, digits=digits + 5)
    with ctx.workprec(4 * digits + 64):
        value = arb((-int(mantissa) if sign else int(mantissa), int(exponent)))
        assert abs(ball - value) <= abs(value) * arb(10) ** (1 - digits)


@few
@given(size=sizes, gap=gaps, releases=st.integers(1, 5))
@example(size=400, gap=(1, 390), releases=3)
@example(size=400, gap=(-1, 390), releases=1)
def test_budgets_next_to_half_the_squared_distance(size, gap, releases):
    mu = power(size)
    epsilon = mu**2 / 2 * near(gap)
    one = {"epsilon": epsilon, "sigma": 1, "sensitivity": mu}
    for name in ("delta_at_epsilon", "log_delta_at_epsilon", "delta_slope_mu"):
        agree(name, **one)
    for name in ("delta_slope_epsilon", "loss_upper_tail", "loss_lower_tail"):
        agree(name, **one)
    agree("zcdp_delta", epsilon=epsilon, mu=mu)
    agree("rdp_delta", epsilon=epsilon, mu=mu)
    agree("repeated_delta", **{**one, "epsilon": releases * epsilon}, releases=releases)


def test_the_root_of_the_number_of_releases_is_as_near_as_a_steep_delta_needs():
    agree("repeated_delta", epsilon=10**40, sigma=1, sensitivity=1, releases=3)


@few
@given(size=st.integers(-4000, 600), digits=st.sampled_from([12, 15, 50]))
@example(size=-166, digits=15)  # 1e-50
@example(size=-136, digits=12)
@example(size=-266, digits=50)
def test_conversion_at_no_budget(size, digits):
    agree("rdp_delta", epsilon=0, mu=power(size), digits=digits)


@few
@given(size=st.integers(-2000, 2000), gap=gaps)
def test_error_probabilities_next_to_a_half(size, gap):
    half = near(gap) / 2
    epsilon = power(size)
    for name in ("vinterbo_sigma", "plrv_tail_sigma", "rho_sigma"):
        agree(name, epsilon=epsilon, delta=half)
        agree(name, epsilon=epsilon, delta=near((-1, gap[1])))
    agree("rho_epsilon", rho=epsilon, delta=near((-1, gap[1])))
    agree("gdp_tradeoff", alpha=half, mu=power(min(size, 40)))


@few
@given(size=sizes, gap=gaps)
@example(size=400, gap=(1, 800))
@example(size=40, gap=(-1, 1200))
def test_thresholds_next_to_the_mean(size, gap):
    mean = power(size)
    agree("soft_threshold_coordinate_risk", mean=mean, threshold=mean * near(gap))
    agree("soft_threshold_coordinate_risk", mean=mean, threshold=power(-gap[1]))


@pytest.mark.parametrize("bits", [1, 53, 300, 520, 1500])
@pytest.mark.parametrize("law", ["classical", "dwork_roth", "dwork_2006"])
def test_largest_budgets_next_to_certain_failure(law, bits):
    agree(f"{law}_epsilon_max", delta=1 - power(-bits))
    agree(f"{law}_epsilon_max", delta=power(-bits))


@pytest.mark.parametrize("exponent", [-4000, -1074, 0, 1023, 4000])
def test_tails_of_every_size(exponent):
    size = power(exponent)
    agree("noise_tail", error=size, sigma=1)
    agree("noise_tail_bound", error=size, sigma=1)
    agree("alpha_at_accuracy", accuracy=size, sigma=1)
    agree("low_privacy_threshold", epsilon=size)
    agree("low_privacy_threshold_misquoted", epsilon=size)
    agree("group_delta_bound", epsilon=size, delta=ONE / 3, size=7)
    if exponent <= 0:  # the balls go no farther than a factor of about 2^900
        agree("loss_tail", dimension=7, factor=size)


def test_a_sample_size_is_never_a_guess():
    # √k·q/a agrees with 1 to 4000 digits.
    bound = fraction(reference.max_error_bound(queries=4, beta=ONE / 100, sigma=1, digits=4000))
    where = {"queries": 4, "beta": ONE / 100, "noise_multiplier": 1}
    with pytest.raises(ArithmeticError, match="sample size"):
        reference.sample_size_bound(error=2 * bound, **where)
