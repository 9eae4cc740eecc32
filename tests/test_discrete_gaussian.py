"""The discrete Gaussian mechanism: X.DG, on every witness."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import example, given
from hypothesis import strategies as st

from dporacle.enclosures.arithmetic.balls import precision
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.discrete import lattice, root
from support.dear import dear
from support.strategies import powers
from support.truths.divergences import divergence
from support.witnesses import ask, function

pytestmark = pytest.mark.statement("X.DG")

FINE = Fraction(1, 10**46)

sigmas = st.one_of(st.floats(0.1, 2), st.floats(0.1, 30))
epsilons = st.one_of(st.just(0.0), st.floats(1e-3, 5))
distances = st.integers(1, 6)


def coarse(witness):
    """Fewer digits where they can be chosen: the sums are long."""
    return {} if witness == "fast" else {"digits": 13}


def delta(witness, epsilon, sigma, distance=1, **more):
    return ask(
        witness,
        "discrete_delta_at_epsilon",
        epsilon=epsilon,
        sigma=sigma,
        sensitivity=distance,
        **more,
    )


def assert_stated(name, fast, low, high):
    """A tail is rounded up; a variance is near on either side."""
    if name == "discrete_tail":
        assert min(high, 1) <= fast <= low * (1 + Fraction(1, 2**37))
    else:
        assert abs(fast - high) <= high / 2**40


@given(epsilon=epsilons, sigma=st.floats(0.2, 6), distance=distances)
@pytest.mark.statement("BW18.T5")
def test_delta_by_brute_force(witness, epsilon, sigma, distance):
    """Theorem 7 against Σ max(0, p(x) − e^ε·p(x+D)), for D and for every smaller shift."""
    x = np.arange(-600, 601)
    p = np.exp(-((x / sigma) ** 2) / 2)
    p /= p.sum()
    stated = float(delta(witness, epsilon, sigma, distance)[0])
    found = [
        divergence(p[: -shift or None], p[shift:], math.exp(epsilon))
        for shift in range(1, distance + 1)
    ]
    assert stated == pytest.approx(found[-1], rel=1e-9, abs=1e-14)
    assert max(found) == found[-1]


@pytest.mark.parametrize(
    ("epsilon", "target", "distance"),
    [
        (1.0, 1e-5, 1),
        (0.0, 0.1, 1),
        (5.0, 1e-6, 3),
        (10.0, 0.012, 1),
        (50.0, 1e-5, 1),  # beside the bend at σ = 0.1, which Newton's steps left
        (1e3, 1e-9, 1),
        (1e-6, 1e-6, 1),  # σ above 10⁵
        (1e-15, 1e-9, 1000),  # σ near 4·10¹¹
        (0.0, 1e-15, 1),
        (1.0, 1e-9, 10**6),
        (1.0, 1 - 1e-6, 1),
    ],
)
def test_calibration(witness, epsilon, target, distance):
    """At σ the mechanism is private, just below it is not; the witnesses agree."""
    where = {"epsilon": epsilon, "delta": target, "sensitivity": distance}
    sigma = ask(witness, "discrete_calibrate_sigma", **where, **coarse(witness))[1]
    proved = ask("enclosures", "discrete_calibrate_sigma", **where, digits=13)
    assert abs(sigma / proved[0] - 1) < Fraction(1, 2**34)
    for factor, private in ((1 + Fraction(1, 2**33), True), (1 - Fraction(1, 2**33), False)):
        at = delta("enclosures", epsilon, sigma * factor, distance, digits=20)
        assert (at[1] < Fraction(target)) is private


def test_more_noise_can_be_less_private(witness):
    """ε = 2, D = 1: δ(2) rises from σ = 0.5 to σ = 0.55, then falls again."""
    at = {sigma: delta(witness, 2, sigma)[0] for sigma in (0.5, 0.55, 0.9)}
    assert at[0.5] < at[0.55] > at[0.9]
    sigma = ask(witness, "discrete_calibrate_sigma", epsilon=2, delta=0.106, **coarse(witness))[0]
    assert sigma > Fraction(6, 10)
    assert at[0.5] < Fraction(0.106)


wide = powers(2.5, 18)


@given(sigma=wide, h=st.floats(0, 30), share=st.floats(0, 1))
@example(sigma=1e15, h=0.0, share=0.0)
@example(sigma=1e15, h=5.0, share=1.0)
@example(sigma=2000.0, h=30.0, share=0.001)
def test_wide_noise(sigma, h, share):
    """Plain sums would have 10³ to 10¹⁹ terms; each witness has its own formula in their place."""
    distance = 1 + int(min(sigma, 10**6 - 1) * share)
    epsilon = h * distance / sigma
    low, high = delta("enclosures", epsilon, sigma, distance)
    value, fast = (delta(each, epsilon, sigma, distance)[0] for each in ("reference", "fast"))
    assert abs(value - low) <= FINE * low
    assert min(high, 1) <= fast <= low * (1 + Fraction(1, 2**36))
    for name, where in (
        ("discrete_tail", {"error": min(int(h * sigma), 2**53), "sigma": sigma}),
        ("discrete_variance", {"sigma": sigma}),
    ):
        low, high = ask("enclosures", name, **where)
        value, fast = (ask(each, name, **where)[0] for each in ("reference", "fast"))
        assert abs(value - low) <= FINE * low
        assert_stated(name, fast, low, high)


@pytest.mark.parametrize("sigma", [5e-324, 1e-300, 1e-3, 0.01])
def test_noise_that_is_hardly_any(witness, sigma):
    """δ is 1 and all else 0, as far as digits or float64 tell."""
    assert abs(1 - delta(witness, 1.0, sigma)[0]) < Fraction(1, 10**46)
    exact = function(witness, "discrete_tail")(error=0, sigma=sigma)
    assert 0 <= exact < 1e-300
    assert 0 <= function(witness, "discrete_variance")(sigma=sigma) < 1e-300
    assert ask(witness, "discrete_accuracy", alpha=1e-9, sigma=sigma)[0] == 0


@pytest.mark.parametrize("sigma", [30.0, 2100.0, 1e15, 3.7e114])
def test_subnormal_probabilities_are_on_the_safe_side(sigma):
    """At α = 5e-324, where float64 rounds away half of a tail; and wide noise's accuracy."""
    for alpha in (5e-324, 1.53e-322, 1e-9):
        exact = [function(each, "discrete_accuracy") for each in ("enclosures", "reference")]
        low, other = (each(alpha=alpha, sigma=sigma) for each in exact)
        assert low == other
        fast = function("fast", "discrete_accuracy")(alpha=alpha, sigma=sigma)
        # α is met to 2^-39, and a changes by less than half of what α does.
        assert low <= fast <= low * (1 + 2.0**-40) + 1


