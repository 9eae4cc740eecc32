"""What the counts of an attack prove is wrong as seldom as it says; each usual fault more often.

Nearly all is exact: the probabilities of all counts are added, and nothing is drawn. Only a search
over thresholds is a simulation, whose comment says how seldom it fails by chance.
"""

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

import dporacle
from dporacle import enclosures, fast, reference
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.vocabulary import CONTRACTS
from support.drawing import inputs
from support.truths.laws import binomial

few = settings(max_examples=40)
alphas = st.sampled_from([Fraction(1, 20), Fraction(1, 100), Fraction(1, 2), Fraction(1, 10**9)])
ALPHA = 0.05
ROOM = 1 + 1e-9  # of probabilities that are added in float64


@few
@given(n=st.integers(1, 30), p=st.fractions(0, 1, max_denominator=1000), alpha=alphas)
@example(n=1, p=Fraction(1, 2), alpha=Fraction(1, 2))
@pytest.mark.statement("X.AUDIT.LIMIT")
def test_a_limit_is_exceeded_as_seldom_as_it_says(n, p, alpha):
    """Exactly: the probability of all counts whose limit is below p."""
    missed = sum(
        mass
        for k, mass in enumerate(binomial(n, p))
        if bounds(enclosures.binomial_upper(successes=k, trials=n, alpha=alpha, digits=20))[1] < p
    )
    assert missed <= alpha


@few
@given(n=st.integers(1, 30), share=st.floats(0, 1), alpha=alphas)
@pytest.mark.statement("X.AUDIT.LIMIT")
def test_no_smaller_limit_does(n, share, alpha):
    """Just below the limit, counts up to k have more than α, and just above it less."""
    k, step = round(share * (n - 1)), 1 + Fraction(1, 10**20)
    low, high = bounds(enclosures.binomial_upper(successes=k, trials=n, alpha=alpha, digits=30))
    assert sum(binomial(n, low / step)[: k + 1]) > alpha
    assert sum(binomial(n, min(high * step, Fraction(1)))[: k + 1]) < alpha


@given(n=st.integers(1, 60), p=st.floats(0.001, 0.999))
@example(n=1, p=0.5)
@pytest.mark.statement("X.AUDIT.DRAWS")
def test_a_delta_from_draws_is_exceeded_as_seldom_as_it_says(n, p):
    """Draws that are kept or not, and values that are 0 or 1: of a mean alone half is below."""
    k = np.arange(n + 1)
    mass = stats.binom.pmf(k, n, p)
    kept = fast.monte_carlo_delta(successes=k, trials=n, alpha=ALPHA)
    mean = fast.monte_carlo_mean_delta(mean=k / n, trials=n, alpha=ALPHA)
    assert mass[kept < p].sum() <= ALPHA * ROOM
    assert mass[mean < p].sum() <= ALPHA * ROOM
    assert np.all(mean >= kept / ROOM)  # without a coin for each draw less is proved
    if n * p * (1 - p) >= 1:
        assert mass[k / n < p].sum() > ALPHA


@pytest.mark.parametrize(
    "name", [n for n, row in CONTRACTS.items() if any(each.at_most for each in row.rows.values())]
)
def test_no_more_are_drawn_of_some_than_of_all(name):
    """Counts of a part are in its row, by which inputs are drawn and witnesses refuse."""
    row = CONTRACTS[name]
    for where in inputs(row, 12, "some"):
        for part, each in row.rows.items():
            assert not each.at_most or where[part] <= where[each.at_most]
    for part, each in row.rows.items():
        if each.at_most:
            wrong = row.everyday | {part: row.everyday[each.at_most] + 1}
            for witness in (fast, enclosures, reference):
                with pytest.raises(ValueError, match=f"{part} must be at most {each.at_most}"):
                    row.of(witness)(**wrong)


