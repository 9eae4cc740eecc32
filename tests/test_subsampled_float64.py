"""The composed Poisson-subsampled Gaussian in float64: X.SG, against what else is known of it."""

import math
import random
import types
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import Phase as Stage
from hypothesis import assume, example, given, reject, settings
from hypothesis import strategies as st

from dporacle import enclosures, fast
from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.fast.subsampled.contour import ContourMoments, saddle
from dporacle.fast.subsampled.lattice import TiltedLattice, lattice_delta, lattice_epsilon
from dporacle.fast.subsampled.losses import FloatPhase, log_ratio
from dporacle.fast.subsampled.single import single_delta
from support.cases import table
from support.dear import dear, mostly_dear

EXACT = [  # σ, q, T, δ, direction and the ends of ε, proved by balls
    (1.0, 0.01, 10**4, 1e-5, "remove", "6.18771238996", "6.18771238998"),
    (1.0, 0.01, 10**4, 1e-5, "add", "5.61150861764", "5.61150861767"),
    (0.7, 0.004, 11250, 1e-5, "remove", "5.43118648714", "5.43118648718"),
    (0.7, 0.004, 11250, 1e-5, "add", "4.15816287152", "4.15816287156"),
    (10.0, 0.1, 10**6, 1e-12, "remove", "119.9870640832", "119.9870640839"),
    (2.0, 0.05, 100, 1e-9, "remove", "1.73689549585", "1.73689549588"),
    (2.0, 0.05, 100, 1e-9, "add", "1.26947215105", "1.26947215107"),
    (1.0, 0.01, 10**4, 1e-9, "both", "8.765438590", "8.765438595"),
    (1.0, 0.01, 10**4, 1e-13, "both", "10.83309988", "10.83309990"),
    (1.0, 0.01, 1000, 1e-12, "both", "3.91429815", "3.91429817"),
]

NO_SHRINK = (Stage.explicit, Stage.generate)
steady = settings(derandomize=True, deadline=None, phases=NO_SHRINK, max_examples=10, database=None)
few = settings(steady, max_examples=4)
directions = st.sampled_from(["add", "remove", "both", "replace"])


def log(low, high):
    return st.floats(math.log(low), math.log(high)).map(math.exp)


noise = st.tuples(log(0.5, 10), log(2e-3, 0.9), log(20, 1e5).map(int))


@pytest.mark.parametrize(("sigma", "rate", "steps", "delta", "direction", "low", "high"), EXACT)
@pytest.mark.statement("X.SG.INVERSE")
def test_epsilon_is_the_exact_one(sigma, rate, steps, delta, direction, low, high):
    found = fast.subsampled_epsilon(
        delta=delta, sigma=sigma, rate=rate, steps=steps, direction=direction
    )
    # 0.01 as float64 is another number than 1/100, by less than 10^-16 of it.
    assert Fraction(low) <= Fraction(found) <= Fraction(high) * (1 + Fraction(1, 10**9))


@pytest.mark.parametrize(
    ("sigma", "rate", "steps", "delta", "direction", "most"),
    [
        # The contour that fitted an estimate was kept, and its bound is 10^-5 of δ. That of one
        # placed at the root is 7·10^-8, and d ln δ/d ln ε is −7: 10^-8 of ε, and as much again for
        # another machine's rounding.
        (1.0, 1e-3, 74, 1e-10, "remove", 2e-8),
        # 1 − e^… cancelled in the height of the path, and ε was below the exact one. The contour's
        # bound is 8·10^-11 of δ, and d ln δ/d ln ε is −0.7: 10^-10 of ε, and as much again.
        (0.3, 1e-7, 9157, 1e-4, "add", 2.2e-10),
    ],
)
@pytest.mark.statement("X.SG.INVERSE")
def test_epsilon_that_was_wrong_is_just_above(sigma, rate, steps, delta, direction, most):
    where = {"sigma": sigma, "rate": rate, "steps": steps, "direction": direction}
    low, high = bounds(enclosures.subsampled_epsilon(delta=delta, **where))
    found = Fraction(fast.subsampled_epsilon(delta=delta, **where))
    assert low <= found <= high * (1 + Fraction(most))