def test_calibration_at_the_least_delta():
    where = {"epsilon": 1.0, "delta": 5e-324}
    exact = ask("enclosures", "discrete_calibrate_sigma", **where, digits=13)
    fast = ask("fast", "discrete_calibrate_sigma", **where)[0]
    assert exact[1] <= fast <= exact[1] * (1 + Fraction(1, 2**20))


@pytest.mark.parametrize("epsilon", [1e-100, 1e-15])
def test_calibration_of_very_wide_noise_ends(epsilon):
    """Bends are closer there than floats are."""
    found = ask("fast", "discrete_calibrate_sigma", epsilon=epsilon, delta=1e-30)[0]
    exact = ask("enclosures", "discrete_calibrate_sigma", epsilon=epsilon, delta=1e-30, digits=13)
    assert exact[1] <= found <= exact[1] * (1 + Fraction(1, 10**6))


@pytest.mark.parametrize("witness", ["reference", "fast"])
@pytest.mark.parametrize(
    ("epsilon", "target", "distance"),
    [
        # δ(ε) is above the target between σ = 0.8003 and 0.80309 only, and below it around.
        (12.981137881264209, 2.528344300282736e-23, 1),
        # Here it is so much below it at both ends of a piece that floats see no difference.
        (104.19929397714847, 6.76009065851029e-23, 1),
        (589.9033489820949, 1.6271557364973578e-20, 3),
        dear(1.7e308, 5e-324, 10**6),
        (1e-140, 1e-300, 1),
        (1e-3, 1e-300, 1),
        (3e4, 1e-3, 10**6),
    ],
)
def test_calibration_passes_over_no_hump(witness, epsilon, target, distance):
    where = {"epsilon": epsilon, "delta": target, "sensitivity": distance}
    low, high = ask("enclosures", "discrete_calibrate_sigma", **where, digits=13)
    found = ask(witness, "discrete_calibrate_sigma", **where, **coarse(witness))
    assert low * (1 - Fraction(1, 10**13)) <= found[1] <= high * (1 + Fraction(1, 2**34))


@pytest.mark.parametrize(
    ("epsilon", "target", "distance"),
    [
        (3.0, 1 - 2.0**-53, 10),
        (0.0, 1 - 2.0**-53, 10),
        (3.0, 1 - 2.0**-53, 10**5),
        (6.5, 0.75, 999),
    ],
)
def test_calibration_at_a_delta_near_one(epsilon, target, distance):
    """Where boxes are too many for the enclosure, float64 keeps the digits of 1 − δ."""
    where = {"epsilon": epsilon, "delta": target, "sensitivity": distance}
    exact = ask("reference", "discrete_calibrate_sigma", **where, digits=20)[0]
    found = ask("fast", "discrete_calibrate_sigma", **where)[0]
    assert exact <= found <= exact * (1 + Fraction(1, 2**34))
    near = delta("enclosures", epsilon, exact * (1 + Fraction(1, 10**18)), distance, digits=40)
    below = delta("enclosures", epsilon, exact * (1 - Fraction(1, 10**18)), distance, digits=40)
    assert near[1] < Fraction(target) < below[0]


