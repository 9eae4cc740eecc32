"""The limit beside a verdict: it does itself, and beside a claim that holds it is no more noise."""

import re
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import dporacle
from dporacle.verdicts import Verdict
from support.cases import rows

ADD = {"neighbours": "add-remove"}
PLAIN = {"sensitivity": 1, **ADD}
SAME = "the σ that it has would do"
numbers = st.fractions(Fraction(1, 50), 50, max_denominator=1000)
times = st.integers(1, 9)


def audited(mechanism, asserts):
    return dporacle.audit({"id": "x", "mechanism": mechanism, "asserts": asserts})


def the_limit(found):
    """Return the noise that a limit names; None where it names that of the claim."""
    if found.limit in {SAME, "no σ above the one that it has would do"}:
        return None
    (told,) = re.findall(r"([0-9.e/+-]+)(?: m)?(?: on)? would do", found.limit)
    return Fraction(told)


def check(mechanism, asserts, noise, *, most=False):
    """Read the limit back, as that noise; with `most` it is a largest one."""
    found = audited(mechanism, asserts)
    if not found.limit or "no threshold" in found.limit:
        return
    limit = the_limit(found)
    if limit is None:
        assert found.verdict is Verdict.HOLDS
        return
    assert audited({**mechanism, noise: limit}, asserts).verdict is Verdict.HOLDS
    present = Fraction(mechanism[noise])
    if found.verdict is Verdict.HOLDS:
        assert limit >= present if most else limit <= present
    else:
        assert limit < present if most else limit > present


@settings(max_examples=60, deadline=None)
@given(scale=numbers, sensitivity=numbers, height=times, epsilon=numbers, exactly=st.booleans(),
       delta=st.sampled_from(["0", "1e-9", "0.1"]))  # fmt: skip
@example(Fraction(180), Fraction(18), 1, Fraction(1, 10), False, "0")
@example(Fraction(32768, 5), Fraction(32768, 5), 1, Fraction(1), False, "0")
@example(Fraction(1, 3), Fraction(1), 1, Fraction(3), False, "0")
def test_laplace_noise(scale, sensitivity, height, epsilon, exactly, delta):
    if exactly:
        epsilon = height * sensitivity / scale
    asserts = {"kind": "privacy", "epsilon": epsilon, "delta": delta, **ADD}
    noise = {"scale": scale, "sensitivity": sensitivity, **ADD}
    if height == 1:
        check({"kind": "laplace", **noise}, asserts, "scale")
    tree = {"kind": "hierarchical-tree", "children": 2, "height": height, **noise}
    check(tree, asserts, "scale")


@settings(max_examples=80, deadline=None)
@given(
    sigma=numbers,
    sensitivity=numbers,
    kind=st.sampled_from(["zcdp", "gdp", "rdp", "privacy"]),
    most=numbers,
    exactly=st.booleans(),
)
@example(Fraction(1, 100_000), Fraction(1, 50), "gdp", Fraction(2000), True)
@example(Fraction(32768, 5), Fraction(1), "zcdp", Fraction(1), True)
def test_gaussian_noise(sigma, sensitivity, kind, most, exactly):
    square = (sensitivity / sigma) ** 2
    bounds = {
        "zcdp": {"rho": square / 2 if exactly else most},
        "gdp": {"mu": sensitivity / sigma if exactly else most},
        "rdp": {"order": 3, "epsilon": 3 * square / 2 if exactly else most},
        "privacy": {"epsilon": most, "delta": "1e-6"},
    }
    asserts = {"kind": kind, **bounds[kind], **ADD}
    for unit in ("", "m"):
        mechanism = {"kind": "gaussian", "sigma": sigma, "sensitivity": sensitivity, "unit": unit}
        check({**mechanism, **ADD}, asserts, "sigma")
    variances = {"row_variances": [sigma**2, 100 * sigma**2], "column_variances": [1]}
    found = audited(
        {"kind": "matrix-variate", "sensitivity": sensitivity, **variances, **ADD}, asserts
    )
    if found.verdict is Verdict.HOLDS and (limit := the_limit(found)) is not None:
        assert limit <= sigma