@pytest.mark.statement("X.SG.PROFILE")
@settings(max_examples=150)
@given(
    log_sigma=st.floats(-1, 3),
    rate=st.floats(-8, -0.05).map(lambda x: 10**x) | st.floats(-15, -0.3).map(lambda x: 1 - 10**x),
    deviations=st.one_of(st.floats(0.1, 8), st.floats(8, 60)),
    direction=st.sampled_from(["add", "remove", "replace"]),
)
# ln w(t) was a difference of ln q, and δ off by 9·10^-9 of itself, on either side elsewhere.
@example(log_sigma=0.3659887, rate=10**-7.0976628, deviations=5.4, direction="replace")
@example(log_sigma=2.0, rate=1e-4, deviations=794.0, direction="remove")  # δ was 0
@example(log_sigma=2.072, rate=10**-3.7665, deviations=38.4, direction="add")  # subnormal
# 1 − q was lost in ln w(t).
@example(log_sigma=0.0, rate=0.999999, deviations=31.0, direction="replace")
@example(log_sigma=0.0, rate=0.999999999999, deviations=32.0, direction="replace")
# 1 − e^ε(1−q) is next to 1: its logarithm had lost digits.
@example(log_sigma=3.0, rate=0.999, deviations=1.0, direction="add")
@example(log_sigma=1.8482, rate=0.9999999933658602, deviations=2.75, direction="add")
# ε = 24 was rounded as if it were 1.
@example(log_sigma=-0.85261, rate=0.9999999999622798, deviations=2.5, direction="add")
def test_one_step_is_not_below_the_exact_one(log_sigma, rate, deviations, direction):
    sigma = 10**log_sigma
    # The loss so many deviations out, but for what replace-one's other distribution adds.
    turn = -1 if direction == "add" else 1
    power = min(turn * deviations / sigma - 0.5 / sigma**2, 600.0)
    epsilon = turn * math.log1p(max(rate * math.expm1(power), -rate))
    assume(epsilon > 0)
    where = {"epsilon": epsilon, "sigma": sigma, "rate": rate, "steps": 1, "direction": direction}
    try:
        exact = enclosures.subsampled_delta(**where, digits=15)
    except ArithmeticError:
        reject()  # in the last digits before the end of add
    with precision(200):
        found = ball(Fraction(fast.subsampled_delta(**where)))
        assert found >= exact
        if direction != "add":
            assert found <= exact * (1 + arb(2) ** -33) + 3 * ball(Fraction(5e-324))


@steady
@given(
    sigma=log(0.4, 20),
    rate=log(1e-3, 0.95),
    share=st.floats(0.02, 0.95),
    direction=st.sampled_from(["add", "remove", "replace"]),
)
@pytest.mark.statement("X.SG.PROFILE")
def test_one_step_by_the_contour_is_the_closed_form(sigma, rate, share, direction):
    phase = FloatPhase(sigma, rate, 1.0)
    top = float(log_ratio(phase, np.float64(3.0)))
    epsilon = share * (-math.log1p(-rate) if direction == "add" else top)
    contour = ContourMoments(saddle(epsilon, [phase], direction), epsilon, [phase], direction)
    value, error = contour.delta(epsilon)
    closed = single_delta(epsilon, phase, direction)
    assert abs(value - closed) <= error + 2.0**-32 * closed


# δ, σ, q, T and an ε that was taken for the exact one, which is above it
NEXT_TO_THE_LARGEST = [
    (1e-12, 0.3, 0.5, 2, 1.3862924221866297),
    (1e-21, 0.3, 0.5, 2, 1.386293255727415),
    (1e-21, 0.30619982577918314, 0.53, 2, 1.5100440129605979),
    (1e-19, 0.43, 0.10488644959885533, 2, 0.22160900692099092),
]


@pytest.mark.parametrize(("delta", "sigma", "rate", "steps", "once"), NEXT_TO_THE_LARGEST)
@pytest.mark.statement("X.SG.INVERSE")
def test_next_to_the_largest_loss_of_adding(delta, sigma, rate, steps, once):
    """Sums did not reach the noise, some −3σ, of which δ is made there."""
    where = {"sigma": sigma, "rate": rate, "steps": steps, "direction": "add"}
    epsilon = fast.subsampled_epsilon(delta=delta, **where)
    found = {}
    for each in (once, epsilon):
        exact = enclosures.subsampled_delta(epsilon=each, **where, digits=10)
        low, high = found[each] = bounds(exact)
        # The contour's own bound of its error is below 10^-9 of δ here.
        answer = Fraction(fast.subsampled_delta(epsilon=each, **where))
        assert low <= answer <= high * (1 + Fraction(1, 10**9))
    # Of the floats next to ε δ is off by up to 10^-5 of itself.
    assert delta * (1 - 1e-4) <= found[epsilon][0] <= delta < found[once][1]


