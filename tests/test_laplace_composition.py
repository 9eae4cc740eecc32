"""Laplace releases together, and with Gaussian ones: X.LAPCOMP, X.LAPGAUSS, on every witness."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dporacle import enclosures
from dporacle.enclosures.arithmetic import rounding
from support import strategies as s
from support.dear import mostly_dear
from support.truths.laws import gaussian_profile, laplace_profile
from support.witnesses import ask

fewer = settings(max_examples=25)


def with_laplace(function, epsilon, m, kinks):
    """E f(ε − L) over the loss of a Laplace release, by quadrature."""
    points = sorted({mpmath.mpf(0), mpmath.mpf(m), *(x for x in kinks if 0 < x < m)})
    middle = mpmath.quad(lambda x: mpmath.exp(-x) * function(epsilon - m + 2 * x), points)
    return (function(epsilon - m) + mpmath.exp(-m) * function(epsilon + m) + middle) / 2


@pytest.mark.parametrize(
    ("k", "m", "share"),
    mostly_dear(
        [(2, 1.3, 0.4), (2, 0.05, 0.5), (2, 1.0, 0.0), (2, 4.0, 0.8), (3, 0.7, 0.2), (3, 2.0, 0.0)],
        3,
    ),
)
@pytest.mark.statement("X.LAPCOMP")
def test_releases_by_quadrature(witness, k, m, share):
    epsilon = share * k * m

    def two(gap):
        return with_laplace(
            lambda g: laplace_profile(g, m), gap, m, [(2 * m - gap) / 2, -gap / 2, (m - gap) / 2]
        )

    if k == 2:
        joint = two(mpmath.mpf(epsilon))
    else:
        kinks = [(j * m - epsilon) / 2 for j in range(-4, 5)]
        joint = with_laplace(two, mpmath.mpf(epsilon), m, kinks)
    found = ask(
        witness, "laplace_repeated_delta", epsilon=epsilon, scale=1, sensitivity=m, releases=k
    )
    assert float(found[0]) == pytest.approx(float(joint), abs=1e-9)


@fewer
@given(m=st.floats(0.01, 3), share=st.floats(0, 1), k=st.integers(2, 12))
@pytest.mark.statement("X.LAPCOMP")
def test_more_releases_tell_more(witness, m, share, k):
    """And never more than their sum in one release, nor than the Kullback-Leibler sum allows."""
    epsilon = share * k * m
    where = {"epsilon": epsilon, "scale": 1}
    fewer_of_them, all_of_them = (
        ask(witness, "laplace_repeated_delta", sensitivity=m, releases=n, **where)
        for n in (k - 1, k)
    )
    assert fewer_of_them[0] <= all_of_them[1] * (1 + Fraction(1, 10**9))
    whole = ask("enclosures", "laplace_delta_at_epsilon", sensitivity=k * Fraction(m), **where)
    assert all_of_them[0] <= whole[1] * (1 + Fraction(1, 10**9)) + Fraction(s.TINY)


@fewer
@given(m=st.floats(0.05, 4), mu=st.floats(0.1, 3), share=st.floats(0, 1.5))
@pytest.mark.statement("X.LAPGAUSS")
def test_with_gaussian_releases_by_quadrature(witness, m, mu, share):
    epsilon = share * m

    joint = with_laplace(
        lambda gap: gaussian_profile(gap, mu), mpmath.mpf(epsilon), m, [(m - epsilon) / 2]
    )
    found = ask(witness, "laplace_gaussian_delta", epsilon=epsilon, scale=1, sensitivity=m, mu=mu)
    assert float(found[0]) == pytest.approx(float(joint), abs=1e-10)


@pytest.mark.statement("X.LAPGAUSS")
def test_the_limits_are_the_profiles_of_either_release():
    alone = enclosures.delta_at_epsilon(epsilon=1, sigma=1)
    with_little = enclosures.laplace_gaussian_delta(epsilon=1, scale=10**40, mu=1)
    assert abs(rounding.bounds(with_little - alone)[1]) < Fraction(1, 10**35)
    alone = enclosures.laplace_delta_at_epsilon(epsilon=1, scale=Fraction(1, 2))
    with_little = enclosures.laplace_gaussian_delta(
        epsilon=1, scale=Fraction(1, 2), mu=Fraction(1, 10**40)
    )
    assert abs(rounding.bounds(with_little - alone)[1]) < Fraction(1, 10**35)
