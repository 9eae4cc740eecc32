"""The analytic Gaussian mechanism on every witness: BW18.T2, T8, T9, L7 and X.EPS."""

import math
from fractions import Fraction

import mpmath
import pytest
from flint import acb, arb, ctx
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import dporacle
from dporacle import enclosures, fast, reference
from dporacle.enclosures.arithmetic import rounding
from support import strategies as s
from support.exact import agrees, bounds, close, fraction


@pytest.mark.statement("BW18.T9")
@given(epsilon=s.epsilons(1e6, zero=False), delta=s.deltas())
@example(epsilon=1e-300, delta=s.TINY)
@example(epsilon=1e300, delta=0.5)  # v* is 1e-600: known only through δ − δ₀
@example(epsilon=1.0, delta=0.3278)  # close to δ₀(1), where the sign of α turns
def test_algorithm_1_finds_the_same_sigma(epsilon, delta):
    by_paper = reference.algorithm_1(epsilon=epsilon, delta=delta)
    by_condition = reference.calibrate_sigma(epsilon=epsilon, delta=delta)
    assert close(by_paper, by_condition, 49)


@given(epsilon=s.epsilons(1e6), delta=s.deltas(), mu=s.mus())
def test_reference_agrees_with_itself_at_two_precisions(epsilon, delta, mu):
    for name, where in (
        ("calibrate_sigma", {"epsilon": epsilon, "delta": delta}),
        ("delta_at_epsilon", {"epsilon": epsilon, "sigma": 1, "sensitivity": mu}),
        ("epsilon_at_delta", {"delta": delta, "sigma": 1, "sensitivity": mu}),
    ):
        function = getattr(reference, name)
        coarse, fine = function(**where, digits=30), function(**where, digits=60)
        assume(abs(int(fine.man_exp[1])) < 4000)
        assert close(coarse, fine, 30)


@pytest.mark.statement("BW18.T8")
@settings(max_examples=15)
@given(epsilon=s.positives(1e-2, 8.0), mu=s.positives(0.3, 8.0))
def test_profile_is_the_hockey_stick_integral(epsilon, mu):
    # T5 before any Gaussian function is used: ∫ max(0, p − e^ε q), p and q unit normal densities
    # at distance μ; the integrand is positive above y₀ = ε/μ + μ/2 (p centred at μ, q at 0).
    with mpmath.workdps(40):
        e, m = mpmath.mpf(epsilon), mpmath.mpf(mu)
        edge = e / m + m / 2
        scale = mpmath.exp(-((edge - m) ** 2) / 2) if edge > m else mpmath.mpf(1)

        def gap(y):
            return (mpmath.npdf(y - m) - mpmath.exp(e) * mpmath.npdf(y)) / scale

        points = [edge, *(edge + step for step in (0.25, 1, 3)), max(edge, m) + 14]
        total = mpmath.quad(gap, sorted(points)) * scale
    exact = reference.delta_at_epsilon(epsilon=epsilon, sigma=1, sensitivity=mu)
    # 14 standard deviations leave e^{-98}; the quadrature itself reaches 30 digits.
    assert close(total, exact, 20)


@pytest.mark.statement("BW18.L7")
@given(epsilon=s.epsilons(20.0), mu=s.positives(1e-3, 20.0))
def test_profile_is_the_integral_of_its_slope(epsilon, mu):
    # δ = ∫₀^μ φ(t/2 − ε/t) dt, by rigorous quadrature: an identity that no witness uses. Below
    # t₀ the integrand is bounded by φ(t/2 − ε/t) ≤ e^{−(ε/t₀ − t₀/2)²/2} for t₀² ≤ 2ε, or by 1.
    with ctx.workprec(200):
        eps, top = arb(epsilon), arb(mu)
        start = top * arb(2) ** -60 if epsilon == 0 else (eps / 30).min(top / 2)

        def slope(t, _):
            y = t / 2 - acb(eps) / t
            return (-y * y / 2).exp() / acb(2 * arb.pi()).sqrt()

        body = acb.integral(slope, acb(start), acb(top), rel_tol=arb(2) ** -120).real
        below = start * (-((eps / start - start / 2) ** 2) / 2).exp() if epsilon else start
        total = body + below.union(arb(0))
    ball = enclosures.delta_at_epsilon(epsilon=epsilon, sigma=1, sensitivity=mu)
    assert total.overlaps(ball)


