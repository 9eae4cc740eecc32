"""The accuracy loss: JL24.L1, L2, L3, T2, T3, on every witness."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from support.strategies import powers
from support.witnesses import agree, ask

FINE = Fraction(1, 10**47)
SLACK = {"reference": Fraction(1, 10**40), "enclosures": 0, "fast": Fraction(1, 10**12)}

epsilons = st.floats(1e-6, 200)
deltas = st.one_of(st.floats(1e-3, 1, exclude_max=True), powers(-280, -3))
dimensions = st.integers(3, 10**7)


@given(epsilon=epsilons, delta=deltas, m=dimensions)
@pytest.mark.statement("JL24.L1")
def test_classical_loss_is_the_definition(witness, epsilon, delta, m):
    sigma = ask("enclosures", "classical_sigma", epsilon=epsilon, delta=delta)[0]
    stated = ask(witness, "classical_expected_loss", epsilon=epsilon, delta=delta, dimension=m)[0]
    by_sigma = ask("enclosures", "expected_loss", dimension=m, sigma=sigma)[0]
    assert abs(stated / by_sigma - 1) < (SLACK[witness] or Fraction(1, 10**40))


@given(epsilon=epsilons, delta=deltas, m=dimensions)
@pytest.mark.statement("JL24.L2")
def test_the_reverse_of_the_lower_bound(witness, epsilon, delta, m):
    """The analytic mechanism's E[L] is below C_A·D² for every ε and δ."""
    sigma = ask("enclosures", "calibrate_sigma", epsilon=epsilon, delta=delta)[1]
    loss = ask("enclosures", "expected_loss", dimension=m, sigma=sigma)[1]
    bound = ask(witness, "analytic_loss_bound", epsilon=epsilon, delta=delta, dimension=m)[0]
    assert loss < bound * (1 + SLACK[witness])


@pytest.mark.statement("JL24.T2")
def test_r1smg_loss_limit(witness):
    """It falls with M and tends to 2D²/ε from above."""
    values = [
        ask(witness, "r1smg_expected_loss", epsilon=0.5, delta=1e-7, dimension=m)[0]
        for m in (3, 4, 5, 10, 100, 7921, 10**6, 10**12)
    ]
    assert all(a > b for a, b in itertools.pairwise(values))
    assert 4 < values[-1] < 4 + Fraction(1, 10**9)


@given(
    m=st.integers(3, 10**6),
    more=st.floats(1.001, 10),
    epsilon=st.floats(1e-6, 10),
    delta=st.floats(1e-100, 0.999),
)
@pytest.mark.statement("JL24.T2")
def test_r1smg_loss_falls_with_the_dimension(witness, m, more, epsilon, delta):
    """Proved in the note by the concavity of ln Γ(M/2) − ln Γ((M−1)/2)."""
    where = {"epsilon": epsilon, "delta": delta}
    bigger = math.ceil(m * more)
    here, there = (
        ask(witness, "r1smg_expected_loss", dimension=size, **where) for size in (m, bigger)
    )
    assert there[1] < here[0]
    assert there[0] > 2 / Fraction(epsilon)


@given(m=st.integers(2, 2**52))
@pytest.mark.statement("JL24.T3")
def test_rank_one_has_the_largest_moments(witness, m):
    for name, largest in (("loss_kurtosis", 35 / 3), ("loss_skewness", 5 / math.sqrt(3))):
        one = ask(witness, name, dimension=1)[0]
        assert float(one) == pytest.approx(largest, rel=1e-15)
        assert ask(witness, name, dimension=m)[0] < one


spectra = st.lists(powers(-300, 300), min_size=1, max_size=12)


@given(variances=spectra, equal=st.integers(1, 30))
@pytest.mark.statement("JL24.T3")
def test_moments_of_any_covariance_agree(variances, equal):
    for each in (variances, [3.0] * equal, [1.0] + [0.0] * equal):
        agree("covariance_loss_kurtosis", variances=each)
        agree("covariance_loss_skewness", variances=each)
    for name in ("loss_kurtosis", "loss_skewness"):
        spherical = ask("reference", name, dimension=equal)[0]
        found = ask("reference", f"covariance_{name}", variances=[0.1] * equal)[0]
        assert abs(found / spherical - 1) < FINE


@given(variances=spectra)
@pytest.mark.statement("JL24.T3")
def test_rank_one_has_the_largest_moments_of_all_covariances(witness, variances):
    """Not the spherical ones only: 35/3 and 5/√3 are the largest over all eigenvalues."""
    for name in ("covariance_loss_kurtosis", "covariance_loss_skewness"):
        most = ask(witness, name, variances=[1.0])[1]
        assert ask(witness, name, variances=variances)[0] <= most * (1 + SLACK[witness])
        assert ask(witness, name, variances=[1.0, 1e-3])[1] < most


@pytest.mark.statement("JL24.T3")
def test_moments_against_the_chi_square(witness):
    for m in (1, 2, 7, 100):
        second, third, fourth = (stats.chi2.moment(order, m) for order in (2, 3, 4))
        for name, expected in (
            ("loss_kurtosis", fourth / second**2),
            ("loss_skewness", third / second**1.5),
        ):
            assert float(ask(witness, name, dimension=m)[0]) == pytest.approx(expected, rel=1e-11)


@pytest.mark.statement("JL24.T3")
def test_a_large_kurtosis_makes_extremes_likely(witness):
    """The reading of the source is backwards: losses above 10·E[L] are likeliest for R1SMG."""
    tails = [ask(witness, "loss_tail", dimension=m, factor=10)[0] for m in (1, 2, 3, 10, 50)]
    assert all(a > b for a, b in itertools.pairwise(tails))
    assert round(float(tails[0]), 6) == 0.001565
    assert float(tails[0]) == pytest.approx(math.erfc(math.sqrt(5)), rel=1e-14)


@given(
    rows=st.integers(1, 12),
    columns=st.integers(1, 12),
    spread=st.floats(0, 3),
    ratio=st.floats(0.5, 50),
    zeta=st.floats(0, 10),
    epsilon=st.floats(1e-3, 10),
)
@pytest.mark.statement("JL24.L3")
def test_mvg_bound_follows_from_its_sufficient_condition(
    witness, rows, columns, spread, ratio, zeta, epsilon
):
    """‖σ(Σ⁻¹)‖·‖σ(Ψ⁻¹)‖ ≤ (−β+√(β²+8αε))²/4α² forces E[L] ≥ √(MN)·C_M·D², hence C_M·D²."""
    rng = np.random.default_rng([rows, columns])
    i = np.arange(1, min(rows, columns) + 1)
    h, half = np.sum(1 / i), np.sum(i**-0.5)
    # γ = sup‖f‖ ≥ D/2, with D = 1; β stands for its part with ζ(δ) ≥ 0.
    alpha = (h + half) * ratio**2 + 2 * h * ratio
    beta = 2 * (rows * columns) ** 0.25 * zeta * h
    allowed = (-beta + math.sqrt(beta**2 + 8 * alpha * epsilon)) ** 2 / (4 * alpha**2)
    eigen = [np.exp(spread * rng.standard_normal(size)) for size in (rows, columns)]
    product = math.prod(np.linalg.norm(1 / each) for each in eigen)
    loss = math.prod(each.sum() for each in eigen) * product / allowed  # scaled to the limit
    bound = float(ask(witness, "mvg_loss_bound", epsilon=epsilon, rows=rows, columns=columns)[0])
    assert loss >= bound * math.sqrt(rows * columns) * (1 - 1e-9)