def test_a_fraction_below_all_floats_is_in_a_domain_whose_end_is_one():
    """2^1100 times a half is no float."""
    domain = CONTRACTS["one_run_epsilon"].rows["alpha"].domain
    assert Fraction(1, 2**1100) in domain
    assert Fraction(2**1100 + 1, 2**1101) not in domain
    run = {"guesses": 400, "correct": 400, "canaries": 400, "delta": 0}
    assert enclosures.one_run_epsilon(**run, alpha=Fraction(1, 3**240), digits=10) > 0


def test_limits_of_binomials_stand_in_one_place():
    """A quantile of floats has no error bound: two modules had one each."""
    source = Path(dporacle.__file__).parent
    found = [
        path.relative_to(source).as_posix()
        for folder in ("claims", "wings", "cli", "conformance", "report")
        for path in (source / folder).rglob("*.py")
        if "beta.isf" in (text := path.read_text("utf-8")) or "beta.ppf" in text
    ]
    assert found == ["conformance/adapters/scipy.py"]  # which is asked for them


def attack(x, n0, y, n1):
    """All likely counts of an attack with these error rates, their probabilities, and the rest."""
    sides = []
    for p, n in ((x, n0), (y, n1)):
        k = np.arange(n + 1)
        mass = stats.binom.pmf(k, n, p)
        sides.append((k[mass > 1e-9], mass[mass > 1e-9]))
    (fp, first), (fn, second) = sides
    both = np.outer(first, second)
    counts = {
        "false_positives": fp[:, None],
        "negatives": n0,
        "false_negatives": fn[None, :],
        "positives": n1,
    }
    return counts, both, 1 - both.sum()


ATTACKS = {  # two laws with these error rates at the best event, and their ε
    "no privacy loss": (0.5, 40, 0.5, 40, 0.0),
    "chance, hardly ever positive": (0.05, 60, 0.95, 60, 0.0),
    "randomised response": (0.25, 40, 0.25, 40, math.log(3)),
    "rare errors": (0.005, 1000, 0.005, 1000, math.log(199)),
    "one rate is all but known": (0.02, 100, 0.5, 400, math.log(25)),
}


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.statement("X.AUDIT.COUNTS")
def test_counts_prove_too_much_as_seldom_as_they_say(name):
    x, n0, y, n1, epsilon = ATTACKS[name]
    counts, mass, rest = attack(x, n0, y, n1)
    given = counts | {"alpha": ALPHA}
    found = fast.audit_epsilon(**given, delta=0.0)
    assert mass[found > epsilon].sum() + rest <= ALPHA
    for at in (0.0, 1.0):
        truth = max(0.0, 1 - y - math.exp(at) * x, 1 - x - math.exp(at) * y)
        wrong = fast.audit_delta(**given, epsilon=at) > truth * ROOM
        assert mass[wrong].sum() + rest <= ALPHA
    mu = max(0.0, float(stats.norm.isf(x) + stats.norm.isf(y)))
    assert mass[fast.audit_mu(**given) > mu * ROOM].sum() + rest <= ALPHA


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.0), (1.0, 0.0), (0.5, 0.1)])
@pytest.mark.parametrize("x", [0.05, 0.2])
@pytest.mark.statement("X.AUDIT.JOINT")
def test_a_joint_p_value_is_small_as_seldom_as_it_says(x, epsilon, delta):
    """Exactly, at the edge of what (ε, δ) allows; the product itself is small more often."""
    n0, n1, y = 24, 15, 1 - delta - math.exp(epsilon) * x
    fp, fn = np.arange(n0 + 1)[:, None], np.arange(n1 + 1)[None, :]
    mass = stats.binom.pmf(fp, n0, x) * stats.binom.pmf(fn, n1, y)
    counts = {"false_positives": fp, "negatives": n0, "false_negatives": fn, "positives": n1}
    found = fast.audit_joint_p_value(**counts, epsilon=epsilon, delta=delta)
    for alpha in (0.01, ALPHA, 0.3):
        assert mass[found <= alpha].sum() <= alpha
    product = stats.binom.cdf(fp, n0, x) * stats.binom.cdf(fn, n1, y)
    assert mass[product <= 0.3].sum() > 0.3
    assert np.all(found >= np.minimum(product * (1 - np.log(product)), 1) / ROOM)
    for other in np.linspace(0, (1 - delta) / (1 + math.exp(epsilon)), 9):  # and no other is larger
        ends = (other, 1 - delta - math.exp(epsilon) * other)
        for left, right in (ends, ends[::-1]):
            at = stats.binom.cdf(fp, n0, left) * stats.binom.cdf(fn, n1, right)
            with np.errstate(divide="ignore", invalid="ignore"):
                least = np.where(at > 0, at * (1 - np.log(at)), 0)
            assert np.all(found >= np.minimum(least, 1) / ROOM)