@pytest.mark.statement("BW18.L7")
@given(epsilon=s.epsilons(50.0), mu=s.positives(1e-2, 50.0))
def test_slopes_are_the_derivatives(epsilon, mu):
    where = {"epsilon": epsilon, "sigma": 1, "sensitivity": mu}
    delta = reference.delta_at_epsilon(**where, digits=80)
    step = Fraction(1, 10**30)
    for name, moved in (
        ("delta_slope_mu", {**where, "sensitivity": Fraction(mu) + step}),
        ("delta_slope_epsilon", {**where, "epsilon": Fraction(epsilon) + step}),
    ):
        slope = fraction(getattr(reference, name)(**where, digits=40))
        moved_delta = fraction(reference.delta_at_epsilon(**moved, digits=80))
        quotient = (moved_delta - fraction(delta)) / step
        # The next Taylor term is step/2 times the second derivative: −φ(y)·y·(1/2 + ε/μ²) in μ,
        # φ(y)/μ − e^ε Φ(−w) in ε; then 40 digits of the slope and 80 of the two δ.
        rise = fraction(reference.delta_slope_mu(**where, digits=10))
        y = abs(epsilon / mu - mu / 2)
        second = y * (0.5 + epsilon / mu**2) if name == "delta_slope_mu" else 1 / mu
        bend = rise * Fraction(second) + abs(slope)
        allowed = bend * step + abs(slope) / 10**40 + 2 * fraction(delta) / 10**50
        assert abs(quotient - slope) <= allowed
        assert slope > 0 if name == "delta_slope_mu" else slope < 0


@pytest.mark.statement("BW18.T8")
@given(epsilon=s.epsilons(1e8), delta=s.deltas(), sensitivity=s.positives(1e-200, 1e200))
@example(epsilon=710.0, delta=1e-5, sensitivity=1.0)
@example(epsilon=1e-3, delta=1e-12, sensitivity=1.0)
def test_exact_sigma_is_private_and_the_float_below_is_not(epsilon, delta, sensitivity):
    try:
        sigma = rounding.round_up(
            lambda digits: enclosures.calibrate_sigma(
                epsilon=epsilon, delta=delta, sensitivity=sensitivity, digits=digits
            )
        )
    except OverflowError:
        assume(False)
    assume(sigma > s.TINY)

    def side(sigma):
        # One ulp of σ changes δ by 1e-16 of itself and of 1 − δ; both are above 1e-324.
        ball = enclosures.delta_at_epsilon(
            epsilon=epsilon, sigma=sigma, sensitivity=sensitivity, digits=340
        )
        return rounding.side(ball, Fraction(delta))

    assert side(sigma) <= 0
    assert side(math.nextafter(sigma, 0)) > 0


@pytest.mark.statement("BW18.T8")
@given(
    epsilon=s.epsilons(1e5),
    delta=s.positives(1e-290, s.ALMOST_ONE),
    sensitivity=s.positives(1e-6, 1e6),
    power=st.integers(-20, 20),
)
def test_sigma_scales_with_the_sensitivity(epsilon, delta, sensitivity, power):
    unit = reference.calibrate_sigma(epsilon=epsilon, delta=delta)
    scaled = reference.calibrate_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    assert (
        abs(fraction(scaled) - fraction(unit) * Fraction(sensitivity)) <= fraction(scaled) / 10**49
    )
    here = fast.calibrate_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    there = fast.calibrate_sigma(
        epsilon=epsilon, delta=delta, sensitivity=math.ldexp(sensitivity, power)
    )
    assert there == math.ldexp(here, power)


