"""The privacy loss of the Gaussian mechanism on every witness: BW18.L3, L6."""

import mpmath
import pytest
from flint import arb
from hypothesis import given

from dporacle import enclosures, reference
from support import strategies as s
from support.exact import close


@pytest.mark.statement("BW18.L3")
@given(epsilon=s.epsilons(100.0), mu=s.positives(1e-2, 20.0))
def test_tail_is_that_of_a_normal_law_with_twice_the_mean_as_variance(epsilon, mu):
    eta = reference.loss_mean(sigma=1, sensitivity=mu)
    with mpmath.workdps(60):
        tail = mpmath.ncdf((eta - mpmath.mpf(epsilon)) / mpmath.sqrt(2 * eta))
    here = reference.loss_upper_tail(epsilon=epsilon, sigma=1, sensitivity=mu)
    # Φ′/Φ times the error of its argument: 1e-49 times the argument squared, below 1e8.
    assert close(tail, here, 40)


@pytest.mark.statement("BW18.L6")
@given(epsilon=s.epsilons(1e3), mu=s.positives(1e-3, 1e3))
def test_tails_combine_to_the_profile(epsilon, mu):
    # BW18.T5 for the Gaussian: δ(ε) = Pr[L ≥ ε] − e^ε Pr[L′ ≤ −ε].
    where = {"epsilon": epsilon, "sigma": 1, "sensitivity": mu, "digits": 400}
    upper, lower = enclosures.loss_upper_tail(**where), enclosures.loss_lower_tail(**where)
    from dporacle.enclosures.arithmetic.balls import precision

    with precision(2000):
        total = upper - arb(epsilon).exp() * lower
    assert total.overlaps(enclosures.delta_at_epsilon(**where))


@pytest.mark.statement("BW18.L6")
@given(epsilon=s.epsilons(50.0), mu=s.positives(1e-3, 30.0))
def test_pr_tail_condition_is_sufficient_but_not_necessary(epsilon, mu):
    where = {"epsilon": epsilon, "sigma": 1, "sensitivity": mu}
    tail = reference.loss_upper_tail(**where)
    assert tail > reference.delta_at_epsilon(**where)
    assert reference.loss_upper_tail(**{**where, "epsilon": 0}) >= 0.5