def test_what_both_rates_refute_at_once():
    """With no errors at all more than by two limits, with lopsided counts less."""
    for counts, joint, limits in (
        ((0, 1000, 0, 1000), 6.0429, 5.600587531),
        ((5, 1000, 100, 1000), 4.2387, 4.326040844),
    ):
        names = ("false_positives", "negatives", "false_negatives", "positives")
        given = dict(zip(names, counts, strict=True)) | {"delta": 0.0 if counts[0] == 0 else 1e-5}
        for epsilon, refuted in ((joint - 1e-3, True), (joint + 1e-3, False)):
            found = fast.audit_joint_p_value(**given, epsilon=epsilon)
            assert (found <= ALPHA) == refuted
        assert abs(fast.audit_epsilon(**given, alpha=ALPHA) - limits) < 1e-8


@pytest.mark.parametrize("epsilon", [460, 10**8, 10**308])
def test_a_joint_p_value_of_an_epsilon_beyond_all_counts_is_next_to_1(epsilon):
    """The product is largest far from the corner, in log-odds."""
    counts = {"false_positives": 3, "negatives": 7880, "false_negatives": 15, "positives": 4034}
    for witness in (enclosures, reference):
        found = witness.audit_joint_p_value(**counts, epsilon=epsilon, delta=0, digits=30)
        assert abs(found - 1) < 1e-30


def observed_epsilon(counts, **_):
    """The rates as they were observed."""
    x = counts["false_positives"] / counts["negatives"]
    y = counts["false_negatives"] / counts["positives"]
    with np.errstate(divide="ignore"):
        return np.maximum(np.log((1 - y) / x), np.log((1 - x) / y))


def unshared_epsilon(counts, alpha):
    """Each rate has α, as if the interval of both sides had it."""
    return fast.audit_epsilon(**counts, alpha=2 * alpha, delta=0.0)


def absolute_mu(counts, alpha):
    """|Φ⁻¹(1 − a) − Φ⁻¹(b)|, where it is not negative in one direction alone."""
    a = fast.binomial_upper(
        successes=counts["false_positives"], trials=counts["negatives"], alpha=alpha / 2
    )
    b = fast.binomial_upper(
        successes=counts["false_negatives"], trials=counts["positives"], alpha=alpha / 2
    )
    return np.abs(stats.norm.isf(a) + stats.norm.isf(b))


@pytest.mark.parametrize(
    ("fault", "name"),
    [
        (observed_epsilon, "no privacy loss"),
        (observed_epsilon, "randomised response"),
        (unshared_epsilon, "rare errors"),
        (absolute_mu, "no privacy loss"),
    ],
)
def test_each_usual_fault_of_two_rates_proves_too_much(fault, name):
    x, n0, y, n1, epsilon = ATTACKS[name]
    counts, mass, _ = attack(x, n0, y, n1)
    assert mass[fault(counts, alpha=ALPHA) > epsilon].sum() > ALPHA


RUNS, CANARIES = 600, 100


