"""GDP, RDP and zCDP, and how loose the ways back are: X.GDP, X.RDP, X.ZCDP, on every witness."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from dporacle import enclosures
from dporacle.enclosures.arithmetic.balls import precision
from support.strategies import powers
from support.witnesses import NAMES, agree, ask, function

G = "conversions"
FINE = Fraction(1, 10**46)
SLACK = {
    "reference": Fraction(1, 10**40),
    "enclosures": Fraction(1, 10**40),
    "fast": Fraction(1, 10**10),
}

mus = st.floats(1e-2, 20)
epsilons = st.one_of(st.just(0.0), st.floats(1e-6, 200))


def exact_delta(epsilon, mu):
    return ask("enclosures", "delta_at_epsilon", epsilon=epsilon, sigma=1, sensitivity=mu)


@given(rho=st.floats(1e-6, 1e6), sensitivity=st.floats(1e-3, 1e3))
@pytest.mark.statement("X.ZCDP")
def test_the_least_sigma_of_a_rho_has_that_rho(rho, sensitivity):
    agree("zcdp_sigma", 2.0**-48, safe="up", rho=rho, sensitivity=sensitivity)
    low, high = ask("enclosures", "zcdp_sigma", rho=rho, sensitivity=sensitivity)
    assert (Fraction(sensitivity) / low) ** 2 / 2 >= Fraction(rho)
    assert (Fraction(sensitivity) / high) ** 2 / 2 <= Fraction(rho)


@given(epsilon=st.floats(1e-3, 50), delta=st.floats(1e-12, 0.99), mu=mus)
@pytest.mark.statement("X.GDP")
def test_gdp_is_the_analytic_profile_at_unit_noise(epsilon, delta, mu):
    assume(epsilon / mu - mu / 2 < 35)
    agree("gdp_delta", 2.0**-50, safe="up", epsilon=epsilon, mu=mu)
    assert ask("enclosures", "gdp_delta", epsilon=epsilon, mu=mu) == exact_delta(epsilon, mu)
    for witness in NAMES:
        found = ask(witness, "gdp_epsilon", delta=delta, mu=mu)[1]
        assert exact_delta(found, mu)[0] <= Fraction(delta) * (1 + FINE)


@given(mu=powers(-300, 300), epsilon=st.floats(0, 1e300))
@example(mu=1e3, epsilon=1.0)  # the best order is 1 + e^(−500,000)
@example(mu=1e15, epsilon=0.0)
@example(mu=1e6, epsilon=5e11)  # ε = ρ
@example(mu=1e300, epsilon=1e300)
@example(mu=5e-324, epsilon=5e-324)
@pytest.mark.statement("X.RDP")
@pytest.mark.statement("X.ZCDP")
def test_conversions_are_enclosed_at_every_mu(mu, epsilon):
    """Tightly, and in the order in which they are: the Rényi conversion is below the other."""
    ends = [
        enclosures.rdp_delta(epsilon=epsilon, mu=mu),
        enclosures.zcdp_delta(epsilon=epsilon, mu=mu),
    ]
    with precision(256):
        assert all(0 <= each.rad() * 10**50 <= each.mid() for each in ends)
        assert not ends[0] > ends[1]


@given(mu=mus, epsilon=epsilons)
@pytest.mark.statement("X.RDP")
@pytest.mark.statement("X.ZCDP")
def test_conversions_lie_above_the_exact_delta(witness, mu, epsilon):
    """exact ≤ best Rényi conversion ≤ zCDP conversion."""
    assume(epsilon < 30 * mu + mu * mu / 2)
    exact = exact_delta(epsilon, mu)[0]
    renyi, zcdp = (
        ask(witness, name, epsilon=epsilon, mu=mu) for name in ("rdp_delta", "zcdp_delta")
    )
    assert exact <= renyi[1]
    assert renyi[0] <= zcdp[1] * (1 + SLACK[witness])


@given(mu=mus, epsilon=epsilons, order=st.floats(1.001, 300))
@pytest.mark.statement("X.RDP")
def test_no_order_is_better_than_the_best(witness, mu, epsilon, order):
    rho = mu * mu / 2
    power = (order - 1) * (order * rho - epsilon) + order * math.log1p(-1 / order)
    power -= math.log(order - 1)
    assume(abs(power) < 600)
    assume(epsilon < 30 * mu + mu * mu / 2)
    best = float(ask(witness, "rdp_delta", epsilon=epsilon, mu=mu)[0])
    assert best <= math.exp(power) * (1 + 1e-9)


@pytest.mark.parametrize(("order", "mu"), [(0.5, 1.0), (2.0, 0.5), (7.5, 1.2)])
@pytest.mark.statement("X.RDP")
def test_renyi_divergence_by_quadrature(witness, order, mu):
    """ln ∫ p^α q^{1−α} / (α−1)."""
    with mpmath.workdps(25):
        middle = order * mu
        moment = mpmath.quad(
            lambda x: mpmath.npdf(x, mu) ** order * mpmath.npdf(x) ** (1 - order),
            [middle - 15, middle, middle + 15],
        )
        stated = float(ask(witness, "rdp", order=order, mu=mu)[0])
        assert stated == pytest.approx(float(mpmath.log(moment) / (order - 1)), rel=1e-13)


@given(mu=mus, alpha=st.floats(1e-6, 1 - 1e-6), h=st.floats(0, 8))
@pytest.mark.statement("X.GDP")
def test_tradeoff_and_profile_are_dual(witness, mu, alpha, h):
    """1 − G(α) − e^ε·α ≤ δ(ε) for every test, with equality at α = Φ(−μ/2 − ε/μ)."""
    epsilon = h * mu
    delta = exact_delta(epsilon, mu)
    error = ask(witness, "gdp_tradeoff", alpha=alpha, mu=mu)[0]
    gain = 1 - error - Fraction(math.exp(epsilon)) * Fraction(alpha)
    assert gain <= delta[1] + Fraction(1, 10**9)
    best = ask("enclosures", "loss_lower_tail", epsilon=epsilon, sigma=1, sensitivity=mu)[0]
    assume(1e-12 < best < 1 - 1e-6)
    error = ask(witness, "gdp_tradeoff", alpha=float(best), mu=mu)[0]
    gain = 1 - error - Fraction(math.exp(epsilon)) * Fraction(float(best))
    assert abs(gain - delta[0]) < Fraction(1, 10**10)


@given(mu=mus, delta=st.floats(1e-12, 0.5))
@pytest.mark.statement("X.ZCDP")
def test_zcdp_conversion_is_the_lectures_theorem(witness, mu, delta):
    """GN.T1 with its ρ = μ² is this conversion solved for ε."""
    epsilon = ask("enclosures", "rho_epsilon", rho=Fraction(mu) ** 2, delta=delta)
    back = ask(witness, "zcdp_delta", epsilon=float(epsilon[0]), mu=mu)[0]
    assert float(back) == pytest.approx(delta, rel=1e-9)


@given(rho=powers(-280, 300), delta=st.floats(1e-300, 1 - 2**-53))
@example(rho=0.5, delta=1e-5)
@example(rho=5e-324, delta=5e-324)
@example(rho=1.7e308, delta=5e-324)
@example(rho=1e-9, delta=1 - 2**-53)
@pytest.mark.statement("X.ZCDP")
def test_zcdp_epsilon_is_the_lectures_in_half_its_rho(rho, delta):
    agree("zcdp_epsilon", 2.0**-48, safe="up", rho=rho, delta=delta)
    ours = ask("enclosures", "zcdp_epsilon", rho=rho, delta=delta)
    lecture = ask("enclosures", "rho_epsilon", rho=2 * Fraction(rho), delta=delta)
    assert ours[0] <= lecture[1]
    assert lecture[0] <= ours[1]


def test_fast_reads_no_other_number_than_was_written():
    rho = function("fast", "zcdp_rho")
    with pytest.raises(TypeError, match="masked"):
        rho(mu=np.ma.masked_array([1.0, 2.0], [False, True]))
    with pytest.raises(ValueError, match="mu"):
        rho(mu=2**53 + 1)
    for wrong in (True, "1", 1j, None, [[1.0], 2.0]):
        with pytest.raises((TypeError, ValueError), match=r"mu|inhomogeneous"):
            rho(mu=wrong)
    assert rho(mu=np.float32(2)) == rho(mu=2)


@given(delta=st.floats(1e-300, 1 - 2.0**-53), mu=st.floats(1e-6, 1e6))
@example(delta=1e-5, mu=1.0)
@pytest.mark.statement("X.ZCDP")
def test_the_standard_conversion_and_its_inverse(delta, mu):
    rho = Fraction(mu) ** 2 / 2
    low, high = ask("enclosures", "zcdp_epsilon", rho=rho, delta=delta)
    value = ask("reference", "zcdp_epsilon", rho=rho, delta=delta)[0]
    assert abs(value - low) <= low / 10**47
    rounded = float(rho)
    near = ask("enclosures", "zcdp_epsilon", rho=rounded, delta=delta)
    fast = ask("fast", "zcdp_epsilon", rho=rounded, delta=delta)[0]
    assert near[1] <= fast <= near[0] * (1 + Fraction(1, 2**48))
    back = ask("enclosures", "zcdp_delta", epsilon=value, mu=mu)[0]
    assert abs(back / Fraction(delta) - 1) < Fraction(1, 10**30)
    assert low <= high
