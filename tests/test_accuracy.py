"""Accuracy at a significance level on every witness: GMA.T1."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import example, given

from dporacle import enclosures, fast, reference
from dporacle.enclosures.arithmetic import rounding
from support import strategies as s
from support.exact import agrees, close, ulps_above

pytestmark = pytest.mark.statement("GMA.T1")

ALPHAS = s.deltas()
# Floats between the answer of the float64 witness and the closest one on the safe side.
ULPS = 2


@given(alpha=ALPHAS, sigma=s.positives(1e-200, 1e200))
@example(alpha=1.0, sigma=1.0)
@example(alpha=1e-300, sigma=1.0)
def test_accuracy_witnesses_agree(alpha, sigma):
    ball = enclosures.accuracy(alpha=alpha, sigma=sigma)
    assert agrees(ball, reference.accuracy(alpha=alpha, sigma=sigma), 50)
    least = rounding.round_up(lambda n: enclosures.accuracy(alpha=alpha, sigma=sigma, digits=n))
    assert 0 <= ulps_above(fast.accuracy(alpha=alpha, sigma=sigma), least) <= ULPS


@given(bound=s.positives(1e-200, 1e200), alpha=ALPHAS)
def test_sigma_witnesses_agree(bound, alpha):
    where = {"accuracy": bound, "alpha": alpha}
    assert agrees(enclosures.sigma_at_accuracy(**where), reference.sigma_at_accuracy(**where), 50)
    most = rounding.round_down(lambda n: enclosures.sigma_at_accuracy(**where, digits=n))
    assert -ULPS <= ulps_above(fast.sigma_at_accuracy(**where), most) <= 0


@given(ratio=s.positives(1e-300, 38.0))
@example(ratio=s.TINY)
@example(ratio=37.0)
def test_alpha_witnesses_agree(ratio):
    where = {"accuracy": ratio, "sigma": 1.0}
    ball = enclosures.alpha_at_accuracy(**where)
    assert agrees(ball, reference.alpha_at_accuracy(**where), 50)
    value = fast.alpha_at_accuracy(**where)
    least = rounding.round_up(lambda n: enclosures.alpha_at_accuracy(**where, digits=n), ceiling=1)
    assert 0 <= ulps_above(value, least) <= ULPS


@given(alpha=ALPHAS, sigma=s.positives(1e-6, 1e6))
def test_the_error_exceeds_the_accuracy_with_probability_alpha(alpha, sigma):
    # Back through the other witness, and through Φ instead of erfc.
    a = reference.accuracy(alpha=alpha, sigma=sigma, digits=400)
    back = enclosures.alpha_at_accuracy(accuracy=a, sigma=sigma, digits=60)
    assert agrees(back, Fraction(alpha), 50)
    with mpmath.workdps(450):
        tail = 2 * mpmath.ncdf(-a / mpmath.mpf(sigma))
    assert close(tail, Fraction(alpha), 50)
    again = reference.sigma_at_accuracy(accuracy=a, alpha=alpha, digits=50)
    assert close(again, Fraction(sigma), 49)


def test_classical_accuracy_of_the_note():
    # a = (2Δ/ε)√(ln(1.25/δ))·erf⁻¹(1−α) at (0.5, 1e-5, 0.05).
    sigma = reference.classical_sigma(epsilon=Fraction("0.5"), delta=Fraction("1e-5"))
    a = reference.accuracy(alpha=Fraction("0.05"), sigma=sigma)
    assert mpmath.nstr(a, 17) == "18.991287653633366"