@pytest.mark.parametrize(
    ("delta", "sigma", "rate", "steps", "direction"),
    [
        (5e-8, 0.552, 6.43e-5, 5, "remove"),  # 8 times too large
        (1e-6, 1.0, 8e-5, 2, "remove"),
        (1e-10, 1.0, 8e-5, 2, "replace"),
    ],
)
@pytest.mark.statement("X.SG.INVERSE")
def test_a_few_steps_that_seldom_have_the_record_are_seen(delta, sigma, rate, steps, direction):
    """The contour went straight up from a saddle of no curvature, and its terms did not decay."""
    where = {"sigma": sigma, "rate": rate, "steps": steps, "direction": direction}
    epsilon = fast.subsampled_epsilon(delta=delta, **where)
    low, high = bounds(enclosures.subsampled_delta(epsilon=epsilon, **where, digits=6))
    # The rounding in the contour's terms, 2·10^-15, is this part of the least δ.
    assert low <= delta <= high * (1 + Fraction(1, 10**4))


adding = st.tuples(log(0.3, 30), log(1.1e-8, 0.9) | st.floats(-6, -0.3).map(lambda x: 1 - 10**x))


@steady
@given(
    phases=st.tuples(adding, st.integers(1, 5)),
    other=st.none() | st.tuples(adding, st.integers(1, 5)),
    deviations=st.floats(0.5, 9),
)
@pytest.mark.statement("X.SG.PROFILE")
def test_next_to_the_largest_loss_of_any_few_steps(phases, other, deviations):
    plan = [(*noise, steps) for noise, steps in (phases, other or ((1.0, 0.5), 0)) if steps]
    # The loss if the noise of every step is so many deviations out.
    epsilon = -math.fsum(
        steps * math.log1p(rate * math.expm1(-deviations / sigma - 0.5 / sigma**2))
        for sigma, rate, steps in plan
    )
    where = {"epsilon": epsilon, "phases": plan, "direction": "add"}
    exact = bounds(enclosures.subsampled_schedule_delta(**where, digits=10))[0]
    found = Fraction(fast.subsampled_schedule_delta(**where))
    assert exact <= found
    if exact > Fraction(1, 10**60):
        assert found <= 10 * exact


def two_steps(epsilon, phase, direction):
    """E[δ₁(ε − L)] over the other step, by the trapezoid rule for the normal density."""
    t, step = np.linspace(-12, 12 + 2 / phase.sigma, 401, retstep=True)
    plus, minus = log_ratio(phase, t), log_ratio(phase, -t)
    weight = step / math.sqrt(2 * math.pi) * np.exp(-t * t / 2)
    if direction == "add":
        loss = -plus
    else:
        loss = plus if direction == "remove" else plus - minus
        weight = weight * np.exp(plus)
    total = 0.0
    for each, mass in zip(loss, weight, strict=True):
        rest = epsilon - each
        if rest >= 0:
            total += mass * single_delta(rest, phase, direction)
        else:
            # δ(ε) = 1 − e^ε + e^ε·δ'(−ε), δ' of the two exchanged
            other = {"add": "remove", "remove": "add", "replace": "replace"}[direction]
            total += mass * (-math.expm1(rest) + math.exp(rest) * single_delta(-rest, phase, other))
    return total


@few
@given(
    sigma=log(0.6, 4),
    rate=log(0.02, 0.9),
    share=st.floats(0.1, 0.9),
    direction=st.sampled_from(["add", "remove", "replace"]),
)
@pytest.mark.statement("X.SG.PROFILE")
def test_two_steps_are_one_integrated_over_the_other(sigma, rate, share, direction):
    phase = FloatPhase(sigma, rate, 1.0)
    epsilon = share * 2 * min(1.0, -math.log1p(-rate))
    found = fast.subsampled_delta(
        epsilon=epsilon, sigma=sigma, rate=rate, steps=2, direction=direction
    )
    # The integrand has two continuous derivatives: h³ = 3·10^-4, of what changes at the kink.
    assert found == pytest.approx(two_steps(epsilon, phase, direction), rel=1e-4, abs=1e-9)


