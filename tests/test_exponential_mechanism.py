"""Noisy max with Gumbel noise against the laws of several candidates: X.EXPMECH."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dporacle import enclosures, fast, reference
from support import strategies as s
from support.truths.divergences import divergence, product

few = settings(max_examples=60)


scores = st.lists(st.floats(-6, 6), min_size=2, max_size=5)


@pytest.mark.statement("X.EXPMECH")
@few
@given(
    first=scores,
    moves=st.lists(st.floats(-1, 1) | st.sampled_from([-1.0, 1.0]), min_size=5, max_size=5),
    rising=st.booleans(),
    epsilon=st.floats(0, 2),
    order=st.floats(1.01, 20),
)
@example(first=[0.5, -0.5], moves=[-1.0, 1.0] + [0.0] * 3, rising=False, epsilon=0.5, order=1.01)
def test_no_candidates_tell_more(first, moves, rising, epsilon, order):
    """Scores that move by 1, or all rise by 1 at most: the sum over candidates is below."""
    where = {"scale": 1, "sensitivity": Fraction(1, 2) if rising else 1}
    delta = reference.exponential_mechanism_delta(epsilon=epsilon, **where)
    rho = reference.exponential_mechanism_zcdp_rho(**where)
    with mpmath.workdps(30):
        moved = [x + (abs(move) if rising else move) for x, move in zip(first, moves, strict=False)]
        p, q = (_law(each) for each in (first, moved))
        for one, two in ((p, q), (q, p)):
            pairs = list(zip(one, two, strict=True))
            assert divergence(one, two, mpmath.exp(epsilon)) <= delta + mpmath.mpf(10) ** -25
            power = mpmath.fsum(a * (a / b) ** (order - 1) for a, b in pairs)
            assert mpmath.log(power) / (order - 1) <= order * rho + mpmath.mpf(10) ** -25


def _law(scores):
    weights = [mpmath.exp(each) for each in scores]
    return [each / sum(weights) for each in weights]


@pytest.mark.statement("X.EXPMECH")
@few
@given(eta=s.positives(0.01, 30.0), share=st.floats(0, 0.99))
def test_two_candidates_tell_as_much(eta, share):
    where = {"scale": 2, "sensitivity": eta}
    epsilon = eta * share
    delta = reference.exponential_mechanism_delta(epsilon=epsilon, **where)
    rho = reference.exponential_mechanism_zcdp_rho(**where)
    with mpmath.workdps(60):
        width = mpmath.mpf(eta)

        def pair(top):
            q = mpmath.exp(-top) * mpmath.expm1(top - width) / mpmath.expm1(-width)
            gap = mpmath.log(q / (1 - q))
            return _law([gap + width, 0])[0], _law([gap, 0])[0]

        p, q = pair((width + epsilon) / 2)
        assert mpmath.almosteq(p - mpmath.exp(epsilon) * q, delta, 1e-30)
        p, q = pair(mpmath.log(mpmath.expm1(width) / width))
        told = p * mpmath.log(p / q) + (1 - p) * mpmath.log((1 - p) / (1 - q))
        assert mpmath.almosteq(told, rho, 1e-30)
        assert rho < width**2 / 8


@pytest.mark.statement("X.EXPMECH")
@given(eta=s.positives(0.01, 3.0))
@example(eta=3.0)
def test_exponential_noise_has_a_larger_rho(eta):
    """Permute-and-flip of two candidates, each with a score that moves by Δ: not ε²/8 for ε ≤ 3."""
    p = 1 - mpmath.exp(-mpmath.mpf(eta) / 2) / 2
    assert (2 * p - 1) * mpmath.log(p / (1 - p)) > mpmath.mpf(eta) ** 2 / 8


@pytest.mark.statement("X.SELECTIONS")
@few
@given(
    logits=st.lists(st.floats(-4, 4), min_size=1, max_size=4),
    moves=st.lists(st.floats(-1, 1), min_size=4, max_size=4),
    three=st.booleans(),
    epsilon=st.floats(0, 2.5),
)
@example(logits=[-0.5, -0.5, -0.5], moves=[1.0] * 4, three=False, epsilon=1.0)
def test_no_selections_together_tell_more(logits, moves, three, epsilon):
    """Differences of scores that move by 1, other candidates each time: over all answers."""
    n = len(logits)
    given_ = {"epsilon": epsilon, "selection_epsilon": 1, "releases": n}
    delta = reference.exponential_mechanism_repeated_delta(**given_)
    with mpmath.workdps(30):
        pairs = []
        for logit, move in zip(logits, moves, strict=False):
            half, more = mpmath.mpf(move) / 4, [0.25] if three else []
            first = _law([logit + half, -half, *more])
            pairs.append((first, _law([logit - half, half, *more])))
        first, second = product(*pairs)
        for one, two in ((first, second), (second, first)):
            assert divergence(one, two, mpmath.exp(epsilon)) <= delta + mpmath.mpf(10) ** -25


@pytest.mark.statement("X.SELECTIONS")
@pytest.mark.parametrize(("n", "epsilon"), [(2, "1"), (3, "0"), (4, "1/4"), (4, "7/2")])
def test_some_selections_together_tell_as_much(n, epsilon):
    """A search over one score of two candidates meets what is proved of all."""
    epsilon = Fraction(epsilon)
    given_ = {"epsilon": epsilon, "selection_epsilon": 1, "releases": n}
    delta = float(reference.exponential_mechanism_repeated_delta(**given_))

    def gain(logit):
        first, second = _law([logit + 1, 0]), _law([logit, 0])
        return float(divergence(*product(*[(first, second)] * n), mpmath.exp(epsilon)))

    found = max(gain(mpmath.mpf(k) / 50) for k in range(-400, 200))
    assert 0.999 * delta < found <= delta * (1 + 1e-12)


@pytest.mark.statement("X.SELECTIONS")
@pytest.mark.parametrize("witness", [reference, fast, enclosures])
def test_one_selection_is_the_exponential_mechanism(witness):
    once = {"scale": 2.0, "sensitivity": 0.75}
    more = {"selection_epsilon": 0.75, "releases": 1}
    delta = float(witness.exponential_mechanism_delta(epsilon=0.3, **once))
    found = witness.exponential_mechanism_repeated_delta(epsilon=0.3, **more)
    assert float(found) == pytest.approx(delta, rel=2.0**-38)
    epsilon = float(witness.exponential_mechanism_epsilon(delta=0.02, **once))
    found = witness.exponential_mechanism_repeated_epsilon(delta=0.02, **more)
    assert float(found) == pytest.approx(epsilon, rel=2.0**-34)


@pytest.mark.statement("X.SELECTIONS")
@pytest.mark.parametrize(
    ("eta", "n", "epsilon", "known"),
    [  # the best common t of a dense search, in float64
        (1.0, 2, 1.0, 0.057005329028),
        (1.0, 10, 4.0, 0.0168165185),
        (0.5, 20, 2.5, 0.0156179336),
    ],
)
def test_figures_of_a_dense_search(eta, n, epsilon, known):
    given_ = {"epsilon": epsilon, "selection_epsilon": eta, "releases": n}
    for witness in (reference, fast, enclosures):
        found = witness.exponential_mechanism_repeated_delta(**given_)
        assert float(found) == pytest.approx(known, rel=3e-8)