@pytest.mark.statement("X.EPS")
@given(epsilon=s.epsilons(1e4, zero=False), delta=s.deltas())
def test_round_trips_between_different_witnesses(epsilon, delta):
    # σ from one witness, δ and ε back from another.
    sigma = enclosures.calibrate_sigma(epsilon=epsilon, delta=delta, digits=400)
    low, high = bounds(sigma)
    # A relative change of σ changes ε by μ(1+w)/ε times as much at most: by 1e329 at ε = 5e-324.
    for end, sign in ((low, 1), (high, -1)):
        back = fraction(reference.delta_at_epsilon(epsilon=epsilon, sigma=end, digits=40))
        assert (back - Fraction(delta)) * sign >= -Fraction(delta) / 10**38
        assert abs(back - Fraction(delta)) <= Fraction(delta) / 10**30
        again = fraction(reference.epsilon_at_delta(delta=delta, sigma=end, digits=30))
        assert abs(again - Fraction(epsilon)) <= Fraction(epsilon) / 10**25


@pytest.mark.statement("BW18.T2")
@given(delta=s.deltas(), sensitivity=s.positives(1e-100, 1e100))
def test_pinsker_sigma_is_private_at_epsilon_zero_and_not_least(delta, sensitivity):
    assume(delta > 1e-190)
    enough = reference.pinsker_sigma(delta=delta, sensitivity=sensitivity)
    least = reference.calibrate_sigma(epsilon=0, delta=delta, sensitivity=sensitivity)
    assert enough > least
    assert agrees(enclosures.pinsker_sigma(delta=delta, sensitivity=sensitivity), enough, 50)
    assert fraction(fast.pinsker_sigma(delta=delta, sensitivity=sensitivity)) >= Fraction(
        sensitivity
    ) / (2 * Fraction(delta))


@pytest.mark.statement("BW18.T2")
@given(mu=s.mus())
def test_delta_at_epsilon_zero_is_the_total_variation(mu):
    with mpmath.workdps(60):
        exact = mpmath.erf(mpmath.mpf(mu) / mpmath.sqrt(8))
    assert close(reference.delta_at_epsilon(epsilon=0, sigma=1, sensitivity=mu), exact, 45)


@pytest.mark.statement("BW18.T2")
@pytest.mark.parametrize("delta", [1e-5, 0.1, 0.9])
def test_sigma_tends_to_its_value_at_epsilon_zero(delta):
    limit = fraction(reference.calibrate_sigma(epsilon=0, delta=delta))
    for power in (6, 12, 24, 300):
        near = fraction(reference.calibrate_sigma(epsilon=Fraction(1, 10**power), delta=delta))
        # dσ/dε at 0 is −σ²Φ(−μ/2)/φ(μ/2) ≥ −σ²·√(π/2): the profile's two slopes. Both numbers
        # have 50 correct digits, and at 10^-300 they differ beyond those.
        last = 2 * limit / 10**50
        assert -last <= limit - near <= limit**2 * Fraction(2, 10**power) + last


def test_known_figures():
    # Balle & Wang's σ at (1, 1e-5), and the PLRV's tail there, to the digits in the literature.
    sigma = reference.calibrate_sigma(epsilon=1, delta=1e-5)
    assert mpmath.nstr(sigma, 17) == "3.7306316348159418"
    tail = reference.loss_upper_tail(epsilon=1, sigma=3.7306316348159418)
    assert mpmath.nstr(tail, 15) == "0.000161198075325529"
    assert dporacle.calibrate_sigma(epsilon=1, delta=1e-5) == pytest.approx(3.7306316348159418)


@pytest.mark.parametrize("digits", [1, 2, 10, 100, 1000])
def test_digits_are_delivered(digits):
    truth = enclosures.calibrate_sigma(epsilon=1, delta=1e-5, digits=digits + 20)
    assert agrees(truth, reference.calibrate_sigma(epsilon=1, delta=1e-5, digits=digits), digits)
    ball = enclosures.calibrate_sigma(epsilon=1, delta=1e-5, digits=digits)
    low, high = bounds(ball)
    assert high - low <= 2 * high / 10**digits
