"""Composition and group privacy: X.COMP, X.GROUP, on every witness."""

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from dporacle import reference
from support.truths.laws import gaussian_profile
from support.witnesses import agree, ask

SLACK = {
    "reference": Fraction(1, 10**40),
    "enclosures": Fraction(1, 10**40),
    "fast": Fraction(1, 10**11),
}

positive = st.floats(1e-3, 1e3)
releases = st.lists(st.tuples(positive, positive), min_size=1, max_size=8)


def mu_of(witness, pairs):
    distances, scales = zip(*pairs, strict=True)
    return ask(witness, "composed_mu", sensitivities=list(distances), sigmas=list(scales))[0]


@given(
    epsilon=st.floats(1e-3, 20),
    delta=st.floats(1e-12, 0.9),
    sigma=st.floats(0.5, 50),
    sensitivity=st.floats(0.1, 10),
    k=st.integers(1, 200),
)
@example(epsilon=1.0, delta=0.1, sigma=2.0, sensitivity=1.0, k=3)
@pytest.mark.statement("X.COMP")
def test_equal_releases_are_one_of_the_root_of_their_number(epsilon, delta, sigma, sensitivity, k):
    mu = math.sqrt(k) * sensitivity / sigma
    assume(epsilon * sigma / sensitivity < 30 and mu < 6)  # beyond, δ is 1 less what no ball tells
    noise = {"sigma": sigma, "sensitivity": sensitivity}
    # √k·D is up to 4·2^-52 above in float64; δ(ε) magnifies that by at most w² + 3.
    wide = (4 * ((epsilon / mu + mu / 2) ** 2 + 3) + 4) * 2.0**-52
    agree("repeated_delta", wide, safe="up", epsilon=epsilon, releases=k, **noise)
    agree(
        "repeated_sigma",
        8 * 2.0**-52,
        safe="up",
        epsilon=epsilon,
        delta=delta,
        releases=k,
        sensitivity=1,
    )
    # k² releases of kσ are as many as one of σ, without a root.
    more = {"sigma": k * Fraction(sigma), "sensitivity": Fraction(sensitivity)}
    for name, of in (("delta", {"epsilon": epsilon}), ("epsilon", {"delta": delta})):
        for witness in ("reference", "enclosures"):
            many = ask(witness, f"repeated_{name}", releases=k * k, **of, **more)[0]
            one = ask(witness, f"repeated_{name}", releases=1, **of, **noise)[0]
            assert abs(many - one) <= SLACK[witness] * one


@given(delta=st.floats(1e-12, 0.9), sigma=st.floats(1, 50), k=st.integers(1, 200))
@pytest.mark.statement("X.COMP")
def test_epsilon_of_many_is_where_their_delta_is(delta, sigma, k):
    low, high = ask("enclosures", "repeated_epsilon", delta=delta, sigma=sigma, releases=k)
    for witness in ("reference", "fast"):
        found = ask(witness, "repeated_epsilon", delta=delta, sigma=sigma, releases=k)[0]
        assert low * (1 - SLACK["reference"]) <= found <= high * (1 + SLACK["fast"])
    where = {"sigma": sigma, "releases": k}
    assert ask("enclosures", "repeated_delta", epsilon=high, **where)[0] <= Fraction(delta)
    if low:
        assert ask("enclosures", "repeated_delta", epsilon=low, **where)[1] >= Fraction(delta)


@given(first=releases, second=releases)
@pytest.mark.statement("X.COMP")
def test_associative_and_commutative(witness, first, second):
    whole = mu_of(witness, first + second)
    parts = [(float(mu_of(witness, each)), 1.0) for each in (first, second)]
    assert abs(mu_of(witness, parts) / whole - 1) < Fraction(1, 10**14)
    assert abs(mu_of(witness, second + first) / whole - 1) < SLACK[witness]


