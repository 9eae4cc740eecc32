"""The composed Poisson-subsampled Gaussian in mpmath: X.SG, against the float64 witness."""

from fractions import Fraction

import mpmath
import pytest

from dporacle import arguments, enclosures, fast, reference
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.identities import IDENTITIES
from dporacle.reference.numerics.precision import working
from dporacle.reference.subsampled.bent import Bent
from support.truths.laws import gaussian_profile

pytestmark = pytest.mark.statement("X.SG.PROFILE")

TENTH = {"sigma": 1, "rate": 0.125}  # a float64, so that both witnesses have the same number


@pytest.mark.parametrize("direction", ["add", "remove", "both", "replace"])
def test_one_step_agrees(direction):
    where = {"epsilon": 0.0625, "steps": 1, "direction": direction, **TENTH}
    value = Fraction(*reference.subsampled_delta(**where, digits=15).as_integer_ratio())
    found = Fraction(fast.subsampled_delta(**where))
    assert value <= found <= value * (1 + Fraction(1, 2**32))


@pytest.mark.parametrize("direction", ["add", "remove"])
@pytest.mark.statement("X.SG.INVERSE")
def test_composed_steps_agree(direction):
    where = {"delta": 2.0**-17, "sigma": 1, "rate": 2.0**-7, "steps": 10**4, "direction": direction}
    value = Fraction(*reference.subsampled_epsilon(**where, digits=11).as_integer_ratio())
    found = Fraction(fast.subsampled_epsilon(**where))
    # 11 digits of the reference; ε of float64 is up to 10^-9 above.
    assert value * (1 - Fraction(1, 10**11)) <= found <= value * (1 + Fraction(1, 10**9))


# Enclosures say: δ = 1.00000006398e-9
RARE = {"sigma": Fraction(6, 10), "rate": Fraction(1, 100), "steps": 2, "direction": "remove"}
WHERE = Fraction("5.2293136")


def test_two_steps_are_a_quadrature():
    found = reference.subsampled_delta(epsilon=WHERE, digits=6, **RARE)
    assert abs(float(found) - 1.00000006398e-9) < 1e-17
    assert reference.subsampled_delta(epsilon=1, **RARE | {"direction": "add"}) == 0


@pytest.mark.parametrize("name", ["", "_remove", "_replace"])
def test_steps_with_all_records_are_one_release_to_the_fourth_witness(name):
    given = {
        "epsilon": Fraction(1),
        "sigma": Fraction(2),
        "rate": Fraction(1),
        "steps": Fraction(4),
    }
    found = IDENTITIES[f"subsampled_delta{name}"](mpmath.mp, given)
    assert abs(found - gaussian_profile(1, 2 if name == "_replace" else 1)) < 1e-14


@pytest.mark.thorough("the reference on contours, several seconds each")
def test_two_steps_whose_loss_is_more_than_one_can_lose():
    # One step loses at most half of this: no bits of its δ, which is 0, tell how many are needed.
    where = {"sigma": Fraction("0.375"), "rate": Fraction("0.0013"), "steps": 2}
    where |= {"epsilon": Fraction("0.00260169146132"), "direction": "add"}
    value = reference.subsampled_delta(**where, digits=8)
    low, high = bounds(enclosures.subsampled_delta(**where, digits=12))
    assert abs(arguments.exact("delta", value) - low) <= (high - low) + low * Fraction(1, 10**8)


@pytest.mark.thorough("the reference on contours, several seconds each")
@pytest.mark.parametrize(
    ("direction", "epsilon", "rate"), [("remove", "0.5", "0.01"), ("add", "0.1", "0.1")]
)
def test_two_steps_whose_integrand_has_a_kink(direction, epsilon, rate):
    # Not split there, the quadrature agreed with itself on twenty digits, and was right to twelve.
    where = {"sigma": 1, "rate": Fraction(rate), "steps": 2, "direction": direction}
    value = reference.subsampled_delta(epsilon=Fraction(epsilon), digits=20, **where)
    low, high = bounds(enclosures.subsampled_delta(epsilon=Fraction(epsilon), digits=22, **where))
    assert abs(arguments.exact("delta", value) - low) <= (high - low) + low / 10**19


@pytest.mark.thorough("the reference on contours, several seconds each")
def test_a_contour_that_bends_serves_where_a_record_is_rare():
    plan = [(RARE["sigma"], RARE["rate"], 2)]
    with working(40) as ctx:
        found = Bent(ctx, plan, "remove", 3.36, float(WHERE)).delta(ctx.mpf(float(WHERE)))
    # 40 bits, of which the sum is asked to settle to 16
    assert abs(float(found) - 1.00000006398e-9) < 1e-9 * 2.0**-14


@pytest.mark.parametrize(
    ("name", "value"), [("sigma", 0), ("rate", 2), ("steps", 0), ("direction", "swap")]
)
def test_what_is_refused_is_named(name, value):
    good = {"delta": 0.1, "sigma": 1, "rate": 0.5, "steps": 2, "direction": "add"}
    with pytest.raises(ValueError, match=name):
        reference.subsampled_epsilon(**{**good, name: value})
