"""The classical calibration on every witness: BW18.T1."""

from fractions import Fraction

import pytest
from hypothesis import example, given

from dporacle import enclosures, fast, reference
from dporacle.enclosures.arithmetic import rounding
from dporacle.verdicts import Verdict, decide_at_most
from support import strategies as s
from support.exact import agrees, fraction, ulps_above

pytestmark = pytest.mark.statement("BW18.T1")

# Floats above the least right answer that the float64 formula may give.
CLASSICAL_ULPS = 2


@given(epsilon=s.positives(1e-300, 1e6), delta=s.deltas(), sensitivity=s.positives(1e-6, 1e6))
def test_witnesses_agree(epsilon, delta, sensitivity):
    where = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
    assert agrees(enclosures.classical_sigma(**where), reference.classical_sigma(**where), 50)
    try:
        least = rounding.round_up(lambda n: enclosures.classical_sigma(**where, digits=n))
    except OverflowError:
        with pytest.raises(OverflowError):
            fast.classical_sigma(**where)
        return
    assert 0 <= ulps_above(fast.classical_sigma(**where), least) <= CLASSICAL_ULPS


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