@given(
    epsilon=st.floats(0.01, 30),
    distance=st.integers(1, 12),
    member=st.integers(-8, 12),
    span=st.floats(1.5, 6),
)
def test_a_member_has_one_hump(epsilon, distance, member, span):
    """h_t rises and then falls in s; it only rises where t ≤ 0 (Lemma of the note)."""
    first = max(member, -((distance - 1) // 2))
    with precision(200):
        centre = (2 * max(first, 1) + distance) * distance / (2 * epsilon)
        values = [
            root._at(
                Fraction(epsilon), 1 / (2 * arb(centre) * arb(span) ** (k / 12)), first, distance
            )
            for k in range(24, -25, -1)
        ]
    slopes = [bool(slope > 0) for value, slope in values if value > 0]
    assert slopes == sorted(slopes, reverse=True)
    if first <= 0:
        assert all(slopes)


@given(h=st.floats(0, 30), sigma=st.floats(1, 500), share=st.floats(0, 1))
def test_excess_by_the_variation_of_two_parts(h, sigma, share):
    """The reference's bound of what the trapezoidal rule adds, as the note proves it."""
    distance = 1 + int(3 * sigma * share)
    mu = distance / sigma
    epsilon = h * mu + mu * mu / 2
    where = {"epsilon": epsilon, "sigma": sigma, "sensitivity": distance}
    smooth = ask("enclosures", "delta_at_epsilon", **where)
    t = epsilon / mu - mu / 2
    variation = 2 * kink(epsilon, mu) + min(0.485, 0.59 * mu)
    if t >= 1:
        variation = min(variation, 3.2 * kink(epsilon, mu))
    found = delta("enclosures", epsilon, sigma, distance)
    assert found[1] - smooth[0] <= variation / (8 * sigma**2) * (1 + 1e-9)


@pytest.mark.parametrize("start", np.linspace(0, 1, 6))
@pytest.mark.parametrize("mu", [1e-3, 0.1, 1.0, 100.0])
def test_the_smaller_variation_holds_below_its_proof_too(start, mu):
    """It is used from t₀ = 1 on only: what a mutant that uses it below would do is no wrong σ."""
    t = start + np.concatenate([[0], np.geomspace(1e-6, 12, 20_000)])
    density = np.exp(-t * t / 2) / math.sqrt(2 * math.pi)
    falling = np.exp(-mu * (t - start))
    slope = density * (mu * falling - t * (1 - falling))
    assert np.abs(np.diff(slope)).sum() + mu * density[0] <= 3.2 * mu * density[0]


def test_a_calibration_out_of_reach_says_so():
    """δ so close to 1 that boxes of this size do not prove it."""
    with pytest.raises(ArithmeticError, match=r"epsilon = 6\.5.*boxes"):
        function("enclosures", "discrete_calibrate_sigma")(
            epsilon=6.5, delta=1 - 1.5e-10, sensitivity=1000, digits=6
        )


@pytest.mark.parametrize("bits", [96, 400])
@pytest.mark.parametrize("sigma", [3, 8, 30, 200])
def test_both_formulas_for_half_line_sums(bits, sigma):
    """Term by term, and by Euler and Maclaurin with the remainder's bound, at one width."""
    with precision(bits):
        for s in (arb(1) / (2 * sigma**2), arb(1, arb(2) ** -30) / (2 * sigma**2)):
            for first in (1, sigma, 5 * sigma):
                plain = lattice._directly(s, first, 0, 100 * bits)
                other = lattice._euler_maclaurin(s, first, 0)
                for one, two in zip(plain, other, strict=True):
                    assert one.overlaps(two) or not two.is_finite()
            whole, square = lattice._directly(s, 1, 0, 100 * bits)
            total, weighted = lattice.normaliser(s)
            assert total.overlaps(1 + 2 * whole)
            assert weighted.overlaps(2 * square)
        assert other[0].is_finite() or sigma < 30


@given(h=st.floats(-3, 30), sigma=st.floats(1, 500), share=st.floats(0, 1))
def test_excess_over_the_continuous_profile(h, sigma, share):
    """The bound from which on the calibration trusts the continuous noise."""
    distance = 1 + int(3 * sigma * share)
    mu = distance / sigma
    epsilon = max(h * mu + mu * mu / 2, 0.0)
    smooth = ask(
        "enclosures", "delta_at_epsilon", epsilon=epsilon, sigma=sigma, sensitivity=distance
    )
    found = delta("enclosures", epsilon, sigma, distance)
    with precision(256):
        bound = bounds(root._excess(Fraction(epsilon), Fraction(sigma), distance))[1]
    assert found[1] - smooth[0] <= bound


def kink(epsilon, mu):
    """μφ(t₀), the jump of the integrand's slope at t₀ = ε/μ − μ/2."""
    t = epsilon / mu - mu / 2
    return mu * math.exp(-t * t / 2) / math.sqrt(2 * math.pi)


@given(epsilon=st.floats(0, 8), sigma=st.floats(1 / 7, 60), distance=st.integers(1, 100))
def test_rate_to_the_continuous_mechanism(witness, epsilon, sigma, distance):
    """The theorem of the note: |δ − δ_cont| ≤ (μφ(t₀) + 0.883)/(4σ²) + 3e^(−2π²σ²)."""
    epsilon = min(epsilon, 40 * distance / sigma)  # beyond, both are below 1e-300
    smooth = ask(
        "enclosures", "delta_at_epsilon", epsilon=epsilon, sigma=sigma, sensitivity=distance
    )[0]
    found = delta(witness, epsilon, sigma, distance, **coarse(witness))[0]
    bound = (kink(epsilon, distance / sigma) + 0.883) / (4 * sigma**2)
    bound += 3 * math.exp(-2 * math.pi**2 * sigma**2)
    assert abs(found - smooth) <= bound * (1 + 1e-9)


@pytest.mark.parametrize(
    ("epsilon", "scale", "size", "part"),
    [
        (1, 128, 1, 0),  # σt₀ = 64
        (1, 129, 1, Fraction(1, 2)),  # 64.5
        (3, 64, 2, 0),  # 32
        (Fraction(1, 2), 65, 1, 0),  # 0
    ],
)
def test_rate_is_no_better(witness, epsilon, scale, size, part):
    """The leading term −μφ(t₀)·B₂(s)/(2σ²): σ² times the gap does not go to 0."""
    sigma, distance = scale, size * scale
    at = Fraction(epsilon) * scale / size - Fraction(distance, 2)
    assert at % 1 == part
    smooth = ask(
        "enclosures", "delta_at_epsilon", epsilon=epsilon, sigma=sigma, sensitivity=distance
    )[0]
    gap = delta(witness, float(epsilon), sigma, distance, **coarse(witness))[0] - smooth
    bernoulli = Fraction(1, 6) - part + part**2
    expected = -kink(float(epsilon), size) * float(bernoulli) / 2
    assert float(gap * sigma**2) == pytest.approx(expected, rel=1e-3)


def test_tends_to_the_continuous_mechanism(witness):
    """At the same μ and ε, the two δ(ε) approach each other as σ grows."""
    continuous = ask("enclosures", "delta_at_epsilon", epsilon=1, sigma=2, sensitivity=1)[0]
    gaps = [
        abs(delta(witness, 1, 2 * scale, scale)[0] / continuous - 1) for scale in (1, 4, 16, 64)
    ]
    assert all(a > b for a, b in itertools.pairwise(gaps))
    assert gaps[-1] < Fraction(1, 10**4)


@given(sigma=sigmas)
def test_variance_below_sigma_squared(witness, sigma):
    variance = ask(witness, "discrete_variance", sigma=sigma)[0]
    assert variance <= Fraction(sigma) ** 2 * (1 + Fraction(1, 10**12))


@given(alpha=st.floats(1e-9, 1), sigma=sigmas)
def test_accuracy_is_the_least(witness, alpha, sigma):
    a = int(ask(witness, "discrete_accuracy", alpha=alpha, sigma=sigma)[0])
    assert ask("enclosures", "discrete_tail", error=a, sigma=sigma)[1] <= Fraction(alpha)
    if a:
        before = ask("enclosures", "discrete_tail", error=a - 1, sigma=sigma)[0]
        assert before > Fraction(alpha) * (1 - Fraction(1, 2**39))


@given(error=st.integers(0, 60), alpha=st.floats(1e-9, 0.99))
@pytest.mark.statement("X.DGACC")
def test_a_sigma_has_its_accuracy_and_no_larger_one_has(witness, error, alpha):
    sigma = ask(witness, "discrete_sigma_at_accuracy", error=error, alpha=alpha)[0]
    below, above = (
        ask("enclosures", "discrete_tail", error=error, sigma=sigma * each)
        for each in (1 - Fraction(1, 10**20), 1 + Fraction(1, 2**30))
    )
    assert below[1] <= Fraction(alpha) <= above[0]


@pytest.mark.parametrize(("error", "alpha", "says"), [(-1, 0.1, "error"), (1, 1.0, "alpha")])
@pytest.mark.statement("X.DGACC")
def test_no_sigma_has_every_accuracy(witness, error, alpha, says):
    with pytest.raises(ValueError, match=says):
        function(witness, "discrete_sigma_at_accuracy")(error=error, alpha=alpha)
