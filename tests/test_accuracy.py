"""Accuracy at a significance level on every witness: GMA.T1."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given

from dporacle import enclosures, reference
from support import strategies as s
from support.exact import agrees, close

pytestmark = pytest.mark.statement("GMA.T1")

ALPHAS = s.deltas()


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
