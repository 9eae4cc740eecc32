"""Equal boxes and repeated randomised response: against every output, and against the claims."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dporacle import enclosures, fast, reference
from dporacle.claims.convolution import decide_losses
from dporacle.claims.losses import PrivacyLoss, ResponseLoss
from dporacle.verdicts import Verdict
from support.truths.divergences import divergence, product

few = settings(max_examples=40)
COARSE = mpmath.mpf(10) ** -25


def _delta(epsilon, first, second, releases):
    """The hockey-stick divergence of a product, output by output."""
    return divergence(*product(*[(first, second)] * releases), mpmath.exp(epsilon))


@pytest.mark.statement("X.BOXES")
@few
@given(
    epsilon=st.floats(0, 3), one=st.floats(0, 2), leak=st.floats(0, 0.5), releases=st.integers(1, 4)
)
@example(epsilon=1.0, one=0.5, leak=0.0, releases=2)
def test_boxes_are_the_sum_over_all_outputs_of_the_worst_ones(epsilon, one, leak, releases):
    found = reference.box_composition_delta(
        epsilon=epsilon, box_epsilon=one, box_delta=leak, releases=releases, digits=30
    )
    with mpmath.workdps(40):
        odds, kept = mpmath.exp(one), 1 - mpmath.mpf(leak)
        pair = [mpmath.mpf(leak), kept * odds / (1 + odds), kept / (1 + odds), mpmath.mpf(0)]
        expected = _delta(epsilon, pair, pair[::-1], releases)
        assert abs(found - expected) <= COARSE


@pytest.mark.statement("X.BOXES")
def test_other_mechanisms_with_the_same_parameters_tell_no_more():
    """Randomised response on three values, and a leaking one with another ε, in boxes."""
    for epsilon in (0.0, 0.5, 1.0):
        with mpmath.workdps(30):
            odds, leak = mpmath.exp(0.7), mpmath.mpf("0.05")
            laws = [[odds, 1, 1], [1, odds, 1]]
            laws = [
                [leak * (i == 0), leak * (i == 1), *((1 - leak) * x / (odds + 2) for x in law)]
                for i, law in enumerate(laws)
            ]
            gain = _delta(epsilon, *laws, 3)
        most = reference.box_composition_delta(
            epsilon=epsilon, box_epsilon=0.7, box_delta=0.05, releases=3
        )
        assert 0 < gain < most


@pytest.mark.statement("X.REPORTS")
@few
@given(
    epsilon=st.floats(0, 3), one=st.floats(0.01, 2), kinds=st.integers(2, 5), n=st.integers(1, 4)
)
@example(epsilon=0.0, one=1.0, kinds=5, n=3)
def test_reports_are_the_sum_over_all_outputs(epsilon, one, kinds, n):
    found = reference.randomised_response_delta(
        epsilon=epsilon, report_epsilon=one, kinds=kinds, releases=n, digits=30
    )
    with mpmath.workdps(40):
        whole = mpmath.exp(one) + kinds - 1
        first = [mpmath.exp(one) / whole, 1 / whole, *([1 / whole] * (kinds - 2))]
        second = [first[1], first[0], *first[2:]]
        assert abs(found - _delta(epsilon, first, second, n)) <= COARSE


@pytest.mark.parametrize(
    ("kinds", "leak", "releases", "epsilon"),
    [(2, 0, 10, 2), (2, "1/1000000", 10, 2), (4, 0, 2, 0), (9, 0, 20, 1), (2, "1/100", 3, 3)],
)
def test_the_claims_are_decided_by_the_same_number(kinds, leak, releases, epsilon):
    """The judge convolves the loss on a grid; a box is a leak and a report on two values."""
    one, leak = Fraction(1, 2), Fraction(leak)
    loss = PrivacyLoss(others={ResponseLoss(one, kinds): 1}, leaks={leak: 1} if leak else {})
    if kinds == 2:
        found = reference.box_composition_delta(
            epsilon=epsilon, box_epsilon=one, box_delta=leak, releases=releases, digits=30
        )
    else:
        found = reference.randomised_response_delta(
            epsilon=epsilon, report_epsilon=one, kinds=kinds, releases=releases, digits=30
        )
    found, step = Fraction(*map(int, found.as_integer_ratio())), Fraction(1, 10**12)
    for delta, verdict in ((found + step, Verdict.HOLDS), (found - step, Verdict.VIOLATED)):
        together = [loss.times(releases)]
        decided = decide_losses(together, epsilon=Fraction(epsilon), delta=delta)
        assert decided.verdict is verdict


def test_a_report_on_two_values_is_a_box_that_does_not_leak():
    where = {"epsilon": 1.5, "releases": 12}
    for witness in (reference, fast, enclosures):
        boxes = witness.box_composition_delta(box_epsilon=0.4, box_delta=0, **where)
        reports = witness.randomised_response_delta(report_epsilon=0.4, kinds=2, **where)
        assert abs(float(boxes) - float(reports)) <= 1e-12 * float(boxes)


@pytest.mark.statement("X.BOXES")
@pytest.mark.statement("X.REPORTS")
@few
@given(
    delta=st.floats(1e-6, 0.9), one=st.floats(0.01, 2), kinds=st.integers(2, 5),
    leak=st.floats(0, 1e-7), releases=st.integers(1, 9),
)  # fmt: skip
@example(delta=0.9, one=0.01, kinds=2, leak=0.0, releases=1)
def test_the_least_epsilon_has_this_delta(delta, one, kinds, leak, releases):
    """And a smaller one more; at an ε of 0, δ(0) is at most δ."""
    for name, given_ in (
        ("box_composition", {"box_epsilon": one, "box_delta": leak}),
        ("randomised_response", {"report_epsilon": one, "kinds": kinds}),
    ):
        given_["releases"] = releases
        found = getattr(reference, f"{name}_epsilon")(delta=delta, **given_, digits=30)
        there = getattr(reference, f"{name}_delta")(epsilon=found, **given_, digits=30)
        if found:
            assert abs(there - delta) <= COARSE
        else:
            assert there <= delta


@pytest.mark.parametrize("witness", [reference, fast, enclosures])
def test_no_epsilon_has_less_than_what_leaks(witness):
    """1 − (1 − 1e-6)² is a little below 2e-6, and no ε has a δ below it."""
    given_ = {"box_epsilon": 0.5, "box_delta": Fraction(1, 10**6), "releases": 2}
    lost = 1 - (1 - Fraction(1, 10**6)) ** 2
    found = witness.box_composition_epsilon(delta=lost + Fraction(1, 10**16), **given_)
    assert 0.999 < float(found) <= 1.0000001
    with pytest.raises(ValueError, match="delta must be at least 1 - "):
        witness.box_composition_epsilon(delta=lost - Fraction(1, 10**9), **given_)
