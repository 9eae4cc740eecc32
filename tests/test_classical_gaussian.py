"""The classical calibration on every witness: BW18.T1."""

from fractions import Fraction

import pytest
from hypothesis import example, given

from dporacle import enclosures, reference
from dporacle.verdicts import Verdict, decide_at_most
from support import strategies as s
from support.exact import fraction

pytestmark = pytest.mark.statement("BW18.T1")


@given(epsilon=s.positives(1e-12, 1.0), delta=s.deltas())
@example(epsilon=1.0, delta=s.ALMOST_ONE)
@example(epsilon=1.0, delta=s.TINY)
@example(epsilon=s.TINY, delta=0.5)
def test_classical_sigma_is_private_up_to_epsilon_one(epsilon, delta):
    sigma = reference.classical_sigma(epsilon=epsilon, delta=delta, digits=60)
    decision = decide_at_most(
        lambda n: enclosures.delta_at_epsilon(epsilon=epsilon, sigma=sigma, digits=n),
        Fraction(delta),
    )
    assert decision.verdict is Verdict.HOLDS


def test_classical_sigma_violates_for_large_epsilon():
    # The theorem does not extend: at ε = 9 and δ = 1e-5 the formula's σ is too small.
    sigma = reference.classical_sigma(epsilon=9, delta=1e-5)
    decision = decide_at_most(
        lambda n: enclosures.delta_at_epsilon(epsilon=9, sigma=sigma, digits=n), Fraction(1e-5)
    )
    assert decision.verdict is Verdict.VIOLATED


@given(epsilon=s.positives(1e-3, 1.0), delta=s.positives(1e-100, 0.999))
def test_classical_sigma_is_above_the_least_one(epsilon, delta):
    least = fraction(reference.calibrate_sigma(epsilon=epsilon, delta=delta, digits=20))
    assert fraction(reference.classical_sigma(epsilon=epsilon, delta=delta, digits=20)) > least