@steady
@given(noise=noise, direction=directions, delta=log(1e-14, 0.5))
@example(noise=(0.8, 1e-4, 1000), direction="remove", delta=1e-12)
@example(noise=(4.0, 1e-6, 10**6), direction="remove", delta=1e-5)  # it was sought from ε = 0 on
@example(noise=(5.893139191747518, 1e-4, 3), direction="remove", delta=3.947e-06)
@pytest.mark.statement("X.SG.INVERSE")
def test_epsilon_is_where_delta_is(noise, direction, delta):
    sigma, rate, steps = noise
    where = {"sigma": sigma, "rate": rate, "steps": steps, "direction": direction}
    epsilon = fast.subsampled_epsilon(delta=delta, **where)
    assert 0 <= epsilon < math.inf
    assert fast.subsampled_delta(epsilon=epsilon, **where) <= delta * (1 + 1e-8)
    if epsilon > 1e-6:
        assert fast.subsampled_delta(epsilon=epsilon * (1 - 1e-4), **where) > delta * (1 - 1e-8)


@few
@given(noise=noise, direction=directions, epsilon=log(1e-2, 30))
@pytest.mark.statement("X.SG.PROFILE")
def test_delta_is_monotone_in_every_argument(noise, direction, epsilon):
    sigma, rate, steps = noise
    arguments = {"epsilon": epsilon, "sigma": sigma, "rate": rate, "steps": steps}
    middle = fast.subsampled_delta(**arguments, direction=direction)
    for name, more in (
        ("epsilon", 0.9 * epsilon),
        ("sigma", 0.9 * sigma),
        ("rate", min(1.0, 1.1 * rate)),
        ("steps", steps + 1 + steps // 10),
    ):
        found = fast.subsampled_delta(**{**arguments, name: more}, direction=direction)
        # The lattice may be the answer on one side only, where both are far below 10^-12.
        assert found >= middle * (1 - 1e-7) or middle < 1e-14


@few
@given(noise=noise, epsilon=log(1e-2, 30))
@pytest.mark.statement("X.SG.PROFILE")
def test_replacing_a_record_tells_more_and_both_is_the_larger(noise, epsilon):
    sigma, rate, steps = noise
    add, remove, both, replace = (
        fast.subsampled_delta(epsilon=epsilon, sigma=sigma, rate=rate, steps=steps, direction=each)
        for each in ("add", "remove", "both", "replace")
    )
    assert both == max(add, remove)
    assert replace >= both * (1 - 1e-7) or both < 1e-14


@steady
@given(sigma=log(0.3, 100), steps=log(1, 1e6).map(int), delta=log(1e-12, 0.5))
@pytest.mark.statement("X.SG.PROFILE")
def test_a_record_in_every_batch_is_the_plain_mechanism(sigma, steps, delta):
    plain = fast.repeated_epsilon(delta=delta, sigma=sigma, releases=steps)
    for direction in ("add", "remove", "both"):
        found = fast.subsampled_epsilon(
            delta=delta, sigma=sigma, rate=1, steps=steps, direction=direction
        )
        assert found == pytest.approx(plain, rel=1e-14)
    found = fast.subsampled_epsilon(
        delta=delta, sigma=sigma, rate=1, steps=steps, direction="replace"
    )
    twice = fast.repeated_epsilon(delta=delta, sigma=sigma, releases=steps, sensitivity=2)
    assert found == pytest.approx(twice, rel=1e-14)


@few
@given(noise=noise, direction=directions, delta=log(1e-12, 0.1), part=st.floats(0.1, 0.9))
@pytest.mark.statement("X.SG.PROFILE")
def test_a_schedule_of_equal_phases_is_the_plain_run(noise, direction, delta, part):
    sigma, rate, steps = noise
    first = max(1, int(part * steps))
    plain = fast.subsampled_epsilon(
        delta=delta, sigma=sigma, rate=rate, steps=steps, direction=direction
    )
    whole = [(sigma, rate, steps)]
    split = [(sigma, rate, first), (sigma, rate, steps - first)]
    for phases in (whole, [each for each in split if each[2]]):
        found = fast.subsampled_schedule_epsilon(delta=delta, phases=phases, direction=direction)
        assert found == pytest.approx(plain, rel=1e-13)


@pytest.mark.statement("X.SG.PROFILE")
@pytest.mark.parametrize("direction", ["add", "remove", "replace", "both"])
def test_a_first_phase_of_one_step_is_not_the_whole_run(direction):
    phases = [(1.0, 0.05, 1), (2.0, 0.1, 30)]
    where = {"epsilon": 0.3, "phases": phases, "direction": direction}
    low, high = bounds(enclosures.subsampled_schedule_delta(**where, digits=12))
    found = fast.subsampled_schedule_delta(**where)
    # The contour's own bound of its error is below 10^-9 of δ here.
    assert low <= Fraction(found) <= high * (1 + Fraction(1, 10**9))


@pytest.mark.statement("X.SG.PROFILE")
def test_a_phase_with_every_record_adds_to_the_others():
    phases = [(1.0, 0.01, 1000), (4.0, 1.0, 2)]
    together = fast.subsampled_schedule_delta(epsilon=1.5, phases=phases, direction="both")
    almost = fast.subsampled_schedule_delta(
        epsilon=1.5, phases=[(1.0, 0.01, 1000), (4.0, 1 - 1e-9, 2)], direction="both"
    )
    alone = fast.subsampled_delta(epsilon=1.5, sigma=1, rate=0.01, steps=1000, direction="both")
    assert together > alone
    assert together == pytest.approx(almost, rel=1e-6)


@few
@given(noise=noise, direction=directions, delta=log(1e-10, 0.1))
# Here the δ of float64 is above what was asked; the exact one is not.
@example(
    noise=(1.5554275766653598, 0.0028728692291486173, 5349),
    direction="replace",
    delta=0.021068471584334857,
)
@pytest.mark.statement("X.SG.INVERSE")
def test_sigma_is_private_and_less_is_not(noise, direction, delta):
    sigma, rate, steps = noise
    where = {"rate": rate, "steps": steps, "direction": direction}
    epsilon = fast.subsampled_epsilon(delta=delta, sigma=sigma, **where)
    if not 1e-3 < epsilon < 100:
        return
    found = fast.subsampled_sigma(epsilon=epsilon, delta=delta, **where)
    assert found == pytest.approx(sigma, rel=1e-6)
    exact = enclosures.subsampled_delta(epsilon=epsilon, sigma=found, digits=15, **where)
    assert exact <= delta


@pytest.mark.statement("X.SG.PROFILE")
def test_a_few_steps_of_little_noise_are_exact_too():
    # The contour bent to the side on which the quasi-atom grows, and saw nothing in half a minute.
    setting = {"epsilon": 0.0, "sigma": 0.3, "rate": 0.9, "steps": 3}
    # Where ε is 0, adding and removing are the same: by contours that bend to the two sides.
    add, remove = (fast.subsampled_delta(**setting, direction=way) for way in ("add", "remove"))
    assert remove == pytest.approx(add, rel=1e-10)
    replace = fast.subsampled_delta(**setting, direction="replace")
    assert replace == pytest.approx(0.9979504369107, rel=1e-11)  # enclosed


def test_a_delta_of_nothing_is_next_to_nothing():
    """No loss of adding is beyond −2·ln(1 − 10⁻⁴) < 3: δ is 0, and the bound is what it spares."""
    assert lattice_delta(3.0, [FloatPhase(0.5, 1e-4, 2.0)], "add") < 1e-280


@settings(steady, max_examples=15)  # a fifth of a second each
@given(
    sigma=log(0.3, 100),
    rate=log(1e-6, 0.95),
    deviations=st.floats(0, 20),
    direction=st.sampled_from(["add", "remove", "replace"]),
)
@example(sigma=4.0, rate=1e-6, deviations=16.0, direction="remove")
@example(sigma=1.0, rate=0.135, deviations=5e-324, direction="replace")  # half of ε was 0
@pytest.mark.statement("X.SG.PROFILE")
def test_the_lattice_is_above_one_step(sigma, rate, deviations, direction):
    phase = FloatPhase(sigma, rate, 1.0)
    top = -math.log1p(-rate) if direction == "add" else float(log_ratio(phase, np.float64(20.0)))
    epsilon = top * deviations / 20.5
    exact = single_delta(epsilon, phase, direction)
    bound = lattice_delta(epsilon, [phase], direction)
    assert bound >= exact * (1 - 2.0**-30)
    if 1e-290 < exact < 0.5:
        assert lattice_epsilon(exact, [phase], direction) >= epsilon * (1 - 1e-9)


# σ, q, T, δ, direction and the exact ε, enclosed
FAR = [
    (1.35, 2.55e-5, 9_320_000, 1.01e-53, "remove", 1.5334028),
    (0.518, 1.48e-6, 709_000, 1.81e-57, "remove", 19.953652),
    (25.1, 1.03e-6, 1310, 1.32e-28, "add", 1.40708190e-5),
    (5.33, 4.98e-4, 36_400, 6.86e-22, "replace", 0.31977037),
]


@pytest.mark.parametrize(("sigma", "rate", "steps", "delta", "direction", "exact"), FAR)
@pytest.mark.statement("X.SG.INVERSE")
def test_far_tails_are_at_most_a_quarter_too_large(sigma, rate, steps, delta, direction, exact):
    found = fast.subsampled_epsilon(
        delta=delta, sigma=sigma, rate=rate, steps=steps, direction=direction
    )
    # Where a record is rare and δ is tiny, the lattice's bound is the answer.
    assert exact <= found * (1 + 1e-7)
    assert found <= exact * 1.25


@pytest.mark.statement("X.SG.INVERSE")
def test_an_estimate_far_beyond_the_root_is_not_taken_for_a_far_tail():
    """One step's jump rules the estimate, where nothing is seen; at the root all is."""
    setting = {"delta": 1.1e-18, "sigma": 4.0, "rate": 0.00033, "steps": 10_000}
    found = fast.subsampled_epsilon(**setting, direction="remove")
    exact = enclosures.subsampled_epsilon(**setting, direction="remove")
    assert exact <= found <= exact * (1 + 1e-4)


def test_arrays_broadcast():
    found = fast.subsampled_epsilon(
        delta=[1e-5, 1e-9], sigma=[[1.0], [2.0]], rate=0.01, steps=1000, direction="both"
    )
    assert found.shape == (2, 2)
    one = fast.subsampled_epsilon(delta=1e-9, sigma=2.0, rate=0.01, steps=1000, direction="both")
    assert found[1, 1] == one


@pytest.mark.parametrize(("name", "value"), table("what_is_refused_is_named"))
def test_what_is_refused_is_named(name, value):
    good = {"delta": 1e-5, "sigma": 1.0, "rate": 0.01, "steps": 100, "direction": "both"}
    with pytest.raises(ValueError, match=name):
        fast.subsampled_epsilon(**{**good, name: value})


@pytest.mark.parametrize("phases", [[], "abc", [(1.0, 0.01)], [3.0]])
def test_phases_are_a_list_of_triples(phases):
    with pytest.raises(TypeError, match="phases"):
        fast.subsampled_schedule_delta(epsilon=1.0, phases=phases, direction="both")


@pytest.mark.parametrize(
    ("sigma", "rate", "steps", "epsilon"),
    [*mostly_dear(table("the_ends_of_the_domain_have_answers"), 3), dear(0.3, 0.999, 10**7, 1e4)],
)
def test_the_ends_of_the_domain_have_answers(sigma, rate, steps, epsilon):
    for direction in ("add", "remove", "replace"):
        found = fast.subsampled_delta(
            epsilon=epsilon, sigma=sigma, rate=rate, steps=steps, direction=direction
        )
        assert 0 < found <= 1


def test_an_epsilon_told_from_a_run_without_members_is_not_above_it():
    source = random.Random(5)
    for _ in range(2000):
        epsilon, near = (10 ** source.uniform(-6, 3) for _ in "ab")
        rest = near * 2.0**-53 * source.uniform(-1, 1)
        told = TiltedLattice._told(types.SimpleNamespace(anchor=(near, rest)), epsilon)
        exact = Fraction(epsilon) - Fraction(near) - Fraction(rest)
        assert 0 <= exact - Fraction(told) <= (epsilon + near) * 2.0**-49