@settings(max_examples=50, deadline=None)
@given(rho=numbers, sensitivity=numbers, repeated=times, more=st.fractions(0, 1))
@example(Fraction(1), Fraction(1), 1, Fraction(0))
@example(Fraction(1, 3), Fraction(1), 7, Fraction(0))
def test_noise_that_is_a_root_is_not_rounded_above_itself(rho, sensitivity, repeated, more):
    mechanism = {"kind": "zcdp", "rho": rho, "sensitivity": sensitivity, **ADD}
    found = audited(mechanism, {"kind": "zcdp", "rho": rho * (1 + more), **ADD})
    limit = the_limit(found)
    assert limit is None or limit**2 <= sensitivity**2 / (2 * rho)
    many = {"kind": "composition", "releases": [mechanism], "times": repeated}
    found = audited(many, {"kind": "zcdp", "rho": repeated * rho * (1 + more), **ADD})
    assert the_limit(found) <= 1


@settings(max_examples=50, deadline=None)
@given(sigma=numbers, loss=numbers, dimension=times, exactly=st.booleans())
@example(Fraction(1, 3), Fraction(1), 1, True)
def test_expected_loss(sigma, loss, dimension, exactly):
    asserts = {"kind": "loss", "at_most": loss, "dimension": dimension}
    if exactly:
        asserts["at_most"] = dimension * sigma**2
    check({"kind": "gaussian", "sigma": sigma, **PLAIN}, asserts, "sigma", most=True)
    root = {"kind": "zcdp", "rho": loss, **PLAIN}
    asserts = {"kind": "loss", "at_most": dimension / (2 * loss), "dimension": dimension}
    found = audited(root, asserts)
    assert found.verdict is Verdict.HOLDS
    limit = the_limit(found)
    assert limit is None or limit**2 * 2 * loss >= 1
    if exactly:
        asserts = {"kind": "loss", "at_most": sigma, "dimension": 5}
        rank = {"kind": "rank-one", "dimension": 5, "sigma_star": sigma, **PLAIN}
        assert the_limit(audited(rank, asserts)) == sigma


@settings(max_examples=30, deadline=None)
@given(
    sigma=st.decimals(1, 50, places=3).map(Fraction),
    error=numbers,
    queries=times,
    kind=st.sampled_from([("gaussian", "sigma"), ("laplace", "scale")]),
)
def test_errors(sigma, error, queries, kind):
    asserts = {"kind": "accuracy", "at_most": error, "alpha": "0.05", "queries": queries}
    check({"kind": kind[0], kind[1]: sigma, **PLAIN}, asserts, kind[1], most=True)


@settings(max_examples=10, deadline=None)
@given(threshold=st.fractions(1, 30, max_denominator=100), l0=st.integers(1, 3))
@example(Fraction("51.26319"), 3)
def test_thresholds(threshold, l0):
    mechanism = {"kind": "thresholded-histogram", "sigma": 5, "threshold": threshold, "l0": l0}
    mechanism |= {"linf": 1}
    asserts = {"kind": "privacy", "epsilon": 2, "delta": "1e-5", **ADD}
    check(mechanism, asserts, "threshold")
    found = audited(mechanism, asserts)
    least = the_limit(found)
    close = {**mechanism, "threshold": least - Fraction(1, 10**6)}  # held at less than is shown
    check(close, asserts, "threshold")


@pytest.mark.parametrize("given", [{"kind": "gdp", "mu": 1}, {"kind": "zcdp", "rho": "0.3"}])
def test_conversions(given):
    def about(epsilon):
        return dporacle.audit(
            {"id": "x", "asserts": {"kind": "conversion", "given": given, "epsilon": epsilon,
                                    "delta": "1e-5"}}
        )  # fmt: skip

    (told,) = re.findall(r"^ε = ([0-9.]+) would do", about(2).limit)
    assert about(told).verdict is Verdict.HOLDS
    low, high = Fraction(told) - Fraction(1, 10**5), Fraction(told)
    while high - low > Fraction(1, 10**9):  # an ε that holds, with less than six digits show
        middle = (low + high) / 2
        low, high = (low, middle) if about(middle).verdict is Verdict.HOLDS else (middle, high)
    (told,) = re.findall(r"^ε = ([0-9./]+) would do", about(high).limit)
    assert Fraction(told) <= high


@pytest.mark.parametrize(("mechanism", "asserts"), [row[:2] for row in rows("verdicts")])
def test_a_limit_has_no_assumptions_in_it(mechanism, asserts):
    found = audited(mechanism, asserts) if mechanism else None
    if found is not None:
        assert "(" not in found.limit