def test_alpha_is_shared_over_the_numbers_of_guesses_that_were_tried():
    """Scores that say nothing; the best of 100 numbers of guesses, with α for each or a share.

    With a share the true rate is at most 0.05: more than 63 of 600 are refuted with probability
    2·10⁻⁸. With α for each it is about 0.2: no more than 30 are, with less than 10⁻²⁶.
    """
    right = np.random.default_rng(20240229).integers(0, 2, (RUNS, CANARIES)).cumsum(axis=1)
    guesses = np.arange(1, CANARIES + 1)
    p = fast.binomial_tail(successes=right, trials=guesses, probability=0.5)
    for run, r in ((0, 7), (3, 50), (5, 100)):  # of one run, at ε = 0 and δ = 0
        told = {"guesses": r, "correct": int(right[run, r - 1]), "canaries": CANARIES}
        one = fast.one_run_p_value(**told, epsilon=0.0, delta=0.0)
        assert one == pytest.approx(p[run, r - 1], rel=1e-9)
    best = p.min(axis=1)
    assert (best <= ALPHA / CANARIES).sum() <= ALPHA * RUNS + 33
    assert (best <= ALPHA).sum() > ALPHA * RUNS
    assert (p[:, -1] <= ALPHA).sum() <= ALPHA * RUNS + 33  # fixed beforehand, it costs nothing


def one_run(guesses, canaries, delta, alpha=ALPHA):
    """The ε refuted by each number of right guesses."""
    return fast.one_run_epsilon(
        guesses=guesses, correct=np.arange(guesses + 1), canaries=canaries, alpha=alpha, delta=delta
    )


@pytest.mark.parametrize("odds", [1, 3, 9])
@pytest.mark.parametrize("delta", [0.0, 0.002, 0.05])
@pytest.mark.statement("X.AUDIT.ONERUN")
def test_one_run_proves_too_much_as_seldom_as_it_says(odds, delta):
    """Randomised response of each canary, which besides shows it with probability δ."""
    r, q = 60, odds / (1 + odds)
    mass = stats.binom.pmf(np.arange(r + 1), r, q + delta * (1 - q))
    wrong = mass[one_run(r, r, delta) > math.log(odds) * ROOM].sum()
    assert wrong <= ALPHA * ROOM
    if not delta:  # and it is sharp: one right guess less would be too much
        first = int(np.argmax(one_run(r, r, delta) > math.log(odds) * ROOM))
        assert mass[first - 1 :].sum() > ALPHA


def test_each_usual_fault_of_one_run_proves_too_much():
    r, odds, delta = 60, 3, 0.05
    q, k = 0.75, np.arange(r + 1)
    mass = stats.binom.pmf(k, r, q)
    # A sum that begins one term too late, sf(v) for sf(v − 1).
    late = np.array([1.0] * (r + 1))
    late[:r] = fast.one_run_p_value(
        guesses=r, correct=k[1:], canaries=r, epsilon=math.log(odds), delta=0.0
    )
    late[r] = 0.0
    assert mass[late <= ALPHA].sum() > ALPHA
    # Without the term of δ, where each canary is shown with probability δ.
    shown = stats.binom.pmf(k, r, q + delta * (1 - q))
    assert shown[one_run(r, r, 0.0) > math.log(odds) * ROOM].sum() > ALPHA
    # The attack guesses six canaries that it was shown, of 500: the others count in m.
    few, all_of_them, rare = 6, 500, 0.01
    right = 1 - stats.binom.cdf(few - 1, all_of_them, rare)  # six at least are shown
    assert one_run(few, few, rare)[few] > 0
    assert right > ALPHA
    assert one_run(few, all_of_them, rare)[few] == 0


@few
@given(r=st.integers(1, 12), m=st.integers(0, 40), delta=st.sampled_from([0.0, 0.01, 0.1]))
@example(r=1, m=0, delta=0.1)
@pytest.mark.statement("X.AUDIT.ONERUN")
def test_the_epsilons_that_one_run_refutes_are_those_up_to_one(r, m, delta):
    """Where δ is large, p is not in order everywhere; up to 1/2 it is."""
    grid = np.linspace(0, 6, 31)
    for v in range(r + 1):
        p = fast.one_run_p_value(guesses=r, correct=v, canaries=r + m, epsilon=grid, delta=delta)
        below = p <= 0.5
        assert not np.any(below[1:] & ~below[:-1])
        assert np.all(np.diff(p)[below[1:]] >= -1e-9)