@given(pairs=releases)
@pytest.mark.statement("X.COMP")
def test_the_losses_add_up(witness, pairs):
    """Independent Gaussian losses N(ηᵢ, 2ηᵢ) add up to N(Ση, 2Ση): one release with the μ."""
    mu = mu_of(witness, pairs)
    whole = ask("enclosures", "loss_mean", sigma=1, sensitivity=mu)[0]
    parts = sum(ask("enclosures", "loss_mean", sigma=s, sensitivity=d)[0] for d, s in pairs)
    assert abs(whole / parts - 1) < 4 * SLACK[witness]


@given(mu=positive, k=st.integers(1, 30))
@pytest.mark.statement("X.COMP")
def test_repetition_is_composition(witness, mu, k):
    repeated = ask(witness, "repeated_mu", mu=mu, releases=k)[0]
    assert abs(mu_of(witness, [(mu, 1.0)] * k) / repeated - 1) < SLACK[witness]


@pytest.mark.parametrize(
    ("one", "two", "epsilon"), [(1.0, 0.5, 1.0), (0.3, 0.4, 0.2), (2.0, 1.5, 4.0)]
)
@pytest.mark.statement("X.COMP")
def test_delta_of_two_releases_by_quadrature(witness, one, two, epsilon):
    """δ(ε) of the pair, by integrating the second release's exact δ over the first one's loss."""
    mu = float(mu_of(witness, [(one, 1.0), (two, 1.0)]))
    with mpmath.workdps(20):
        eta = mpmath.mpf(one) ** 2 / 2

        spread = mpmath.sqrt(2 * eta)
        joint = mpmath.quad(
            lambda z: mpmath.npdf(z) * gaussian_profile(epsilon - eta - spread * z, two),
            [-12, -4, 0, 4, 12],
        )
        stated = ask("enclosures", "delta_at_epsilon", epsilon=epsilon, sigma=1, sensitivity=mu)[0]
        assert float(stated) == pytest.approx(float(joint), rel=1e-12)


@given(mu=st.floats(0.05, 3), h=st.floats(0, 20), k=st.integers(1, 6))
@pytest.mark.statement("X.GROUP")
def test_exact_group_privacy_below_the_general_bound(witness, mu, h, k):
    epsilon = h * mu
    exact = {"sigma": 1}
    one = ask("enclosures", "delta_at_epsilon", epsilon=epsilon, sensitivity=mu, **exact)[1]
    bound = ask(witness, "group_delta_bound", epsilon=epsilon, delta=float(one), size=k)[1]
    group = ask(witness, "group_mu", mu=mu, size=k)[0]
    many = ask(
        "enclosures", "delta_at_epsilon", epsilon=k * Fraction(epsilon), sensitivity=group, **exact
    )[0]
    assert many <= bound * (1 + Fraction(1, 10**9))


@pytest.mark.statement("X.COMP")
def test_an_epsilon_beyond_what_an_argument_may_be():
    where = {"delta": 1e-149, "sigma": 5e-324, "sensitivity": 1e295, "releases": 10}
    value = Fraction(*reference.repeated_epsilon(**where).as_integer_ratio())
    low, high = ask("enclosures", "repeated_epsilon", **where)
    assert low > 2**4096
    assert abs(value - low) <= (high - low) + low / 10**45


@given(mu=st.floats(0.01, 3), k=st.integers(1, 100), delta=st.floats(1e-9, 0.3))
@pytest.mark.statement("X.ZCOMP")
def test_totals_are_those_of_one_release(witness, mu, k, delta):
    """ρ of k releases is that of one with μ√k, and its ε is above the exact one."""
    total = ask(witness, "repeated_rho", mu=mu, releases=k)[0]
    assert abs(total / (k * Fraction(mu) ** 2 / 2) - 1) < SLACK[witness]
    bound = ask(witness, "repeated_zcdp_epsilon", delta=delta, mu=mu, releases=k)[1]
    exact = ask("enclosures", "repeated_epsilon", delta=delta, sigma=1 / mu, releases=k)
    assert exact[0] <= bound * (1 + SLACK[witness])
